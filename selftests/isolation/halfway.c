// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations that are interrupted when they have some of their pages leave
 * nothing behind, even while other processes look at the device. Any user may
 * query its map and what would fit, compactions plan around the pages, and the
 * device may be removed.
 */
#include "kselftest_harness.h"

#include "../storm/storm.h"
#include "../uapi/fail.h"
#include "../uapi/trouble.h"

#define ALICE		54321
#define BOB		54322

/* Pages of the device; every other one belongs to the one object that stays. */
#define PAGES		4096

/*
 * Pages of an object whose allocation is interrupted, each an extent of its
 * own.
 */
#define WANTED		(PAGES / 2 - 80)

/* Devices, and how many processes are killed on each. */
#define ROUNDS		2
#define KILLS		20

/* The longest life in us: most processes are killed within the call. */
#define LIFE_MAX	30000

/* Counts of the work of the other processes, in memory that all share. */
struct done {
	__u64 maps, fits, compactions, allocations;
};

FIXTURE(halfway)
{
	struct calm calm;
	struct client c;
	struct done *done;
	int device;
};

static void did(__u64 *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* Leave only single free pages on the device; one object has the others. */
static int scatter(const struct client *c, __u32 device, __u32 *id)
{
	int ret = 0, i;

	for (i = 0; !ret && i < PAGES; i++)
		ret = mem_alloc_at(c, device, 0, 0, PAGE, c->base + i * PAGE);
	for (i = 0; !ret && i < PAGES; i += 2)
		ret = va_unbind(c, c->base + i * PAGE, PAGE);
	ret = ret ?: mem_alloc(c, device, 0, 0, PAGES / 2 * PAGE, id);
	for (i = 1; !ret && i < PAGES; i += 2)
		ret = va_unbind(c, c->base + i * PAGE, PAGE);
	return ret;
}

FIXTURE_SETUP(halfway)
{
	self->c.fd = -1;
	ASSERT_EQ(0, calm_begin(&self->calm));
	self->done = mmap(NULL, sizeof(*self->done), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->done);
	self->device = device_add(PAGES * PAGE);
	ASSERT_LT(0, self->device);
	ASSERT_EQ(0, device_remove((__u32)self->device));
}

FIXTURE_TEARDOWN(halfway)
{
	client_close(&self->c);
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	/* The number of the device is free again, so nothing of it is left. */
	EXPECT_EQ(self->device, device_add_at(PAGES * PAGE, self->device));
	EXPECT_EQ(0, device_remove((__u32)self->device));
	calm_end(&self->calm);
	munmap(self->done, sizeof(*self->done));
}

static void become(uid_t uid)
{
	if (setresuid(uid, uid, uid))
		_exit(1);
}

/*
 * Query the map of the device and what fits, in turn, until the process is
 * killed.
 */
static void look(__u32 device, struct done *done)
{
	struct nl_msg map, fit;
	static __u8 answer[NL_BUFFER];
	int family = 0, fd;

	become(BOB);
	fd = nl_open_family(&family);
	if (fd < 0)
		_exit(2);
	for (;;) {
		nl_init(&map, (__u16)family, 0, VNPU_CMD_MAP_GET);
		nl_put_u32(&map, VNPU_A_MAP_DEV_ID, device);
		if (!nl_ask(fd, &map, answer))
			did(&done->maps);
		nl_init(&fit, (__u16)family, 0, VNPU_CMD_FIT_GET);
		nl_put_u32(&fit, VNPU_A_FIT_DEV_ID, device);
		nl_put_u64(&fit, VNPU_A_FIT_LENGTH, 2 * PAGE);
		nl_put(&fit, VNPU_A_FIT_CONTIGUOUS, NULL, 0);
		if (!nl_ask(fd, &fit, answer))
			did(&done->fits);
	}
}

static void allocate_for_ever(uid_t uid, __u32 device, __u32 flags,
			      __u64 pages, __u64 *count)
{
	struct client c;
	__u32 id;

	become(uid);
	if (client_open_only(&c))
		_exit(2);
	for (;;)
		if (!mem_alloc(&c, device, flags, 0, pages * PAGE, &id)) {
			did(count);
			mem_free(&c, id);
		}
}

/*
 * Request contiguous memory, so that other objects are moved, until the process
 * is killed.
 */
static void compact(__u32 device, struct done *done)
{
	allocate_for_ever(BOB, device, VNPU_MEM_F_CONTIGUOUS, 64,
			  &done->compactions);
}

/*
 * Allocate nearly all free memory, again and again, until the process is
 * killed.
 */
static void allocate(__u32 device, struct done *done)
{
	allocate_for_ever(ALICE, device, 0, WANTED, &done->allocations);
}

static pid_t start(void (*run)(__u32 device, struct done *done), __u32 device,
		   struct done *done)
{
	pid_t pid = fork_bound();

	if (!pid)
		run(device, done);
	return pid;
}

static int end(pid_t pid)
{
	kill(pid, SIGKILL);
	return child_wait(pid);
}

TEST_F_TIMEOUT(halfway, killed_while_others_query, STORM_SECONDS)
{
	void (*const others[])(__u32, struct done *) = { look, look, compact };
	struct rng r = rng_init();
	pid_t pids[3], pid;
	__u32 device, id;
	__u64 round;
	int i;

	for (round = 0; round < storm_times(ROUNDS); round++) {
		ASSERT_EQ(self->device,
			  device_add_at(PAGES * PAGE, self->device));
		device = (__u32)self->device;
		ASSERT_EQ(0, client_open(&self->c));
		ASSERT_EQ(0, scatter(&self->c, device, &id));
		for (i = 0; i < 3; i++)
			pids[i] = start(others[i], device, self->done);
		for (i = 0; i < KILLS; i++) {
			pid = start(allocate, device, self->done);
			usleep((useconds_t)rng_below(&r, LIFE_MAX));
			if (i == KILLS - 1)
				EXPECT_EQ(0, device_remove(device));
			EXPECT_EQ(256 + SIGKILL, end(pid));
		}
		for (i = 0; i < 3; i++)
			EXPECT_EQ(256 + SIGKILL, end(pids[i]));
		client_close(&self->c);
	}
	printf("# maps %llu, fits %llu, compactions %llu, allocations to the end %llu\n",
	       self->done->maps, self->done->fits, self->done->compactions,
	       self->done->allocations);
	EXPECT_LT(0, self->done->maps);
	EXPECT_LT(0, self->done->fits);
	EXPECT_LT(0, self->done->compactions);
}

/*
 * One allocation of many extents by a client that has had at most two pages,
 * with its @n-th point of failure failing. Return whether this point was
 * reached.
 */
static bool allocate_with_failure(struct __test_metadata *_metadata,
				  __u32 device, struct fail *fail,
				  unsigned int n, unsigned int *refused)
{
	struct vnpu_device_query before, q;
	struct client c;
	bool failed;
	__u32 id;
	int ret;

	EXPECT_EQ(0, client_open_only(&c));
	EXPECT_EQ(0, mem_alloc(&c, device, 0, 0, 2 * PAGE, &id));
	EXPECT_EQ(0, device_query(&c, device, &before));
	EXPECT_EQ(2 * PAGE, before.out_client_peak);
	fail_arm(fail, n);
	ret = mem_alloc(&c, device, 0, 0, WANTED * PAGE, &id);
	failed = fail_disarm(fail);
	EXPECT_EQ(0, device_query(&c, device, &q));
	if (ret) {
		*refused += 1;
		EXPECT_TRUE(failed);
		EXPECT_EQ(before.out_client_peak, q.out_client_peak);
		EXPECT_EQ(before.out_client_used, q.out_client_used);
		EXPECT_EQ(before.out_client_objects, q.out_client_objects);
		EXPECT_EQ(before.out_free, q.out_free);
	} else {
		EXPECT_EQ((WANTED + 2) * PAGE, q.out_client_peak);
	}
	client_close(&c);
	return failed;
}

/* A failed allocation does not count in the peak of the client's memory. */
TEST_F(halfway, peak_excludes_failed_allocations)
{
	unsigned int refused = 0, n = 1;
	struct fail fail;
	__u32 device, id;
	int ret;

	ret = fail_begin(&fail);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no fault injection");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(self->device, device_add_at(PAGES * PAGE, self->device));
	device = (__u32)self->device;
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, scatter(&self->c, device, &id));
	while (n < 200 && allocate_with_failure(_metadata, device, &fail, n,
						&refused))
		n++;
	EXPECT_GT(200, n);
	/*
	 * At least the copy of the request, the object, and its list of
	 * extents.
	 */
	EXPECT_LT(2, refused);
	client_close(&self->c);
	EXPECT_EQ(0, device_remove(device));
	fail_end(&fail);
}

TEST_HARNESS_MAIN
