// SPDX-License-Identifier: MIT
/*
 * Launches of operators, see operators.h.
 *
 * The call is the argument block, and the core itself is the image: there is no
 * binary to load.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/call.h"

#include "base/error.h"
#include "base/gate.h"
#include "base/soc.h"
#include "launch.h"
#include "operators.h"

static void write_call(const void *from, char *to, uint64_t va)
{
	const struct vnpu_op_call *call = from;

	(void)va;
	memcpy(to, call, call->size);
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

aclError vnpu_operator_submit(const struct vnpu_operator_args *args,
			      aclrtStream stream)
{
	uint32_t cores = vnpu_soc()->vector_cores;
	struct vnpu_launch launch = {
		.stream = stream,
		.blocks = args->parts,
		.args_size = args->size,
		.write = args->write,
		.from = args->from,
	};

	/* The blocks run at a time: more would only wait for a thread. */
	if (launch.blocks > 1) {
		if (launch.blocks > workers())
			launch.blocks = workers();
		if (launch.blocks > cores)
			launch.blocks = cores;
	}
	return vnpu_launch_submit(&launch);
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
	return vnpu_operator_submit(&args, stream);
}

void vnpu_operator_error(const char *name, int code, const char *text)
{
	VNPU_CALL_AS(name);

	vnpu_error(code, "%s", text);
}
