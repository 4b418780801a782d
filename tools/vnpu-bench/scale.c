// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench scale: costs with many allocations, devices and clients, and of
 * opening and closing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"
#include "npu.h"
#include "random.h"
#include "report.h"
#include "scale.h"

#define FEW		10
#define SIZE_LOW	64
#define SIZE_HIGH	(4 * KIB)

/* One page in this many stays free, so that the last requests find room. */
#define LEAVE_FREE	32

/* The live allocations, of 64 bytes to 4 KiB. */
struct crowd {
	void **members;
	uint32_t count;
	uint32_t most;
	struct random random;
};

/* The number of live allocations at the start of a turn. */
struct population {
	struct crowd *crowd;
	uint32_t count;
};

static aclError crowd_alloc(struct crowd *crowd, void **p)
{
	uint64_t size = random_log_uniform(&crowd->random, SIZE_LOW, SIZE_HIGH);

	return aclrtMallocAlign32(p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
}

static int crowd_set(void *arg)
{
	const struct population *population = arg;
	struct crowd *crowd = population->crowd;
	aclError err = ACL_SUCCESS;

	while (!err && crowd->count < population->count) {
		err = crowd_alloc(crowd, &crowd->members[crowd->count]);
		if (!err)
			crowd->count++;
	}
	while (!err && crowd->count > population->count)
		err = aclrtFree(crowd->members[--crowd->count]);
	return npu_errno(err);
}

/* Replace a random one, so that the order of allocation does not matter. */
static int replace_one(void *arg, uint64_t *ns)
{
	const struct population *population = arg;
	struct crowd *crowd = population->crowd;
	void **member = &crowd->members[random_below(&crowd->random,
						     crowd->count)];
	aclError err;

	(void)ns;
	err = aclrtFree(*member);
	if (!err)
		err = crowd_alloc(crowd, member);
	return npu_errno(err);
}

/* Allocate as many as requested, or as the device holds. */
static void crowd_open(struct crowd *crowd, const struct options *opt)
{
	uint64_t reserve = npu_total_bytes() / LEAVE_FREE;
	uint32_t i;

	*crowd = (struct crowd){ .random = { opt->seed } };
	crowd->members = need(opt->live, sizeof(*crowd->members));
	for (i = 0; i < opt->live; i++) {
		if (i % 1024 == 0 && npu_free_bytes() < reserve)
			break;
		NPU_MUST(crowd_alloc(crowd, &crowd->members[i]));
	}
	crowd->count = i;
	crowd->most = i;
}

static void one_more(const struct options *opt, struct report *report)
{
	struct contest contest = { 0 };
	struct population many, few, none;
	char title[64], name[32];
	struct crowd crowd;

	crowd_open(&crowd, opt);
	many = (struct population){ &crowd, crowd.most };
	few = (struct population){ &crowd, FEW };
	none = (struct population){ &crowd, 0 };

	snprintf(title, sizeof(title), "free and allocate one of 64 B to 4 KiB");
	snprintf(name, sizeof(name), "%u live", crowd.most);
	contest.title = title;
	*contest_add(&contest) = (struct subject){
		.name = name, .run = replace_one, .prepare = crowd_set,
		.arg = &many,
	};
	*contest_add(&contest) = (struct subject){
		.name = "10 live", .run = replace_one, .prepare = crowd_set,
		.arg = &few, .goal = 1.5,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	crowd_set(&none);
	free(crowd.members);
}

static int open_close(void *arg, uint64_t *ns)
{
	int fd = open(arg, O_RDWR | O_CLOEXEC);

	(void)ns;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int open_null_and_page(void *arg, uint64_t *ns)
{
	static char null[] = "/dev/null";
	volatile char *page = arg;
	int ret = open_close(null, ns);

	if (!ret && madvise(arg, 4 * KIB, MADV_DONTNEED))
		ret = -errno;
	page[0] = 1;
	return ret;
}

static void come_and_go(const struct options *opt, struct report *report)
{
	struct contest contest = { .title = "open and close" };
	static char node[] = "/dev/vnpu";
	void *page = mmap(NULL, 4 * KIB, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		die(BENCH_FAILED, "no memory");
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = open_close, .arg = node,
	};
	*contest_add(&contest) = (struct subject){
		.name = "null, a page", .run = open_null_and_page,
		.arg = page, .goal = 3,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	munmap(page, 4 * KIB);
}

void bench_scale(const struct options *opt, struct report *report)
{
	come_and_go(opt, report);
	scale_memory(opt, report);
	scale_crowd(opt, report);
	scale_exit(opt, report);
	one_more(opt, report);
}
