/* SPDX-License-Identifier: MIT */
/*
 * Copying, for the files that do it in one piece, in rows or in batches.
 */
#ifndef VNPU_LIB_COPY_H
#define VNPU_LIB_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Copy between host and device, any direction; fails for @call. */
aclError vnpu_copy(const char *call, void *dst, const void *src,
		   uint64_t length);

/* Tell what vnpu_copy_check() has found. */
aclError vnpu_copy_refuse(const char *call, const void *dst, size_t dest_max,
			  const void *src, size_t count, aclrtMemcpyKind kind);

/*
 * What can be wrong with the arguments of a copy whatever the addresses are of;
 * what the addresses say counts, so the kind need only be one.
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

/* Of host memory, only the library's own may be set: fails with @code. */
aclError vnpu_copy_check_host(const char *call, aclError code, const void *ptr,
			      uint64_t length);

struct vnpu_stream;

/*
 * What a task can reach: sets @va for device memory, and for memory of the host
 * that is pinned; false for other memory of the host.
 */
bool vnpu_copy_reach(const void *ptr, uint64_t length, uint64_t *va);

/**
 * vnpu_copy_submit() - copy when a stream comes to it
 * @call: name of the AscendCL call
 * @stream: the stream
 * @dst: device address, or host
 * @src: the same; one of both is a device address
 * @length: bytes, at least 1
 *
 * Where memory of the host is not pinned, waits for the stream and copies at
 * once, as CANN does.
 */
aclError vnpu_copy_submit(const char *call, struct vnpu_stream *stream,
			  void *dst, const void *src, uint64_t length);

#endif /* VNPU_LIB_COPY_H */
