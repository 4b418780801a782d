// SPDX-License-Identifier: MIT
/*
 * Launches: from the arguments to a task of a stream.
 *
 * A launch is one task.  Its arguments are written to a block of the stream's
 * book, which the core reads.  If the core runs, the chunk has room and an engine
 * polls the ring, a launch calls neither the kernel nor malloc().
 */
#include <stdlib.h>
#include <unistd.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/error.h"
#include "io/io.h"
#include "kernel/core.h"
#include "runtime/soc.h"
#include "stream/block.h"
#include "stream/reslimit.h"
#include "stream/stream.h"
#include "stream/timeout.h"
#include "launch.h"

aclError vnpu_launch_check_device(const char *name, const void *args,
				  size_t size)
{
	if (!args && size)
		return vnpu_error_null(name);
	if (size && !vnpu_io_is_device_address(vnpu_ptr_to_u64(args)))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s = %p is not device memory; use aclrtLaunchKernelWithHostArgs for arguments of the host",
			name, args);
	return ACL_SUCCESS;
}

aclError vnpu_launch_check_host(const char *name, const void *args,
				size_t size)
{
	if (size && !args)
		return vnpu_error_null(name);
	if (size > VNPU_LAUNCH_ARGS_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"argsSize = %zu is too large; arguments take at most %lu bytes",
			size, VNPU_LAUNCH_ARGS_MAX);
	return ACL_SUCCESS;
}

struct vnpu_task vnpu_launch_task(const struct vnpu_launch *launch,
				  uint64_t args)
{
	const struct vnpu_function *function = launch->function;

	return (struct vnpu_task){
		.op = VNPU_TASK_LAUNCH,
		.mode = function ? function->cores : VNPU_CORE_VECTOR,
		.timeout_ms = launch->timeout_ms ? launch->timeout_ms :
						   vnpu_timeout_execute(),
		.src = args,
		.length = launch->args_size,
		.arg0 = function ? CORE_FUNCTION(function->binary->id,
						 function->index) :
				   CORE_OPERATOR,
		.arg1 = CORE_BLOCKS(launch->blocks, launch->first),
		.arg2 = CORE_ATTRIBUTES(launch->local_bytes, launch->limits),
	};
}

static aclError submit(struct vnpu_stream *stream,
		       const struct vnpu_launch *launch)
{
	struct vnpu_task task = vnpu_launch_task(launch, launch->args);
	struct vnpu_piece piece;
	uint64_t seq = 0;
	aclError ret;
	int err = vnpu_block_reserve(stream,
				     launch->write ? launch->args_size : 0,
				     launch->function, &piece);

	if (err)
		return vnpu_error_errno(err, "allocating memory for arguments");
	if (launch->write) {
		task.src = piece.va;
		launch->write(launch->from, piece.host, piece.va);
	}
	ret = vnpu_stream_submit(stream, &task, 1, &seq);
	vnpu_book_submit(&stream->book, &piece, ret ? 0 : seq);
	return ret;
}

/* Get the number of threads of a core, as exec_create() chooses it. */
static uint32_t workers(void)
{
	static uint32_t count;
	uint32_t known = __atomic_load_n(&count, __ATOMIC_RELAXED);
	const char *value;

	if (known)
		return known;
	value = secure_getenv("VNPU_CORE_WORKERS");
	known = value ? strtoul(value, NULL, 0) : 0;
	if (!known)
		known = sysconf(_SC_NPROCESSORS_ONLN);
	__atomic_store_n(&count, known, __ATOMIC_RELAXED);
	return known;
}

/*
 * All blocks of an operator run at a time, so they need cores within the limit.
 * More than there are threads would only wait for these.
 */
static void reduce_blocks(struct vnpu_launch *launch)
{
	const uint32_t most[] = {
		workers(), vnpu_soc()->vector_cores,
		CORE_LIMIT_CORES(CORE_LIMIT_VECTOR(launch->limits)),
	};

	for (size_t i = 0; i < ARRAY_SIZE(most); i++)
		if (launch->blocks > most[i])
			launch->blocks = most[i];
}

static aclError set_limits(struct vnpu_stream *stream,
			   struct vnpu_launch *launch)
{
	const struct vnpu_function *function = launch->function;
	aclError ret;

	ret = vnpu_reslimit_of_launch(&stream->reslimit,
				      stream->context->user_device,
				      function ? function->cores :
						 VNPU_CORE_VECTOR,
				      &launch->limits);
	if (!ret && !function && launch->blocks > 1)
		reduce_blocks(launch);
	return ret;
}

aclError vnpu_launch_submit(struct vnpu_launch *launch)
{
	const struct vnpu_function *function = launch->function;
	struct vnpu_stream *stream;
	aclError ret = vnpu_launch_check_blocks(launch);

	if (ret)
		return ret;
	if (function && function->binary->image.is_foreign)
		return vnpu_binary_foreign(function);
	ret = vnpu_stream_get(launch->stream, false, &stream);
	if (ret)
		return ret;
	ret = set_limits(stream, launch);
	if (!ret)
		ret = vnpu_core_use(stream->context->device,
				    function ? function->binary : NULL);
	if (!ret)
		ret = submit(stream, launch);
	vnpu_stream_put(stream);
	return ret;
}
