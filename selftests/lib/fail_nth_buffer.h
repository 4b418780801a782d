/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: data buffers, shared buffers and caches. */
#ifndef SELFTESTS_LIB_FAIL_NTH_BUFFER_H
#define SELFTESTS_LIB_FAIL_NTH_BUFFER_H

#include "fail_nth_calls.h"

static aclError make_data(struct world *w)
{
	w->data = aclCreateDataBuffer(w->own, AREA);
	return made(w->data);
}

static aclError make_mbuf(struct world *w)
{
	return aclrtAllocBuf(&w->mbuf, AREA);
}

static aclError make_two(struct world *w)
{
	aclError err = make_mbuf(w);

	return err ? err : aclrtAllocBuf(&w->appended, 64);
}

static aclError make_cache_desc(struct world *w)
{
	return aclrtCmoSetDesc(w->work.dev, w->work.dev, AREA);
}

CALL(destroy_data, {
	return END(w, data, aclDestroyDataBuffer(w->data));
})

CALL(free_mbuf, {
	return END(w, mbuf, aclrtFreeBuf(w->mbuf));
})

CALL(append, {
	return END(w, appended, aclrtAppendBufChain(w->mbuf, w->appended));
})

CALL(copy_ref, {
	return aclrtCopyBufRef(w->mbuf, &w->appended);
})

#define BUFFER_ROWS(ROW)						\
	ROW(aclUpdateDataBuffer, make_data, (w->data, NULL, 0))		\
	ROW(aclGetDataBufferAddr, make_data, (w->data) ? 0 : -1)	\
	ROW(aclGetDataBufferSize, make_data, (w->data) == AREA ? 0 : -1) \
	ROW(aclGetDataBufferSizeV2, make_data, (w->data) == AREA ? 0 : -1) \
	ROW(aclrtGetBufData, make_mbuf, (w->mbuf, result(0), result(1))) \
	ROW(aclrtSetBufDataLen, make_mbuf, (w->mbuf, 1))		\
	ROW(aclrtGetBufDataLen, make_mbuf, (w->mbuf, result(0)))	\
	ROW(aclrtSetBufUserData, make_mbuf, (w->mbuf, w->small, 96, 0))	\
	ROW(aclrtGetBufUserData, make_mbuf, (w->mbuf, w->small, 96, 0))	\
	ROW(aclrtGetBufFromChain, make_mbuf, (w->mbuf, 0, result(0)))	\
	ROW(aclrtGetBufChainNum, make_mbuf, (w->mbuf, result(0)))	\
	ROW(aclrtMemFlush, NULL, (w->work.dev, AREA))			\
	ROW(aclrtMemInvalidate, NULL, (w->work.dev, AREA))		\
	ROW(aclrtDeviceL2CacheFlush, NULL, (NULL))			\
	ROW(aclrtCmoAsync, NULL,					\
	    (w->work.dev, AREA, ACL_RT_CMO_TYPE_PREFETCH, w->work.a))	\
	ROW(aclrtCmoGetDescSize, NULL, (result(0)))			\
	ROW(aclrtCmoSetDesc, NULL, (w->work.dev, w->work.dev, AREA))	\
	ROW(aclrtCmoAsyncWithDesc, make_cache_desc,			\
	    (w->work.dev, ACL_RT_CMO_TYPE_PREFETCH, w->work.a, NULL))

BUFFER_ROWS(ROW_CALL)

static const struct sweep buffer_calls[] = {
	BUFFER_ROWS(ROW_ENTRY)
	{ "aclCreateDataBuffer", NULL, make_data, false, 0 },
	{ "aclDestroyDataBuffer", make_data, call_destroy_data, false, 0 },
	{ "aclrtAllocBuf", NULL, make_mbuf, false, 0 },
	{ "aclrtFreeBuf", make_mbuf, call_free_mbuf, true, 0 },
	{ "aclrtAppendBufChain", make_two, call_append, false, 0 },
	{ "aclrtCopyBufRef", make_mbuf, call_copy_ref, false, 0 },
	{ 0 }
};

#endif
