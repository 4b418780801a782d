/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: what AscendCL lacks.
 *
 * All else is in acl/acl.h.  Any thread may call these, at any time.
 *
 * Environment variables that the library reads, once each unless said
 * otherwise:
 *
 * ASCEND_RT_VISIBLE_DEVICES	which devices the process sees, and in which
 *	order: numbers with commas between them.  The list ends before the
 *	first entry that is no device, or a device that was listed before.
 * ASCEND_GLOBAL_LOG_LEVEL	0 debug, 1 info, 2 warning, 3 error (the
 *	default), 4 nothing
 * ASCEND_SLOG_PRINT_TO_STDOUT	1: log lines go to standard output
 * ASCEND_PROCESS_LOG_PATH	a directory: log lines that are not printed go
 *	to a file in debug/plog below it.  Without it there is no log file.
 * VNPU_HOST_ACCESS		1: the host may read and write device memory
 *	through device pointers, to debug a program.  Without it, as on
 *	hardware, that is SIGSEGV.
 * VNPU_SOC_NAME		what aclrtGetSocName() returns (read at every
 *	call); the device passes for an Ascend910B1 otherwise
 */
#ifndef VNPU_H
#define VNPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define VNPU_PUBLIC __attribute__((visibility("default")))
#else
#define VNPU_PUBLIC
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
 * right to open it, EPROTO for a driver that is too old, EPERM in a child of
 * fork().
 */
VNPU_PUBLIC int vnpu_client_id(uint64_t *id);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_H */
