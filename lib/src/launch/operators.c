// SPDX-License-Identifier: MIT
/*
 * Launches of operators, see operators.h.
 *
 * The call is the argument block, and the core itself is the image: there is no
 * binary to load.
 */
#include <string.h>

#include "ops/call.h"

#include "base/error.h"
#include "base/gate.h"
#include "dump/dump.h"
#include "stream/build.h"
#include "stream/capture.h"
#include "stream/collective.h"
#include "stream/stream.h"
#include "launch.h"
#include "operators.h"

static void write_call(const void *from, char *to, uint64_t va)
{
	const struct vnpu_op_call *call = from;

	(void)va;
	memcpy(to, call, call->size);
}

aclError vnpu_operator_submit(const struct vnpu_operator_args *args,
			      aclrtStream stream)
{
	struct vnpu_launch launch = {
		.stream = stream,
		.blocks = args->parts,
		.args_size = args->size,
		.write = args->write,
		.from = args->from,
	};

	return vnpu_launch_submit(&launch);
}

/* A call of an operator, for the dump. */
struct dumped {
	const struct vnpu_operator_args *args;
	aclrtStream stream;
};

static aclError submit_dumped(const void *from)
{
	const struct dumped *dumped = from;

	return vnpu_operator_submit(dumped->args, dumped->stream);
}

/* Launch a call with the files of the dump around it. */
static aclError launch_dumped(const struct vnpu_op_call *call,
			      const struct dumped *dumped,
			      struct vnpu_dump_run *run)
{
	const struct vnpu_dump_op op = {
		.type = call->name,
		.name = call->name,
		.call = call,
		.submit = submit_dumped,
		.from = dumped,
	};
	aclError ret = vnpu_dump_run_init(run, NULL, 0, 0);

	if (ret)
		return ret;
	run->task = atomic_fetch_add(&run->dump->calls, 1);
	ret = vnpu_dump_op(run, &op);
	vnpu_dump_run_fini(run);
	return ret;
}

/* Likewise, unless the stream is captured or the dump ends meanwhile. */
static aclError launch_with_dump(const struct vnpu_op_call *call,
				 const struct vnpu_operator_args *args,
				 aclrtStream stream)
{
	const struct dumped dumped = { args, stream };
	struct vnpu_dump_run run = { .dump = vnpu_dump_get(), .timeout = -1 };
	aclError ret = vnpu_stream_get(stream, false, &run.stream);
	uint64_t captured;

	if (ret) {
		vnpu_dump_put(run.dump);
		return ret;
	}
	if (!run.dump || !run.dump->operators ||
	    atomic_load(&run.dump->has_ended) ||
	    vnpu_build_is_bound(run.stream) ||
	    vnpu_capture_status(run.stream, &captured) !=
	    ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		ret = vnpu_operator_submit(args, stream);
	else
		ret = launch_dumped(call, &dumped, &run);
	vnpu_stream_put(run.stream);
	vnpu_dump_put(run.dump);
	return ret;
}

aclError vnpu_operator_launch(const struct vnpu_op_call *call, uint32_t parts,
			      aclrtStream stream)
{
	VNPU_CALL_AS(call->name);
	const struct vnpu_operator_args args = {
		.size = call->size,
		.parts = parts,
		.write = write_call,
		.from = call,
	};

	vnpu_gate_pass();
	if (__builtin_expect(vnpu_dump_has_operators(), 0) &&
	    !vnpu_collective_is_thread())
		return launch_with_dump(call, &args, stream);
	return vnpu_operator_submit(&args, stream);
}

void vnpu_operator_error(const char *name, int code, const char *text)
{
	VNPU_CALL_AS(name);

	vnpu_error(code, "%s", text);
}
