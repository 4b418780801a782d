/* SPDX-License-Identifier: MIT */
/*
 * Short calls in addition to HCCL's own, for programs that use them: the
 * algorithm of the process, a communicator of all ranks without a root info,
 * and an AllReduce beside the default stream.  They are thin layers over
 * hccl.h, which has the rules and errors.
 */
#ifndef HCCL_EXT_H
#define HCCL_EXT_H

#include <stdint.h>

#include "hccl/hccl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef HcclComm hcclComm_t;
typedef HcclResult hcclResult_t;

/* Algorithms; HCCL_ALGO names them.  See Documentation/hccl.md. */
typedef enum hcclAlgo_t {
	HCCL_ALGO_DEFAULT	= 0,	/* that of hcclSetAlgorithm() or HCCL_ALGO */
	HCCL_ALGO_MESH		= 1,
	HCCL_ALGO_RING		= 2,
	HCCL_ALGO_HD		= 3,	/* recursive halving and doubling */
	HCCL_ALGO_NHR		= 4,	/* nonuniform hierarchical ring */
	HCCL_ALGO_NB2		= 5	/* nonuniform Bruck */
} hcclAlgo_t;

#define HCCL_CONFIG_DEFAULT	HCCL_ALGO_DEFAULT
#define HCCL_CONFIG_NB2		HCCL_ALGO_NB2
#define HCCL_CONFIG_NHR		HCCL_ALGO_NHR

/* The name of the communicator of all ranks of a program. */
#define HCCL_COMM_WORLD		"world"

#define HCCL_FLOAT32		HCCL_DATA_TYPE_FP32
#define HCCL_FLOAT16		HCCL_DATA_TYPE_FP16
#define HCCL_INT32		HCCL_DATA_TYPE_INT32
#define HCCL_SUM		HCCL_REDUCE_SUM
#define HCCL_PROD		HCCL_REDUCE_PROD
#define HCCL_MAX		HCCL_REDUCE_MAX
#define HCCL_MIN		HCCL_REDUCE_MIN

/**
 * hcclSetAlgorithm() - choose the algorithm of communicators
 * @algorithm: HCCL_ALGO_DEFAULT for that of HCCL_ALGO
 *
 * It applies to communicators that the process creates afterwards without an
 * hcclAlgo of their own.  All ranks choose the same one.
 *
 * Errors: HCCL_E_PARA.
 */
ACL_FUNC_VISIBILITY HcclResult hcclSetAlgorithm(hcclAlgo_t algorithm);

/**
 * hcclCommInitRank() - become a rank of a communicator that has a name
 * @comm: set to the communicator
 * @worldSize: number of ranks
 * @rank: this rank; its device is the calling thread's current one
 * @world: HCCL_COMM_WORLD, or another name, up to 127 bytes, to keep programs apart
 * @config: algorithm of this communicator
 *
 * Ranks meet if they are of the same user, network namespace and session (setsid(2)),
 * and pass the same @world and @worldSize.  Otherwise as HcclCommInitRootInfo().
 * HCCL_E_UNAVAIL if another communicator of this name is being created.
 */
ACL_FUNC_VISIBILITY HcclResult hcclCommInitRank(HcclComm *comm,
	uint32_t worldSize, uint32_t rank, const char *world,
	hcclAlgo_t config);

/**
 * hcclAllReduceAsync() - reduce elements of all ranks
 * @stream: a stream; or NULL for a stream of the communicator, which first
 *	waits for the tasks that the calling thread's default stream has so far
 *
 * With NULL, later tasks of the default stream run beside the operation;
 * hcclWait() orders them.  Otherwise as HcclAllReduce().
 */
ACL_FUNC_VISIBILITY HcclResult hcclAllReduceAsync(void *sendBuf, void *recvBuf,
	uint64_t count, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
	aclrtStream stream);

/**
 * hcclWait() - make the default stream wait for the communicator's stream
 * @comm: the communicator
 *
 * The call itself does not wait.  Later tasks of the calling thread's default stream
 * run after all operations of hcclAllReduceAsync() with NULL.
 *
 * Errors: the failure of the communicator.
 */
ACL_FUNC_VISIBILITY HcclResult hcclWait(HcclComm comm);

#ifdef __cplusplus
}
#endif

#endif /* HCCL_EXT_H */
