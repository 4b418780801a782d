// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that copy, fill and compute. Host memory that the library may access
 * stays mapped: unmapping it would be the caller's error.
 */
#include "library.h"

#define BATCH		4

/*
 * An address in device memory, which may be freed, or in this program's own.
 * The library treats any other address as host memory, and may access it.
 */
static void *address(struct worker *w, bool *is_host)
{
	uint8_t *mem = device_address(w);

	*is_host = !mem || !below(w, 3);
	return *is_host ? w->host + below(w, HOST_BYTES / 2) : mem;
}

struct copy {
	void *dst, *src;
	size_t size;
	aclrtMemcpyKind kind;
	void *stream;
	bool is_to_host, is_from_host;
};

/* Host memory has an end, which the caller must respect. */
static struct copy copy_of(struct worker *w)
{
	static const aclrtMemcpyKind kinds[2][2] = {
		{ ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST },
		{ ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_HOST_TO_HOST },
	};
	bool to_host, from_host;
	struct copy c;

	c.dst = address(w, &to_host);
	c.src = address(w, &from_host);
	if (below(w, 4))
		c.size = below(w, 1 << below(w, 8));
	else
		c.size = to_host || from_host ? below(w, HOST_BYTES / 2) :
						size_of(w);
	c.is_to_host = to_host;
	c.is_from_host = from_host;
	c.kind = below(w, 20) ? kinds[from_host][to_host] :
				(aclrtMemcpyKind)small(w);
	c.stream = handle(w, STREAM);
	return c;
}

/* A call for which @c is the copy. */
#define COPY(_name, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	struct copy c = copy_of(w);					\
									\
	return _name __VA_ARGS__;					\
}

COPY(aclrtMemcpy, (c.dst, c.size, c.src, c.size, c.kind))
COPY(aclrtMemcpyAsync, (c.dst, c.size, c.src, c.size, c.kind, c.stream))
COPY(aclrtMemcpyAsyncWithCondition,
     (c.dst, c.size, c.src, c.size, c.kind, c.stream))
COPY(aclrtMemset, (c.dst, c.size, small(w), c.size))
COPY(aclrtMemsetAsync, (c.dst, c.size, small(w), c.size, c.stream))
COPY(aclrtMemsetD32, (c.dst, c.size, small(w), c.size / 4))
COPY(aclrtMemsetD32Async, (c.dst, c.size, small(w), c.size / 4, c.stream))
COPY(aclrtMemcpy2d,
     (c.dst, 512, c.src, 512, below(w, 512), below(w, 512), c.kind))
COPY(aclrtMemcpy2dAsync,
     (c.dst, 512, c.src, 512, below(w, 512), below(w, 512), c.kind, c.stream))
COPY(aclrtReduceAsync,
     (c.dst, c.src, c.size, 10 + below(w, 5), below(w, 30), c.stream, NULL))
COPY(aclrtValueWrite, (c.dst, size_of(w), 0, c.stream))
COPY(aclrtValueWait, (c.dst, size_of(w), below(w, 5), c.stream))
COPY(aclrtSetMemcpyDesc,
     (device_address(w), ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, c.src, c.dst,
      c.size, NULL))

struct batch {
	void *dsts[BATCH], *srcs[BATCH];
	size_t sizes[BATCH], indexes[BATCH], count, nr_attrs, failed;
	aclrtMemcpyBatchAttr attrs[BATCH];
};

static aclrtMemLocationType location(struct worker *w, bool is_host)
{
	if (!below(w, 20))
		return below(w, 4);
	return is_host ? ACL_MEM_LOCATION_TYPE_HOST :
			 ACL_MEM_LOCATION_TYPE_DEVICE;
}

/* Most copies have attributes that match their addresses. */
static struct batch batch_of(struct worker *w)
{
	struct batch b = { .count = 1 + below(w, BATCH) };
	struct copy c;

	for (size_t i = 0; i < BATCH; i++) {
		c = copy_of(w);
		b.dsts[i] = c.dst;
		b.srcs[i] = c.src;
		b.sizes[i] = c.size;
		b.attrs[i].dstLoc.type = location(w, c.is_to_host);
		b.attrs[i].srcLoc.type = location(w, c.is_from_host);
		b.indexes[i] = below(w, 20) ? i : below(w, BATCH);
	}
	b.nr_attrs = b.count;
	if (!below(w, 20))
		b.nr_attrs = below(w, BATCH + 1);
	if (!below(w, 20))
		b.count = below(w, BATCH + 1);
	return b;
}

#define BATCH_CALL(_name, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	struct batch b = batch_of(w);					\
									\
	return _name __VA_ARGS__;					\
}

#define BATCH_ARGS	b.dsts, b.sizes, b.srcs, b.sizes, b.count, b.attrs, \
			b.indexes, b.nr_attrs

BATCH_CALL(aclrtMemcpyBatch, (BATCH_ARGS, &b.failed))
BATCH_CALL(aclrtMemcpyBatchV2, (BATCH_ARGS))
BATCH_CALL(aclrtMemcpyBatchAsync, (BATCH_ARGS, &b.failed, handle(w, STREAM)))
BATCH_CALL(aclrtMemcpyBatchAsyncV2, (BATCH_ARGS, handle(w, STREAM)))

/* Addresses in memory, which are read when the stream reaches the task. */
static aclError fuzz_aclrtMemcpyAsyncWithOffset(struct worker *w)
{
	struct copy c = copy_of(w);
	void **to = out(w, 0);
	const void **from = out(w, 1);

	*to = device_address(w);
	*from = device_address(w);
	return aclrtMemcpyAsyncWithOffset(below(w, 2) ? to : device_address(w),
					  c.size, below(w, 64),
					  below(w, 2) ? from : device_address(w),
					  c.size, below(w, 64),
					  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
					  c.stream);
}

static void random_number(struct worker *w, aclrtRandomParaInfo *info,
			  uint8_t size, uint64_t value)
{
	void *at = device_address(w);

	info->size = below(w, 8) ? size : below(w, 16);
	info->isAddr = !below(w, 4);
	if (info->isAddr)
		memcpy(info->valueOrAddr, &at, sizeof(at));
	else
		memcpy(info->valueOrAddr, &value, sizeof(value));
}

static aclError fuzz_aclrtRandomNumAsync(struct worker *w)
{
	aclrtRandomNumTaskInfo info = {
		.dataType = below(w, 4) ? ACL_FLOAT : below(w, 30),
		.randomParaAddr = below(w, 2) ? device_address(w) : NULL,
		.randomResultAddr = device_address(w),
		.randomCounterAddr = device_address(w),
	};
	aclrtUniformDisInfo *to =
		&info.randomNumFuncParaInfo.paramInfo.uniformDisInfo;

	info.randomNumFuncParaInfo.funcType = below(w, 5);
	random_number(w, &info.randomSeed, 8, rng_next(&w->r));
	random_number(w, &info.randomNum, 8, size_of(w));
	random_number(w, &to->min, 4, 0);
	random_number(w, &to->max, 4, 0x3f800000);
	return aclrtRandomNumAsync(&info, handle(w, STREAM), NULL);
}

#define COPY_ROWS(ROW)							\
	ROW(aclrtGetMemcpyDescSize, (small(w), out(w, 0)))		\
	ROW(aclrtMemcpyAsyncWithDesc,					\
	    (device_address(w), ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,	\
	     handle(w, STREAM)))

COPY_ROWS(ROW_CALL)

const struct call copy_calls[] = {
	COPY_ROWS(ROW_ENTRY)
	CALL(aclrtMemcpy),
	CALL(aclrtMemcpyAsync),
	CALL(aclrtMemcpyAsyncWithCondition),
	CALL(aclrtMemset),
	CALL(aclrtMemsetAsync),
	CALL(aclrtMemsetD32),
	CALL(aclrtMemsetD32Async),
	CALL(aclrtMemcpy2d),
	CALL(aclrtMemcpy2dAsync),
	CALL(aclrtReduceAsync),
	CALL(aclrtValueWrite),
	CALL(aclrtValueWait),
	CALL(aclrtSetMemcpyDesc),
	CALL(aclrtMemcpyBatch),
	CALL(aclrtMemcpyBatchV2),
	CALL(aclrtMemcpyBatchAsync),
	CALL(aclrtMemcpyBatchAsyncV2),
	CALL(aclrtMemcpyAsyncWithOffset),
	CALL(aclrtRandomNumAsync),
	{ 0 }
};
