/* SPDX-License-Identifier: MIT */
/*
 * Profiling: record marks and ranges of the program and tasks of streams in a
 * file for chrome://tracing and Perfetto.
 *
 * aclprofInit() sets the directory; aclprofStart() and aclprofStop() begin and
 * end the recording; aclprofFinalize() writes the file
 * DIRECTORY/vnpu-prof-PID-N.json, where N counts from 0.
 * Documentation/profiling.md describes its contents.
 *
 * Objects are numbers, not addresses: a destroyed or invalid one gives an
 * error, not a crash.  Calls about models return
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT: sessions record the tasks of all models.
 */
#ifndef ACL_ACL_PROF_H
#define ACL_ACL_PROF_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Types of data.  Only ACL_PROF_TASK_TIME* and ACL_PROF_MSPROFTX have an
 * effect.
 */
#define ACL_PROF_ACL_API		0x0001ULL
#define ACL_PROF_TASK_TIME		0x0002ULL
#define ACL_PROF_AICORE_METRICS		0x0004ULL
#define ACL_PROF_AICPU			0x0008ULL
#define ACL_PROF_L2CACHE		0x0010ULL
#define ACL_PROF_HCCL_TRACE		0x0020ULL
#define ACL_PROF_TRAINING_TRACE		0x0040ULL
#define ACL_PROF_MSPROFTX		0x0080ULL
#define ACL_PROF_RUNTIME_API		0x0100ULL
#define ACL_PROF_GE_API_L0		0x0200ULL
#define ACL_PROF_TASK_TIME_L0		0x0800ULL
#define ACL_PROF_TASK_MEMORY		0x1000ULL
#define ACL_PROF_TASK_TIME_L2		0x2000ULL
#define ACL_PROF_OP_ATTR		0x4000ULL
#define ACL_PROF_TASK_TIME_L3		0x8000ULL
#define ACL_PROF_GE_API_L1		0x1000000ULL
#define ACL_PROF_API_STATS		0x400000000ULL
#define ACL_PROF_AICORE_SHAPE		0x800000000ULL

#define ACL_PROF_MAX_OP_NAME_LEN	257
#define ACL_PROF_MAX_OP_TYPE_LEN	65
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN	8
#define ACL_PROF_EVENT_ATTR_VERSION	1

typedef enum aclprofAicoreMetrics {
	ACL_AICORE_ARITHMETIC_UTILIZATION	= 0,
	ACL_AICORE_PIPE_UTILIZATION		= 1,
	ACL_AICORE_MEMORY_BANDWIDTH		= 2,
	ACL_AICORE_L0B_AND_WIDTH		= 3,
	ACL_AICORE_RESOURCE_CONFLICT_RATIO	= 4,
	ACL_AICORE_MEMORY_UB			= 5,
	ACL_AICORE_L2_CACHE			= 6,
	ACL_AICORE_PIPE_EXECUTE_UTILIZATION	= 7,
	ACL_AICORE_MEMORY_ACCESS		= 8,
	ACL_AICORE_NONE				= 0xff
} aclprofAicoreMetrics;

typedef enum aclprofStepTag {
	ACL_STEP_START	= 0,
	ACL_STEP_END	= 1
} aclprofStepTag;

typedef enum aclprofSubscribeOpFlag {
	ACL_SUBSCRIBE_OP	= 0,
	ACL_SUBSCRIBE_SUBGRAPH	= 1,
	ACL_SUBSCRIBE_OP_THREAD	= 2,
	ACL_SUBSCRIBE_NONE	= 0xff
} aclprofSubscribeOpFlag;

typedef enum aclprofSubscribeOpAttri {
	ACL_SUBSCRIBE_ATTRI_THREADID	= 0,
	ACL_SUBSCRIBE_ATTRI_NONE	= 1
} aclprofSubscribeOpAttri;

typedef enum aclprofConfigType {
	ACL_PROF_ARGS_MIN			= 0,
	ACL_PROF_STORAGE_LIMIT			= 1,
	ACL_PROF_SYS_HARDWARE_MEM_FREQ		= 3,
	ACL_PROF_LLC_MODE			= 4,
	ACL_PROF_SYS_IO_FREQ			= 5,
	ACL_PROF_SYS_INTERCONNECTION_FREQ	= 6,
	ACL_PROF_DVPP_FREQ			= 7,
	ACL_PROF_HOST_SYS			= 8,
	ACL_PROF_HOST_SYS_USAGE			= 9,
	ACL_PROF_HOST_SYS_USAGE_FREQ		= 10,
	ACL_PROF_LOW_POWER_FREQ			= 11,
	ACL_PROF_SYS_MEM_SERVICEFLOW		= 12,
	ACL_PROF_SYS_CPU_FREQ			= 13,
	ACL_PROF_OPTYPE				= 14,
	ACL_PROF_NTS_METRICS			= 15,
	ACL_PROF_PATH				= 16,
	ACL_PROF_ARGS_MAX			= 17
} aclprofConfigType;

typedef enum aclprofMessageType {
	ACL_PROF_MESSAGE_TYPE_TENSOR_INFO	= 0
} aclprofMessageType;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStopConfig aclprofStopConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

typedef struct aclprofTensor {
	uint32_t type;
	uint32_t format;
	uint32_t dataType;
	uint32_t shapeDim;
	uint32_t shape[ACL_PROF_TENSOR_DATA_SHAPE_LEN];
} aclprofTensor;

typedef struct aclprofTensorInfo {
	uint64_t opNameId;	/* from aclprofStr2Id(), like opTypeId */
	uint64_t opTypeId;
	uint32_t resv;
	uint32_t tensorNum;
	uint32_t kernelType;
	uint32_t blockNums;
	void *stream;
	aclprofTensor *tensors;
} aclprofTensorInfo;

typedef struct aclprofEventAttributes {
	uint16_t version;	/* ACL_PROF_EVENT_ATTR_VERSION */
	uint16_t size;		/* sizeof(aclprofEventAttributes) */
	uint32_t messageType;	/* ACL_PROF_MESSAGE_TYPE_TENSOR_INFO */
	union {
		aclprofTensorInfo *tensorInfo;
	} message;
} aclprofEventAttributes;

/**
 * aclprofInit() - set the directory of the profile, and begin a file
 * @profilerResultPath: a directory, which is created if its parent exists
 * @length: its strlen(), at most 4095
 *
 * Errors: ACL_ERROR_INVALID_PARAM; ACL_ERROR_INVALID_FILE if no file can be
 * created there; ACL_ERROR_REPEAT_INITIALIZE.
 */
ACL_FUNC_VISIBILITY aclError aclprofInit(const char *profilerResultPath,
					 size_t length);

/**
 * aclprofFinalize() - stop all recording, and write the file
 *
 * Errors: ACL_ERROR_PROF_NOT_RUN without aclprofInit(); ACL_ERROR_WRITE_FILE if
 * the file is incomplete.  Profiling has ended in this case, too.
 */
ACL_FUNC_VISIBILITY aclError aclprofFinalize(void);

/**
 * aclprofCreateConfig() - describe what to record
 * @deviceIdList: devices to record the tasks of
 * @deviceNums: their number; 0 is for ACL_PROF_MSPROFTX alone
 * @aicoreMetrics: metrics of kernels, ignored as this device does not run them
 * @aicoreEvents: NULL
 * @dataTypeConfig: ACL_PROF_*
 *
 * Return: a description, to be destroyed by aclprofDestroyConfig(); NULL if the
 * list names a device twice or an unknown one, or without host memory: see
 * aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclprofConfig *
aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
		    aclprofAicoreMetrics aicoreMetrics,
		    const aclprofAicoreEvents *aicoreEvents,
		    uint64_t dataTypeConfig);

/**
 * aclprofDestroyConfig() - free a description
 * @profilerConfig: the description; recordings that it started go on
 *
 * Errors: ACL_ERROR_INVALID_PARAM.
 */
ACL_FUNC_VISIBILITY aclError
aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/**
 * aclprofStart() - start to record
 * @profilerConfig: a description of aclprofCreateConfig()
 *
 * Errors: ACL_ERROR_PROF_NOT_RUN without aclprofInit(); ACL_ERROR_INVALID_PARAM
 * for an invalid description; ACL_ERROR_PROF_ALREADY_RUN if one of its devices
 * is recorded already, or if neither it nor another recording names a device;
 * ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclprofStart(const aclprofConfig *profilerConfig);

/**
 * aclprofStop() - stop recording
 * @profilerConfig: a description with the same devices and types as a started
 *	one
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an invalid description;
 * ACL_ERROR_PROF_NOT_RUN if no such recording was started.
 */
ACL_FUNC_VISIBILITY aclError aclprofStop(const aclprofConfig *profilerConfig);

/**
 * aclprofSetConfig() - set a parameter of the session
 * @configType: ACL_PROF_STORAGE_LIMIT, or another parameter
 * @config: the value.  For ACL_PROF_STORAGE_LIMIT the size limit of a file in
 *	MiB, 200 to 4294967295; later events are dropped and counted.  For
 *	ACL_PROF_*_FREQ a frequency in Hz, 1 to 10000.  Otherwise any text.
 * @configLength: its strlen(), at most 256
 *
 * Parameters other than ACL_PROF_STORAGE_LIMIT select data that this device
 * does not have.  They have no effect, which a warning in the log says; the
 * file has their values in otherData.config.
 *
 * Errors: ACL_ERROR_INVALID_PARAM; ACL_ERROR_PROF_NOT_RUN without
 * aclprofInit().
 */
ACL_FUNC_VISIBILITY aclError aclprofSetConfig(aclprofConfigType configType,
					      const char *config,
					      size_t configLength);

/**
 * aclprofCreateStamp() - create a stamp to mark events with
 *
 * Return: a stamp, to be destroyed by aclprofDestroyStamp(); NULL without
 * memory.
 */
ACL_FUNC_VISIBILITY void *aclprofCreateStamp(void);

/**
 * aclprofDestroyStamp() - destroy a stamp
 * @stamp: the stamp; ranges that were begun with it go on
 */
ACL_FUNC_VISIBILITY void aclprofDestroyStamp(void *stamp);

/**
 * aclprofSetStampTraceMessage() - set the name of a stamp's later marks
 * @stamp: the stamp
 * @msg: a text; the terminating 0 may be missing
 * @msgLen: its length in bytes, 1 to 127
 *
 * Errors: ACL_ERROR_INVALID_PARAM.
 */
ACL_FUNC_VISIBILITY aclError
aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/**
 * aclprofMark() - mark a moment
 * @stamp: gives the name
 *
 * Without a recording with ACL_PROF_MSPROFTX, this and the other calls about
 * stamps only check their arguments.
 *
 * Errors: ACL_ERROR_INVALID_PARAM.
 */
ACL_FUNC_VISIBILITY aclError aclprofMark(void *stamp);

/**
 * aclprofMarkEx() - mark a moment in this thread and in a stream
 * @msg: a text; the terminating 0 may be missing
 * @msgLen: its length in bytes, 1 to 127
 * @stream: the stream; NULL for the default one
 *
 * Errors: ACL_ERROR_INVALID_PARAM; the errors of submitting a task.
 */
ACL_FUNC_VISIBILITY aclError aclprofMarkEx(const char *msg, size_t msgLen,
					   aclrtStream stream);

/**
 * aclprofPush() - begin a range of this thread
 * @stamp: gives the name
 *
 * The ranges of a thread nest, at most 64 deep.
 *
 * Errors: ACL_ERROR_INVALID_PARAM.
 */
ACL_FUNC_VISIBILITY aclError aclprofPush(void *stamp);

/**
 * aclprofPop() - end the range that this thread began last
 *
 * Errors: ACL_ERROR_INVALID_PARAM if there is none.
 */
ACL_FUNC_VISIBILITY aclError aclprofPop(void);

/**
 * aclprofRangeStart() - begin a range of the process
 * @stamp: gives the name
 * @rangeId: set to the number that aclprofRangeStop() expects
 *
 * These ranges may overlap.
 *
 * Errors: ACL_ERROR_INVALID_PARAM, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);

/**
 * aclprofRangeStop() - end a range of the process
 * @rangeId: the range; any thread may end it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a range that was not begun or has ended.
 */
ACL_FUNC_VISIBILITY aclError aclprofRangeStop(uint32_t rangeId);

/**
 * aclprofStr2Id() - get a number for a text
 * @message: the text
 *
 * A text has the same number in the whole process.  At most 65536 texts have
 * one.
 *
 * Return: the number; UINT64_MAX for NULL, too many texts, or without memory.
 */
ACL_FUNC_VISIBILITY uint64_t aclprofStr2Id(const char *message);

/**
 * aclprofRangePushEx() - begin a range of this thread, for an operator
 * @attr: attributes with tensorInfo; its opNameId and opTypeId give the name
 *	and the type of the range
 *
 * Nests with aclprofPush().
 *
 * Errors: ACL_ERROR_INVALID_PARAM.
 */
ACL_FUNC_VISIBILITY aclError aclprofRangePushEx(aclprofEventAttributes *attr);

/** aclprofRangePop() - end a range, as aclprofPop() does */
ACL_FUNC_VISIBILITY aclError aclprofRangePop(void);

/**
 * aclprofCreateStepInfo() - create a description of a training step
 *
 * Return: a step, to be destroyed by aclprofDestroyStepInfo(); NULL without
 * memory.
 */
ACL_FUNC_VISIBILITY aclprofStepInfo *aclprofCreateStepInfo(void);

/** aclprofDestroyStepInfo() - destroy a step; NULL does nothing */
ACL_FUNC_VISIBILITY void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

/**
 * aclprofGetStepTimestamp() - mark where a step begins or ends in a stream
 * @stepInfo: the step
 * @tag: ACL_STEP_START or ACL_STEP_END, each once
 * @stream: the stream; NULL for the default one
 *
 * Without a recording, only checks its arguments.
 *
 * Errors: ACL_ERROR_INVALID_PARAM; the errors of submitting a task.
 */
ACL_FUNC_VISIBILITY aclError
aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag,
			aclrtStream stream);

/*
 * Models.  These calls return ACL_ERROR_RT_FEATURE_NOT_SUPPORT, a NULL pointer,
 * the number 0 or the flag ACL_SUBSCRIBE_NONE, depending on their type.
 */
ACL_FUNC_VISIBILITY aclprofSubscribeConfig *
aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
			     aclprofAicoreMetrics aicoreMetrics, void *fd);
ACL_FUNC_VISIBILITY aclError
aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);
ACL_FUNC_VISIBILITY aclError
aclprofModelSubscribe(uint32_t modelId,
		      const aclprofSubscribeConfig *profSubscribeConfig);
ACL_FUNC_VISIBILITY aclError aclprofModelUnSubscribe(uint32_t modelId);
ACL_FUNC_VISIBILITY aclError aclprofGetOpDescSize(size_t *opDescSize);
ACL_FUNC_VISIBILITY aclError aclprofGetOpNum(const void *opInfo,
					     size_t opInfoLen,
					     uint32_t *opNumber);
ACL_FUNC_VISIBILITY aclError aclprofGetOpTypeLen(const void *opInfo,
						 size_t opInfoLen,
						 uint32_t index,
						 size_t *opTypeLen);
ACL_FUNC_VISIBILITY aclError aclprofGetOpType(const void *opInfo,
					      size_t opInfoLen, uint32_t index,
					      char *opType, size_t opTypeLen);
ACL_FUNC_VISIBILITY aclError aclprofGetOpNameLen(const void *opInfo,
						 size_t opInfoLen,
						 uint32_t index,
						 size_t *opNameLen);
ACL_FUNC_VISIBILITY aclError aclprofGetOpName(const void *opInfo,
					      size_t opInfoLen, uint32_t index,
					      char *opName, size_t opNameLen);
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpStart(const void *opInfo,
					       size_t opInfoLen,
					       uint32_t index);
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpEnd(const void *opInfo,
					     size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY uint64_t aclprofGetOpDuration(const void *opInfo,
						  size_t opInfoLen,
						  uint32_t index);
ACL_FUNC_VISIBILITY size_t aclprofGetModelId(const void *opInfo,
					     size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY aclprofSubscribeOpFlag
aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);
ACL_FUNC_VISIBILITY const char *
aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index,
		       aclprofSubscribeOpAttri attri);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_PROF_H */
