/* SPDX-License-Identifier: MIT */
/*
 * Types and constants of runtime calls that the library does not have yet: the
 * cache, tasks that are updated, and snapshots.  Programs that only name them
 * compile.
 */
#ifndef ACL_ACL_RT_TYPES_H
#define ACL_ACL_RT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Operations on the cache of a device, and barriers that wait for them. */
#define ACL_RT_CMO_MAX_BARRIER_NUM	6U

typedef enum aclrtCmoType {
	ACL_RT_CMO_TYPE_PREFETCH	= 0,
	ACL_RT_CMO_TYPE_WRITEBACK	= 1,
	ACL_RT_CMO_TYPE_INVALID		= 2,
	ACL_RT_CMO_TYPE_FLUSH		= 3
} aclrtCmoType;

typedef struct aclrtBarrierCmoInfo {
	aclrtCmoType cmoType;
	uint32_t barrierId;
} aclrtBarrierCmoInfo;

typedef struct aclrtBarrierTaskInfo {
	size_t barrierNum;		/* elements of cmoInfo that are used */
	aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

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

/* Snapshots of a process. */
typedef enum aclrtSnapShotStage {
	ACL_RT_SNAPSHOT_LOCK_PRE	= 0,
	ACL_RT_SNAPSHOT_BACKUP_PRE	= 1,
	ACL_RT_SNAPSHOT_BACKUP_POST	= 2,
	ACL_RT_SNAPSHOT_RESTORE_PRE	= 3,
	ACL_RT_SNAPSHOT_RESTORE_POST	= 4,
	ACL_RT_SNAPSHOT_UNLOCK_POST	= 5
} aclrtSnapShotStage;

typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void *args);

typedef struct aclrtSnapShotBackupArgs {
	uint32_t backupFlags;
	char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
	uint32_t restoreFlags;
	char reserved[60];
} aclrtSnapShotRestoreArgs;

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_TYPES_H */
