/* SPDX-License-Identifier: MIT */
/*
 * Binaries and their functions.
 *
 * A binary is an image in memory.  It stays until its handle is removed and
 * nothing refers to it: each function has a reference to its binary, and each
 * incomplete launch one to its function.  So launches that were submitted before
 * a binary is unloaded can still run.
 *
 * Any thread may call these functions.
 */
#ifndef VNPU_LIB_KERNEL_BINARY_H
#define VNPU_LIB_KERNEL_BINARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "base/handle.h"
#include "base/lock.h"
#include "image.h"

struct vnpu_args;
struct vnpu_function;

/**
 * struct vnpu_binary - a loaded image
 * @next: of the list of all binaries; its lock, see binary.c
 * @handle: its handle; constant, like those up to @image
 * @id: number of the image in cores, not 0
 * @name: path of the file or source, for messages
 * @is_unit: the program registered it, and unregisters it
 * @file: memfd with the image, which is sealed
 * @data: its mapping
 * @size: its bytes
 * @image: its contents
 * @devices: bit N: the core of device N has, or had, the image; written under the
 *	lock of the core
 * @lock: protects the members below
 * @functions: functions that exist, by index of the kernel
 * @args: lists of arguments, which end with the binary
 * @copy: copy of the image that devices can read, or NULL
 * @copy_va: its device address
 */
struct vnpu_binary {
	struct vnpu_binary *next;
	uint64_t handle;
	uint32_t id;
	char *name;
	bool is_unit;
	int file;
	const void *data;
	size_t size;
	struct vnpu_image_view image;
	_Atomic uint64_t devices;
	struct vnpu_lock lock;
	struct vnpu_function **functions;
	struct vnpu_args *args;
	void *copy;
	uint64_t copy_va;
};

/**
 * struct vnpu_function - a kernel of a binary; constant
 * @handle: its handle
 * @binary: its binary, to which it has a reference
 * @index: of the kernel in the image
 * @cores: VNPU_CORE_* that it runs on
 */
struct vnpu_function {
	uint64_t handle;
	struct vnpu_binary *binary;
	uint32_t index;
	uint32_t cores;
};

/* Get what the image records of a function. */
static inline const struct vnpu_kernel_entry *
vnpu_function_entry(const struct vnpu_function *function)
{
	return &function->binary->image.kernels[function->index];
}

/* The largest binary. */
#define VNPU_BINARY_MAX	(1ULL << 31)

/*
 * Make a binary of a copy of an image: 0 and a binary with one reference, that of
 * its handle; -ENOEXEC and @why; or another -errno.
 */
int vnpu_binary_create(const void *data, size_t size, const char *name,
		       bool is_unit, struct vnpu_binary **binary,
		       const char **why);

/* Make a binary of the bytes of a file, likewise. */
int vnpu_binary_create_from(int file, const char *name,
			    struct vnpu_binary **binary, const char **why);

/* Remove the handle of a live binary and those of its functions. */
void vnpu_binary_unload(struct vnpu_binary *binary);

/* Drop a reference. */
void vnpu_binary_put(struct vnpu_binary *binary);

/*
 * Call a function for each binary that the core of a device has, with a lock
 * held, until it returns a value other than 0.
 */
int vnpu_binary_for_each(uint32_t device,
			 int (*call)(struct vnpu_binary *binary, void *arg),
			 void *arg);

/*
 * Get the device address of a copy of the image, which this makes first: 0 or
 * -errno.
 */
int vnpu_binary_address(struct vnpu_binary *binary, uint64_t *va);

/*
 * Get a function of a binary, with a reference; NULL without memory.  The caller
 * has a reference to the binary.
 */
struct vnpu_function *vnpu_binary_function(struct vnpu_binary *binary,
					   uint32_t index);

/*
 * Get the function of a CORE_FUNCTION() number with a reference; NULL if its
 * binary does not exist any more.
 */
struct vnpu_function *vnpu_function_find(uint64_t number);

/*
 * Check the bytes of an argument block that the program has laid out, or report
 * that the block is too short.  The block of the launch has *@size bytes: a core
 * expects those after the last parameter, too.
 */
aclError vnpu_function_check_args(const struct vnpu_function *function,
				  size_t *size);

/* Drop a reference. */
void vnpu_function_put(struct vnpu_function *function);

/* Get the function of a handle with a reference, or report an error. */
aclError vnpu_function_get(aclrtFuncHandle handle,
			   struct vnpu_function **function);

/* The same for a handle, or the address of a host function. */
aclError vnpu_function_get_any(const void *func,
			       struct vnpu_function **function);

/* Get the binary of a handle with a reference, or report an error. */
aclError vnpu_binary_get(aclrtBinHandle handle, struct vnpu_binary **binary);

/* Report that machine code of a card cannot run. */
aclError vnpu_binary_foreign(const struct vnpu_function *function);

/* Find the kernel of a host function; NULL without one; else a reference. */
struct vnpu_function *vnpu_unit_find_stub(const void *stub);

#endif /* VNPU_LIB_KERNEL_BINARY_H */
