// SPDX-License-Identifier: GPL-2.0-only
/* Calls for data buffers, shared buffers and caches. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "library.h"

static aclError fuzz_aclCreateDataBuffer(struct worker *w)
{
	void *new = aclCreateDataBuffer(any(w), size_of(w));

	return keep_if(w, made(new), DATA_BUFFER, new);
}

static aclError fuzz_aclrtAllocBuf(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclrtAllocBuf(&new, size_of(w));

	return keep_if(w, ret, MBUF, new);
}

static aclError fuzz_aclrtCopyBufRef(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclrtCopyBufRef(handle(w, MBUF), &new);

	return keep_if(w, ret, MBUF, new);
}

static aclrtBarrierTaskInfo *barrier_info(struct worker *w)
{
	aclrtBarrierTaskInfo *info = out(w, 0);

	info->barrierNum = below(w, 9);
	for (int i = 0; i < 6; i++)
		info->cmoInfo[i] = (aclrtBarrierCmoInfo){
			below(w, 3), below(w, 3)
		};
	return below(w, 8) ? info : NULL;
}

static void *nothing(struct worker *w)
{
	return below(w, 8) ? NULL : w->host;
}

#define BUFFER_ROWS(ROW)						\
	ROW(aclDestroyDataBuffer, (handle(w, DATA_BUFFER)))		\
	ROW(aclUpdateDataBuffer,					\
	    (handle(w, DATA_BUFFER), any(w), size_of(w)))		\
	ROW(aclrtFreeBuf, (handle(w, MBUF)))				\
	ROW(aclrtGetBufData, (handle(w, MBUF), out(w, 0), out(w, 1)))	\
	ROW(aclrtGetBufDataLen, (handle(w, MBUF), out(w, 0)))		\
	ROW(aclrtSetBufDataLen, (handle(w, MBUF), size_of(w)))		\
	ROW(aclrtGetBufUserData,					\
	    (handle(w, MBUF), out(w, 0), below(w, 100), below(w, 100)))	\
	ROW(aclrtSetBufUserData,					\
	    (handle(w, MBUF), out(w, 0), below(w, 100), below(w, 100)))	\
	ROW(aclrtAppendBufChain, (handle(w, MBUF), handle(w, MBUF)))	\
	ROW(aclrtGetBufFromChain,					\
	    (handle(w, MBUF), below(w, 4), out(w, 0)))			\
	ROW(aclrtGetBufChainNum, (handle(w, MBUF), out(w, 0)))		\
	ROW(aclrtMemFlush, (device_address(w), size_of(w)))		\
	ROW(aclrtMemInvalidate, (any(w), size_of(w)))			\
	ROW(aclrtDeviceL2CacheFlush, (nothing(w)))			\
	ROW(aclrtCmoAsync,						\
	    (device_address(w), size_of(w), below(w, 5),		\
	     handle(w, STREAM)))					\
	ROW(aclrtCmoAsyncWithBarrier,					\
	    (device_address(w), size_of(w), below(w, 5), below(w, 3),	\
	     handle(w, STREAM)))					\
	ROW(aclrtCmoWaitBarrier,					\
	    (barrier_info(w), handle(w, STREAM), below(w, 2)))		\
	ROW(aclrtCmoGetDescSize, (out(w, 0)))				\
	ROW(aclrtCmoSetDesc,						\
	    (handle(w, DEVICE_MEM), any(w), size_of(w)))		\
	ROW(aclrtCmoAsyncWithDesc,					\
	    (handle(w, DEVICE_MEM), below(w, 2), handle(w, STREAM),	\
	     nothing(w)))

BUFFER_ROWS(ROW_CALL)

#define BUFFER_VALUES(ROW)						\
	ROW(aclGetDataBufferAddr, (handle(w, DATA_BUFFER)))		\
	ROW(aclGetDataBufferSize, (handle(w, DATA_BUFFER)))		\
	ROW(aclGetDataBufferSizeV2, (handle(w, DATA_BUFFER)))

BUFFER_VALUES(VALUE_CALL)

const struct call buffer_calls[] = {
	BUFFER_ROWS(ROW_ENTRY)
	BUFFER_VALUES(ROW_ENTRY)
	CALL(aclCreateDataBuffer),
	CALL(aclrtAllocBuf),
	CALL(aclrtCopyBufRef),
	{ 0 }
};
