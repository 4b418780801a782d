/* SPDX-License-Identifier: MIT */
/*
 * The Python module acl: pyACL, the Python interface of AscendCL.
 *
 * generate.py makes a function of each line of acl.table.  It converts the
 * arguments with the functions below, releases the interpreter's lock, calls
 * libvnpu and builds the result.  Functions that this does not fit are written by
 * hand, and have the same shape.
 *
 * An argument of the wrong type raises TypeError, and a value that C cannot hold
 * raises ValueError, as does an address that the host must read and cannot.  All
 * else is the library's to check: its error is the returned code.
 *
 * Every function is called with the interpreter's lock, unless its comment says
 * otherwise.
 */
#ifndef ACL_MODULE_H
#define ACL_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_prof.h"
#include "acl/ops/acl_cblas.h"
#include "vnpu/pool.h"

/*
 * Buffers
 */

/* The most that a caller may ask for text, in bytes. */
#define ACL_TEXT_MAX		65536
/* Blocks of memory, and objects, that one call needs at most. */
#define ACL_BLOCKS		4

/* One call of a function. */
struct acl_call {
	const char *name;		/* "acl.rt.malloc" */
	const char *const *names;	/* of the arguments */
	PyObject *const *values;
	Py_ssize_t count;
	void *blocks[ACL_BLOCKS];	/* freed at its end */
	unsigned int used;
	PyObject *objects[ACL_BLOCKS];	/* released at its end */
	unsigned int kept;
};

/* Allocate zeroed memory that lives as long as the call; else MemoryError. */
void *acl_call_alloc(struct acl_call *call, size_t number, size_t size);
/* Take over an object, which lives as long as the call. */
void acl_call_keep(struct acl_call *call, PyObject *object);
void acl_call_end(struct acl_call *call);

/*
 * Arguments.  Each function returns whether it succeeded, and sets the exception
 * if not.  @index counts from 0; @value has @size bytes.
 */
bool acl_arg_count(struct acl_call *call, Py_ssize_t least, Py_ssize_t most);
bool acl_arg_uint(struct acl_call *call, Py_ssize_t index, void *value,
		  size_t size);
bool acl_arg_int(struct acl_call *call, Py_ssize_t index, void *value,
		 size_t size);
/* Convert an enum of 32 bits, a number with or without sign. */
bool acl_arg_enum(struct acl_call *call, Py_ssize_t index, void *value,
		  size_t size);
/* Convert a number with or without sign: -1 is the largest one without. */
bool acl_arg_any(struct acl_call *call, Py_ssize_t index, void *value,
		 size_t size);
bool acl_arg_float(struct acl_call *call, Py_ssize_t index, void *value,
		   size_t size);
/* The string belongs to the argument. */
bool acl_arg_string(struct acl_call *call, Py_ssize_t index, const char **value);
bool acl_arg_optional(struct acl_call *call, Py_ssize_t index,
		      const char **value);
bool acl_arg_callable(struct acl_call *call, Py_ssize_t index);

/* Convert an item of list @index, or that argument, to @size bytes. */
typedef bool acl_item(const struct acl_call *call, Py_ssize_t index,
		      PyObject *item, void *value, size_t size);
acl_item acl_item_uint, acl_item_int, acl_item_enum, acl_item_float,
	 acl_item_string;

/* Convert a list or an array to items of @size bytes, which live as long as the call. */
bool acl_arg_list(struct acl_call *call, Py_ssize_t index, void **items,
		  size_t size, acl_item *item, void *length,
		  size_t length_size);
/* Convert a list that has as many items as the argument before. */
bool acl_arg_same(struct acl_call *call, Py_ssize_t index, void **items,
		  size_t size, acl_item *item, uint64_t length);
/* Convert the number of an exception, which is valid inside its callback only. */
bool acl_arg_info(struct acl_call *call, Py_ssize_t index,
		  aclrtExceptionInfo **info);

/* Raise @type for an argument: "NAME: ARGUMENT must be ..., not TYPE". */
bool acl_arg_refuse(const struct acl_call *call, Py_ssize_t index,
		    PyObject *type, const char *needed);

/* Raise ValueError for an address of memory that the host cannot read or write. */
void acl_refuse_address(const struct acl_call *call, Py_ssize_t index,
			uint64_t address, uint64_t size, const char *verb);

/* Convert an integer to @size bytes at @value. */
bool acl_number(const struct acl_call *call, Py_ssize_t index, PyObject *number,
		bool is_signed, void *value, size_t size);

/* Store the lower bytes of @bits. */
void acl_store(uint64_t bits, void *value, size_t size);

/* Convert dicts and lists to structs. Keys that are missing are 0. */
bool acl_arg_aclrtPhysicalMemProp(struct acl_call *call, Py_ssize_t index,
				  aclrtPhysicalMemProp *prop);
bool acl_arg_aclrtMallocConfig(struct acl_call *call, Py_ssize_t index,
			       aclrtMallocConfig *config);
bool acl_arg_aclrtBinaryLoadOptions(struct acl_call *call, Py_ssize_t index,
				    aclrtBinaryLoadOptions *options);
bool acl_arg_aclrtLaunchKernelCfg(struct acl_call *call, Py_ssize_t index,
				  aclrtLaunchKernelCfg *config);
bool acl_arg_vnpu_pool_config(struct acl_call *call, Py_ssize_t index,
			      struct vnpu_pool_config *config);
bool acl_arg_aclmdlIODims(struct acl_call *call, Py_ssize_t index,
			  aclmdlIODims *dims);

/* Convert structs to dicts; return NULL with an exception. */
PyObject *acl_dict_aclrtUtilizationInfo(const aclrtUtilizationInfo *info);
PyObject *acl_dict_aclCANNPackageVersion(const aclCANNPackageVersion *version);
PyObject *acl_dict_aclrtPtrAttributes(const aclrtPtrAttributes *attributes);
PyObject *acl_dict_aclrtUuid(const aclrtUuid *uuid);
PyObject *acl_dict_vnpu_pool_stats(const struct vnpu_pool_stats *stats);
PyObject *acl_dict_aclmdlIODims(const aclmdlIODims *dims);
PyObject *acl_dict_aclmdlIODimsRange(const aclmdlIODimsRange *range);
PyObject *acl_dict_aclmdlBatch(const aclmdlBatch *batch);
PyObject *acl_dict_aclmdlHW(const aclmdlHW *sizes);
PyObject *acl_dict_aclAippInfo(const aclAippInfo *info);

/* Check arguments that depend on others.  The library checks for NULL. */
bool acl_check_readable(struct acl_call *call, Py_ssize_t index,
			const void *address, uint64_t size);
bool acl_check_writable(struct acl_call *call, Py_ssize_t index,
			const void *address, uint64_t size);
/*
 * The library itself copies between addresses of the host, and fills memory there,
 * so the host must be able to access them.  All else is up to the device.
 */
bool acl_check_copy(struct acl_call *call, const void *dst, uint64_t dst_size,
		    const void *src, uint64_t src_size);
bool acl_check_fill(struct acl_call *call, const void *dst, uint64_t size);
bool acl_check_within(struct acl_call *call, Py_ssize_t index, uint64_t length,
		      const char *text);
bool acl_text_alloc(struct acl_call *call, char **text, uint64_t size);

/* Return whether the host may read, or also write, all these bytes. */
bool acl_host_may(uint64_t address, uint64_t size, bool write);

/* Drop the objects of a stream's callbacks, of which it calls no more. */
void acl_callbacks_drop(unsigned long long stream);
/* Let no callback begin any more, and wait for those that run. */
PyObject *acl_callbacks_end(PyObject *module, PyObject *unused);

/* The source of pools of memory that the host and devices access. */
extern const struct vnpu_pool_provider acl_host_provider;

static inline unsigned long long acl_address(const void *pointer)
{
	return (uintptr_t)pointer;
}

/* Return the bytes from the first to the last of a rectangle. */
static inline uint64_t acl_extent(uint64_t pitch, uint64_t width, uint64_t height)
{
	uint64_t bytes;

	if (!width || !height)
		return 0;
	if (__builtin_mul_overflow(pitch, height - 1, &bytes) ||
	    __builtin_add_overflow(bytes, width, &bytes))
		return UINT64_MAX;
	return bytes;
}

static inline uint32_t acl_length(const char *text)
{
	return (uint32_t)strlen(text);
}

#define ACL_FUNCTION(_name)						\
	PyObject *py_##_name(PyObject *module, PyObject *const *values,	\
			     Py_ssize_t count)

/* Functions written by hand. */
ACL_FUNCTION(acl_app_log);
ACL_FUNCTION(acl_get_cann_attribute_list);
ACL_FUNCTION(rt___getattr__);
ACL_FUNCTION(rt_launch_callback);
ACL_FUNCTION(rt_set_exception_info_callback);
ACL_FUNCTION(rt_set_stream_attribute);
ACL_FUNCTION(rt_get_stream_attribute);
ACL_FUNCTION(rt_allocator_set_alloc_func_to_desc);
ACL_FUNCTION(rt_allocator_set_free_func_to_desc);
ACL_FUNCTION(rt_allocator_set_alloc_advise_func_to_desc);
ACL_FUNCTION(rt_allocator_set_get_addr_from_block_func_to_desc);
ACL_FUNCTION(rt_get_group_count);
ACL_FUNCTION(rt_get_group_info_detail);
ACL_FUNCTION(rt_get_mem_uce_info);
ACL_FUNCTION(rt_mem_uce_repair);
ACL_FUNCTION(mdl_get_input_dynamic_dims);
ACL_FUNCTION(mdl_set_config_opt);
ACL_FUNCTION(mdl_set_exec_config_opt);
ACL_FUNCTION(mdl_load_with_config);
ACL_FUNCTION(mdl_destroy_config_handle);
ACL_FUNCTION(op_set_attr_list_list_int);
ACL_FUNCTION(prof_create_subscribe_config);
ACL_FUNCTION(prof_get_op_type_v2);
ACL_FUNCTION(prof_get_op_name_v2);
ACL_FUNCTION(util_bytes_to_ptr);
ACL_FUNCTION(util_ptr_to_bytes);
ACL_FUNCTION(util_numpy_to_ptr);
ACL_FUNCTION(util_numpy_contiguous_to_ptr);
ACL_FUNCTION(util_ptr_to_numpy);
ACL_FUNCTION(_vnpu_dlpack_export);
ACL_FUNCTION(_vnpu_dlpack_import);
ACL_FUNCTION(util_start_thread);
ACL_FUNCTION(util_stop_thread);

/* The methods of each module, made by generate.py. */
extern PyMethodDef acl_methods_acl[], acl_methods_rt[], acl_methods_mdl[],
	acl_methods_op[], acl_methods_blas[], acl_methods_prof[],
	acl_methods_util[], acl_methods__vnpu[];

#endif /* ACL_MODULE_H */
