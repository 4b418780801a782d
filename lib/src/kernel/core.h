/* SPDX-License-Identifier: MIT */
/*
 * Cores: the processes that run kernels, one for each device that this process
 * launches kernels on.
 *
 * The first launch on a device starts its core.  A thread of the library receives
 * what the core reports, and starts another core when it ends: launches that
 * the old one had fail, and the others wait for the new one.
 *
 * Any thread may call these functions.  lib/core/protocol.h describes the
 * messages, and Documentation/launch.md the whole.
 */
#ifndef VNPU_LIB_KERNEL_CORE_H
#define VNPU_LIB_KERNEL_CORE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "binary.h"

/* Bit N: the core of device N runs.  Only core.c writes it. */
extern __attribute__((visibility("hidden"))) _Atomic uint64_t vnpu_core_running;

/* The slow path of vnpu_core_use(). */
aclError vnpu_core_prepare(uint32_t device, struct vnpu_binary *binary);

/*
 * Make sure that the core of a device runs and has a binary, if one is given, or
 * report an error.  A core that ends later is replaced.
 */
static inline aclError vnpu_core_use(uint32_t device,
				     struct vnpu_binary *binary)
{
	uint64_t is_ready = atomic_load(&vnpu_core_running);

	if (binary)
		is_ready &= atomic_load(&binary->devices);
	if (__builtin_expect(is_ready >> device & 1, 1))
		return ACL_SUCCESS;
	return vnpu_core_prepare(device, binary);
}

/* Have the cores of these devices, bit N for device N, unload an image. */
void vnpu_core_forget(uint32_t id, uint64_t devices);

/* Receive what the core of a device has sent so far. */
void vnpu_core_receive(uint32_t device);

/*
 * Receive the same, and write the output of all kernels, for a call that ends
 * streams of the device.  Callers hold no lock of the library.
 */
void vnpu_core_flush(uint32_t device);

/* Describe why the last core of a device ended; "" if none did. */
void vnpu_core_last_end(uint32_t device, char *text, size_t size);

/* End all cores, wait until they have, and write the output of their kernels. */
void vnpu_core_end_all(void);

#endif /* VNPU_LIB_KERNEL_CORE_H */
