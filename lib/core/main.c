// SPDX-License-Identifier: MIT
/*
 * The process vnpu-core.
 *
 * The client's window must be at the client's addresses, so it is mapped before
 * anything else is.  READY says whether that succeeded.  Then threads start, and
 * the process gives up all rights that it does not need any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core.h"

#define LOOK_MS		100

/* Where the kernel says whether there is a debugger. */
static void status_open(void)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	/* Descriptors from CORE_STATUS on may have been inherited. */
	if (fd >= 0 && fd != CORE_STATUS) {
		dup2(fd, CORE_STATUS);
		close(fd);
	}
}

/* A sentence about the first thing that failed. */
static int start(char *text, size_t size)
{
	bool is_debug = core.start.flags & CORE_START_GDB;
	int ret;

	ret = core_attach(text, size);
	if (ret)
		return ret;
	ret = end_prepare();
	if (ret) {
		snprintf(text, size, "the core cannot catch signals: %s",
			 strerror(-ret));
		return ret;
	}
	prctl(PR_SET_NAME, "vnpu-core");
	if (is_debug)
		status_open();
	engine_prepare();
	ret = sandbox_begin(is_debug);
	if (ret) {
		snprintf(text, size, "the core cannot give up its rights: %s",
			 strerror(-ret));
		return ret;
	}
	/* Functions that a debugger calls may need anything. */
	if (!is_debug)
		sandbox_files();
	/* The calling thread alone gets signals from outside. */
	end_block(true);
	ret = core_executor_start(text, size);
	end_block(false);
	if (!ret && !is_debug) {
		ret = sandbox_calls();
		if (ret)
			snprintf(text, size, "the core cannot give up system calls: %s",
				 strerror(-ret));
	}
	return ret;
}

static bool is_traced(void)
{
	static const char key[] = "\nTracerPid:\t";
	char status[1024];
	ssize_t got = pread(CORE_STATUS, status, sizeof(status) - 1, 0);
	const char *at;

	status[got > 0 ? got : 0] = '\0';
	at = strstr(status, key);
	return at && at[sizeof(key) - 1] != '0';
}

/* Time limits make no sense for a kernel in a debugger, nor while waiting. */
static void debug_set(bool is_debugged)
{
	engine_set(is_debugged ? VNPU_ENGINE_SET_F_DEBUGGED : 0,
		   VNPU_ENGINE_SET_F_DEBUGGED);
}

/* Handle messages, and look after a debugger. */
static void serve(bool is_debug)
{
	struct pollfd socket = { .fd = core.socket, .events = POLLIN };
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000L };
	bool is_open = !is_debug, was_traced = true;

	if (is_debug)
		debug_set(true);
	else
		pthread_mutex_unlock(&core.gate);
	for (;;) {
		bool is_traced_now;
		int ready = ppoll(&socket, 1, is_debug ? &look : NULL, NULL);

		/* Without memory, look from time to time. */
		if (ready < 0 && errno != EINTR)
			nanosleep(&look, NULL);
		if (ready)
			channel_drain();
		if (!is_debug)
			continue;
		is_traced_now = is_traced();
		if (!is_open && !is_traced_now)
			continue;
		if (is_traced_now != was_traced)
			debug_set(is_traced_now);
		was_traced = is_traced_now;
		if (!is_open)
			pthread_mutex_unlock(&core.gate);
		is_open = true;
	}
}

int main(void)
{
	char text[512] = "";
	int ret, type;
	socklen_t size = sizeof(type);

	core.socket = CORE_SOCKET;
	if (getsockopt(CORE_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) ||
	    type != SOCK_SEQPACKET) {
		fputs("vnpu-core runs kernels of programs that use libvnpu, which starts it.\n",
		      stderr);
		return CORE_EXIT_START;
	}
	ret = channel_start(&core.start);
	if (ret == -EPROTONOSUPPORT) {
		core_explain_start(ret, text, sizeof(text));
		channel_ready(-ret, text);
		core_exit(CORE_EXIT_START);
	}
	if (ret)
		core_exit(CORE_EXIT_START);
	pthread_mutex_lock(&core.gate);
	ret = start(text, sizeof(text));
	channel_ready(-ret, text);
	if (ret)
		core_exit(CORE_EXIT_START);
	serve(core.start.flags & CORE_START_GDB);
}
