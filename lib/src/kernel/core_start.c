// SPDX-License-Identifier: MIT
/* The start of a core: its engine file, its process, and the first messages. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/log.h"
#include "io/io_engine.h"
#include "runtime/soc.h"
#include "core_internal.h"

#define BUSY_TRIES	200
#define BUSY_MS		1

_Static_assert(VNPU_SOC_MEMORIES == VNPU_LOCAL_COUNT &&
	       VNPU_SOC_MEMORIES == sizeof(((struct core_start *)0)->local) /
				    sizeof(uint64_t), "memories of a core");

static bool env_is_set(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value && strcmp(value, "0");
}

bool vnpu_core_is_debugged(void)
{
	return env_is_set("VNPU_CORE_GDB");
}

/* Read VNPU_CORE_ORDER: forward, backward, or the seed of a random order. */
static void read_order(struct core_start *start)
{
	const char *value = secure_getenv("VNPU_CORE_ORDER");
	char *end;

	if (!value || !*value || !strcmp(value, "forward"))
		return;
	if (!strcmp(value, "backward")) {
		start->order = CORE_ORDER_BACKWARD;
		return;
	}
	start->seed = strtoull(value, &end, 0);
	if (*end)
		vnpu_log(ACL_ERROR, __func__,
			"VNPU_CORE_ORDER = \"%s\" is not known; use forward, backward or a number",
			value);
	else
		start->order = CORE_ORDER_SEEDED;
}

/* Report a value of VNPU_CORE that has no meaning. */
static void check_place(void)
{
	const char *value = secure_getenv("VNPU_CORE");

	if (value && *value && strcmp(value, "process") &&
	    strcmp(value, "thread"))
		vnpu_log(ACL_ERROR, __func__,
			"VNPU_CORE = \"%s\" is not known; use process or thread",
			value);
}

/* Read VNPU_CORE_CHECK: race, or nothing. */
static uint32_t read_check(void)
{
	const char *value = secure_getenv("VNPU_CORE_CHECK");

	if (!value || !*value)
		return 0;
	if (!strcmp(value, "race"))
		return CORE_START_RACE;
	vnpu_log(ACL_ERROR, __func__,
		"VNPU_CORE_CHECK = \"%s\" is not known; use race, and vnpu-cc -fcheck= for other checkers",
		value);
	return 0;
}

static int send_start(struct vnpu_core *core, int engine)
{
	const struct vnpu_soc *soc = vnpu_soc();
	const char *workers = secure_getenv("VNPU_CORE_WORKERS");
	struct core_start start = {
		.protocol = CORE_PROTOCOL,
		.flags = (vnpu_core_is_debugged() ? CORE_START_GDB : 0) |
			read_check(),
		.vector_cores = soc->vector_cores,
		.cube_cores = soc->cube_cores,
		.workers = workers ? strtoul(workers, NULL, 0) : 0,
	};

	check_place();
	read_order(&start);
	memcpy(start.local, soc->memory, sizeof(start.local));
	return vnpu_process_send(&core->process, CORE_START, &start,
				 sizeof(start), NULL, engine);
}

int vnpu_core_send_image(struct vnpu_binary *binary, void *arg)
{
	struct vnpu_core *core = arg;
	struct core_image image = {
		.id = binary->id,
		.size = binary->size,
	};

	return vnpu_process_send(&core->process, CORE_IMAGE, &image,
				 sizeof(image), binary->name, binary->file);
}

/* Make an engine file; the driver may not have released the last one yet. */
static int make_engine(uint32_t device, int *engine)
{
	int ret, tries = BUSY_TRIES;

	while ((ret = vnpu_io_engine_create(device, engine)) == -EBUSY &&
	       --tries)
		poll(NULL, 0, BUSY_MS);
	return ret;
}

int vnpu_core_start_locked(struct vnpu_core *core)
{
	int engine, ret = make_engine(vnpu_core_device(core), &engine);

	if (ret) {
		snprintf(core->why, sizeof(core->why), "%s: %s",
			 "the driver makes no engine file",
			 ret == -ENOTTY ?
			 "it is older than kernels; load the kernel module that came with this library" :
			 strerrordesc_np(-ret));
		return ret;
	}
	ret = vnpu_process_start(&core->process, core->why, sizeof(core->why));
	if (ret) {
		close(engine);
		return ret;
	}
	core->owner = getpid();
	vnpu_core_set_state(core, STATE_STARTING);
	/* The thread of the core finds out that the process has ended. */
	ret = send_start(core, engine);
	if (!ret)
		ret = vnpu_binary_for_each(vnpu_core_device(core),
					   vnpu_core_send_image, core);
	if (ret && ret != -EPIPE) {
		snprintf(core->why, sizeof(core->why),
			 "vnpu-core cannot be given a binary: %s",
			 strerrordesc_np(-ret));
		vnpu_process_kill(&core->process);
	}
	close(engine);
	return 0;
}
