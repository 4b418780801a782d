/* SPDX-License-Identifier: MIT */
/*
 * Types that several headers use, and those of aclrtTaskUpdateAsync(), see
 * acl_rt_model_build.h.
 */
#ifndef ACL_ACL_RT_TYPES_H
#define ACL_ACL_RT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Direction of a copy, see aclrtMemcpy(). */
typedef enum aclrtMemcpyKind {
	ACL_MEMCPY_HOST_TO_HOST			= 0,
	ACL_MEMCPY_HOST_TO_DEVICE		= 1,
	ACL_MEMCPY_DEVICE_TO_HOST		= 2,
	ACL_MEMCPY_DEVICE_TO_DEVICE		= 3,
	ACL_MEMCPY_DEFAULT			= 4,
	ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE	= 5,
	ACL_MEMCPY_INNER_DEVICE_TO_DEVICE	= 6,
	ACL_MEMCPY_INTER_DEVICE_TO_DEVICE	= 7
} aclrtMemcpyKind;

/* Updates of tasks that were submitted before. */
typedef enum aclrtUpdateTaskAttrId {
	ACL_RT_UPDATE_RANDOM_TASK	= 1,
	ACL_RT_UPDATE_AIC_AIV_TASK	= 2
} aclrtUpdateTaskAttrId;

typedef struct aclrtRandomTaskUpdateAttr {
	void *srcAddr;
	size_t size;
	uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

typedef struct aclrtAicAivTaskUpdateAttr {
	void *binHandle;
	void *funcEntryAddr;
	void *blockDimAddr;
	uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

typedef union aclrtUpdateTaskAttrVal {
	aclrtRandomTaskUpdateAttr randomTaskAttr;
	aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

typedef struct aclrtTaskUpdateInfo {
	aclrtUpdateTaskAttrId id;
	aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_TYPES_H */
