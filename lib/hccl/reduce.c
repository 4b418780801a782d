// SPDX-License-Identifier: MIT
/*
 * Reductions in the order of the ranks.
 *
 * The driver's task reduces up to four arrays, and rounds each time.  That is the
 * whole reduction for integers, which are exact, for maxima and minima, and for
 * numbers of 32 and 64 bits, for which the order of the ranks defines the result.
 *
 * Sums and products of short floats of more than two ranks are accumulated in
 * FP32 by operators, which take mixed types, and rounded once at the end.
 */
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_mul.h"
#include "stream/collective.h"

#include "buffer.h"
#include "comm.h"

static const struct {
	unsigned int size;
	aclDataType type;	/* ACL_DT_UNDEFINED: only copied */
} types[] = {
	[HCCL_DATA_TYPE_INT8] = { 1, ACL_INT8 },
	[HCCL_DATA_TYPE_INT16] = { 2, ACL_INT16 },
	[HCCL_DATA_TYPE_INT32] = { 4, ACL_INT32 },
	[HCCL_DATA_TYPE_FP16] = { 2, ACL_FLOAT16 },
	[HCCL_DATA_TYPE_FP32] = { 4, ACL_FLOAT },
	[HCCL_DATA_TYPE_INT64] = { 8, ACL_INT64 },
	[HCCL_DATA_TYPE_UINT64] = { 8, ACL_UINT64 },
	[HCCL_DATA_TYPE_UINT8] = { 1, ACL_UINT8 },
	[HCCL_DATA_TYPE_UINT16] = { 2, ACL_UINT16 },
	[HCCL_DATA_TYPE_UINT32] = { 4, ACL_UINT32 },
	[HCCL_DATA_TYPE_FP64] = { 8, ACL_DOUBLE },
	[HCCL_DATA_TYPE_BFP16] = { 2, ACL_BF16 },
	[HCCL_DATA_TYPE_INT128] = { 16, ACL_DT_UNDEFINED },
	[HCCL_DATA_TYPE_HIF8] = { 1, ACL_DT_UNDEFINED },
	[HCCL_DATA_TYPE_FP8E4M3] = { 1, ACL_DT_UNDEFINED },
	[HCCL_DATA_TYPE_FP8E5M2] = { 1, ACL_DT_UNDEFINED },
	[HCCL_DATA_TYPE_FP8E8M0] = { 1, ACL_DT_UNDEFINED },
};

unsigned int hccl_type_size(uint32_t type)
{
	return type < sizeof(types) / sizeof(types[0]) ? types[type].size : 0;
}

bool hccl_type_is_reducible(uint32_t type)
{
	return hccl_type_size(type) && types[type].type != ACL_DT_UNDEFINED;
}

bool hccl_type_is_integer(uint32_t type)
{
	return hccl_type_is_reducible(type) && type != HCCL_DATA_TYPE_FP16 &&
	       type != HCCL_DATA_TYPE_BFP16 && type != HCCL_DATA_TYPE_FP32 &&
	       type != HCCL_DATA_TYPE_FP64;
}

static bool is_short_float(uint32_t type)
{
	return type == HCCL_DATA_TYPE_FP16 || type == HCCL_DATA_TYPE_BFP16;
}

/* Whether the result depends on the order in which ranks are reduced. */
static bool is_ordered(uint32_t type, uint32_t op)
{
	return (op == HCCL_REDUCE_SUM || op == HCCL_REDUCE_PROD) &&
	       (is_short_float(type) || type == HCCL_DATA_TYPE_FP32 ||
		type == HCCL_DATA_TYPE_FP64);
}

/*
 * Reduce arrays into another one, as many in one task as it takes.  Without
 * @has_result, the first array is the first operand.
 */
static aclError reduce_arrays(aclrtStream stream, uint64_t dst,
			      const uint64_t src[], unsigned int nr,
			      bool has_result, uint64_t count, uint32_t type,
			      uint32_t op)
{
	static const enum vnpu_collective_op ops[] = {
		[HCCL_REDUCE_SUM] = VNPU_COLLECTIVE_SUM,
		[HCCL_REDUCE_PROD] = VNPU_COLLECTIVE_PROD,
		[HCCL_REDUCE_MAX] = VNPU_COLLECTIVE_MAX,
		[HCCL_REDUCE_MIN] = VNPU_COLLECTIVE_MIN,
	};

	if (nr == 1 && !has_result)
		return hccl_copy(stream, dst, src[0],
				 count * hccl_type_size(type));
	while (nr) {
		unsigned int some = nr < VNPU_COLLECTIVE_SOURCES ?
				    nr : VNPU_COLLECTIVE_SOURCES;
		aclError ret = vnpu_collective_reduce(dst, src, some,
			!has_result, count, ops[op], types[type].type, stream);

		if (ret)
			return ret;
		has_result = true;
		src += some;
		nr -= some;
	}
	return ACL_SUCCESS;
}

aclError hccl_reduce_into(aclrtStream stream, uint64_t dst, uint64_t src,
			  uint64_t count, uint32_t type, uint32_t op)
{
	return reduce_arrays(stream, dst, &src, 1, true, count, type, op);
}

/*
 * The result replaces the elements of rank @own, which no task of the first ranks
 * reads: reduce the ranks before it elsewhere.
 */
static aclError reduce_in_place(struct hccl_comm *comm,
				const struct hccl_work *work, uint64_t dst,
				const uint64_t src[], unsigned int own,
				uint64_t count)
{
	aclrtStream stream = hccl_stream(comm, work);
	unsigned int unit = hccl_type_size(work->type);
	uint64_t sum, size, done, part, at[HCCL_RANKS_MAX];
	aclError ret = hccl_scratch_begin(comm, work, count * unit, &sum,
					  &size);

	for (done = 0; !ret && done < count; done += part) {
		part = count - done < size / unit ? count - done : size / unit;
		for (unsigned int r = 0; r < comm->ranks; r++)
			at[r] = src[r] + done * unit;
		ret = reduce_arrays(stream, sum, at, own, false, part,
				    work->type, work->op);
		/* Two operands commute. */
		at[own] = sum;
		if (!ret)
			ret = reduce_arrays(stream, dst + done * unit, &at[own],
					    comm->ranks - own, true, part,
					    work->type, work->op);
	}
	hccl_scratch_end(comm, work);
	return ret;
}

static aclTensor *tensor(uint64_t at, uint64_t count, aclDataType type)
{
	const int64_t dims[] = { (int64_t)count };

	return aclCreateTensor(dims, 1, type, NULL, 0, ACL_FORMAT_ND, dims, 1,
			       (void *)(uintptr_t)at);
}

/* The second phase of an operator that needs no workspace. */
static aclError run(aclnnStatus status, uint64_t workspace,
		    aclOpExecutor *executor, aclrtStream stream,
		    aclnnStatus (*fn)(void *workspace, uint64_t size,
				      aclOpExecutor *executor,
				      aclrtStream stream))
{
	if (status)
		return ACL_ERROR_INTERNAL_ERROR;
	if (workspace) {
		aclDestroyAclOpExecutor(executor);
		return ACL_ERROR_INTERNAL_ERROR;
	}
	return fn(NULL, 0, executor, stream) ? ACL_ERROR_INTERNAL_ERROR :
					       ACL_SUCCESS;
}

static aclError cast(aclrtStream stream, uint64_t dst, aclDataType dst_type,
		     uint64_t src, aclDataType src_type, uint64_t count)
{
	aclTensor *from = tensor(src, count, src_type);
	aclTensor *to = tensor(dst, count, dst_type);
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	aclnnStatus status = aclnnCastGetWorkspaceSize(from, dst_type, to,
						       &size, &executor);
	aclError ret = run(status, size, executor, stream, aclnnCast);

	aclDestroyTensor(from);
	aclDestroyTensor(to);
	return ret;
}

static aclError accumulate(aclrtStream stream, uint64_t sum, uint64_t src,
			   aclDataType type, uint64_t count, uint32_t op)
{
	float one = 1;
	aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
	aclTensor *to = tensor(sum, count, ACL_FLOAT);
	aclTensor *from = tensor(src, count, type);
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;
	aclnnStatus status;
	aclError ret;

	if (op == HCCL_REDUCE_SUM) {
		status = aclnnInplaceAddGetWorkspaceSize(to, from, alpha,
							 &size, &executor);
		ret = run(status, size, executor, stream, aclnnInplaceAdd);
	} else {
		status = aclnnInplaceMulGetWorkspaceSize(to, from, &size,
							 &executor);
		ret = run(status, size, executor, stream, aclnnInplaceMul);
	}
	aclDestroyTensor(to);
	aclDestroyTensor(from);
	aclDestroyScalar(alpha);
	return ret;
}

/* Short floats: accumulate in FP32. */
static aclError reduce_wide(struct hccl_comm *comm,
			    const struct hccl_work *work, uint64_t dst,
			    const uint64_t src[], uint64_t count)
{
	aclrtStream stream = hccl_stream(comm, work);
	unsigned int unit = hccl_type_size(work->type);
	aclDataType acl = types[work->type].type;
	uint64_t sum, size, done, part;
	aclError ret = hccl_scratch_begin(comm, work, count * sizeof(float),
					  &sum, &size);

	for (done = 0; !ret && done < count; done += part) {
		part = size / sizeof(float);
		if (count - done < part)
			part = count - done;
		ret = cast(stream, sum, ACL_FLOAT, src[0] + done * unit, acl,
			   part);
		for (unsigned int r = 1; !ret && r < comm->ranks; r++)
			ret = accumulate(stream, sum, src[r] + done * unit,
					 acl, part, work->op);
		if (!ret)
			ret = cast(stream, dst + done * unit, acl, sum,
				   ACL_FLOAT, part);
	}
	hccl_scratch_end(comm, work);
	return ret;
}

aclError hccl_reduce(struct hccl_comm *comm, const struct hccl_work *work,
		     uint64_t dst, const uint64_t src[], uint64_t count)
{
	aclrtStream stream = hccl_stream(comm, work);
	uint32_t type = work->type, op = work->op;
	uint64_t swapped[HCCL_RANKS_MAX];
	unsigned int own = 0;

	if (!count)
		return ACL_SUCCESS;
	if (is_ordered(type, op) && is_short_float(type) && comm->ranks > 2)
		return reduce_wide(comm, work, dst, src, count);
	while (own < comm->ranks && src[own] != dst)
		own++;
	/* The first task reads each element before it writes the result. */
	if (own < VNPU_COLLECTIVE_SOURCES || own == comm->ranks)
		return reduce_arrays(stream, dst, src, comm->ranks, false,
				     count, type, op);
	if (is_ordered(type, op))
		return reduce_in_place(comm, work, dst, src, own, count);
	memcpy(swapped, src, comm->ranks * sizeof(*src));
	swapped[0] = dst;
	swapped[own] = src[0];
	return reduce_arrays(stream, dst, swapped, comm->ranks, false, count,
			     type, op);
}
