/* SPDX-License-Identifier: MIT */
/*
 * AscendCL: handle types, error codes and data types that all parts share, and
 * the calls that need no device.
 */
#ifndef ACL_ACL_BASE_RT_H
#define ACL_ACL_BASE_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#define ACL_DEPRECATED __attribute__((deprecated))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#else
#define ACL_FUNC_VISIBILITY
#define ACL_DEPRECATED
#define ACL_DEPRECATED_MESSAGE(message)
#endif

/*
 * Handles.  A stale, foreign or invalid one gives an error code, not a crash.
 */
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;
typedef void *aclrtCntNotify;
typedef void *aclrtLabel;
typedef void *aclrtLabelList;
typedef void *aclrtMbuf;
typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;
typedef void *aclrtTaskGrp;
typedef void *aclmdlRITask;

/* 0, or one of the codes below or in error_codes/rt_error_codes.h. */
typedef int aclError;

/* IEEE 754 binary16, as its bits. */
typedef uint16_t aclFloat16;

typedef struct aclDataBuffer aclDataBuffer;

/*
 * Error codes of the interface layer: 1xxxxx an error of the caller, 2xxxxx a
 * resource, 3xxxxx a limit, 5xxxxx an internal failure.  The library finds
 * these errors before it calls the runtime, so the thread's last error does not
 * change.
 */
static const int ACL_ERROR_NONE					= 0;
static const int ACL_SUCCESS					= 0;

static const int ACL_ERROR_INVALID_PARAM			= 100000;
static const int ACL_ERROR_UNINITIALIZE				= 100001;
static const int ACL_ERROR_REPEAT_INITIALIZE			= 100002;
static const int ACL_ERROR_INVALID_FILE				= 100003;
static const int ACL_ERROR_WRITE_FILE				= 100004;
static const int ACL_ERROR_INVALID_FILE_SIZE			= 100005;
static const int ACL_ERROR_PARSE_FILE				= 100006;
static const int ACL_ERROR_FILE_MISSING_ATTR			= 100007;
static const int ACL_ERROR_FILE_ATTR_INVALID			= 100008;
static const int ACL_ERROR_INVALID_DUMP_CONFIG			= 100009;
static const int ACL_ERROR_INVALID_PROFILING_CONFIG		= 100010;
static const int ACL_ERROR_INVALID_MODEL_ID			= 100011;
static const int ACL_ERROR_DESERIALIZE_MODEL			= 100012;
static const int ACL_ERROR_PARSE_MODEL				= 100013;
static const int ACL_ERROR_READ_MODEL_FAILURE			= 100014;
static const int ACL_ERROR_MODEL_SIZE_INVALID			= 100015;
static const int ACL_ERROR_MODEL_MISSING_ATTR			= 100016;
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH		= 100017;
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH		= 100018;
static const int ACL_ERROR_MODEL_NOT_DYNAMIC			= 100019;
static const int ACL_ERROR_OP_TYPE_NOT_MATCH			= 100020;
static const int ACL_ERROR_OP_INPUT_NOT_MATCH			= 100021;
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH			= 100022;
static const int ACL_ERROR_OP_ATTR_NOT_MATCH			= 100023;
static const int ACL_ERROR_OP_NOT_FOUND				= 100024;
static const int ACL_ERROR_OP_LOAD_FAILED			= 100025;
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE		= 100026;
static const int ACL_ERROR_FORMAT_NOT_MATCH			= 100027;
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED		= 100028;
static const int ACL_ERROR_KERNEL_NOT_FOUND			= 100029;
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED	= 100030;
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED		= 100031;
static const int ACL_ERROR_INVALID_QUEUE_ID			= 100032;
static const int ACL_ERROR_REPEAT_SUBSCRIBE			= 100033;
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE			= 100034;
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE			= 100035;
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT		= 100036;
static const int ACL_ERROR_REPEAT_FINALIZE			= 100037;
static const int ACL_ERROR_NOT_STATIC_AIPP			= 100038;
static const int ACL_ERROR_COMPILING_STUB_MODE			= 100039;
static const int ACL_ERROR_GROUP_NOT_SET			= 100040;
static const int ACL_ERROR_GROUP_NOT_CREATE			= 100041;
static const int ACL_ERROR_PROF_ALREADY_RUN			= 100042;
static const int ACL_ERROR_PROF_NOT_RUN				= 100043;
static const int ACL_ERROR_DUMP_ALREADY_RUN			= 100044;
static const int ACL_ERROR_DUMP_NOT_RUN				= 100045;
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE		= 148046;
static const int ACL_ERROR_PROF_API_CONFLICT			= 148047;
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG	= 148048;
static const int ACL_ERROR_INVALID_OPP_PATH			= 148049;
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC		= 148050;
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED	= 148051;
static const int ACL_ERROR_UNSUPPORTED_JPEG			= 148052;
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID		= 148053;

static const int ACL_ERROR_BAD_ALLOC				= 200000;
static const int ACL_ERROR_API_NOT_SUPPORT			= 200001;
static const int ACL_ERROR_INVALID_DEVICE			= 200002;
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED		= 200003;
static const int ACL_ERROR_RESOURCE_NOT_MATCH			= 200004;
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE		= 200005;
static const int ACL_ERROR_FEATURE_UNSUPPORTED			= 200006;
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED		= 200007;

static const int ACL_ERROR_STORAGE_OVER_LIMIT			= 300000;

static const int ACL_ERROR_INTERNAL_ERROR			= 500000;
static const int ACL_ERROR_FAILURE				= 500001;
static const int ACL_ERROR_GE_FAILURE				= 500002;
static const int ACL_ERROR_RT_FAILURE				= 500003;
static const int ACL_ERROR_DRV_FAILURE				= 500004;
static const int ACL_ERROR_PROFILING_FAILURE			= 500005;

/* Element types; aclDataTypeSize() gives their sizes. */
typedef enum aclDataType {
	ACL_DT_UNDEFINED	= -1,
	ACL_FLOAT		= 0,
	ACL_FLOAT16		= 1,
	ACL_INT8		= 2,
	ACL_INT32		= 3,
	ACL_UINT8		= 4,
	ACL_INT16		= 6,
	ACL_UINT16		= 7,
	ACL_UINT32		= 8,
	ACL_INT64		= 9,
	ACL_UINT64		= 10,
	ACL_DOUBLE		= 11,
	ACL_BOOL		= 12,
	ACL_STRING		= 13,
	ACL_COMPLEX64		= 16,
	ACL_COMPLEX128		= 17,
	ACL_BF16		= 27,
	ACL_INT4		= 29,
	ACL_UINT1		= 30,
	ACL_COMPLEX32		= 33,
	ACL_HIFLOAT8		= 34,
	ACL_FLOAT8_E5M2		= 35,
	ACL_FLOAT8_E4M3FN	= 36,
	ACL_FLOAT8_E8M0		= 37,
	ACL_FLOAT6_E3M2		= 38,
	ACL_FLOAT6_E2M3		= 39,
	ACL_FLOAT4_E2M1		= 40,
	ACL_FLOAT4_E1M2		= 41
} aclDataType;

/* Memory layouts of tensors. */
typedef enum aclFormat {
	ACL_FORMAT_UNDEFINED		= -1,
	ACL_FORMAT_NCHW			= 0,
	ACL_FORMAT_NHWC			= 1,
	ACL_FORMAT_ND			= 2,
	ACL_FORMAT_NC1HWC0		= 3,
	ACL_FORMAT_FRACTAL_Z		= 4,
	ACL_FORMAT_NC1HWC0_C04		= 12,
	ACL_FORMAT_HWCN			= 16,
	ACL_FORMAT_NDHWC		= 27,
	ACL_FORMAT_FRACTAL_NZ		= 29,
	ACL_FORMAT_NCDHW		= 30,
	ACL_FORMAT_NDC1HWC0		= 32,
	ACL_FRACTAL_Z_3D		= 33,
	ACL_FORMAT_NC			= 35,
	ACL_FORMAT_NCL			= 47,
	ACL_FORMAT_FRACTAL_NZ_C0_16	= 50,
	ACL_FORMAT_FRACTAL_NZ_C0_32	= 51,
	ACL_FORMAT_FRACTAL_NZ_C0_2	= 52,
	ACL_FORMAT_FRACTAL_NZ_C0_4	= 53,
	ACL_FORMAT_FRACTAL_NZ_C0_8	= 54
} aclFormat;

/* Severity of a log line, see aclAppLog(). */
typedef enum aclLogLevel {
	ACL_DEBUG	= 0,
	ACL_INFO	= 1,
	ACL_WARNING	= 2,
	ACL_ERROR	= 3
} aclLogLevel;

typedef enum aclMemType {
	ACL_MEMTYPE_DEVICE	= 0,
	ACL_MEMTYPE_HOST	= 1,
	ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

/* Settings of a process or of a context, see aclrtSetSysParamOpt(). */
typedef enum aclSysParamOpt {
	ACL_OPT_DETERMINISTIC		= 0,
	ACL_OPT_ENABLE_DEBUG_KERNEL	= 1,
	ACL_OPT_STRONG_CONSISTENCY	= 2,
	ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

/* Features of the software stack, see aclGetCannAttribute(). */
typedef enum aclCannAttr {
	ACL_CANN_ATTR_UNDEFINED		= -1,
	ACL_CANN_ATTR_INF_NAN		= 0,
	ACL_CANN_ATTR_BF16		= 1,
	ACL_CANN_ATTR_JIT_COMPILE	= 2
} aclCannAttr;

/* Properties of a device, see aclGetDeviceCapability(). */
typedef enum aclDeviceInfo {
	ACL_DEVICE_INFO_UNDEFINED	= -1,
	ACL_DEVICE_INFO_AI_CORE_NUM	= 0,
	ACL_DEVICE_INFO_VECTOR_CORE_NUM	= 1,
	ACL_DEVICE_INFO_L2_SIZE		= 2
} aclDeviceInfo;

/**
 * aclFloat16ToFloat() - convert binary16 bits to a float
 *
 * The result is exact for every finite value.  As with CANN, the exponent of
 * infinity and NaN is read as an ordinary one: the result is 65536 or more.
 */
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

/**
 * aclFloatToFloat16() - convert a float to binary16 bits
 *
 * Rounds to nearest, ties to even.  As with CANN it saturates: larger values
 * and infinity become 65504 with their sign, and NaN becomes 65504.
 */
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

/**
 * aclCreateDataBuffer() - combine an address and a size in one object
 * @data: address of device or host memory, which stays the caller's; may be
 *	NULL
 * @size: bytes
 *
 * Any thread may read a data buffer, but not while another one updates it.
 * aclDestroyDataBuffer() destroys it, and never frees @data.
 *
 * Returns NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);

/**
 * aclDestroyDataBuffer() - destroy a data buffer, but not its memory
 * @dataBuffer: a data buffer
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if it was destroyed before.
 */
ACL_FUNC_VISIBILITY aclError
aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);

/**
 * aclUpdateDataBuffer() - replace the address and the size of a data buffer
 * @dataBuffer: a data buffer
 * @data: the new address, or NULL
 * @size: bytes
 *
 * Errors: as aclDestroyDataBuffer().
 */
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer,
	void *data, size_t size);

/**
 * aclGetDataBufferAddr() - get the address of a data buffer
 * @dataBuffer: a data buffer
 *
 * Returns NULL for NULL or a destroyed data buffer.
 */
ACL_FUNC_VISIBILITY void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);

/**
 * aclGetDataBufferSize() - get the lower 32 bits of the size of a data buffer
 * @dataBuffer: a data buffer
 *
 * Returns 0 for NULL or a destroyed data buffer.
 */
ACL_DEPRECATED_MESSAGE("use aclGetDataBufferSizeV2")
ACL_FUNC_VISIBILITY uint32_t
aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/**
 * aclGetDataBufferSizeV2() - get the size of a data buffer in bytes
 * @dataBuffer: a data buffer
 *
 * Returns 0 for NULL or a destroyed data buffer.
 */
ACL_FUNC_VISIBILITY size_t
aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/**
 * aclDataTypeSize() - get the size in bytes of one element of a data type
 *
 * Returns 1 for the types that are packed below a byte, and 0 for
 * ACL_DT_UNDEFINED and ACL_STRING, which have no element size.
 */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

/**
 * aclAppLog() - write a line to the application's log
 * @logLevel: ACL_DEBUG to ACL_ERROR
 * @func: name of the calling function, or NULL
 * @file: name of the source file, or NULL
 * @line: line in it
 * @fmt: format as for printf(), and its arguments
 *
 * The library drops lines below the level of ASCEND_GLOBAL_LOG_LEVEL.
 * ASCEND_SLOG_PRINT_TO_STDOUT=1 prints the others.  See libvnpu(7).
 */
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char *func,
	const char *file, uint32_t line, const char *fmt, ...);

/*
 * Call aclAppLog() with the current position: ACL_APP_LOG(level, format, ...).
 */
#define ACL_APP_LOG(level, ...) \
	aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

/**
 * aclrtGetSocName() - get the name of the chip
 *
 * Needs no current device.  The string is static; never free it.  NULL without
 * a driver.
 */
ACL_FUNC_VISIBILITY const char *aclrtGetSocName(void);

/**
 * aclGetCannAttributeList() - list the features of this software stack
 * @cannAttrList: set to a static array; never free it
 * @num: set to its number of elements
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);

/**
 * aclGetCannAttribute() - check whether the software stack has a feature
 * @cannAttr: the feature
 * @value: set to 1 if it has the feature, else 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown feature.
 */
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr,
	int32_t *value);

/**
 * aclGetDeviceCapability() - get a property of a device
 * @deviceId: device, from 0 to aclrtGetDeviceCount() - 1
 * @deviceInfo: the property; ACL_DEVICE_INFO_L2_SIZE is in bytes
 * @value: set to its value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown @deviceInfo,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId,
	aclDeviceInfo deviceInfo, int64_t *value);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_BASE_RT_H */
