// SPDX-License-Identifier: MIT
/* Variables of kernels by their symbols: none is registered. */
#include "acl/acl_rt.h"
#include "base/error.h"

/* Report that @symbol is not registered; @other is NULL if it must not be. */
static aclError refuse(const void *symbol, const void *other, const char *name)
{
	if (!symbol)
		return vnpu_error_null("symbol");
	if (!other)
		return vnpu_error_null(name);
	return vnpu_error(ACL_ERROR_RT_INVALID_SYMBOL,
		"symbol = %p is no variable with a device address: those of kernels are in the process that runs them; pass memory of aclrtMalloc to the kernel",
		symbol);
}

aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr)
{
	VNPU_CALL();

	return refuse(symbol, devPtr, "devPtr");
}

aclError aclrtGetSymbolSize(const void *symbol, size_t *size)
{
	VNPU_CALL();

	return refuse(symbol, size, "size");
}

aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol,
			       size_t count, size_t offset,
			       aclrtMemcpyKind kind)
{
	VNPU_CALL();

	(void)dstMax;
	(void)count;
	(void)offset;
	(void)kind;
	return refuse(symbol, dst, "dst");
}

aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax,
				    const void *symbol, size_t count,
				    size_t offset, aclrtMemcpyKind kind,
				    aclrtStream stream)
{
	VNPU_CALL();

	(void)dstMax;
	(void)count;
	(void)offset;
	(void)kind;
	(void)stream;
	return refuse(symbol, dst, "dst");
}

aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count,
			     size_t offset, aclrtMemcpyKind kind)
{
	VNPU_CALL();

	(void)count;
	(void)offset;
	(void)kind;
	return refuse(symbol, src, "src");
}

aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src,
				  size_t count, size_t offset,
				  aclrtMemcpyKind kind, aclrtStream stream)
{
	VNPU_CALL();

	(void)count;
	(void)offset;
	(void)kind;
	(void)stream;
	return refuse(symbol, src, "src");
}
