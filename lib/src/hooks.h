/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program that are told what happens to streams and devices.
 *
 * They are called without a lock of the library, so they may call it; and so
 * none of its locks may be held by who calls these.
 */
#ifndef VNPU_LIB_HOOKS_H
#define VNPU_LIB_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Whether anyone wants to know of streams, which costs to find out. */
bool vnpu_hooks_want_streams(void);

void vnpu_hooks_stream(uint64_t handle, aclrtStreamState state);
void vnpu_hooks_device(int32_t user_device, aclrtDeviceState state);

/* 0, or what the first function that failed returned. */
int32_t vnpu_hooks_abort(int32_t user_device, aclrtDeviceTaskAbortStage stage,
			 uint32_t timeout);

/* A task that failed. */
struct rtExceptionInfo {
	uint32_t task;
	uint32_t stream;
	uint32_t thread;
	uint32_t device;
	uint32_t code;
};

/* Whether anyone wants to know of those. */
bool vnpu_hooks_want_exceptions(void);

void vnpu_hooks_exception(const struct rtExceptionInfo *info);

#endif /* VNPU_LIB_HOOKS_H */
