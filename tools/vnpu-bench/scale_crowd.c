// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench scale: an allocation among many devices and clients, and the
 * kernel memory of an allocation.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "measure.h"
#include "npu.h"
#include "report.h"
#include "ring.h"
#include "scale.h"
#include "undo.h"

#define CLIENTS		1000

/* State of one turn, to be removed in the other. */
static struct {
	struct devices *devices;
	void *clients[CLIENTS];
	unsigned int count;
} crowd;

static int leave(void *arg)
{
	(void)arg;
	while (crowd.count)
		ring_client_close(crowd.clients[--crowd.count]);
	devices_remove(crowd.devices);
	return 0;
}

static int come(void *arg)
{
	const struct options *opt = arg;
	unsigned int clients = opt->live < CLIENTS ? opt->live : CLIENTS;
	int ret = 0;

	while (!ret)
		ret = devices_add(crowd.devices);
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
	struct undo undo;
	int ret;

	/*
	 * The process that undoes this must only remove devices that it knows.
	 */
	ret = undo_begin(&undo, sizeof(*crowd.devices), devices_remove);
	if (!ret) {
		crowd.devices = undo.what;
		ret = come(&crowd_opt);
	} else {
		crowd.devices = NULL;
	}
	if (ret)
		warn("scale: cannot create 64 devices and 1000 clients: %s",
		     strerror(-ret));
	else
		measure(&crowd_opt, report);
	if (crowd.devices) {
		leave(NULL);
		undo_end(&undo);
	}
}

/* Get the slab memory of the kernel in bytes; 0 if it is unknown. */
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

/* Measure the kernel memory of each of @count allocations. */
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
	/* Freed slabs leave room, which later measurements would use. */
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
