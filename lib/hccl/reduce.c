// SPDX-License-Identifier: MIT
/*
 * Reductions in the order of the ranks.
 *
 * The driver's task computes dst = dst op src and rounds each time.  That is the
 * whole reduction for integers, which are exact, for maxima and minima, and for
 * numbers of 32 and 64 bits, for which the order of the ranks defines the result.
 * Operations commute, so that the order is kept as long as a rank's element meets
 * the result of all ranks before it.
 *
 * Sums and products of short floats of more than two ranks are accumulated in
 * FP32 by operators, which take mixed types, and rounded once at the end.
 */
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_mul.h"
#include "stream/collective.h"

#include "comm.h"

#define SCRATCH_MIN	(64ULL << 10)

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

static aclError grow(struct hccl_comm *comm, uint64_t bytes)
{
	const unsigned int max = sizeof(comm->old_scratch) /
				 sizeof(comm->old_scratch[0]);
	uint64_t size = comm->scratch_size ? comm->scratch_size * 2 :
					     SCRATCH_MIN;
	aclError ret;
	void *new;

	while (size < bytes)
		size *= 2;
	if (size > comm->buffer_size)
		size = comm->buffer_size;
	if (size <= comm->scratch_size || comm->nr_old == max)
		return ACL_SUCCESS;
	/* A lane may still use the old one. */
	ret = aclrtMalloc(&new, size, ACL_MEM_MALLOC_HUGE_FIRST);
	if (ret)
		return comm->scratch ? ACL_SUCCESS : ret;
	if (comm->scratch)
		comm->old_scratch[comm->nr_old++] = comm->scratch;
	comm->scratch = new;
	comm->scratch_size = size;
	return ACL_SUCCESS;
}

aclError hccl_scratch(struct hccl_comm *comm, unsigned int lane,
		      uint64_t bytes, uint64_t *size)
{
	aclError ret = ACL_SUCCESS;

	if (bytes > comm->scratch_size)
		ret = grow(comm, bytes);
	if (ret && bytes > SCRATCH_MIN)
		ret = grow(comm, SCRATCH_MIN);
	*size = comm->scratch_size;
	return ret ? ret : hccl_turn_wait(comm, &comm->scratch_turn, lane);
}

aclError hccl_reduce_into(aclrtStream stream, uint64_t dst, uint64_t src,
			  uint64_t count, uint32_t type, uint32_t op)
{
	static const enum vnpu_collective_op ops[] = {
		[HCCL_REDUCE_SUM] = VNPU_COLLECTIVE_SUM,
		[HCCL_REDUCE_PROD] = VNPU_COLLECTIVE_PROD,
		[HCCL_REDUCE_MAX] = VNPU_COLLECTIVE_MAX,
		[HCCL_REDUCE_MIN] = VNPU_COLLECTIVE_MIN,
	};

	return vnpu_collective_reduce((void *)(uintptr_t)dst,
				      (void *)(uintptr_t)src, count, ops[op],
				      types[type].type, stream);
}

/* Reduce all but one rank into the array, which has that one's elements. */
static aclError reduce_others(aclrtStream stream, uint64_t dst,
			      const uint64_t src[], unsigned int first,
			      unsigned int end, unsigned int except,
			      uint64_t count, uint32_t type, uint32_t op)
{
	for (unsigned int r = first; r < end; r++) {
		aclError ret;

		if (r == except)
			continue;
		ret = hccl_reduce_into(stream, dst, src[r], count, type, op);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

/*
 * The result replaces the elements of rank @own, which is neither first nor
 * second: reduce the ranks before it elsewhere.
 */
static aclError reduce_in_place(struct hccl_comm *comm, unsigned int lane,
				uint64_t dst, const uint64_t src[],
				unsigned int own, uint64_t count, uint32_t type,
				uint32_t op)
{
	aclrtStream stream = comm->lanes[lane].stream;
	unsigned int unit = hccl_type_size(type);
	uint64_t size, done, part;
	aclError ret = hccl_scratch(comm, lane, count * unit, &size);

	for (done = 0; !ret && done < count; done += part) {
		uint64_t sum = (uintptr_t)comm->scratch, at[HCCL_RANKS_MAX];
		uint64_t offset = done * unit;

		part = count - done < size / unit ? count - done : size / unit;
		for (unsigned int r = 0; r < comm->ranks; r++)
			at[r] = src[r] + offset;
		ret = hccl_copy(stream, sum, at[0], part * unit);
		if (!ret)
			ret = reduce_others(stream, sum, at, 1, own,
					    HCCL_RANKS_MAX, part, type, op);
		if (!ret)
			ret = hccl_reduce_into(stream, dst + offset, sum, part,
					       type, op);
		if (!ret)
			ret = reduce_others(stream, dst + offset, at, own + 1,
					    comm->ranks, HCCL_RANKS_MAX, part,
					    type, op);
	}
	return ret ? ret : hccl_turn_end(comm, &comm->scratch_turn, lane);
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
static aclError reduce_wide(struct hccl_comm *comm, unsigned int lane,
			    uint64_t dst, const uint64_t src[], uint64_t count,
			    uint32_t type, uint32_t op)
{
	aclrtStream stream = comm->lanes[lane].stream;
	unsigned int unit = hccl_type_size(type);
	aclDataType acl = types[type].type;
	uint64_t size, done, part;
	aclError ret = hccl_scratch(comm, lane, count * sizeof(float), &size);

	for (done = 0; !ret && done < count; done += part) {
		uint64_t sum = (uintptr_t)comm->scratch;

		part = size / sizeof(float);
		if (count - done < part)
			part = count - done;
		ret = cast(stream, sum, ACL_FLOAT, src[0] + done * unit, acl,
			   part);
		for (unsigned int r = 1; !ret && r < comm->ranks; r++)
			ret = accumulate(stream, sum, src[r] + done * unit,
					 acl, part, op);
		if (!ret)
			ret = cast(stream, dst + done * unit, acl, sum,
				   ACL_FLOAT, part);
	}
	return ret ? ret : hccl_turn_end(comm, &comm->scratch_turn, lane);
}

aclError hccl_reduce(struct hccl_comm *comm, unsigned int lane, uint64_t dst,
		     const uint64_t src[], uint64_t count, uint32_t type,
		     uint32_t op)
{
	aclrtStream stream = comm->lanes[lane].stream;
	unsigned int own = 0;
	aclError ret;

	if (!count)
		return ACL_SUCCESS;
	if (is_ordered(type, op) && is_short_float(type) && comm->ranks > 2)
		return reduce_wide(comm, lane, dst, src, count, type, op);
	while (own < comm->ranks && src[own] != dst)
		own++;
	if (own < comm->ranks && own >= 2 && is_ordered(type, op))
		return reduce_in_place(comm, lane, dst, src, own, count, type,
				       op);
	if (own == comm->ranks) {
		own = 0;
		ret = hccl_copy(stream, dst, src[0],
				count * hccl_type_size(type));
		if (ret)
			return ret;
	}
	return reduce_others(stream, dst, src, 0, comm->ranks, own, count,
			     type, op);
}
