// SPDX-License-Identifier: MIT
/*
 * Copies of rectangles.
 */
#include "base/error.h"
#include "base/gate.h"
#include "base/util.h"
#include "io/io.h"
#include "runtime/context.h"
#include "capture.h"
#include "copy.h"
#include "stream.h"
#include "timeout.h"

struct rectangle {
	void *dst;
	size_t dpitch;
	const void *src;
	size_t spitch;
	size_t width;
	size_t height;
};

/* The limits that CANN documents for the asynchronous call. */
#define ASYNC_WIDTH_MAX		5000000UL
#define ASYNC_HEIGHT_MAX	(5UL << 20)

static aclError check(const struct rectangle *r)
{
	size_t pitch = r->dpitch > r->spitch ? r->dpitch : r->spitch;
	size_t bytes;

	if (!r->dst)
		return vnpu_error_null("dst");
	if (!r->src)
		return vnpu_error_null("src");
	if (r->width > r->dpitch || r->width > r->spitch)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"width = %zu is more than dpitch = %zu or spitch = %zu; rows would overlap",
			r->width, r->dpitch, r->spitch);
	if (__builtin_mul_overflow(pitch, r->height, &bytes))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"height = %zu rows with a pitch of %zu bytes exceed the address space",
			r->height, pitch);
	return ACL_SUCCESS;
}

static aclError kind_error(aclrtMemcpyKind kind)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"kind = %d is not supported for rows; use ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST",
		kind);
}

static aclError copy_now(const struct rectangle *r)
{
	aclError ret = ACL_SUCCESS;

	/* Rows without gaps are a single range. */
	if (r->dpitch == r->width && r->spitch == r->width)
		return vnpu_copy(r->dst, r->src, r->width * r->height);

	for (size_t row = 0; row < r->height && !ret; row++)
		ret = vnpu_copy((char *)r->dst + row * r->dpitch,
				(const char *)r->src + row * r->spitch,
				r->width);
	return ret;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src,
		       size_t spitch, size_t width, size_t height,
		       aclrtMemcpyKind kind)
{
	VNPU_CALL();
	const struct rectangle r = {
		dst, dpitch, src, spitch, width, height
	};
	struct vnpu_current current;
	aclError ret;

	vnpu_gate_pass();
	if (!width || !height)
		return ACL_SUCCESS;
	if (dst && src && kind != ACL_MEMCPY_HOST_TO_DEVICE &&
	    kind != ACL_MEMCPY_DEVICE_TO_HOST && kind != ACL_MEMCPY_DEFAULT)
		return kind_error(kind);
	ret = check(&r);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret)
		ret = vnpu_capture_check_now();
	return ret ? ret : copy_now(&r);
}

static aclError submit(const struct rectangle *r, struct vnpu_stream *stream)
{
	struct vnpu_task task = {
		.op = VNPU_TASK_COPY_2D,
		.timeout_ms = vnpu_timeout_execute(),
		.length = r->width,
		.arg0 = r->height,
		.arg1 = r->dpitch,
		.arg2 = r->spitch,
	};
	uint64_t dst, src;
	aclError ret;

	if (vnpu_copy_reach(r->dst, (r->height - 1) * r->dpitch + r->width,
			    &dst) &&
	    vnpu_copy_reach(r->src, (r->height - 1) * r->spitch + r->width,
			    &src)) {
		task.dst = dst;
		task.src = src;
		return vnpu_stream_submit(stream, &task, 1, NULL);
	}
	ret = vnpu_capture_wait_now(stream);
	return ret ? ret : copy_now(r);
}

static aclError check_async(const struct rectangle *r)
{
	if (r->width > ASYNC_WIDTH_MAX || r->height > ASYNC_HEIGHT_MAX)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"width = %zu or height = %zu is too large; use at most %lu and %lu",
			r->width, r->height, ASYNC_WIDTH_MAX,
			ASYNC_HEIGHT_MAX);
	if (!vnpu_io_is_device_address(vnpu_ptr_to_u64(r->dst)) &&
	    !vnpu_io_is_device_address(vnpu_ptr_to_u64(r->src)))
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"dst = %p and src = %p are both host memory; use memcpy",
			r->dst, r->src);
	return ACL_SUCCESS;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src,
			    size_t spitch, size_t width, size_t height,
			    aclrtMemcpyKind kind, aclrtStream stream)
{
	VNPU_CALL();
	const struct rectangle r = {
		dst, dpitch, src, spitch, width, height
	};
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!width || !height)
		return ACL_SUCCESS;
	if (dst && src && kind != ACL_MEMCPY_HOST_TO_DEVICE &&
	    kind != ACL_MEMCPY_DEVICE_TO_HOST &&
	    kind != ACL_MEMCPY_DEVICE_TO_DEVICE && kind != ACL_MEMCPY_DEFAULT)
		return kind_error(kind);
	ret = check(&r);
	if (!ret)
		ret = check_async(&r);
	if (!ret)
		ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = submit(&r, found);
	vnpu_stream_put(found);
	return ret;
}
