// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench scale: an allocation among many devices and clients, and what the
 * kernel remembers of each allocation.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "npu.h"
#include "report.h"
#include "ring.h"
#include "scale.h"

#define DEVICES		64
#define CLIENTS		1000

#define CLASS		"/sys/class/vnpu"

/* Of one turn, to be gone in the other. */
static struct {
	bool added[DEVICES];
	void *clients[CLIENTS];
	unsigned int count;
} crowd;

static bool has_device(unsigned int index)
{
	char path[sizeof(CLASS) + 24];

	snprintf(path, sizeof(path), CLASS "/vnpu%u", index);
	return !access(path, F_OK);
}

static int write_class(const char *name, const char *text)
{
	char path[sizeof(CLASS) + 24];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), CLASS "/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? (int)n : 0;
}

/*
 * Its number is seen, not guessed: one that was just taken away may keep its own
 * a while.
 */
static int add_device(void)
{
	unsigned int i, count = 0;
	bool before[DEVICES];
	int ret;

	for (i = 0; i < DEVICES; i++) {
		before[i] = has_device(i);
		count += before[i];
	}
	if (count == DEVICES)
		return -ENOSPC;
	ret = write_class("new_device", "2M");
	for (i = 0; i < DEVICES; i++)
		if (!before[i] && has_device(i))
			crowd.added[i] = true;
	return ret;
}

/* Also at the end of the program. */
static void remove_devices(void)
{
	char number[16];
	unsigned int i;

	for (i = 0; i < DEVICES; i++) {
		if (!crowd.added[i])
			continue;
		snprintf(number, sizeof(number), "%u", i);
		write_class("del_device", number);
		crowd.added[i] = false;
	}
}

static int leave(void *arg)
{
	(void)arg;
	while (crowd.count)
		ring_client_close(crowd.clients[--crowd.count]);
	remove_devices();
	return 0;
}

static int come(void *arg)
{
	const struct options *opt = arg;
	unsigned int clients = opt->live < CLIENTS ? opt->live : CLIENTS;
	int ret = 0;

	while (!ret)
		ret = add_device();
	if (ret != -ENOSPC)
		return ret;
	for (ret = 0; !ret && crowd.count < clients; crowd.count += !ret)
		ret = ring_client_open(opt->device,
				       &crowd.clients[crowd.count]);
	return ret;
}

static int alloc_free(void *arg, uint64_t *ns)
{
	aclError err;
	void *p;

	(void)arg;
	(void)ns;
	err = aclrtMallocAlign32(&p, 4 * KIB, ACL_MEM_MALLOC_NORMAL_ONLY);
	return npu_errno(err ? err : aclrtFree(p));
}

static void measure(struct options *opt, struct report *report)
{
	struct contest contest = {
		.title = "allocate and free, 64 devices and 1000 clients",
		.size = 4 * KIB,
	};

	*contest_add(&contest) = (struct subject){
		.name = "among them", .run = alloc_free, .prepare = come,
		.arg = opt,
	};
	*contest_add(&contest) = (struct subject){
		.name = "alone", .run = alloc_free, .prepare = leave,
		.goal = 1.2,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
}

void scale_crowd(const struct options *opt, struct report *report)
{
	struct options crowd_opt = *opt;
	sigset_t signals, before;
	int ret;

	/* Who interrupts this is not to find devices that he did not add. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &before);
	atexit(remove_devices);

	ret = come(&crowd_opt);
	if (ret)
		warn("scale: there are no 64 devices and 1000 clients: %s",
		     strerror(-ret));
	else
		measure(&crowd_opt, report);
	leave(NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Of the kernel, in bytes; 0 if it does not tell. */
static uint64_t slab_bytes(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Slab: %llu kB", &kib) == 1)
			break;
	fclose(f);
	return kib * KIB;
}

/* Bytes of the kernel's for each of @count allocations. */
static double bytes_each(uint32_t count, uint64_t size, uint32_t policy)
{
	void **members = need(count, sizeof(*members));
	uint64_t before, after;
	uint32_t i;

	before = slab_bytes();
	for (i = 0; i < count; i++)
		NPU_MUST(aclrtMallocAlign32(&members[i], size, policy));
	after = slab_bytes();
	while (i)
		NPU_MUST(aclrtFree(members[--i]));
	free(members);
	return after > before ? (double)(after - before) / count : 0;
}

void scale_memory(const struct options *opt, struct report *report)
{
	uint64_t fit = npu_free_bytes() * 3 / 4;
	uint32_t pages = (uint32_t)(fit / (4 * KIB));
	uint32_t huge = (uint32_t)(fit / (2 * MIB));

	if (pages > opt->live)
		pages = opt->live;
	if (huge > opt->live)
		huge = opt->live;
	/* What is freed leaves room, which more of them would find. */
	report_figure(report, &(struct figure){
		.title = "kept by the kernel for 2 MiB",
		.unit = "%",
		.value = bytes_each(huge, 2 * MIB, ACL_MEM_MALLOC_HUGE_ONLY) *
			 100 / (2 * MIB),
		.goal = 1,
	});
	report_figure(report, &(struct figure){
		.title = "kept by the kernel for an allocation of 4 KiB",
		.unit = "B",
		.value = bytes_each(pages, 4 * KIB, ACL_MEM_MALLOC_NORMAL_ONLY),
		.goal = 64,
	});
}
