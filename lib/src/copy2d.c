// SPDX-License-Identifier: MIT
/*
 * Copying rectangles.
 */
#include "context.h"
#include "copy.h"
#include "error.h"
#include "util.h"

static bool is_kind_2d(aclrtMemcpyKind kind)
{
	return kind == ACL_MEMCPY_HOST_TO_DEVICE ||
	       kind == ACL_MEMCPY_DEVICE_TO_HOST ||
	       kind == ACL_MEMCPY_DEFAULT;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src,
		       size_t spitch, size_t width, size_t height,
		       aclrtMemcpyKind kind)
{
	struct vnpu_current current;
	aclError ret;
	size_t pitch = dpitch > spitch ? dpitch : spitch;
	size_t bytes;

	if (!width || !height)
		return ACL_SUCCESS;
	if (!dst)
		return vnpu_error_null(__func__, "dst");
	if (!src)
		return vnpu_error_null(__func__, "src");
	if (!is_kind_2d(kind))
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
			"kind = %d cannot be copied in rows; use ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST",
			kind);
	if (width > dpitch || width > spitch)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
			"width = %zu is more than dpitch = %zu or spitch = %zu; rows would overlap",
			width, dpitch, spitch);
	if (__builtin_mul_overflow(pitch, height, &bytes))
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
			"height = %zu rows %zu bytes apart are more than the address space has",
			height, pitch);
	ret = vnpu_context_current(__func__, &current);
	if (ret)
		return ret;

	/* Rows without gaps are one piece. */
	if (dpitch == width && spitch == width)
		return vnpu_copy(__func__, dst, src, width * height);

	for (size_t row = 0; row < height && !ret; row++)
		ret = vnpu_copy(__func__, (char *)dst + row * dpitch,
				(const char *)src + row * spitch, width);
	return ret;
}
