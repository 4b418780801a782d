/* SPDX-License-Identifier: MIT */
/*
 * Values in memory, reductions and random numbers: more tasks of streams,
 * with the rules of acl_rt_copy.h.
 */
#ifndef ACL_ACL_RT_TASK_H
#define ACL_ACL_RT_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Conditions for aclrtValueWait(). */
#define ACL_STREAM_WAIT_VALUE_GEQ	0x0U	/* (int64_t)(*addr - value) >= 0 */
#define ACL_STREAM_WAIT_VALUE_EQ	0x1U	/* *addr == value */
#define ACL_STREAM_WAIT_VALUE_AND	0x2U	/* *addr & value */
#define ACL_STREAM_WAIT_VALUE_NOR	0x3U	/* ~(*addr | value) */

/**
 * aclrtValueWrite() - submit a task that writes 8 bytes
 * @devAddr: device address, a multiple of 8
 * @value: the value to be written
 * @flag: reserved: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @flag or an address that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void *devAddr, uint64_t value,
	uint32_t flag, aclrtStream stream);

/**
 * aclrtValueWait() - let a stream wait for a value in memory
 * @devAddr: device address, a multiple of 8
 * @value: the value to compare the 8 bytes there with
 * @flag: ACL_STREAM_WAIT_VALUE_*
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtValueWrite().
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void *devAddr, uint64_t value,
	uint32_t flag, aclrtStream stream);

/* Operations of aclrtReduceAsync(). */
typedef enum aclrtReduceKind {
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM	= 10,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX	= 11,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN	= 12,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL	= 13
} aclrtReduceKind;

/**
 * aclrtReduceAsync() - submit a task that combines two arrays
 * @dst: device address of the first, and of the result
 * @src: device address of the second
 * @count: bytes of each
 * @kind: the operation on two elements
 * @type: ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_INT16 or ACL_INT32
 * @stream: a stream of the current context, or NULL
 * @reserve: must be NULL
 *
 * Both arrays are aligned to an element, and are identical or do not overlap.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a @reserve,
 * ACL_ERROR_RT_PARAM_INVALID for another @kind or @type, a @count that is 0 or
 * not a multiple of an element, or an address that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void *dst, const void *src,
	uint64_t count, aclrtReduceKind kind, aclDataType type,
	aclrtStream stream, void *reserve);

/*
 * A parameter of random numbers: its value, or the device address of the value.
 */
typedef struct aclrtRandomParaInfo {
	uint8_t isAddr;
	uint8_t valueOrAddr[8];
	uint8_t size;
	uint8_t rsv[6];
} aclrtRandomParaInfo;

typedef struct aclrtDropoutBitmaskInfo {
	aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

typedef struct aclrtUniformDisInfo {
	aclrtRandomParaInfo min;
	aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

typedef struct aclrtNormalDisInfo {
	aclrtRandomParaInfo mean;
	aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

typedef enum aclrtRandomNumFuncType {
	ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK	= 0,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS		= 1,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS		= 2,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;

typedef struct aclrtRandomNumFuncParaInfo {
	aclrtRandomNumFuncType funcType;
	union {
		aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
		aclrtUniformDisInfo uniformDisInfo;
		aclrtNormalDisInfo normalDisInfo;
	} paramInfo;
} aclrtRandomNumFuncParaInfo;

typedef struct aclrtRandomNumTaskInfo {
	aclDataType dataType;
	aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
	void *randomParaAddr;
	void *randomResultAddr;
	void *randomCounterAddr;
	aclrtRandomParaInfo randomSeed;
	aclrtRandomParaInfo randomNum;
	uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

/**
 * aclrtRandomNumAsync() - submit a task that generates random numbers
 * @taskInfo: the distribution, the number and the address of the random numbers
 * @stream: a stream of the current context, or NULL
 * @reserve: must be NULL
 *
 * The task writes randomNum numbers of dataType to randomResultAddr.  Uniform
 * numbers may be ACL_INT32, ACL_INT64, ACL_UINT32 or ACL_UINT64, and are below
 * the upper bound; all distributions may be ACL_FLOAT, ACL_FLOAT16 or ACL_BF16.
 * The bit mask of a dropout has randomNum bits, beginning with the lowest bit
 * of a byte; a bit of a dropped element is 0.
 *
 * The parameters of a distribution, including the ratio of a dropout, have
 * dataType; randomSeed and randomNum have 8 bytes.  The generator is
 * Philox4x32-10 with the seed as its key.  The 16 bytes at randomCounterAddr, a
 * device address that is a multiple of 8, are its counter: the number of blocks
 * of four words to skip.  The stream reads them when it reaches the task, and
 * does not change them. randomParaAddr is not used.
 *
 * If a parameter is in device memory, the call waits until the stream has done
 * its earlier work, and then reads the parameter.  Invalid parameters, such as
 * a lower bound above the upper one, fail the task.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a @reserve,
 * ACL_ERROR_RT_PARAM_INVALID for another distribution or type, a parameter of
 * another size, or a counter that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError
aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
	const aclrtStream stream, void *reserve);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_TASK_H */
