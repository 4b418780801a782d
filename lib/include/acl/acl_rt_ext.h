/* SPDX-License-Identifier: MIT */
/*
 * Short calls for pools of memory, in addition to AscendCL's own, for programs
 * that use them.  They are thin layers over vnpu/pool.h, which has the rules and
 * errors.  CANN does not have them.
 */
#ifndef ACL_ACL_RT_EXT_H
#define ACL_ACL_RT_EXT_H

#include <stdbool.h>

#include "acl/acl_rt.h"
#include "vnpu/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Another name of the error that allocations return. */
#define ACL_ERROR_RT_OUT_OF_MEMORY	ACL_ERROR_RT_MEMORY_ALLOCATION

typedef enum aclrtMemReusePolicy {
	ACL_MEM_REUSE_DISABLE	= 0,
	ACL_MEM_REUSE_ENABLE	= 1
} aclrtMemReusePolicy;

typedef enum aclrtMemPoolType {
	ACL_MEM_POOL_TYPE_DEVICE	= 0,	/* memory of the current device */
	ACL_MEM_POOL_TYPE_HOST		= 1,	/* pinned memory of the host */
	ACL_MEM_POOL_TYPE_HOST_DEVICE	= 2	/* the same: host and devices
						 * access it at one address */
} aclrtMemPoolType;

/**
 * struct aclrtMemPoolConfig - a pool
 * @pool_type: its memory
 * @reuse_enable: keep free memory; otherwise it is returned at once
 * @reuse_threshold: the share of the device's memory that may be free and stay
 *	in the pool, from 0 to 1
 * @pool: set to the pool
 */
typedef struct aclrtMemPoolConfig {
	aclrtMemPoolType pool_type;
	bool reuse_enable;
	double reuse_threshold;
	vnpu_pool_t pool;
} aclrtMemPoolConfig;

/**
 * aclrtSetMemReusePolicy() - let aclrtMalloc() reuse freed memory
 * @policy: ACL_MEM_REUSE_ENABLE gives the current device a pool, unless it has
 *	one; ACL_MEM_REUSE_DISABLE is vnpu_pool_set_default() without a pool
 *
 * The pool stays until the reset of the device, and further calls with
 * ACL_MEM_REUSE_ENABLE use it again.
 *
 * Return: as vnpu_pool_create(); ACL_ERROR_RT_PARAM_INVALID for another policy.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetMemReusePolicy(aclrtMemReusePolicy policy);

/**
 * aclrtCreateMemPool() - create a pool
 * @config: its type and reuse; @pool is set to it
 *
 * A pool of the device becomes that of aclrtMalloc(), as by
 * vnpu_pool_set_default().  vnpu_pool_alloc() allocates from any pool.  A pool takes
 * at most as much memory as the current device has.
 *
 * Return: as vnpu_pool_create(); ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown type or an invalid threshold.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateMemPool(aclrtMemPoolConfig *config);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_EXT_H */
