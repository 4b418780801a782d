/* SPDX-License-Identifier: MIT */
/*
 * Types and constants of aclrtTaskUpdateAsync(), which changes kernels and
 * random numbers in a model of captured tasks.  The library has neither, so the
 * call is missing; programs that only name the types compile.
 */
#ifndef ACL_ACL_RT_TYPES_H
#define ACL_ACL_RT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
