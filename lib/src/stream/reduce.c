// SPDX-License-Identifier: MIT
/*
 * Reductions and random numbers.
 *
 * A task of the driver contains the parameters of random numbers.  If a program
 * has them in device memory, the call waits for the earlier work of the stream,
 * which may write them, and then reads them.
 */
#include <string.h>

#include "base/error.h"
#include "base/gate.h"
#include "base/util.h"
#include "capture.h"
#include "collective.h"
#include "copy.h"
#include "random.h"
#include "stream.h"
#include "timeout.h"

/* Get the driver's number of a type, and its size; false for other types. */
static bool type_of(aclDataType type, uint16_t *driver_type,
		    unsigned int *size)
{
	static const struct {
		aclDataType type;
		uint8_t driver_type;
		uint8_t size;
	} types[] = {
		{ ACL_FLOAT,	VNPU_TYPE_FP32,	4 },
		{ ACL_FLOAT16,	VNPU_TYPE_FP16,	2 },
		{ ACL_BF16,	VNPU_TYPE_BF16,	2 },
		{ ACL_INT8,	VNPU_TYPE_S8,	1 },
		{ ACL_INT16,	VNPU_TYPE_S16,	2 },
		{ ACL_INT32,	VNPU_TYPE_S32,	4 },
		{ ACL_UINT8,	VNPU_TYPE_U8,	1 },
		{ ACL_INT64,	VNPU_TYPE_S64,	8 },
		{ ACL_UINT32,	VNPU_TYPE_U32,	4 },
		{ ACL_UINT64,	VNPU_TYPE_U64,	8 },
		{ ACL_UINT16,	VNPU_TYPE_U16,	2 },
		{ ACL_DOUBLE,	VNPU_TYPE_FP64,	8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].type == type) {
			*driver_type = types[i].driver_type;
			*size = types[i].size;
			return true;
		}
	}
	return false;
}

static aclError type_error(aclDataType type)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"type = %d is not supported by this call", type);
}

/* The types of a 910B. */
static bool is_reducible(aclDataType type)
{
	return type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16 ||
	       type == ACL_INT8 || type == ACL_INT16 || type == ACL_INT32;
}

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count,
			  aclrtReduceKind kind, aclDataType type,
			  aclrtStream stream, void *reserve)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_REDUCE,
		.timeout_ms = vnpu_timeout_execute(),
		.dst = vnpu_ptr_to_u64(dst),
		.src = vnpu_ptr_to_u64(src),
	};
	uint16_t driver_type;
	unsigned int size;

	vnpu_gate_pass();
	if (!dst)
		return vnpu_error_null("dst");
	if (!src)
		return vnpu_error_null("src");
	if (reserve)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "reserve is reserved; pass NULL");
	if (kind < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM ||
	    kind > ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"kind = %d is not known; use a value of aclrtReduceKind",
			kind);
	if (!is_reducible(type) || !type_of(type, &driver_type, &size))
		return type_error(type);
	if (!count || count % size || task.dst % size || task.src % size)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"dst = %p, src = %p, count = %llu bytes must be multiples of an element's %u bytes, and not 0",
			dst, src, (unsigned long long)count, size);
	task.mode = VNPU_REDUCE(kind - ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
				driver_type);
	task.length = count / size;
	return vnpu_stream_submit_to(stream, &task);
}

aclError vnpu_collective_reduce(uint64_t dst, const uint64_t src[],
				unsigned int nr, bool replaces, uint64_t count,
				enum vnpu_collective_op op, aclDataType type,
				aclrtStream stream)
{
	VNPU_CALL();
	static const uint8_t ops[] = {
		[VNPU_COLLECTIVE_SUM] = VNPU_REDUCE_SUM,
		[VNPU_COLLECTIVE_PROD] = VNPU_REDUCE_PROD,
		[VNPU_COLLECTIVE_MAX] = VNPU_REDUCE_MAX,
		[VNPU_COLLECTIVE_MIN] = VNPU_REDUCE_MIN,
	};
	struct vnpu_task task = {
		.op = VNPU_TASK_REDUCE,
		.flags = replaces ? VNPU_TASK_F_REPLACE : 0,
		.timeout_ms = vnpu_timeout_execute(),
		.dst = dst,
		.length = count,
	};
	uint16_t driver_type;
	unsigned int size;

	vnpu_gate_pass();
	if ((unsigned int)op >= ARRAY_SIZE(ops))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"op = %d is not known; use VNPU_COLLECTIVE_*", op);
	if (!nr || nr > VNPU_COLLECTIVE_SOURCES)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"nr = %u arrays; a task takes from 1 to %u", nr,
			VNPU_COLLECTIVE_SOURCES);
	if (!type_of(type, &driver_type, &size))
		return type_error(type);
	task.mode = VNPU_REDUCE(ops[op], driver_type);
	task.src = src[0];
	task.arg0 = nr > 1 ? src[1] : 0;
	task.arg1 = nr > 2 ? src[2] : 0;
	task.arg2 = nr > 3 ? src[3] : 0;
	return vnpu_stream_submit_to(stream, &task);
}

/* Read the @size bytes of a parameter from any memory; the rest becomes 0. */
static aclError param_read(struct vnpu_stream *stream,
			   const aclrtRandomParaInfo *param, unsigned int size,
			   uint64_t *bits)
{
	uint64_t addr, va;
	aclError ret;

	*bits = 0;
	if (!param->isAddr) {
		if (param->size != size)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"a parameter has %u bytes; parameters of this type have %u",
				param->size, size);
		memcpy(bits, param->valueOrAddr, size);
		return ACL_SUCCESS;
	}
	memcpy(&addr, param->valueOrAddr, sizeof(addr));
	if (!vnpu_copy_reach(vnpu_u64_to_ptr(addr), size, &va))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"a parameter is at 0x%llx, which no device can read; use memory of aclrtMalloc or aclrtMallocHost",
			(unsigned long long)addr);
	ret = vnpu_capture_wait_now(stream);
	return ret ? ret : vnpu_copy(bits, vnpu_u64_to_ptr(addr), size);
}

/* Convert a number to the driver's format: a 32-bit float, or 64 bits. */
static uint64_t param_convert(uint64_t bits, aclDataType type)
{
	uint32_t word;
	float value;

	switch (type) {
	case ACL_FLOAT16:
		value = aclFloat16ToFloat(bits);
		memcpy(&word, &value, sizeof(word));
		return word;
	case ACL_BF16:
		return bits << 16;
	case ACL_INT32:
		return (uint64_t)(int32_t)bits;
	default:
		return bits;
	}
}

static aclError params_read(struct vnpu_stream *stream,
			    const aclrtRandomNumTaskInfo *info,
			    unsigned int size, struct vnpu_task *task)
{
	const aclrtRandomNumFuncParaInfo *func = &info->randomNumFuncParaInfo;
	const aclrtRandomParaInfo *params[2] = { NULL, NULL };
	uint64_t args[2] = { 0, 0 };

	switch (func->funcType) {
	case ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK:
		params[0] = &func->paramInfo.dropoutBitmaskInfo.dropoutRation;
		break;
	case ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS:
		params[0] = &func->paramInfo.uniformDisInfo.min;
		params[1] = &func->paramInfo.uniformDisInfo.max;
		break;
	default:
		params[0] = &func->paramInfo.normalDisInfo.mean;
		params[1] = &func->paramInfo.normalDisInfo.stddev;
		break;
	}
	for (unsigned int i = 0; i < 2 && params[i]; i++) {
		aclError ret = param_read(stream, params[i], size, &args[i]);

		if (ret)
			return ret;
		args[i] = param_convert(args[i], info->dataType);
	}
	task->arg1 = args[0];
	task->arg2 = args[1];
	return ACL_SUCCESS;
}

/* Check whether a distribution supports a type. */
static bool gives(aclrtRandomNumFuncType dist, aclDataType type)
{
	bool is_float = type == ACL_FLOAT || type == ACL_FLOAT16 ||
			type == ACL_BF16;

	return is_float || (dist == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS &&
			    (type == ACL_INT32 || type == ACL_INT64 ||
			     type == ACL_UINT32 || type == ACL_UINT64));
}

static aclError check_addresses(const aclrtRandomNumTaskInfo *info)
{
	if (!info->randomResultAddr)
		return vnpu_error_null("randomResultAddr");
	if (!info->randomCounterAddr)
		return vnpu_error_null("randomCounterAddr");
	if (vnpu_ptr_to_u64(info->randomCounterAddr) % sizeof(uint64_t))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"randomCounterAddr = %p must be a multiple of 8",
			info->randomCounterAddr);
	return ACL_SUCCESS;
}

aclError vnpu_random_change(struct vnpu_stream *stream,
			    const aclrtRandomNumTaskInfo *info,
			    struct vnpu_task *task)
{
	uint64_t seed, count;
	aclError ret = check_addresses(info);

	if (!ret)
		ret = param_read(stream, &info->randomSeed, sizeof(seed), &seed);
	if (!ret)
		ret = param_read(stream, &info->randomNum, sizeof(count),
				 &count);
	if (ret)
		return ret;
	task->dst = vnpu_ptr_to_u64(info->randomResultAddr);
	task->src = vnpu_ptr_to_u64(info->randomCounterAddr);
	task->arg0 = seed;
	task->length = count;
	return ACL_SUCCESS;
}

static aclError random_submit(struct vnpu_stream *stream,
			      const aclrtRandomNumTaskInfo *info)
{
	aclrtRandomNumFuncType dist = info->randomNumFuncParaInfo.funcType;
	struct vnpu_task task = {
		.op = VNPU_TASK_RANDOM,
		.timeout_ms = vnpu_timeout_execute(),
	};
	uint16_t type;
	unsigned int size;
	aclError ret;

	if (!gives(dist, info->dataType) ||
	    !type_of(info->dataType, &type, &size))
		return type_error(info->dataType);
	/* The type of a dropout is that of its ratio; the output is bits. */
	if (dist == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK)
		type = VNPU_TYPE_U8;
	task.mode = VNPU_RANDOM(dist, type);
	ret = vnpu_random_change(stream, info, &task);
	if (ret || !task.length)
		return ret;
	ret = params_read(stream, info, size, &task);
	if (ret)
		return ret;
	return vnpu_stream_submit(stream, &task, 1, NULL);
}

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
			     const aclrtStream stream, void *reserve)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!taskInfo)
		return vnpu_error_null("taskInfo");
	if (reserve)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "reserve is reserved; pass NULL");
	if ((unsigned int)taskInfo->randomNumFuncParaInfo.funcType >
	    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"funcType = %d is not known; use a value of aclrtRandomNumFuncType",
			taskInfo->randomNumFuncParaInfo.funcType);
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = random_submit(found, taskInfo);
	vnpu_stream_put(found);
	return ret;
}
