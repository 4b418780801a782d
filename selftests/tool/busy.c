// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a command while engines of a device are busy, so that a test can look at
 * them from outside:
 *
 *	busy [-d DEVICE] [-k copy|vector|wait|astray|launch] [-s STREAMS] COMMAND
 *		[ARG...]
 *
 *	-d DEVICE	the device (default 0)
 *	-k KIND		the class of engines, or only waits that never end, or
 *			only tasks that fail 64 MiB into the window, or launches
 *			of the kernel "nothing"
 *	-s STREAMS	streams that are always full (default 4)
 *
 * COMMAND finds the process id of the submitting process in BUSY_PID. The exit
 * status is that of COMMAND, or 125 if the device cannot be used.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "stream.h"
#include "util.h"

#define EXIT_SETUP	125
#define MAX_STREAMS	64

/* The minimum number of queued tasks: more than is run between two refills. */
#define QUEUED		1000

static _Noreturn void die(const char *what, int error)
{
	fprintf(stderr, "busy: %s: %s\n", what, strerror(-error));
	exit(EXIT_SETUP);
}

static struct vnpu_task make_task(const struct client *c, const char *kind,
				  __u64 never)
{
	if (!strcmp(kind, "copy"))
		return task_copy(c->base + MIB(1), c->base, MIB(1));
	if (!strcmp(kind, "vector"))
		return task_fill(c->base, MIB(2), 0, 8);
	if (!strcmp(kind, "astray"))
		return task_copy(c->base, c->base + MIB(64), PAGE);
	if (!strcmp(kind, "launch"))
		return task_launch(CORE_NOTHING, 0, 0);
	return task_wait(never, 1);
}

static void refill(struct stream *s, struct vnpu_task task)
{
	__u64 wanted = stream_completed(s) + QUEUED;
	int ret;

	if (s->last >= wanted)
		return;
	while (s->last < wanted + QUEUED)
		stream_put(s, task);
	ret = stream_submit(s);
	if (ret)
		die("submit", ret);
}

static pid_t start(char **command)
{
	char self[16];
	pid_t pid;

	snprintf(self, sizeof(self), "%d", getpid());
	setenv("BUSY_PID", self, 1);
	pid = fork();
	if (pid < 0)
		die("fork", -errno);
	if (!pid) {
		execvp(command[0], command);
		die(command[0], -errno);
	}
	return pid;
}

int main(int argc, char **argv)
{
	static struct stream streams[MAX_STREAMS];
	const char *kind = "vector";
	int count = 4, status = 0, c, i, ret;
	struct core core = { 0 };
	struct client client;
	__u32 device = 0;
	__u64 never;
	pid_t pid;

	while ((c = getopt(argc, argv, "+d:k:s:")) != -1) {
		if (c == 'd')
			device = (__u32)atoi(optarg);
		else if (c == 'k')
			kind = optarg;
		else if (c == 's')
			count = atoi(optarg);
		else
			return EXIT_SETUP;
	}
	if (optind == argc || count < 1 || count > MAX_STREAMS)
		return EXIT_SETUP;
	ret = client_open(&client);
	if (!ret)
		ret = mem_alloc_at(&client, device, 0, 0, MIB(2), client.base);
	if (!ret)
		ret = timeline_create(&client, 0, 0, 0, &never);
	if (!ret && !strcmp(kind, "launch"))
		ret = core_start(&core, &client, device, 0);
	for (i = 0; !ret && i < count; i++)
		ret = stream_create(&streams[i], &client, device);
	if (ret)
		die("make streams", ret);
	for (i = 0; i < count; i++)
		refill(&streams[i], make_task(&client, kind, never));

	/* The first task of a stream determines the class of its engines. */
	for (i = 0; i < count && strcmp(kind, "wait"); i++)
		wait_point(&client, streams[i].id, 1, in_ms(10000));

	pid = start(argv + optind);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		for (i = 0; i < count; i++)
			refill(&streams[i], make_task(&client, kind, never));
		usleep(1000);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SETUP;
}
