// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>

#include "storm.h"

/* A process may have to wait, but not for this long. */
#define STUCK_MS	5000

static int limits(const struct client *c, __u32 device,
		  struct vnpu_limits_query *l)
{
	*l = (struct vnpu_limits_query){ .size = sizeof(*l), .device = device };
	return call(c->fd, VNPU_IOCTL_LIMITS_QUERY, l);
}

int calm_begin(struct calm *calm)
{
	int ret = client_open_only(&calm->c);
	__u32 d;

	if (ret)
		return ret;
	calm->devices = device_count(&calm->c);
	for (d = 0; !ret && d < calm->devices; d++)
		ret = observe_memory(d, &calm->memory[d]);
	return ret ? ret : calm_again(calm) ? -EBUSY : 0;
}

void calm_end(struct calm *calm)
{
	client_close(&calm->c);
}

static const char *device_is_calm(const struct calm *calm, __u32 d)
{
	const struct observed_memory *before = &calm->memory[d];
	struct vnpu_limits_query l;
	struct observed_memory m;

	if (observe_memory(d, &m))
		return "a device does not respond";
	if (m.total != m.free)
		return "device memory is in use";
	if (m.objects)
		return "there are memory objects";
	if (m.largest_free != before->largest_free)
		return "free memory is not in one run as before";
	if (limits(&calm->c, d, &l) || l.out_streams != VNPU_MAX_STREAMS ||
	    l.out_events != VNPU_MAX_EVENTS ||
	    l.out_counters != VNPU_MAX_COUNTERS)
		return "there are streams, events or counters";
	return NULL;
}

/* Read the state of a task; the line is "PID (NAME) STATE ...". */
static bool is_stuck(const char *pid)
{
	char path[64], line[512] = "";
	char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	state = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return state && state[1] && state[2] == 'D';
}

/*
 * Kernel threads, engines above all, wait in other states; a working one may
 * not.
 */
static int count_stuck(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int stuck = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (isdigit(entry->d_name[0]))
			stuck += is_stuck(entry->d_name);
	closedir(dir);
	return stuck;
}

const char *calm_devices(const struct calm *calm)
{
	const char *wrong = NULL;
	__u32 d;

	for (d = 0; !wrong && d < calm->devices; d++)
		wrong = device_is_calm(calm, d);
	return wrong;
}

const char *calm_again(const struct calm *calm)
{
	uint64_t until = now_ms() + STUCK_MS;
	const char *wrong = calm_devices(calm);

	if (wrong)
		return wrong;
	if (observe_clients(NULL, 0) != 1)
		return "there are other clients";
	while (count_stuck()) {
		if (now_ms() > until)
			return "a task is in state D";
		usleep(10000);
	}
	return NULL;
}
