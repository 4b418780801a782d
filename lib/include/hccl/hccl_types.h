/* SPDX-License-Identifier: MIT */
/*
 * HCCL: types, with the values and layouts of CANN.
 */
#ifndef HCCL_TYPES_H
#define HCCL_TYPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results of calls; HcclGetErrorString() describes them. */
typedef enum HcclResult {
	HCCL_SUCCESS			= 0,
	HCCL_E_PARA			= 1,	/* an argument is invalid */
	HCCL_E_PTR			= 2,	/* a pointer is NULL */
	HCCL_E_MEMORY			= 3,	/* no memory */
	HCCL_E_INTERNAL			= 4,
	HCCL_E_NOT_SUPPORT		= 5,
	HCCL_E_NOT_FOUND		= 6,
	HCCL_E_UNAVAIL			= 7,	/* a resource is unavailable */
	HCCL_E_SYSCALL			= 8,	/* the operating system failed */
	HCCL_E_TIMEOUT			= 9,
	HCCL_E_OPEN_FILE_FAILURE	= 10,
	HCCL_E_TCP_CONNECT		= 11,	/* no rank serves the address */
	HCCL_E_ROCE_CONNECT		= 12,
	HCCL_E_TCP_TRANSFER		= 13,
	HCCL_E_ROCE_TRANSFER		= 14,
	HCCL_E_RUNTIME			= 15,	/* an AscendCL call failed */
	HCCL_E_DRV			= 16,
	HCCL_E_PROFILING		= 17,
	HCCL_E_CCE			= 18,
	HCCL_E_NETWORK			= 19,
	HCCL_E_AGAIN			= 20,
	HCCL_E_REMOTE			= 21,	/* another rank failed or ended */
	HCCL_E_SUSPENDING		= 22,
	HCCL_E_OPRETRY_FAIL		= 23,
	HCCL_E_OOM			= 24,
	HCCL_E_IN_STATUS		= 1041,
	HCCL_E_RESERVED
} HcclResult;

/* A communicator: this rank's part of it. */
typedef void *HcclComm;

typedef enum HcclReduceOp {
	HCCL_REDUCE_SUM		= 0,
	HCCL_REDUCE_PROD	= 1,
	HCCL_REDUCE_MAX		= 2,
	HCCL_REDUCE_MIN		= 3,
	HCCL_REDUCE_RESERVED	= 255
} HcclReduceOp;

/* These are not the numbers of aclDataType. */
typedef enum HcclDataType {
	HCCL_DATA_TYPE_INT8	= 0,
	HCCL_DATA_TYPE_INT16	= 1,
	HCCL_DATA_TYPE_INT32	= 2,
	HCCL_DATA_TYPE_FP16	= 3,
	HCCL_DATA_TYPE_FP32	= 4,
	HCCL_DATA_TYPE_INT64	= 5,
	HCCL_DATA_TYPE_UINT64	= 6,
	HCCL_DATA_TYPE_UINT8	= 7,
	HCCL_DATA_TYPE_UINT16	= 8,
	HCCL_DATA_TYPE_UINT32	= 9,
	HCCL_DATA_TYPE_FP64	= 10,
	HCCL_DATA_TYPE_BFP16	= 11,
	HCCL_DATA_TYPE_INT128	= 12,
	HCCL_DATA_TYPE_HIF8	= 14,
	HCCL_DATA_TYPE_FP8E4M3	= 15,
	HCCL_DATA_TYPE_FP8E5M2	= 16,
	HCCL_DATA_TYPE_FP8E8M0	= 17,
	HCCL_DATA_TYPE_RESERVED	= 255
} HcclDataType;

#define HCCL_ROOT_INFO_BYTES	4108

/* Opaque: the address at which the ranks of a communicator meet. */
typedef struct HcclRootInfo {
	char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

#define HCCL_COMM_CONFIG_INFO_BYTES	24
#define HCCL_COMM_CONFIG_MAGIC_WORD	0xf0f0f0f0U
#define HCCL_COMM_CONFIG_VERSION	10
#define HCCL_COMM_DEFAULT_BUFFSIZE	200
#define HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET	0xffffffffU
#define HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET	0xffffffffU
#define COMM_NAME_MAX_LENGTH		128
#define UDI_MAX_LENGTH			128
#define BUFFER_NAME_MAX_LENGTH		128
#define HCCL_COMM_ALGO_MAX_LENGTH	1600
#define HCCL_COMM_RETRY_ENABLE_MAX_LENGTH	50
#define HCCL_COMM_RETRY_PARAMS_MAX_LENGTH	128
#define HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET	(-1)

/*
 * Filled by HcclCommConfigInit(), then changed.  @reserved has the size of the
 * struct, a magic number and the version of the interface; calls read no more
 * than that size.
 */
typedef struct HcclCommConfig {
	char reserved[HCCL_COMM_CONFIG_INFO_BYTES];
	uint32_t hcclBufferSize;	/* in MB */
	uint32_t hcclDeterministic;
	char hcclCommName[COMM_NAME_MAX_LENGTH];
	char hcclUdi[UDI_MAX_LENGTH];
	uint32_t hcclOpExpansionMode;
	uint32_t hcclRdmaTrafficClass;
	uint32_t hcclRdmaServiceLevel;
	uint32_t hcclWorldRankID;
	uint64_t hcclJobID;
	uint8_t aclGraphZeroCopyEnable;
	int32_t hcclExecTimeOut;	/* in seconds */
	char hcclAlgo[HCCL_COMM_ALGO_MAX_LENGTH];	/* as of HCCL_ALGO */
	char hcclRetryEnable[HCCL_COMM_RETRY_ENABLE_MAX_LENGTH];
	char hcclRetryParams[HCCL_COMM_RETRY_PARAMS_MAX_LENGTH];
	char hcclBufferName[BUFFER_NAME_MAX_LENGTH];
	uint32_t hcclQos;
	uint64_t hcclSymWinMaxMemSizePerRank;
} HcclCommConfig;

typedef enum HcclCommConfigCapability {
	HCCL_COMM_CONFIG_BUFFER_SIZE		= 0,
	HCCL_COMM_CONFIG_DETERMINISTIC		= 1,
	HCCL_COMM_CONFIG_COMM_NAME		= 2,
	HCCL_COMM_CONFIG_OP_EXPANSION_MODE	= 3,
	HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV	= 4,
	HCCL_COMM_CONFIG_WORLD_RANKID		= 5,
	HCCL_COMM_CONFIG_JOBID			= 6,
	HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE	= 7,
	HCCL_COMM_CONFIG_EXEC_TIMEOUT		= 8,
	HCCL_COMM_CONFIG_ALGO			= 9,
	HCCL_COMM_CONFIG_RETRY			= 10,
	HCCL_COMM_CONFIG_BUFFER_NAME		= 11,
	HCCL_COMM_CONFIG_RESERVED
} HcclCommConfigCapability;

typedef enum HcclConfig {
	HCCL_DETERMINISTIC	= 0,
	HCCL_CONFIG_RESERVED
} HcclConfig;

typedef union HcclConfigValue {
	int32_t value;
} HcclConfigValue;

typedef enum HcclConfigType {
	HCCL_CONFIG_TYPE_INVALID		= -1,
	HCCL_CONFIG_TYPE_OP_EXPANSION_MODE	= 0
} HcclConfigType;

/* Where the tasks of an operation are made. */
typedef enum HcclOpExpansionMode {
	HCCL_OP_EXPANSION_MODE_INVALID		= -1,
	HCCL_OP_EXPANSION_MODE_AI_CPU		= 0,
	HCCL_OP_EXPANSION_MODE_AIV		= 1,
	HCCL_OP_EXPANSION_MODE_HOST		= 2,
	HCCL_OP_EXPANSION_MODE_HOST_TS		= 3,
	HCCL_OP_EXPANSION_MODE_CCU_MS		= 4,
	HCCL_OP_EXPANSION_MODE_CCU_SCHED	= 5,
	HCCL_OP_EXPANSION_AIV_ONLY		= 6
} HcclOpExpansionMode;

typedef HcclOpExpansionMode HcclConfigTypeOpExpansionMode;

typedef enum HcclCommStatus {
	HCCL_COMM_STATUS_READY		= 0,
	HCCL_COMM_STATUS_SUSPENDING	= 1,
	HCCL_COMM_STATUS_INVALID	= 254,
	HCCL_COMM_STATUS_RESERVED	= 255
} HcclCommStatus;

typedef enum HcclCommStatePhase {
	HCCL_COMM_STATE_PHASE_INVALID		= -1,
	HCCL_COMM_STATE_PHASE_DESTROY_PRE	= 0,
	HCCL_COMM_STATE_PHASE_DESTROY_POST	= 1,
	HCCL_COMM_STATE_PHASE_RESUME_PRE	= 2,
	HCCL_COMM_STATE_PHASE_RESUME_POST	= 3
} HcclCommStatePhase;

/* Called at a change of state, see HcclCommRegCommStateCallback(). */
typedef HcclResult (*HcclCommStateCallback)(HcclComm comm,
	HcclCommStatePhase state, void *args);

typedef enum HcclSendRecvType {
	HCCL_SEND		= 0,
	HCCL_RECV		= 1,
	HCCL_SEND_RECV_RESERVED
} HcclSendRecvType;

/* One item of HcclBatchSendRecv(). */
typedef struct HcclSendRecvItem {
	HcclSendRecvType sendRecvType;
	void *buf;
	uint64_t count;
	HcclDataType dataType;
	uint32_t remoteRank;
} HcclSendRecvItem;

#ifdef __cplusplus
}
#endif

#endif /* HCCL_TYPES_H */
