// SPDX-License-Identifier: MIT
/*
 * The start of a core: the engine file, its mappings, and the executor.
 *
 * A process has nothing at the addresses of the client's window.  A core that is a
 * thread of the client replaces the client's own mapping of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"

#define CORES_MAX	1024U
#define LOCAL_MAX	(64ULL << 20)

_Static_assert(CORE_ORDER_FORWARD == EXEC_ORDER_FORWARD &&
	       CORE_ORDER_BACKWARD == EXEC_ORDER_BACKWARD &&
	       CORE_ORDER_SEEDED == EXEC_ORDER_SEEDED, "orders of blocks");

struct core core = {
	.socket = -1,
	.engine = -1,
	.gate = PTHREAD_MUTEX_INITIALIZER,
};

void core_explain_start(int error, char *text, size_t size)
{
	if (error == -EPROTONOSUPPORT)
		snprintf(text, size,
			 "the core is of another version than the library (protocol %u instead of %u)",
			 CORE_PROTOCOL, core.start.protocol);
	else
		snprintf(text, size, "the core cannot receive its start: %s",
			 strerror(-error));
}

int core_attach(char *text, size_t size)
{
	struct vnpu_engine_attach *attach = &core.attach;
	void *want, *got;

	attach->size = sizeof(*attach);
	if (ioctl(core.engine, VNPU_IOCTL_ENGINE_ATTACH, attach)) {
		snprintf(text, size, "the driver refuses the core: %s",
			 strerror(errno));
		return -errno;
	}
	want = (void *)(uintptr_t)attach->out_window;
	got = mmap(want, attach->out_window_length, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_NORESERVE |
		   (core.is_thread ? MAP_FIXED : MAP_FIXED_NOREPLACE),
		   core.engine, VNPU_ENGINE_MMAP_WINDOW);
	if (got == MAP_FAILED) {
		snprintf(text, size,
			 "the client's device addresses, %llu GiB at %p, cannot be mapped in the core: %s",
			 (unsigned long long)attach->out_window_length >> 30,
			 want, strerror(errno));
		return -errno;
	}
	got = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
		   core.engine, VNPU_ENGINE_MMAP_STATE);
	if (got == MAP_FAILED) {
		snprintf(text, size, "the state of the engine file cannot be mapped: %s",
			 strerror(errno));
		return -errno;
	}
	core.state = got;
	return 0;
}

int core_executor_start(char *text, size_t size)
{
	const struct core_start *start = &core.start;
	struct exec_config config = {
		.vector_cores = start->vector_cores,
		.cube_cores = start->cube_cores,
		.workers = start->workers,
		.order = (enum exec_order)start->order,
		.seed = start->seed,
		.check_races = start->flags & CORE_START_RACE,
		.is_guest = core.is_thread,
		.host = &engine_host,
	};
	int ret = -EINVAL;

	for (unsigned int i = 0; i < VNPU_LOCAL_COUNT; i++) {
		config.local[i] = start->local[i];
		if (start->local[i] > LOCAL_MAX)
			goto err;
	}
	if (!start->vector_cores || start->vector_cores > CORES_MAX ||
	    start->cube_cores > CORES_MAX || start->order > EXEC_ORDER_SEEDED)
		goto err;
	ret = exec_create(&config, &core.exec);
err:
	if (ret)
		snprintf(text, size, "the threads of the core cannot be started: %s",
			 strerror(-ret));
	return ret;
}
