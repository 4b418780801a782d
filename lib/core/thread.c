// SPDX-License-Identifier: MIT
/*
 * A core in the process of its client, for tools that look into a single process,
 * as valgrind and perf do.
 *
 * The library loads this as a shared object and calls it in a thread of its own.
 * Nothing separates kernels from the program then: a fault of a kernel is a signal
 * of the program, and its time limits do not run.  A kernel is stopped when it
 * calls a service of the core, not earlier.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core.h"
#include "thread.h"

void core_exit(int status)
{
	(void)status;
	core.is_over = true;
	/* Wakes serve(), also if the client is still there. */
	shutdown(core.socket, SHUT_RD);
}

static int start(char *text, size_t size)
{
	int ret = channel_start(&core.start);

	if (ret) {
		core_explain_start(ret, text, size);
		return ret;
	}
	ret = core_attach(text, size);
	if (ret)
		return ret;
	/* A tool makes kernels slower by any factor. */
	engine_set(VNPU_ENGINE_SET_F_DEBUGGED, ~0U);
	return core_executor_start(text, size);
}

/* Handle messages until the library closes its end, or the engine file ends. */
static void serve(void)
{
	struct pollfd socket = { .fd = core.socket, .events = POLLIN };

	while (!core.is_over) {
		if (poll(&socket, 1, -1) < 0 && errno != EINTR)
			usleep(1000);
		channel_drain();
	}
}

/* A child that is forked meanwhile does not close another file in its place. */
static void file_close(int *file)
{
	int fd = *file;

	*file = -1;
	if (fd >= 0)
		close(fd);
}

static void end(void)
{
	const struct core_exit done = { .status = CORE_EXIT_DONE };

	core.is_over = true;
	if (core.exec) {
		engine_stop_all();
		exec_destroy(core.exec);
	}
	images_remove_all();
	names_remove_all();
	if (core.state)
		munmap((void *)(uintptr_t)core.state, sysconf(_SC_PAGESIZE));
	file_close(&core.engine);
	channel_exit(&done);
	file_close(&core.socket);
}

__attribute__((visibility("default")))
void vnpu_core_thread_disown(void)
{
	file_close(&core.engine);
	file_close(&core.socket);
}

__attribute__((visibility("default")))
void vnpu_core_thread(int socket)
{
	char text[512] = "";
	int ret;

	prctl(PR_SET_NAME, "vnpu-core");
	core.is_thread = true;
	core.is_over = false;
	core.socket = socket;
	core.engine = -1;
	core.exec = NULL;
	core.state = NULL;
	pthread_mutex_lock(&core.gate);
	ret = start(text, sizeof(text));
	pthread_mutex_unlock(&core.gate);
	channel_ready(-ret, text);
	if (!ret)
		serve();
	end();
}
