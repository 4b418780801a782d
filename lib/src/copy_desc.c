// SPDX-License-Identifier: MIT
/*
 * Copies whose addresses are in device memory.
 *
 * A task of the driver has its addresses in itself.  So these calls wait for
 * what the stream has to do before, which may write the addresses, and read
 * them then.
 */
#include "context.h"
#include "copy.h"
#include "error.h"
#include "io.h"
#include "stream.h"

/* What aclrtSetMemcpyDesc() writes to the device. */
struct descriptor {
	uint64_t src;
	uint64_t dst;
	uint64_t count;
	uint64_t reserved[5];
};

static aclError check_kind(const char *call, aclrtMemcpyKind kind)
{
	if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, call,
			"kind = %d is not for this call; use ACL_MEMCPY_INNER_DEVICE_TO_DEVICE",
			kind);
	return ACL_SUCCESS;
}

static aclError check_device(const char *call, const char *name, uint64_t addr)
{
	if (vnpu_io_is_device_address(addr))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
		"%s = 0x%llx is no device address", name,
		(unsigned long long)addr);
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
	aclError ret;

	if (!descSize)
		return vnpu_error_null(__func__, "descSize");
	ret = check_kind(__func__, kind);
	if (!ret)
		*descSize = sizeof(struct descriptor);
	return ret;
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr,
			    void *dstAddr, size_t count, void *config)
{
	const struct descriptor descriptor = {
		.src = vnpu_ptr_to_u64(srcAddr),
		.dst = vnpu_ptr_to_u64(dstAddr),
		.count = count,
	};
	struct vnpu_current current;
	aclError ret;

	if (!desc)
		return vnpu_error_null(__func__, "desc");
	if (!srcAddr)
		return vnpu_error_null(__func__, "srcAddr");
	if (!dstAddr)
		return vnpu_error_null(__func__, "dstAddr");
	if (config)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
				  "config is reserved; pass NULL");
	ret = check_kind(__func__, kind);
	if (!ret)
		ret = vnpu_context_current(__func__, &current);
	if (!ret)
		ret = check_device(__func__, "desc", vnpu_ptr_to_u64(desc));
	return ret ? ret : vnpu_copy(__func__, desc, &descriptor,
				     sizeof(descriptor));
}

/* Read what the stream's earlier tasks may write. */
static aclError read_after(const char *call, struct vnpu_stream *stream,
			   void *to, const void *from, size_t length)
{
	aclError ret = vnpu_stream_wait(call, stream, -1);

	return ret ? ret : vnpu_copy(call, to, from, length);
}

static aclError submit(const char *call, struct vnpu_stream *stream,
		       const struct descriptor *descriptor)
{
	aclError ret = check_device(call, "source", descriptor->src);

	if (!ret)
		ret = check_device(call, "destination", descriptor->dst);
	if (ret || !descriptor->count)
		return ret;
	return vnpu_copy_submit(call, stream, vnpu_u64_to_ptr(descriptor->dst),
				vnpu_u64_to_ptr(descriptor->src),
				descriptor->count);
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind,
				  aclrtStream stream)
{
	struct descriptor descriptor = { 0 };
	struct vnpu_stream *found;
	aclError ret;

	if (!desc)
		return vnpu_error_null(__func__, "desc");
	ret = check_kind(__func__, kind);
	if (!ret)
		ret = vnpu_stream_get(__func__, stream, false, &found);
	if (ret)
		return ret;
	ret = check_device(__func__, "desc", vnpu_ptr_to_u64(desc));
	if (!ret)
		ret = read_after(__func__, found, &descriptor, desc,
				 sizeof(descriptor));
	if (!ret)
		ret = submit(__func__, found, &descriptor);
	vnpu_stream_put(found);
	return ret;
}

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax,
				    size_t dstDataOffset, const void **src,
				    size_t count, size_t srcDataOffset,
				    aclrtMemcpyKind kind, aclrtStream stream)
{
	struct descriptor descriptor = { .count = count };
	struct vnpu_stream *found;
	aclError ret;

	if (!dst)
		return vnpu_error_null(__func__, "dst");
	if (!src)
		return vnpu_error_null(__func__, "src");
	ret = check_kind(__func__, kind);
	if (ret)
		return ret;
	if (count > destMax)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"count = %zu is more than destMax = %zu; copy at most what fits",
			count, destMax);
	ret = vnpu_stream_get(__func__, stream, false, &found);
	if (ret)
		return ret;
	ret = read_after(__func__, found, &descriptor.dst, dst, sizeof(*dst));
	if (!ret)
		ret = vnpu_copy(__func__, &descriptor.src, src, sizeof(*src));
	if (!ret) {
		descriptor.dst += dstDataOffset;
		descriptor.src += srcDataOffset;
		ret = submit(__func__, found, &descriptor);
	}
	vnpu_stream_put(found);
	return ret;
}
