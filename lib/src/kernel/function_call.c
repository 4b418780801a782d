// SPDX-License-Identifier: MIT
/*
 * Calls that return properties of functions.
 */
#include <string.h>

#include <vnpu/kernel.h>

#include "base/error.h"
#include "runtime/soc.h"
#include "binary.h"

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize,
			      size_t *aivSize)
{
	VNPU_CALL();
	struct vnpu_function *function;
	aclError ret;

	if (!aicSize)
		return vnpu_error_null("aicSize");
	if (!aivSize)
		return vnpu_error_null("aivSize");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	*aicSize = vnpu_image_code_size(&function->binary->image,
					function->index, VNPU_CORE_CUBE);
	*aivSize = vnpu_image_code_size(&function->binary->image,
					function->index, VNPU_CORE_VECTOR);
	vnpu_function_put(function);
	return ACL_SUCCESS;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen,
			      char *name)
{
	VNPU_CALL();
	const struct vnpu_kernel_entry *entry;
	struct vnpu_function *function;
	size_t length;
	aclError ret;

	if (!name)
		return vnpu_error_null("name");
	if (!maxLen)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"maxLen is 0; pass the bytes at name");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	entry = vnpu_function_entry(function);
	length = entry->length < maxLen ? entry->length : maxLen - 1;
	memcpy(name, entry->symbol, length);
	name[length] = '\0';
	vnpu_function_put(function);
	return ACL_SUCCESS;
}

static int64_t kernel_type(const struct vnpu_function *function)
{
	if (!vnpu_soc()->is_split)
		return ACL_KERNEL_TYPE_AICORE;
	switch (function->cores) {
	case VNPU_CORE_VECTOR:
		return ACL_KERNEL_TYPE_VECTOR;
	case VNPU_CORE_CUBE:
		return ACL_KERNEL_TYPE_CUBE;
	default:
		return ACL_KERNEL_TYPE_MIX;
	}
}

/* One group: cube cores in the upper half, vector cores in the lower. */
static int64_t kernel_ratio(const struct vnpu_function *function)
{
	uint32_t ratio = vnpu_image_ratio(&function->binary->image,
					  function->index);

	if (ratio)
		return 1 << 16 | ratio;
	return function->cores & VNPU_CORE_CUBE ? 1 << 16 : 1;
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
				   aclrtFuncAttribute attrType,
				   int64_t *attrValue)
{
	VNPU_CALL();
	struct vnpu_function *function;
	aclError ret;

	if (!attrValue)
		return vnpu_error_null("attrValue");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	switch (attrType) {
	case ACL_FUNC_ATTR_KERNEL_TYPE:
		*attrValue = kernel_type(function);
		break;
	case ACL_FUNC_ATTR_KERNEL_RATIO:
		*attrValue = kernel_ratio(function);
		break;
	case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
		*attrValue = vnpu_meta_schedule(&function->binary->image,
						function->index);
		break;
	default:
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attrType = %d is not known; use a value of aclrtFuncAttribute",
			attrType);
	}
	vnpu_function_put(function);
	return ret;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle,
				aclrtBinHandle *binHandle)
{
	VNPU_CALL();
	struct vnpu_function *function;
	aclError ret;

	if (!binHandle)
		return vnpu_error_null("binHandle");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	*binHandle = vnpu_u64_to_ptr(function->binary->handle);
	vnpu_function_put(function);
	return ACL_SUCCESS;
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
	VNPU_CALL();
	const struct vnpu_image_view *image;
	struct vnpu_function *function;
	uint32_t count = 0;
	aclError ret;

	if (!paramCount)
		return vnpu_error_null("paramCount");
	ret = vnpu_function_get_any(func, &function);
	if (ret)
		return ret;
	image = &function->binary->image;
	if (!image->is_foreign)
		*paramCount = vnpu_function_entry(function)->param_count;
	else if (vnpu_meta_param_count(image, function->index, &count))
		*paramCount = count;
	else
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"%s does not record the parameters of its kernels",
			function->binary->name);
	vnpu_function_put(function);
	return ret;
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex,
				   size_t *paramOffset, size_t *paramSize)
{
	VNPU_CALL();
	struct vnpu_function *function;
	uint32_t offset, size;
	aclError ret;

	if (!paramOffset)
		return vnpu_error_null("paramOffset");
	if (!paramSize)
		return vnpu_error_null("paramSize");
	ret = vnpu_function_get_any(func, &function);
	if (ret)
		return ret;
	if (function->binary->image.is_foreign) {
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the parameters of a card's machine code are not read; compile the source with vnpu-cc");
	} else if (!vnpu_image_param(&function->binary->image,
				     function->index, paramIndex, &offset,
				     &size)) {
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"paramIndex = %zu is out of range; the kernel has %u parameters",
			paramIndex, vnpu_function_entry(function)->param_count);
	} else {
		*paramOffset = offset;
		*paramSize = size;
	}
	vnpu_function_put(function);
	return ret;
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags,
					      size_t *dynamicUbufSize)
{
	VNPU_CALL();
	struct vnpu_function *function;
	aclError ret;

	if (!dynamicUbufSize)
		return vnpu_error_null("dynamicUbufSize");
	if (flags)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = 0x%x is not 0, the only value", flags);
	ret = vnpu_function_get_any(func, &function);
	if (ret)
		return ret;
	*dynamicUbufSize = vnpu_soc()->memory[VNPU_LOCAL_UB];
	vnpu_function_put(function);
	return ACL_SUCCESS;
}

aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
	VNPU_CALL();
	struct vnpu_function *function;

	if (!symbol)
		return vnpu_error_null("symbol");
	if (!funcHandle)
		return vnpu_error_null("funcHandle");
	function = vnpu_unit_find_stub(symbol);
	if (!function)
		return vnpu_error(ACL_ERROR_RT_INVALID_SYMBOL,
			"symbol = %p is not a kernel of this program; pass the name of a kernel that vnpu-cc has compiled",
			symbol);
	*funcHandle = vnpu_u64_to_ptr(function->handle);
	vnpu_function_put(function);
	return ACL_SUCCESS;
}
