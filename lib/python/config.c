// SPDX-License-Identifier: MIT
/*
 * Options of loads and runs of models: the attribute decides the value's type.
 */
#include "acl_module.h"

/*
 * Memory that the host reads at a load: one struct for each handle that has such
 * options, until it is destroyed.  All is under the interpreter's lock.
 */
struct source {
	struct source *next;
	aclmdlConfigHandle *handle;
	uint64_t type;			/* ACL_MDL_LOAD_FROM_* */
	uint64_t address;
	uint64_t size;
};

static struct source *sources;

static struct source **source_find(aclmdlConfigHandle *handle)
{
	struct source **link = &sources;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

/* Return the member that an option sets, in the handle's struct; or NULL. */
static uint64_t *member(struct source *source, aclmdlConfigAttr attr)
{
	switch (attr) {
	case ACL_MDL_LOAD_TYPE_SIZET:
		return &source->type;
	case ACL_MDL_MEM_ADDR_PTR:
		return &source->address;
	case ACL_MDL_MEM_SIZET:
		return &source->size;
	default:
		return NULL;
	}
}

/* Make the struct of a handle, or return it. */
static struct source *source_of(aclmdlConfigHandle *handle)
{
	struct source *source = *source_find(handle);

	if (source)
		return source;
	source = PyMem_Calloc(1, sizeof(*source));
	if (!source) {
		PyErr_NoMemory();
		return NULL;
	}
	source->handle = handle;
	source->next = sources;
	sources = source;
	return source;
}

static void source_drop(aclmdlConfigHandle *handle)
{
	struct source **link = source_find(handle), *source = *link;

	if (!source)
		return;
	*link = source->next;
	PyMem_Free(source);
}

/* Keep a value that the library took. */
static bool remember(aclmdlConfigHandle *handle, aclmdlConfigAttr attr,
		     uint64_t value)
{
	struct source unused = { 0 }, *source;

	if (!member(&unused, attr))
		return true;
	source = source_of(handle);
	if (source)
		*member(source, attr) = value;
	return source;
}

/* The value of an option: a number, or the text that a path is. */
union value {
	int32_t number;
	uint64_t wide;
	const char *path;
};

static bool is_path(aclmdlConfigAttr attr)
{
	return attr == ACL_MDL_PATH_PTR || attr == ACL_MDL_WEIGHT_PATH_PTR;
}

static bool convert_load(struct acl_call *call, aclmdlConfigAttr attr,
			 union value *value, size_t *size)
{
	*size = sizeof(value->wide);
	if (is_path(attr))
		return acl_arg_string(call, 2, &value->path);
	if (attr != ACL_MDL_PRIORITY_INT32)
		return acl_arg_uint(call, 2, &value->wide, *size);
	*size = sizeof(value->number);
	return acl_arg_int(call, 2, &value->number, *size);
}

static bool convert_run(struct acl_call *call, aclmdlExecConfigAttr attr,
			union value *value, size_t *size)
{
	*size = sizeof(value->wide);
	if (attr != ACL_MDL_STREAM_SYNC_TIMEOUT &&
	    attr != ACL_MDL_EVENT_SYNC_TIMEOUT)
		return acl_arg_uint(call, 2, &value->wide, *size);
	*size = sizeof(value->number);
	return acl_arg_int(call, 2, &value->number, *size);
}

static const char *const option_names[] = { "handle", "attr", "attr_value" };

ACL_FUNCTION(mdl_set_config_opt)
{
	struct acl_call call = { "acl.mdl.set_config_opt", option_names, values,
				 count };
	union value value = { 0 };
	aclmdlConfigHandle *handle;
	aclmdlConfigAttr attr;
	aclError ret;
	size_t size;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) ||
	    !acl_arg_uint(&call, 0, &handle, sizeof(handle)) ||
	    !acl_arg_enum(&call, 1, &attr, sizeof(attr)) ||
	    !convert_load(&call, attr, &value, &size))
		return NULL;
	ret = aclmdlSetConfigOpt(handle, attr, &value, size);
	if (!ret && !remember(handle, attr, value.wide))
		return NULL;
	return PyLong_FromLong(ret);
}

ACL_FUNCTION(mdl_set_exec_config_opt)
{
	struct acl_call call = { "acl.mdl.set_exec_config_opt", option_names,
				 values, count };
	union value value = { 0 };
	aclmdlExecConfigHandle *handle;
	aclmdlExecConfigAttr attr;
	size_t size;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) ||
	    !acl_arg_uint(&call, 0, &handle, sizeof(handle)) ||
	    !acl_arg_enum(&call, 1, &attr, sizeof(attr)) ||
	    !convert_run(&call, attr, &value, &size))
		return NULL;
	return PyLong_FromLong(aclmdlSetExecConfigOpt(handle, attr, &value,
						      size));
}

static const char *const handle_names[] = { "handle" };

ACL_FUNCTION(mdl_load_with_config)
{
	struct acl_call call = { "acl.mdl.load_with_config", handle_names,
				 values, count };
	aclmdlConfigHandle *handle;
	struct source *source;
	uint32_t model = 0;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 1, 1) ||
	    !acl_arg_uint(&call, 0, &handle, sizeof(handle)))
		return NULL;
	source = *source_find(handle);
	if (source && source->address &&
	    (source->type == ACL_MDL_LOAD_FROM_MEM ||
	     source->type == ACL_MDL_LOAD_FROM_MEM_WITH_MEM) &&
	    !acl_host_may(source->address, source->size, false)) {
		PyErr_Format(PyExc_ValueError,
			"%s: ACL_MDL_MEM_ADDR_PTR = %p is not the address of %llu bytes that the host can read",
			call.name, (void *)(uintptr_t)source->address,
			(unsigned long long)source->size);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	ret = aclmdlLoadWithConfig(handle, &model);
	Py_END_ALLOW_THREADS
	return Py_BuildValue("Ii", model, ret);
}

ACL_FUNCTION(mdl_destroy_config_handle)
{
	struct acl_call call = { "acl.mdl.destroy_config_handle", handle_names,
				 values, count };
	aclmdlConfigHandle *handle;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 1, 1) ||
	    !acl_arg_uint(&call, 0, &handle, sizeof(handle)))
		return NULL;
	ret = aclmdlDestroyConfigHandle(handle);
	if (!ret)
		source_drop(handle);
	return PyLong_FromLong(ret);
}
