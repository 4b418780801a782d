/* SPDX-License-Identifier: MIT */
/*
 * Launches of kernels.
 */
#ifndef VNPU_LIB_LAUNCH_H
#define VNPU_LIB_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include <linux/vnpu_task.h>

#include "acl/acl_rt.h"
#include "kernel/binary.h"

/**
 * struct vnpu_launch - a launch
 * @function: the kernel, with a reference of the caller; NULL for operators
 * @stream: the stream, or NULL
 * @blocks: number of blocks
 * @first: index of the first block
 * @local_bytes: bytes of unified buffer that the kernel manages
 * @limits: limits of cores, as CORE_LIMITS() of core/protocol.h
 * @timeout_ms: time limit, or 0 for that of the process
 * @args: device address of the arguments, unless @write is set
 * @args_size: their bytes
 * @write: write the arguments to @to, which has the device address @va
 * @from: passed to @write
 */
struct vnpu_launch {
	struct vnpu_function *function;
	aclrtStream stream;
	uint32_t blocks;
	uint32_t first;
	uint32_t local_bytes;
	uint32_t limits;
	uint32_t timeout_ms;
	uint64_t args;
	size_t args_size;
	void (*write)(const void *from, char *to, uint64_t va);
	const void *from;
};

/* The most bytes of arguments. */
#define VNPU_LAUNCH_ARGS_MAX	(1UL << 20)

/*
 * Check arguments in device memory, or in memory of the host, or report an error,
 * which names them.
 */
aclError vnpu_launch_check_device(const char *name, const void *args,
				  size_t size);
aclError vnpu_launch_check_host(const char *name, const void *args,
				size_t size);

/* Read the attributes of a launch, or report an error. */
aclError vnpu_launch_configure(const aclrtLaunchKernelCfg *config,
			       struct vnpu_launch *launch);

/* Check the blocks of a launch, or report an error. */
aclError vnpu_launch_check_blocks(const struct vnpu_launch *launch);

/* Make the task of a launch, with the arguments at @args. */
struct vnpu_task vnpu_launch_task(const struct vnpu_launch *launch,
				  uint64_t args);

/* Set the limits of a launch and submit it, or report an error. */
aclError vnpu_launch_submit(struct vnpu_launch *launch);

#endif /* VNPU_LIB_LAUNCH_H */
