/* SPDX-License-Identifier: MIT */
/*
 * Copies, for the files that make single ones, rows and batches.
 */
#ifndef VNPU_LIB_COPY_H
#define VNPU_LIB_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Copy between host and device in any direction. */
aclError vnpu_copy(void *dst, const void *src, uint64_t length);

/* Report the error that vnpu_copy_check() has found. */
aclError vnpu_copy_refuse(const void *dst, size_t dest_max, const void *src,
			  size_t count, aclrtMemcpyKind kind);

/*
 * Check the arguments of a copy that do not depend on the addresses.  The
 * addresses imply the direction, so @kind only has to be a valid value.
 */
static inline aclError vnpu_copy_check(const void *dst, size_t dest_max,
				       const void *src, size_t count,
				       aclrtMemcpyKind kind)
{
	bool is_known = (unsigned int)kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;

	if (__builtin_expect(dst && src && is_known && count <= dest_max, 1))
		return ACL_SUCCESS;
	return vnpu_copy_refuse(dst, dest_max, src, count, kind);
}

/*
 * Fail if a part of a range from the device address @va is not bound; accept
 * other addresses.
 */
aclError vnpu_copy_check_bound(const char *name, uint64_t va, uint64_t length);

/* Fail for host memory that aclrtMallocHost() did not allocate. */
aclError vnpu_copy_check_host(const void *ptr, uint64_t length);

struct vnpu_stream;

/*
 * Get the address by which a task can access memory: sets @va for device memory
 * and pinned host memory; false for other host memory.
 */
bool vnpu_copy_reach(const void *ptr, uint64_t length, uint64_t *va);

/**
 * vnpu_copy_submit() - submit a copy to a stream
 * @stream: the stream
 * @dst: device or host address
 * @src: device or host address; at least one of the two is a device address
 * @length: bytes, at least 1
 *
 * If the host memory is not pinned, waits for the stream and copies at once, as
 * CANN does.
 *
 * Return: ACL_SUCCESS, or an error.
 */
aclError vnpu_copy_submit(struct vnpu_stream *stream, void *dst,
			  const void *src, uint64_t length);

#endif /* VNPU_LIB_COPY_H */
