// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench scale: the end of a process that holds memory.
 *
 * The time is from the request to end until wait() returns, when everything is
 * freed. The process is this program with the command "hold", started by exec,
 * because a child of a process that has used a device cannot use it. It reports
 * on its standard output when it holds the memory, and ends when its standard
 * input ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "npu.h"
#include "report.h"
#include "scale.h"

#define HOLD_SIZE	(4 * KIB)
#define HOLD_COUNT	100000

extern char **environ;

struct holder {
	const struct options *opt;
	uint32_t count;
};

enum bench_exit bench_hold(const struct options *opt)
{
	char byte = 0;
	uint32_t i;
	void *p;

	/*
	 * Even without memory: the first allocation makes the library open the
	 * device.
	 */
	npu_open(opt);
	for (i = 0; i < opt->ops; i++)
		NPU_MUST(aclrtMallocAlign32(&p, HOLD_SIZE,
					    ACL_MEM_MALLOC_NORMAL_ONLY));
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return BENCH_FAILED;
	/* The end of the file or a signal ends the process. */
	if (read(STDIN_FILENO, &byte, 1) < 0)
		return BENCH_FAILED;
	_exit(BENCH_OK);
}

/* A process and the pipes to it. */
struct child {
	pid_t pid;
	int to;
	int from;
};

static int child_start(struct child *child, const struct holder *holder)
{
	static char program[] = "vnpu-bench", command[] = "hold";
	static char ops_option[] = "-o", device_option[] = "-d";
	char ops[16], device[16];
	char *argv[] = { program, command, ops_option, ops, device_option,
			 device, NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], ret;

	snprintf(ops, sizeof(ops), "%u", holder->count);
	snprintf(device, sizeof(device), "%u", holder->opt->device);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die(BENCH_FAILED, "pipe2: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	ret = posix_spawn(&child->pid, "/proc/self/exe", &actions, NULL, argv,
			  environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	child->to = in[1];
	child->from = out[0];
	return -ret;
}

static int child_end(const struct child *child, uint64_t *ns)
{
	uint64_t begin;
	int status;

	begin = now_ns();
	close(child->to);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	*ns = now_ns() - begin;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int run_exit(void *arg, uint64_t *ns)
{
	struct child child;
	bool is_ready;
	char byte;
	int ret;

	ret = child_start(&child, arg);
	if (ret)
		return ret;
	is_ready = read(child.from, &byte, 1) == 1;
	close(child.from);
	ret = child_end(&child, ns);
	return is_ready ? ret : -ENOSPC;
}

void scale_exit(const struct options *opt, struct report *report)
{
	uint64_t fit = npu_free_bytes() / HOLD_SIZE * 3 / 4;
	struct holder many = { opt, HOLD_COUNT }, none = { opt, 0 };
	struct contest contest = { .most = 1 };
	char title[64];

	if (many.count > fit)
		many.count = (uint32_t)fit;
	if (many.count > opt->live)
		many.count = opt->live;
	snprintf(title, sizeof(title), "end of a process with %u allocations",
		 many.count);
	contest.title = title;
	contest.each = many.count;
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = run_exit, .arg = &many,
	};
	*contest_add(&contest) = (struct subject){
		.name = "with none", .run = run_exit, .arg = &none,
		.goal = 1000,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
}
