/* SPDX-License-Identifier: MIT */
/*
 * Memory.
 *
 * All sizes are in bytes.  A device pointer is an address that only the device
 * can use: a host access raises SIGSEGV.  Copies may start and end at any
 * address inside an allocation.
 */
#ifndef ACL_ACL_RT_MEMORY_H
#define ACL_ACL_RT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The pages of an allocation: 4 KiB (NORMAL), 2 MiB (HUGE), 1 GiB (HUGE1G).
 * HUGE_FIRST takes 4 KiB pages for sizes up to 1 MiB and 2 MiB pages above, and
 * normal ones if there are no more; the ONLY policies fail instead.  The P2P
 * policies make no difference on one machine.
 *
 * The two bandwidth bits select a memory; they have no effect, as a device of
 * this driver has one memory only.  There is no read-only memory: its bit gives
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
typedef enum aclrtMemMallocPolicy {
	ACL_MEM_MALLOC_HUGE_FIRST		= 0,
	ACL_MEM_MALLOC_HUGE_ONLY		= 1,
	ACL_MEM_MALLOC_NORMAL_ONLY		= 2,
	ACL_MEM_MALLOC_HUGE_FIRST_P2P		= 3,
	ACL_MEM_MALLOC_HUGE_ONLY_P2P		= 4,
	ACL_MEM_MALLOC_NORMAL_ONLY_P2P		= 5,
	ACL_MEM_MALLOC_HUGE1G_ONLY		= 6,
	ACL_MEM_MALLOC_HUGE1G_ONLY_P2P		= 7,
	ACL_MEM_TYPE_LOW_BAND_WIDTH		= 0x100,
	ACL_MEM_TYPE_HIGH_BAND_WIDTH		= 0x1000,
	ACL_MEM_ACCESS_USER_SPACE_READONLY	= 0x100000
} aclrtMemMallocPolicy;

typedef enum aclrtMallocAttrType {
	ACL_RT_MEM_ATTR_RSV		= 0,
	ACL_RT_MEM_ATTR_MODULE_ID	= 1,
	ACL_RT_MEM_ATTR_DEVICE_ID	= 2,
	ACL_RT_MEM_ATTR_VA_FLAG		= 3
} aclrtMallocAttrType;

typedef union aclrtMallocAttrValue {
	uint16_t moduleId;
	uint32_t deviceId;
	uint32_t vaFlag;
	uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
	aclrtMallocAttrType attr;
	aclrtMallocAttrValue value;
} aclrtMallocAttribute;

/* Attributes of an allocation; NULL means none. */
typedef struct aclrtMallocConfig {
	aclrtMallocAttribute *attrs;
	size_t numAttrs;
} aclrtMallocConfig;

/*
 * Kinds of device memory, see aclrtGetMemInfo().  A device of this driver has
 * one memory; every kind of high-bandwidth memory (HBM) refers to it.
 */
typedef enum aclrtMemAttr {
	ACL_DDR_MEM		= 0,
	ACL_HBM_MEM		= 1,
	ACL_DDR_MEM_HUGE	= 2,
	ACL_DDR_MEM_NORMAL	= 3,
	ACL_HBM_MEM_HUGE	= 4,
	ACL_HBM_MEM_NORMAL	= 5,
	ACL_DDR_MEM_P2P_HUGE	= 6,
	ACL_DDR_MEM_P2P_NORMAL	= 7,
	ACL_HBM_MEM_P2P_HUGE	= 8,
	ACL_HBM_MEM_P2P_NORMAL	= 9,
	ACL_HBM_MEM_HUGE1G	= 10,
	ACL_HBM_MEM_P2P_HUGE1G	= 11,
	ACL_MEM_NORMAL		= 12,
	ACL_MEM_HUGE		= 13,
	ACL_MEM_HUGE1G		= 14,
	ACL_MEM_P2P_NORMAL	= 15,
	ACL_MEM_P2P_HUGE	= 16,
	ACL_MEM_P2P_HUGE1G	= 17
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
	ACL_MEM_LOCATION_TYPE_HOST		= 0,
	ACL_MEM_LOCATION_TYPE_DEVICE		= 1,
	ACL_MEM_LOCATION_TYPE_UNREGISTERED	= 2,
	ACL_MEM_LOCATION_TYPE_MANAGED		= 3,
	ACL_MEM_LOCATION_TYPE_HOST_NUMA		= 4
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
	uint32_t id;
	aclrtMemLocationType type;
} aclrtMemLocation;

/* Kind of the memory at a pointer; pageSize is 0 unless it is device memory. */
typedef struct aclrtPtrAttributes {
	aclrtMemLocation location;
	uint32_t pageSize;
	uint32_t rsv[4];
} aclrtPtrAttributes;

/* Properties for aclrtHostRegister(); may be or-ed. */
typedef enum aclrtHostRegisterType {
	ACL_HOST_REGISTER_MAPPED	= 0,
	ACL_HOST_REGISTER_IOMEMORY	= 0x4,
	ACL_HOST_REGISTER_READONLY	= 0x8
} aclrtHostRegisterType;

/* Properties for aclrtHostRegisterV2(), as bits. */
#define ACL_HOST_REG_MAPPED	0x2UL		/* has a device address */
#define ACL_HOST_REG_IOMEMORY	0x4UL		/* I/O memory of a device */
#define ACL_HOST_REG_READONLY	0x8UL		/* mapped, read-only */
#define ACL_HOST_REG_PINNED	0x10000000UL	/* pages cannot move */

/* Units of a device that access memory. */
typedef enum aclrtHacType {
	ACL_RT_HAC_TYPE_STARS	= 0,
	ACL_RT_HAC_TYPE_AICPU	= 1,
	ACL_RT_HAC_TYPE_AIC	= 2,
	ACL_RT_HAC_TYPE_AIV	= 3,
	ACL_RT_HAC_TYPE_PCIEDMA	= 4,
	ACL_RT_HAC_TYPE_RDMA	= 5,
	ACL_RT_HAC_TYPE_SDMA	= 6,
	ACL_RT_HAC_TYPE_DVPP	= 7,
	ACL_RT_HAC_TYPE_UDMA	= 8,
	ACL_RT_HAC_TYPE_CCU	= 9
} aclrtHacType;

typedef enum aclrtHostMemMapCapability {
	ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED	= 0,
	ACL_RT_HOST_MEM_MAP_SUPPORTED		= 1
} aclrtHostMemMapCapability;

typedef struct aclrtMemUsageInfo {
	char name[32];
	uint64_t curMemSize;
	uint64_t memPeakSize;
	size_t reserved[8];
} aclrtMemUsageInfo;

/* Kinds of memory, bits, see aclrtCheckMemType(). */
#define ACL_RT_MEM_TYPE_DEV	0x2U
#define ACL_RT_MEM_TYPE_DVPP	0x8U
#define ACL_RT_MEM_TYPE_RSVD	0x10U

/**
 * aclrtMalloc() - allocate memory on the current device
 * @devPtr: set to its device address, aligned to 64 bytes, or 32 with VNPU_GUARD=1
 * @size: bytes, at least 1
 * @policy: page policy; an unknown value takes huge ones from 2 MiB on
 *
 * The memory is not cleared, but never has data of another process.  It takes
 * @size rounded up to 32 bytes, plus 32 except with 1 GiB pages, rounded up to
 * whole pages: aclrtGetMemInfo() shows this.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or a size that overflows when it
 * is rounded up; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION if
 * it does not fit, exceeds a quota of the administrator, or the process has no
 * addresses left: aclGetRecentErrMsg() then has the reason.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocAlign32() - allocate as aclrtMalloc() does, without 32 extra bytes
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: page policy
 *
 * Errors: as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocCached() - allocate as aclrtMalloc() does; caches are coherent
 * here
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: page policy
 *
 * Errors: as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocWithCfg() - allocate as aclrtMalloc() does, with attributes
 * @devPtr: set to its device address
 * @size: bytes, at least 1; rounded up to pages only
 * @policy: page policy
 * @cfg: attributes such as ACL_RT_MEM_ATTR_MODULE_ID and
 *	ACL_RT_MEM_ATTR_DEVICE_ID (for a device other than the current one), or
 *	NULL
 *
 * Errors: as aclrtMalloc(); ACL_ERROR_INVALID_PARAM for an unknown attribute,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtMallocForTaskScheduler() - allocate memory that the task scheduler reads
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: page policy
 * @cfg: as for aclrtMallocWithCfg(), or NULL
 *
 * Allocates ordinary device memory.
 *
 * Errors: as aclrtMallocWithCfg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void **devPtr,
	size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtFree() - free device memory
 * @devPtr: the address that an allocation call returned
 *
 * Needs no context.  Does not wait for work that uses the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address that is not the start of an allocation, or was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/**
 * aclrtFreeWithDevSync() - wait for the device's work, and free its memory
 * @devPtr: the address that an allocation call returned
 *
 * Errors: as aclrtFree().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * aclrtMallocHost() - allocate host memory that is pinned for transfers
 * @hostPtr: set to its address, aligned to 4096 bytes
 * @size: bytes, at least 1
 *
 * The memory is zeroed, takes whole pages of 4096 bytes, and is charged to the
 * user.  A forked child does not inherit it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * aclrtMallocHostWithCfg() - allocate as aclrtMallocHost() does, with
 * attributes
 * @ptr: set to its address
 * @size: bytes, at least 1
 * @cfg: as for aclrtMallocWithCfg(), or NULL
 *
 * Errors: as aclrtMallocHost() and aclrtMallocWithCfg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
	aclrtMallocConfig *cfg);

/**
 * aclrtFreeHost() - free host memory
 * @hostPtr: the address that aclrtMallocHost() returned
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address that is not the start of such memory, or was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/**
 * aclrtFreeHostWithDevSync() - wait for the device's work, and free host memory
 * @hostPtr: the address that aclrtMallocHost() returned
 *
 * Errors: as aclrtFreeHost().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * aclrtHostRegister() - map host memory to a device address
 * @ptr: host address, a multiple of 4096
 * @size: bytes, at least 1
 * @type: ACL_HOST_REGISTER_MAPPED, or ACL_HOST_REGISTER_READONLY to forbid
 *	writes by devices
 * @devPtr: set to its device address
 *
 * The memory may be of malloc() or the like, of aclrtMallocHost(), or shared
 * memory, but not of a file on a disk.  Its pages are pinned, and count towards
 * RLIMIT_MEMLOCK.  If the program unmaps the memory, the device address becomes
 * useless, and still has to be unregistered.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another @type,
 * ACL_ERROR_RT_PARAM_INVALID for an address that is not aligned or memory that
 * cannot be registered, ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED if a part of
 * it is registered, ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size,
	aclrtHostRegisterType type, void **devPtr);

/**
 * aclrtHostRegisterV2() - pin host memory, with or without a device address
 * @ptr: host address, a multiple of 4096
 * @size: bytes, at least 1
 * @flag: ACL_HOST_REG_* bits; ACL_HOST_REG_IOMEMORY is not supported
 *
 * aclrtHostGetDevicePointer() returns the device address.
 *
 * Errors: as aclrtHostRegister(); ACL_ERROR_RT_PARAM_INVALID for another @flag.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size,
	uint32_t flag);

/**
 * aclrtHostGetDevicePointer() - get the device address of host memory
 * @pHost: host address in memory that is registered as mapped
 * @pDevice: set to the device address
 * @flag: 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @flag,
 * ACL_ERROR_RT_PARAM_INVALID if there is none, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void *pHost,
	void **pDevice, uint32_t flag);

/**
 * aclrtHostUnregister() - end a registration
 * @ptr: the host address that was registered
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void *ptr);

/**
 * aclrtHostMemMapCapabilities() - check whether a unit can access host memory
 * @deviceId: the device
 * @hacType: the unit
 * @capabilities: set to the result
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for another @hacType.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId,
	aclrtHacType hacType, aclrtHostMemMapCapability *capabilities);

/**
 * aclrtPointerGetAttributes() - get the kind of memory that a pointer points to
 * @ptr: any address
 * @attributes: filled: ACL_MEM_LOCATION_TYPE_DEVICE or ..._MANAGED with the
 *	device as id; ..._HOST for memory of aclrtMallocHost() and for
 *	registered memory, by either of its addresses; ..._UNREGISTERED
 *	otherwise
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr,
	aclrtPtrAttributes *attributes);

/**
 * aclrtGetMemInfo() - get the free and total memory of the current device
 * @attr: kind of memory
 * @free: set to the free bytes; for a kind of pages, to those in such pages
 * @total: set to the total bytes
 *
 * Both values are for all processes.  They are 0 for a kind that the device
 * does not have (DDR).
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown kind, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free,
	size_t *total);

/**
 * aclrtGetMemUsageInfo() - get the components that hold a device's memory
 * @deviceId: device
 * @memUsageInfo: array; filled with the name, the current and the peak bytes
 * @inputNum: its length, at least 1
 * @outputNum: set to the number of elements that were filled
 *
 * The component with the most memory comes first.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId,
	aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum);

/**
 * aclrtCheckMemType() - check whether addresses are memory of some kind
 * @addrList: the addresses
 * @size: number of addresses
 * @memType: ACL_RT_MEM_TYPE_* bits
 * @checkResult: set to 1 if each address is of one of these kinds, else 0
 * @reserve: must be 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID
 * for unknown bits or a non-zero @reserve.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void **addrList, uint32_t size,
	uint32_t memType, uint32_t *checkResult, uint32_t reserve);

/**
 * aclrtMemGetAddressRange() - find the memory block that contains an address
 * @ptr: address of device memory, or of aclrtMallocHost()
 * @pbase: set to the start of the block, or NULL
 * @psize: set to the bytes that were requested for it, or NULL
 *
 * A mapping is a block of its own.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address outside all memory, and if both results are NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void *ptr, void **pbase,
	size_t *psize);

/**
 * aclrtMemP2PMap() - let another device access memory
 * @devPtr: device memory
 * @size: bytes, inside one block
 * @dstDevId: the other device
 * @flags: reserved, 0
 *
 * Has no effect: every device can access all memory at the same address.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or @flags,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_PARAM_INVALID for a range that
 * is not in one block.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void *devPtr, size_t size,
	int32_t dstDevId, uint64_t flags);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MEMORY_H */
