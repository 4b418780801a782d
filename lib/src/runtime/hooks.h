/* SPDX-License-Identifier: MIT */
/*
 * Callbacks of the program for streams and devices.
 *
 * They may call the library, so the library calls them without any of its
 * locks, and callers of these functions must not hold one.
 */
#ifndef VNPU_LIB_HOOKS_H
#define VNPU_LIB_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Check for callbacks for streams, as making their arguments takes time. */
bool vnpu_hooks_want_streams(void);

void vnpu_hooks_stream(uint64_t handle, aclrtStreamState state);
void vnpu_hooks_device(int32_t user_device, aclrtDeviceState state);

/* Call the abort callbacks; 0, or the first non-zero result. */
int32_t vnpu_hooks_abort(int32_t user_device, aclrtDeviceTaskAbortStage stage,
			 uint32_t timeout);

/*
 * A task that failed.  The rest is for launches of kernels: the argument block,
 * which stays readable during the callbacks, and the handles of the function and
 * its binary; 0 for other tasks.
 */
struct rtExceptionInfo {
	uint32_t task;
	uint32_t stream;
	uint32_t thread;
	uint32_t device;
	uint32_t code;
	uint32_t args_length;
	uint64_t args;
	uint64_t function;
	uint64_t binary;
};

/*
 * Set the callback for failed kernels of a binary, by its handle, or remove it if
 * @callback is NULL.  0 or -ENOMEM.
 */
int vnpu_hooks_set_binary(uint64_t binary, aclrtOpExceptionCallback callback,
			  void *args);

/* Functions of stream/ that look for failed tasks, see failure.c. */
struct vnpu_hooks_watcher {
	void (*scan)(void);
	void (*watch)(void);
};

/* Set these functions; the first stream does. */
void vnpu_hooks_set_watcher(const struct vnpu_hooks_watcher *new);

/* Check whether there are callbacks for failed tasks. */
bool vnpu_hooks_want_exceptions(void);

void vnpu_hooks_exception(const struct rtExceptionInfo *info);

#endif /* VNPU_LIB_HOOKS_H */
