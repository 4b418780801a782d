/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory: addresses, physical memory and mappings, and their
 * sharing between processes.
 */
#ifndef ACL_ACL_RT_VMM_H
#define ACL_ACL_RT_VMM_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_memory.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Links for aclrtMemMapSetLink(). */
typedef enum aclrtMemLinkType {
	ACL_RT_MEM_ACCESS_LINK_SIO		= 0,
	ACL_RT_MEM_ACCESS_LINK_HCCS		= 1,
	ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH	= 2,
	ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH	= 3
} aclrtMemLinkType;

/* Links for aclrtMemMapSelectedLink(). */
#define ACL_RT_MEM_LINK_IDX_0	0
#define ACL_RT_MEM_LINK_IDX_1	1

/* Processes that may import, see aclrtMemExportToShareableHandle(). */
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT				0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION		0x1UL

typedef enum aclrtMemAllocationType {
	ACL_MEM_ALLOCATION_TYPE_PINNED	= 0
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
	ACL_MEM_HANDLE_TYPE_NONE	= 0,
	ACL_MEM_HANDLE_TYPE_POSIX	= 2
} aclrtMemHandleType;

/* Type of a shareable handle: an uint64_t or an aclrtMemFabricHandle. */
typedef enum aclrtMemSharedHandleType {
	ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT	= 0x1,
	ACL_MEM_SHARE_HANDLE_TYPE_FABRIC	= 0x2
} aclrtMemSharedHandleType;

typedef struct aclrtMemFabricHandle {
	uint8_t data[128];
} aclrtMemFabricHandle;

/* Properties of physical memory, see aclrtMallocPhysical(). */
typedef struct aclrtPhysicalMemProp {
	aclrtMemHandleType handleType;
	aclrtMemAllocationType allocationType;
	aclrtMemAttr memAttr;
	aclrtMemLocation location;
	uint64_t reserve;
} aclrtPhysicalMemProp;

typedef enum aclrtMemGranularityOptions {
	ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM		= 0,
	ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED	= 1,
	ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF		= 0xffff
} aclrtMemGranularityOptions;

/* Physical memory: a number, not an address. */
typedef void *aclrtDrvMemHandle;

typedef enum aclrtMemAccessFlags {
	ACL_RT_MEM_ACCESS_FLAGS_NONE		= 0x0,
	ACL_RT_MEM_ACCESS_FLAGS_READ		= 0x1,
	ACL_RT_MEM_ACCESS_FLAGS_READWRITE	= 0x3
} aclrtMemAccessFlags;

typedef struct aclrtMemAccessDesc {
	aclrtMemAccessFlags flags;
	aclrtMemLocation location;
	uint8_t rsv[12];
} aclrtMemAccessDesc;

/**
 * aclrtReserveMemAddress() - reserve device addresses
 * @virPtr: set to the first address
 * @size: bytes, at least 1; rounded up to 2 MiB, or from 1 GiB on to 1 GiB with
 *	the address aligned to 1 GiB, too
 * @alignment: reserved, 0
 * @expectPtr: NULL; the address cannot be chosen
 * @flags: 0 or 1, without difference
 *
 * Takes no memory.  The reservation belongs to the current device, and
 * aclrtResetDevice() releases it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or unknown @flags,
 * ACL_ERROR_RT_PARAM_INVALID for an @alignment,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an @expectPtr,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION if no range of free
 * addresses is long enough.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size,
	size_t alignment, void *expectPtr, uint64_t flags);

/**
 * aclrtReserveMemAddressNoUCMemory() - reserve a chosen address (not supported)
 * @virPtr: unchanged
 * @size: bytes, at least 1
 * @alignment: reserved
 * @expectPtr: the address
 * @flags: 0 or 1
 *
 * The address of a reservation cannot be chosen here.  Programs that get this
 * error fall back to aclrtReserveMemAddress().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or unknown @flags, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void **virPtr,
	size_t size, size_t alignment, void *expectPtr, uint64_t flags);

/**
 * aclrtReleaseMemAddress() - release reserved addresses
 * @virPtr: the address that aclrtReserveMemAddress() returned; without mappings
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another address, or if the range has mappings.
 */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * aclrtMallocPhysical() - allocate memory that is not mapped
 * @handle: set to its handle
 * @size: bytes, at least 1; rounded up to the granularity
 * @prop: location and pages.  For a device, which the location's id
 *	names: ACL_HBM_MEM_HUGE, ACL_MEM_HUGE, ACL_MEM_P2P_HUGE for 2 MiB, the
 *	same with HUGE1G for 1 GiB, the same with NORMAL for 4 KiB.  For the
 *	host (ACL_MEM_LOCATION_TYPE_HOST), or for only the NUMA node that the
 *	location's id names (_HOST_NUMA): ACL_MEM_HUGE, ACL_MEM_P2P_HUGE,
 *	ACL_DDR_MEM_HUGE, ACL_DDR_MEM_P2P_HUGE, or the same with NORMAL, without
 *	difference
 * @flags: reserved, 0
 *
 * Device memory is not cleared, but never has data of another process.  Host
 * memory is zeroed and pinned, counts towards the user's limit as that of
 * aclrtMallocHost(), and is freed by the reset of the current device.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0, a reserved argument or unknown
 * values in @prop; ACL_ERROR_RT_PARAM_INVALID for a NUMA node without memory;
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION when it does not fit or exceeds a quota.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle,
	size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags);

/**
 * aclrtFreePhysical() - drop a handle of physical memory
 * @handle: physical memory, allocated, retained or imported
 *
 * Must be called once for each of these.  After the last call the handle is
 * stale.  The memory is freed as soon as it has no mappings and no other
 * process has it.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * aclrtMapMem() - map physical memory to reserved addresses
 * @virPtr: the address, a multiple of the granularity inside a reservation
 * @size: the size of the memory
 * @offset: 0
 * @handle: physical memory
 * @flags: reserved, 0
 *
 * A reservation can have any number of mappings, of memory of any device and of
 * the host, and memory can be mapped any number of times.  Every device may
 * read and write the mapping, and so may the host if the memory is host memory.
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or @flags;
 * ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_PARAM_INVALID for an @offset,
 * another size than the memory's, and an address that is not aligned, not
 * reserved or already mapped.
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size,
	size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemMapNoAccess() - map physical memory without access rights
 * @virPtr: the address, as for aclrtMapMem()
 * @size: the size of the memory
 * @offset: 0
 * @handle: physical memory
 * @flags: reserved, 0
 *
 * Neither a device nor the host may read or write there until
 * aclrtMemSetAccess() grants it.
 *
 * Errors: as aclrtMapMem().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void *virPtr, size_t size,
	size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemMapSetLink() - choose the link by which memory is accessed
 * @handle: physical memory, not mapped yet
 * @adviceLink: ACL_RT_MEM_ACCESS_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
	aclrtMemLinkType adviceLink);

/**
 * aclrtMemMapSelectedLink() - map memory once more, by another link
 * @virPtrDst: the new address, reserved
 * @size: bytes
 * @virPtrSrc: the address where it is mapped
 * @linkIdx: ACL_RT_MEM_LINK_IDX_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSelectedLink(void *virPtrDst,
	size_t size, void *virPtrSrc, uint32_t linkIdx);

/**
 * aclrtUnmapMem() - remove a mapping
 * @virPtr: the address that was passed to aclrtMapMem()
 *
 * Needs no context.  Does not wait for work that uses the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * where no mapping begins.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/**
 * aclrtMemSetAccess() - set the access rights to mapped memory
 * @virPtr: where a mapping begins
 * @size: size of the mapping, or of several consecutive ones
 * @desc: array of locations and their access rights
 * @count: its length, at least 1
 *
 * A location is a device or the host.  If the host has access, it may load and
 * store at this address; any other access raises SIGSEGV.  System calls can use
 * the memory there, unless they pin it, as direct I/O does.  The device of the
 * destination performs a copy; if the destination is host memory, the device of
 * the source; if both are host memory, the host.  A copy without the right to
 * access its memory fails with ACL_ERROR_RT_NO_PERMISSION and changes nothing.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, 0, unknown flags and locations,
 * and a range that does not consist of mappings; ACL_ERROR_RT_INVALID_DEVICEID.
 * On failure no right changes.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size,
	aclrtMemAccessDesc *desc, size_t count);

/**
 * aclrtMemGetAccess() - get the access rights to mapped memory
 * @virPtr: where a mapping begins
 * @location: a device or the host
 * @flag: set to a value of aclrtMemAccessFlags
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another address or location, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void *virPtr,
	aclrtMemLocation *location, uint64_t *flag);

/**
 * aclrtMemGetAllocationGranularity() - get the granularity of sizes and
 * addresses
 * @prop: as for aclrtMallocPhysical()
 * @option: ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or _RECOMMENDED
 * @granularity: set to 1 GiB for pages of 1 GiB, else to 2 MiB
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or unknown values in @prop,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_PARAM_INVALID for an unknown
 * @option.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
	aclrtMemGranularityOptions option, size_t *granularity);

/**
 * aclrtMemRetainAllocationHandle() - get another reference to a mapping's
 * handle
 * @virPtr: where a mapping begins
 * @handle: set to the handle; each call needs its own aclrtFreePhysical()
 *
 * If the program has freed the handle, it becomes valid again.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID where no
 * mapping begins.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void *virPtr,
	aclrtDrvMemHandle *handle);

/**
 * aclrtMemGetAllocationPropertiesFromHandle() - get properties of physical
 * memory
 * @handle: physical memory
 * @prop: filled with the properties passed to aclrtMallocPhysical(); for
 *	imported memory, with its device and pages
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
	aclrtPhysicalMemProp *prop);

/**
 * aclrtMemExportToShareableHandle() - let other processes import physical
 * memory
 * @handle: physical memory of a device, not exported before
 * @handleType: ACL_MEM_HANDLE_TYPE_NONE
 * @flags: ACL_RT_VMM_EXPORT_FLAG_DEFAULT to admit the processes that
 *	aclrtMemSetPidToShareableHandle() names,
 *	ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION to admit every process
 *	that has the handle
 * @shareableHandle: set to a number, to be sent to these processes
 *
 * The number is valid until the memory is freed here.  Processes that have
 * imported the memory by then keep it, also after this process has ended.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @handleType,
 * ACL_ERROR_RT_PARAM_INVALID for unknown @flags or a second export,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for memory of the host,
 * ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
	aclrtMemHandleType handleType, uint64_t flags,
	uint64_t *shareableHandle);

/**
 * aclrtMemExportToShareableHandleV2() - export memory as a handle of either
 * type
 * @handle: physical memory of a device, not exported before
 * @flags: ACL_RT_VMM_EXPORT_FLAG_*
 * @shareType: ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT or _FABRIC
 * @shareableHandle: an uint64_t or an aclrtMemFabricHandle; filled
 *
 * Errors: as aclrtMemExportToShareableHandle(); ACL_ERROR_RT_PARAM_INVALID for
 * an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
	aclrtMemSharedHandleType shareType, void *shareableHandle);

/**
 * aclrtMemSetPidToShareableHandle() - allow processes to import memory
 * @shareableHandle: exported by this process
 * @pid: their process ids, in the pid namespace of this process
 * @pidNum: their number, at least 1
 *
 * Adds them to those of earlier calls.  The calling process is always admitted.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * a handle that this process did not export.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
	size_t pidNum);

/**
 * aclrtMemSetPidToShareableHandleV2() - allow processes to import memory
 * @shareableHandle: exported by this process
 * @shareType: its type
 * @pid: process ids, in the pid namespace of this process
 * @pidNum: their number, at least 1
 *
 * Errors: as aclrtMemSetPidToShareableHandle(); ACL_ERROR_RT_PARAM_INVALID for
 * an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
	aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum);

/**
 * aclrtMemImportFromShareableHandle() - import physical memory of another
 * process
 * @shareableHandle: the number that the exporting process sent
 * @deviceId: device that the new handle belongs to; its reset frees the handle
 * @handle: set to a handle, to be mapped and freed like any other
 *
 * The exporting process must not have ended.  The
 * memory stays on its device.  Every import makes a new handle; the exporting
 * process may import the memory, too.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_PARAM_INVALID for an unknown
 * @shareableHandle, ACL_ERROR_RT_NO_PERMISSION if this process is not admitted.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
	aclrtDrvMemHandle *handle);

/**
 * aclrtMemImportFromShareableHandleV2() - import memory to the current device
 * @shareableHandle: the handle that the exporting process sent
 * @shareType: its type
 * @flags: reserved, 0
 * @handle: set to a handle
 *
 * Errors: as aclrtMemImportFromShareableHandle(); ACL_ERROR_INVALID_PARAM for
 * @flags, ACL_ERROR_RT_PARAM_INVALID for an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemImportFromShareableHandleV2(void *shareableHandle,
	aclrtMemSharedHandleType shareType, uint64_t flags,
	aclrtDrvMemHandle *handle);

/**
 * aclrtProfTrace() - mark a moment in this thread and in a stream
 * @userdata: bytes; their hexadecimal digits are the name of the mark
 * @length: their number, 1 to 18
 * @stream: the stream; NULL for the default one
 *
 * Otherwise as aclprofMarkEx() of acl/acl_prof.h.
 *
 * Errors: ACL_ERROR_INVALID_PARAM; the errors of submitting a task.
 */
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void *userdata, int32_t length,
	aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_VMM_H */
