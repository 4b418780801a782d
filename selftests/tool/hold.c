// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a command while other processes hold device memory, so that a test can
 * look at them from outside:
 *
 *	hold [-d DEVICE] [-r DEVICES] [-h] [-s OBJECTS] [-c CLIENTS]
 *	     [-p PROCESSES] [-n NAME] [-l] BYTES COMMAND [ARG...]
 *
 *	-d DEVICE	the device (default 0)
 *	-r DEVICES	number of devices, from DEVICE on (default 1); without -l
 *			and -s
 *	-h		in huge pages of 2 MiB
 *	-s OBJECTS	number of slab objects, of BYTES each; without -l
 *	-c CLIENTS	open files of each process (default 1)
 *	-p PROCESSES	number of processes (default 1)
 *	-n NAME		name of these processes: any bytes
 *	-l		free and allocate the memory repeatedly meanwhile
 *	BYTES		memory of each client; 0 only opens the device
 *
 * COMMAND finds the process ids in HOLD_PIDS.  The exit status is that of
 * COMMAND, or 125 if the memory could not be allocated.
 */
#include <stdlib.h>
#include <stdio.h>

#include "client.h"
#include "util.h"

#define EXIT_SETUP	125
#define MAX_CLIENTS	1024
#define MAX_PROCESSES	1024

struct plan {
	__u32 device;
	unsigned int devices;
	__u32 page_shift;
	__u64 bytes;
	unsigned int objects;
	unsigned int clients;
	unsigned int processes;
	const char *name;
	bool loops;
};

static _Noreturn void die(const char *what, int error)
{
	fprintf(stderr, "hold: %s: %s\n", what, strerror(-error));
	_exit(EXIT_SETUP);
}

static void take_objects(const struct plan *plan, struct client *c)
{
	int ret = window_map(c, WINDOW_SIZE, PROT_NONE);
	unsigned int i;
	__u64 va;

	if (!ret)
		ret = slab_window(c, plan->device, c->base, WINDOW_SIZE);
	for (i = 0; !ret && i < plan->objects; i++)
		ret = slab_alloc(c, plan->device, plan->bytes, &va, NULL);
	if (ret)
		die("allocate objects", ret);
}

/* *@id is that of the last device. */
static void take(const struct plan *plan, const struct client *c, __u32 *id)
{
	int ret = 0;
	__u32 i;

	for (i = 0; !ret && plan->bytes && i < plan->devices; i++)
		ret = mem_alloc(c, plan->device + i, 0, plan->page_shift,
				plan->bytes, id);
	if (ret)
		die("allocate", ret);
}

/* Hold until the other end of @end is closed. */
static bool is_over(int end)
{
	char c;

	return read(end, &c, 1) == 0;
}

static _Noreturn void be_holder(const struct plan *plan, int ready, int end)
{
	static struct client clients[MAX_CLIENTS];
	static __u32 ids[MAX_CLIENTS];
	unsigned int i;
	int ret;

	if (plan->name)
		prctl(PR_SET_NAME, plan->name);
	for (i = 0; i < plan->clients; i++) {
		ret = client_open_only(&clients[i]);
		if (ret)
			die("open " VNPU_NODE, ret);
		if (plan->objects)
			take_objects(plan, &clients[i]);
		else
			take(plan, &clients[i], &ids[i]);
	}
	baton_pass(ready);

	if (plan->loops)
		fcntl(end, F_SETFL, O_NONBLOCK);
	while (!is_over(end)) {
		for (i = 0; plan->bytes && i < plan->clients; i++) {
			ret = mem_free(&clients[i], ids[i]);
			if (ret)
				die("free", ret);
			take(plan, &clients[i], &ids[i]);
		}
	}
	_exit(0);
}

static unsigned int parse_count(const char *text, unsigned int limit)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || value < 1 || value > limit) {
		fprintf(stderr, "hold: '%s' is not a number up to %u\n", text,
			limit);
		_exit(EXIT_SETUP);
	}
	return (unsigned int)value;
}

static void parse_plan(struct plan *plan, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+d:r:hs:c:p:n:l")) != -1) {
		switch (c) {
		case 'd':
			plan->device = (__u32)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			plan->devices = parse_count(optarg, VNPU_MAX_DEVICES);
			break;
		case 'h':
			plan->page_shift = VNPU_PAGE_SHIFT_2M;
			break;
		case 's':
			plan->objects = parse_count(optarg, 1U << 20);
			break;
		case 'c':
			plan->clients = parse_count(optarg, MAX_CLIENTS);
			break;
		case 'p':
			plan->processes = parse_count(optarg, MAX_PROCESSES);
			break;
		case 'n':
			plan->name = optarg;
			break;
		case 'l':
			plan->loops = true;
			break;
		default:
			_exit(EXIT_SETUP);
		}
	}
	if (argc - optind < 2 || (plan->objects && plan->loops) ||
	    (plan->devices > 1 && (plan->objects || plan->loops))) {
		fputs("hold: BYTES and COMMAND are needed, and only one of -r, -s, -l\n",
		      stderr);
		_exit(EXIT_SETUP);
	}
	plan->bytes = strtoull(argv[optind], NULL, 0);
}

static int run(char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork", -errno);
	if (!pid) {
		execvp(command[0], command);
		die(command[0], -errno);
	}
	return child_wait(pid);
}

int main(int argc, char **argv)
{
	struct plan plan = { .devices = 1, .clients = 1, .processes = 1 };
	int ready[2], end[2], status;
	char *pids = NULL;
	size_t length;
	unsigned int i;
	FILE *f;

	parse_plan(&plan, argc, argv);
	f = open_memstream(&pids, &length);
	if (!f || pipe2(ready, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		die("pipe", -errno);
	for (i = 0; i < plan.processes; i++) {
		pid_t pid = fork_bound();

		if (pid < 0)
			die("fork", -errno);
		if (!pid) {
			close(ready[0]);
			close(end[1]);
			be_holder(&plan, ready[1], end[0]);
		}
		fprintf(f, i ? " %d" : "%d", pid);
	}
	fclose(f);
	/* If a holder dies before it is ready, the pipe ends. */
	close(ready[1]);
	for (i = 0; i < plan.processes; i++)
		baton_take(ready[0]);

	setenv("HOLD_PIDS", pids, 1);
	status = run(argv + optind + 1);
	close(end[1]);
	while (wait(NULL) > 0)
		;
	free(pids);
	return status;
}
