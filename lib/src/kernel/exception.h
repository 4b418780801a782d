/* SPDX-License-Identifier: MIT */
/*
 * Reports of cores: exceptions of launches, and the output of kernels.
 *
 * Both are kept until they are asked for, or are too many: an exception by its
 * task, output by its stream.  Any thread may call these functions.
 */
#ifndef VNPU_LIB_KERNEL_EXCEPTION_H
#define VNPU_LIB_KERNEL_EXCEPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"

#define VNPU_EXCEPTION_TEXT	512

/* The exception of a launch. */
struct vnpu_exception {
	uint64_t stream;	/* id of the stream in the driver */
	uint64_t seq;		/* number of the task */
	uint32_t kind;		/* VNPU_FAULT_*, or CORE_FAULT_* */
	uint32_t core;		/* VNPU_CORE_* */
	uint32_t block;
	uint64_t address;	/* device address, or 0 */
	char text[VNPU_EXCEPTION_TEXT];	/* a sentence without an end */
};

/* Keep an exception; the oldest one is dropped if there are many. */
void vnpu_exception_add(const struct vnpu_exception *exception);

/* Get the exception of a task; false without one. */
bool vnpu_exception_find(uint64_t stream, uint64_t seq,
			 struct vnpu_exception *exception);

/*
 * Get the code of a launch that failed: @error is the positive errno of the task
 * and @cores VNPU_CORE_* of the kernel; @exception may be NULL.
 */
aclError vnpu_exception_code(uint32_t error, uint32_t cores,
			     const struct vnpu_exception *exception);

/* Keep output of a kernel. */
void vnpu_print_add(uint64_t stream, const char *text, size_t length);

/*
 * Write the output of a stream's kernels, or of all, to standard output.  This may
 * block, so callers hold no lock of the library.
 */
void vnpu_print_flush(uint64_t stream);
void vnpu_print_flush_all(void);

/*
 * Describe a device address by the nearest allocation: "4 KiB behind 0x..., 64 KiB
 * of memory of aclrtMalloc"; "" if there is none.
 */
void vnpu_describe_address(uint64_t address, char *text, size_t size);

#endif /* VNPU_LIB_KERNEL_EXCEPTION_H */
