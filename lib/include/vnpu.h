/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: what AscendCL lacks.
 *
 * All else is in acl/acl.h, and the profiler in vnpu/profile.h.  Any thread may call these, at any time.  What
 * returns an aclError has its detail in aclGetRecentErrMsg().
 *
 * Environment variables that the library reads, once each unless said
 * otherwise:
 *
 * ASCEND_RT_VISIBLE_DEVICES	which devices the process sees, and in which
 *	order: numbers with commas between them.  The list ends before the
 *	first entry that is no device, or a device that was listed before.
 * ASCEND_GLOBAL_LOG_LEVEL	0 debug, 1 info, 2 warning, 3 error (the
 *	default), 4 nothing
 * ASCEND_MODULE_LOG_LEVEL	the same for a module: APP=1:RUNTIME=2, where
 *	APP is the program (aclAppLog()) and RUNTIME the library
 * ASCEND_SLOG_PRINT_TO_STDOUT	1: log lines go to standard output
 * ASCEND_PROCESS_LOG_PATH	a directory: log lines that are not printed go
 *	to a file in debug/plog below it.  Without it there is no log file.
 * ASCEND_MEMORY_TRACE		1: device memory that the program has not freed
 *	is told when it ends, with who allocated it
 * ASCEND_MEMORY_LOG_PATH	a file, with %p for the process id: that is told
 *	there and not on standard error, after each allocation and free
 * VNPU_HOST_ACCESS		1: the host may read and write device memory
 *	through device pointers, to debug a program.  Without it, as on
 *	hardware, that is SIGSEGV.
 * VNPU_POOL			1: aclrtMalloc() allocates from a pool, see
 *	vnpu_pool_set_default()
 * VNPU_POOL_PROFILE		a file that such pools begin with, or make if
 *	there is none, see vnpu_pool_save_profile()
 * VNPU_SOC_NAME		what aclrtGetSocName() returns (read at every
 *	call); the device passes for an Ascend910B1 otherwise
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
 * vnpu_version() - version of the library
 *
 * Return: a static string like "0.1.0".
 */
VNPU_PUBLIC const char *vnpu_version(void);

/**
 * vnpu_client_id() - what this process is called in the driver's reports
 * @id: set to a number that no other client of the loaded driver had or has;
 *	the generic netlink family "vnpu" and its events use it
 *
 * Opens the device, if that has not been done.
 *
 * Return: 0, or a negative errno: ENOENT without /dev/vnpu, EACCES without the
 * right to open it, EPROTO for a driver that is older than the library needs,
 * EPROTONOSUPPORT for one that does not work with so old a library any more,
 * EPERM in a child of fork(); ENOMEM or EFAULT where the host has no memory for
 * it.
 */
VNPU_PUBLIC int vnpu_client_id(uint64_t *id);

/**
 * vnpu_device_lost_epoch() - get how often a device may have lost something
 * @device_id: the device, as for aclrtSetDevice(); it need not be set
 * @epoch: set to a number that grows with each loss, and never falls while the
 *	driver is loaded
 *
 * A program that keeps results in device memory reads the epoch before it begins, and
 * again before it relies on them.  If the epoch is the same, nothing has been lost:
 * no reset has made tasks fail, no task has used memory with an uncorrected error,
 * and the device was not removed and added again.  If it has changed, this or
 * another process has lost tasks or contents; the results of the streams, and
 * aclrtGetErrorVerbose(), say which of its own the program has to make anew.  The
 * epoch has changed by the time that a call or a stream reports the loss.  A machine
 * that is suspended loses nothing.
 *
 * AscendCL has no such call: aclrtQueryDeviceStatus() says how the device is now, and
 * aclrtGetErrorVerbose() takes the error that it reports.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_LOST_HEARTBEAT if the device is gone; or
 * the reason why it cannot be opened, as of aclrtSetDevice().  @epoch is left alone
 * then.
 */
VNPU_PUBLIC aclError vnpu_device_lost_epoch(int32_t device_id, uint64_t *epoch);

/* Flags of vnpu_malloc(). */
#define VNPU_MALLOC_CONTIGUOUS	(1U << 0)	/* in one run of device memory */
#define VNPU_MALLOC_NO_COMPACT	(1U << 1)	/* do not move others for it */

/**
 * vnpu_malloc() - allocate memory of the current device, perhaps in one run
 * @ptr: set to its address, aligned to 64 bytes
 * @size: bytes, at least 1; nothing is added to it
 * @flags: VNPU_MALLOC_*, or 0
 *
 * It is in pages of 4 KiB, wherever in the device's memory they lie; or with
 * VNPU_MALLOC_CONTIGUOUS, in neighbouring ones.  Where enough is free for that
 * but not in one run, the driver moves other memory to make one, whosever it
 * is: its addresses and contents stay.  Contiguous memory moves to another run.
 * VNPU_MALLOC_NO_COMPACT forbids it, for who would sooner do without than wait;
 * without VNPU_MALLOC_CONTIGUOUS it changes nothing.
 *
 * Freed by aclrtFree().
 *
 * Return: ACL_SUCCESS, or an error that aclGetRecentErrMsg() explains:
 * ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for another
 * flag, ACL_ERROR_RT_CONTEXT_NULL without a current device,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.  @ptr is left alone then.
 */
VNPU_PUBLIC aclError vnpu_malloc(void **ptr, size_t size, uint32_t flags);

/* Flags of vnpu_mem_export_dmabuf(). */
#define VNPU_DMABUF_READ_ONLY	1U

/**
 * vnpu_mem_export_dmabuf() - make a dma-buf of physical memory
 * @handle: physical memory, of aclrtMallocPhysical() or imported from another
 *	process
 * @flags: 0, or VNPU_DMABUF_READ_ONLY: whoever has it may not write
 * @fd: set to a file descriptor, close-on-exec; the caller closes it
 *
 * Who has the file can map it and so reach the memory from the host, and import
 * it.  It keeps the memory alive after the handle is freed and its process has
 * ended.  Needs no context.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for unknown flags, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for memory that was itself imported from a
 * dma-buf of another driver, or of one for reading only,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
VNPU_PUBLIC aclError vnpu_mem_export_dmabuf(aclrtDrvMemHandle handle,
	uint32_t flags, int *fd);

/**
 * vnpu_mem_import_dmabuf() - make physical memory of a dma-buf
 * @fd: a dma-buf, of this or any other driver; may be closed afterwards
 * @handle: set to physical memory, to be mapped by aclrtMapMem() and freed by
 *	aclrtFreePhysical()
 * @size: set to its bytes, to be mapped as a whole
 *
 * It belongs to the current device, by whose reset it ends.  Where the file is
 * open for reading only, what would write to the memory fails.  Memory of
 * another driver's is the host's: aclrtMemcpy() waits for what other devices do
 * with it.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID where @fd is no dma-buf,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one that the CPU cannot reach,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
VNPU_PUBLIC aclError vnpu_mem_import_dmabuf(int fd, aclrtDrvMemHandle *handle,
	size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_H */
