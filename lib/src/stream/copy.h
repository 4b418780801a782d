/* SPDX-License-Identifier: MIT */
/*
 * Copies, for the files that make single ones, rows and batches.
 */
#ifndef VNPU_LIB_COPY_H
#define VNPU_LIB_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Copy between host and device in any direction; fails for @call. */
aclError vnpu_copy(const char *call, void *dst, const void *src,
		   uint64_t length);

/* Report the error that vnpu_copy_check() has found. */
aclError vnpu_copy_refuse(const char *call, const void *dst, size_t dest_max,
			  const void *src, size_t count, aclrtMemcpyKind kind);

/*
 * Check the arguments of a copy that do not depend on the addresses.  The
 * addresses imply the direction, so @kind only has to be a valid value.
 */
static inline aclError vnpu_copy_check(const char *call, const void *dst,
				       size_t dest_max, const void *src,
				       size_t count, aclrtMemcpyKind kind)
{
	bool is_known = (unsigned int)kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;

	if (__builtin_expect(dst && src && is_known && count <= dest_max, 1))
		return ACL_SUCCESS;
	return vnpu_copy_refuse(call, dst, dest_max, src, count, kind);
}

/* Fail for host memory that aclrtMallocHost() did not allocate. */
aclError vnpu_copy_check_host(const char *call, const void *ptr,
			      uint64_t length);

struct vnpu_stream;

/*
 * Get the address by which a task can access memory: sets @va for device memory
 * and pinned host memory; false for other host memory.
 */
bool vnpu_copy_reach(const void *ptr, uint64_t length, uint64_t *va);

/**
 * vnpu_copy_submit() - submit a copy to a stream
 * @call: name of the AscendCL call
 * @stream: the stream
 * @dst: device or host address
 * @src: device or host address; at least one of the two is a device address
 * @length: bytes, at least 1
 *
 * If the host memory is not pinned, waits for the stream and copies at once, as
 * CANN does.
 */
aclError vnpu_copy_submit(const char *call, struct vnpu_stream *stream,
			  void *dst, const void *src, uint64_t length);

#endif /* VNPU_LIB_COPY_H */
