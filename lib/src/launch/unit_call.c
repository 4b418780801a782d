// SPDX-License-Identifier: MIT
/*
 * Launches that a program writes as KERNEL<<<blocks, bytes, stream>>>(...), see
 * vnpu/kernel.h.
 */
#include <string.h>

#include <vnpu/kernel.h>

#include "base/error.h"
#include "base/gate.h"
#include "kernel/unit.h"
#include "launch.h"

__attribute__((visibility("default")))
struct vnpu_launch_config **vnpu_launch_current(void)
{
	static __thread struct vnpu_launch_config *config;

	return &config;
}

/* The arguments as the stub has packed them. */
struct packed {
	const void *data;
	size_t size;
};

static void write_packed(const void *from, char *to, uint64_t va)
{
	const struct packed *packed = from;

	(void)va;
	memcpy(to, packed->data, packed->size);
}

static aclError launch_unit(struct vnpu_unit *unit, const char *name,
			    const struct vnpu_launch_config *config,
			    const struct packed *args)
{
	VNPU_CALL_AS("<<<>>>");
	struct vnpu_launch launch = {
		.stream = config->stream,
		.blocks = config->blocks,
		.args_size = args->size,
		.write = args->size ? write_packed : NULL,
		.from = args,
	};
	aclError ret;

	vnpu_gate_pass();
	if (config->threads > 1)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"kernel %s is launched with %u threads for each block; SIMT kernels are not supported",
			name, config->threads);
	ret = vnpu_unit_function(unit, name, &launch.function);
	if (ret)
		return ret;
	if (args->size != vnpu_function_entry(launch.function)->args_size)
		ret = vnpu_error(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
			"kernel %s is launched with %zu bytes of arguments, but has %u; compile all of the program again",
			name, args->size,
			vnpu_function_entry(launch.function)->args_size);
	else if (config->local_bytes > UINT32_MAX)
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%llu bytes of unified buffer are more than a core has",
			(unsigned long long)config->local_bytes);
	else
		launch.local_bytes = config->local_bytes;
	if (!ret)
		ret = vnpu_launch_submit(&launch);
	vnpu_function_put(launch.function);
	return ret;
}

__attribute__((visibility("default")))
void vnpu_launch(struct vnpu_unit *unit, const char *name, const void *args,
		 size_t args_size)
{
	struct vnpu_launch_config *config = *vnpu_launch_current();
	struct packed packed = { args, args_size };

	if (config) {
		config->result = launch_unit(unit, name, config, &packed);
	} else {
		VNPU_CALL_AS(name);

		vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the kernel was called as a function; launch it with <<<>>>");
	}
}
