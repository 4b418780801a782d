/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: extensions to AscendCL.
 *
 * acl/acl.h declares the AscendCL calls, vnpu/profile.h the profiler,
 * vnpu/pool.h memory pools, and vnpu/plan.h and vnpu/arena.h the planner.  Any
 * thread may call the functions below at any time.  For a call that returns an
 * aclError, aclGetRecentErrMsg() explains the error.
 *
 * The library reads these environment variables, once each unless noted:
 *
 * ASCEND_RT_VISIBLE_DEVICES	the devices that the process sees, and their
 *	order: numbers separated by commas.  The list ends before the first
 *	entry that is not a device or repeats an earlier one.
 * ASCEND_GLOBAL_LOG_LEVEL	0 debug, 1 info, 2 warning, 3 error (the
 *	default), 4 none
 * ASCEND_MODULE_LOG_LEVEL	the level per module: APP=1:RUNTIME=2, where
 *	APP is the program (aclAppLog()) and RUNTIME the library
 * ASCEND_SLOG_PRINT_TO_STDOUT	1: print log lines to standard output
 * ASCEND_PROCESS_LOG_PATH	a directory: write log lines that are not
 *	printed to a file in its subdirectory debug/plog.  Without this
 *	variable there is no log file.
 * ASCEND_MEMORY_TRACE		1: at exit, report the device memory that the
 *	program has not freed, with the call stacks that allocated it
 * ASCEND_MEMORY_LOG_PATH	a file name, with %p for the process id: append
 *	a line for each allocation and free to this file, and then the report,
 *	which otherwise goes to standard error
 * VNPU_HOST_ACCESS		1: let the host read and write device memory
 *	through device pointers, to debug a program.  Otherwise such an access
 *	raises SIGSEGV, as on hardware.
 * VNPU_GUARD			1: give each allocation of aclrtMalloc() pages of
 *	its own, which end with it, and keep the addresses of freed memory unused,
 *	so that accesses beyond an allocation or after its free fail.  Huge pages
 *	and pools are not used then, and addresses are multiples of 32.
 * VNPU_POOL			1: let aclrtMalloc() allocate from a pool, see
 *	vnpu_pool_set_default()
 * VNPU_POOL_PROFILE		a file: such pools load it, or create it if it
 *	does not exist, see vnpu_pool_save_profile()
 * VNPU_SOC			the chip that devices emulate in this process: 310,
 *	310P, 910B1, 910B3 or 950; it decides numbers of cores and sizes of
 *	memories; the default is the chip that the driver reports
 * VNPU_SOC_NAME		the name that aclrtGetSocName() returns, read
 *	at every call; the default is that of the chip
 * VNPU_CORE			thread: kernels run in threads of the program,
 *	for tools that look into one process; the default is process
 * VNPU_CORE_GDB		1: a core waits for a debugger when it starts; time
 *	limits do not run until the debugger detaches
 * VNPU_CORE_ORDER		the order in which blocks begin: forward (the
 *	default), backward, or a number that seeds a random order
 * VNPU_CORE_WORKERS		the number of threads that run blocks; one per
 *	processor by default
 * VNPU_CORE_CHECK		race: cores look for races between the blocks of
 *	each kernel, as for those of vnpu-cc -fcheck=race
 * VNPU_CORE_PATH		the program of the cores; by default it is found
 *	beside the library, as ../libexec/vnpu/vnpu-core
 * VNPU_CC			the compiler of aclrtcCompileProg(); by default
 *	../bin/vnpu-cc beside the library
 * VNPU_PROF_PATH		a directory: at exit, write a profile of all streams
 *	to it, see vnpu-prof(1)
 *
 * Set-user-ID and set-group-ID programs ignore ASCEND_MEMORY_*,
 * VNPU_POOL_PROFILE, VNPU_PROF_PATH, VNPU_CORE* and VNPU_CC.
 */
#ifndef VNPU_H
#define VNPU_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "vnpu/arena.h"
#include "vnpu/plan.h"
#include "vnpu/pool.h"
#include "vnpu/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef VNPU_PUBLIC
#ifdef __GNUC__
#define VNPU_PUBLIC __attribute__((visibility("default")))
#else
#define VNPU_PUBLIC
#endif
#endif

/**
 * vnpu_version() - get the version of the library
 *
 * Return: a static string like "0.1.0".
 */
VNPU_PUBLIC const char *vnpu_version(void);

/**
 * vnpu_client_id() - get the number of this process in the driver's reports
 * @id: set to a number that is unique among all clients since the driver was
 *	loaded; the generic netlink family "vnpu" and its events use it
 *
 * Opens the device if necessary.
 *
 * Return: 0, or a negative errno: EINVAL if @id is NULL; ENOENT without
 * /dev/vnpu; EACCES without permission to open it; EPROTO if the driver is too
 * old for the library; EPROTONOSUPPORT if the library is too old for the
 * driver; EPERM in a child of fork(); ENOMEM or EFAULT if the host lacks
 * memory.
 */
VNPU_PUBLIC int vnpu_client_id(uint64_t *id);

/**
 * vnpu_device_lost_epoch() - get the number of possible losses on a device
 * @device_id: the device, as for aclrtSetDevice(); it need not be set
 * @epoch: set to a number that grows with each loss, and never falls while the
 *	driver is loaded
 *
 * A program that keeps results in device memory reads the epoch before it
 * begins, and again before it relies on them.  If the epoch is the same,
 * nothing has been lost: no reset has made tasks fail, no task has used memory
 * with an uncorrected error, and the device was not removed and added again.
 * If it has changed, this or another process has lost tasks or contents; the
 * program's streams report the failures of its own tasks.  The epoch has
 * changed by the time that a call or a stream reports the loss.  Suspending the
 * machine loses nothing.
 *
 * AscendCL has no such call: aclrtQueryDeviceStatus() and
 * aclrtGetErrorVerbose() return the present state of the device, in which a
 * past reset leaves no trace.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_LOST_HEARTBEAT if the device is
 * gone; or the reason why it cannot be opened, as of aclrtSetDevice().  @epoch
 * is then unchanged.
 */
VNPU_PUBLIC aclError vnpu_device_lost_epoch(int32_t device_id, uint64_t *epoch);

/* Flags of vnpu_malloc(). */
#define VNPU_MALLOC_CONTIGUOUS	(1U << 0)	/* physically contiguous */
#define VNPU_MALLOC_NO_COMPACT	(1U << 1)	/* do not migrate memory */

/**
 * vnpu_malloc() - allocate memory of the current device
 * @ptr: set to its address, aligned to 64 bytes
 * @size: bytes, at least 1; not padded
 * @flags: VNPU_MALLOC_*, or 0
 *
 * The memory consists of pages of 4 KiB at any place in the device's memory.
 * With VNPU_MALLOC_CONTIGUOUS the pages are adjacent.  If enough memory is free
 * but not contiguous, the driver migrates other allocations, of any process, to
 * make a contiguous range.  A migrated allocation keeps its address and
 * contents.  An allocation with VNPU_MALLOC_CONTIGUOUS stays contiguous when it
 * migrates.  VNPU_MALLOC_NO_COMPACT makes the call fail instead of migrating
 * memory; it has no effect without VNPU_MALLOC_CONTIGUOUS.
 *
 * The caller frees the memory with aclrtFree().
 *
 * Return: ACL_SUCCESS, or an error that aclGetRecentErrMsg() explains:
 * ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown flag, ACL_ERROR_RT_CONTEXT_NULL without a current device,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.  On failure @ptr is unchanged.
 */
VNPU_PUBLIC aclError vnpu_malloc(void **ptr, size_t size, uint32_t flags);

/* Flags of vnpu_mem_export_dmabuf(). */
#define VNPU_DMABUF_READ_ONLY	1U

/**
 * vnpu_mem_export_dmabuf() - export physical memory as a dma-buf
 * @handle: physical memory, allocated by aclrtMallocPhysical() or imported from
 *	another process
 * @flags: 0, or VNPU_DMABUF_READ_ONLY to forbid writes through the file
 * @fd: set to a file descriptor, close-on-exec; the caller closes it
 *
 * A process that has the file can map it, to access the memory from the host,
 * and can import it.  The file keeps the memory alive after the handle is freed
 * and after this process has ended.  Needs no context.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL;
 * ACL_ERROR_RT_PARAM_INVALID for unknown flags; ACL_ERROR_RT_INVALID_HANDLE;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for memory that was imported from another
 * driver's dma-buf or from a read-only one; ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
VNPU_PUBLIC aclError vnpu_mem_export_dmabuf(aclrtDrvMemHandle handle,
	uint32_t flags, int *fd);

/**
 * vnpu_mem_import_dmabuf() - import physical memory from a dma-buf
 * @fd: a dma-buf of this or any other driver; the caller may close it after the
 *	call
 * @handle: set to physical memory, to be mapped with aclrtMapMem() and freed
 *	with aclrtFreePhysical()
 * @size: set to its size in bytes; it can only be mapped as a whole
 *
 * The memory belongs to the current device, and the reset of that device
 * releases it.  If the file is open for reading only, writes to the memory
 * fail.  Memory of another driver counts as host memory: aclrtMemcpy() waits
 * until other devices have finished their access to it.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL;
 * ACL_ERROR_RT_PARAM_INVALID if @fd is not a dma-buf;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a dma-buf that the CPU cannot access;
 * ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
VNPU_PUBLIC aclError vnpu_mem_import_dmabuf(int fd, aclrtDrvMemHandle *handle,
	size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_H */
