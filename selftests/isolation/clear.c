// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that was freed dirty is cleared in the background: all of it, once,
 * and nothing else, even while clients allocate and free memory.
 *
 * All of the device except for ROOM is allocated, so that allocations get the
 * memory that was freed before, and the figures are exact.
 */
#include "kselftest_harness.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>

#include "../uapi/client.h"
#include "../uapi/param.h"
#include "../uapi/trouble.h"
#include "../uapi/util.h"
#include "observe.h"

#define ROOM	MIB(16)
#define SECRET	0x5ec2e75ec2e75ec2ULL
/* Clearing in the background only runs when a processor is idle. */
#define LIMIT_S	600

/* Set the ms without use after which memory is cleared, 0 for never. */
static int scrub_ms(unsigned int ms)
{
	return param_set("scrub_ms", ms);
}

FIXTURE(clear)
{
	struct client c;
	unsigned int ms;	/* value before the test */
	__u64 va;		/* address of the memory */
	struct observed_dirt before;
	struct rng rng;
	__u8 *seen;		/* a buffer of size ROOM */
};

static int take(FIXTURE_DATA(clear) * self)
{
	return mem_alloc_at(&self->c, 0, 0, 0, ROOM, self->va);
}

static int give(FIXTURE_DATA(clear) * self)
{
	return va_unbind(&self->c, self->va, 0);
}

FIXTURE_SETUP(clear)
{
	struct vnpu_device_query q;

	ASSERT_EQ(0, param_get("scrub_ms", &self->ms));
	if (scrub_ms(0))
		SKIP(return, "needs root");
	self->rng = rng_init();
	self->seen = malloc(ROOM);
	ASSERT_TRUE(self->seen);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_GT(q.out_free, ROOM);
	self->va = self->c.base + q.out_free - ROOM;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, q.out_free - ROOM,
				  self->c.base));
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, give(self));
	ASSERT_EQ(0, observe_dirt(0, &self->before));
	ASSERT_EQ(0, self->before.dirty);
}

FIXTURE_TEARDOWN(clear)
{
	EXPECT_EQ(0, scrub_ms(self->ms));
	client_close(&self->c);
	free(self->seen);
}

/* Write to all of the memory, and free it. */
static int give_dirty(FIXTURE_DATA(clear) * self)
{
	int ret = take(self);

	if (!ret)
		ret = fill(&self->c, self->va, ROOM, SECRET, 8);
	return ret ? ret : give(self);
}

/*
 * Return the bytes that were cleared since the start, once no memory is dirty.
 */
static __u64 wait_clean(FIXTURE_DATA(clear) * self)
{
	struct observed_dirt d;

	while (!observe_dirt(0, &d) && d.dirty)
		usleep(1000);
	return d.cleared - self->before.cleared;
}

static int is_zero(FIXTURE_DATA(clear) * self)
{
	int ret = copy(&self->c, addr(self->seen), self->va, ROOM);

	return ret ? ret : is_all(self->seen, 0, ROOM);
}

TEST_F_TIMEOUT(clear, clears_freed_memory, LIMIT_S)
{
	struct vnpu_device_query before, q;
	struct observed_dirt d;

	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	ASSERT_EQ(0, scrub_ms(1));
	ASSERT_EQ(0, give_dirty(self));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, memcmp(&before, &q, sizeof(q)));
	EXPECT_EQ(ROOM, wait_clean(self));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, memcmp(&before, &q, sizeof(q)));

	/* The next allocation has nothing to clear. */
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, observe_dirt(0, &d));
	EXPECT_EQ(ROOM, d.cleared - self->before.cleared);
	EXPECT_EQ(1, is_zero(self));
}

TEST_F_TIMEOUT(clear, clears_only_dirty_memory, LIMIT_S)
{
	ASSERT_EQ(0, scrub_ms(1));
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, fill(&self->c, self->va + ROOM / 2 + 100, 8, SECRET, 8));
	ASSERT_EQ(0, give(self));
	EXPECT_EQ(PAGE, wait_clean(self));
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(1, is_zero(self));
}

/* Memory that is left dirty is cleared when clearing is turned on again. */
TEST_F_TIMEOUT(clear, clears_nothing_when_turned_off, LIMIT_S)
{
	struct observed_dirt d;
	__u32 id;

	ASSERT_EQ(0, give_dirty(self));
	usleep(200000);
	ASSERT_EQ(0, observe_dirt(0, &d));
	EXPECT_EQ(ROOM, d.dirty);
	EXPECT_EQ(self->before.cleared, d.cleared);

	ASSERT_EQ(0, scrub_ms(1));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	ASSERT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(ROOM, wait_clean(self));
}

TEST_F_TIMEOUT(clear, turned_off_while_clearing, LIMIT_S)
{
	struct observed_dirt d, later;

	for (int round = 0; round < 10; round++) {
		ASSERT_EQ(0, scrub_ms(1));
		ASSERT_EQ(0, give_dirty(self));
		usleep(rng_below(&self->rng, 20000));
		ASSERT_EQ(0, scrub_ms(0));
		ASSERT_EQ(0, observe_dirt(0, &d));
		EXPECT_EQ(ROOM * (round + 1),
			  d.dirty + d.cleared - self->before.cleared);
		usleep(10000);
		ASSERT_EQ(0, observe_dirt(0, &later));
		EXPECT_EQ(d.dirty, later.dirty);
		EXPECT_EQ(d.cleared, later.cleared);
		ASSERT_EQ(0, take(self));
		ASSERT_EQ(0, give(self));
	}
}

/* Return the pid of the thread that clears, or 0. */
static pid_t cleaner(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	while (proc && !pid && (entry = readdir(proc))) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) && !strcmp(name, "vnpu-clear\n"))
			pid = atoi(entry->d_name);
		fclose(f);
	}
	if (proc)
		closedir(proc);
	return pid;
}

/* Return how often the thread has gone to sleep. */
static long sleeps(pid_t pid)
{
	char path[64], line[256];
	long count = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &count);
	if (f)
		fclose(f);
	return count;
}

TEST_F_TIMEOUT(clear, thread_sleeps_when_nothing_is_dirty, LIMIT_S)
{
	pid_t pid = cleaner();
	long before, count;

	ASSERT_LT(0, pid);
	EXPECT_EQ(SCHED_IDLE, sched_getscheduler(pid));
	count = sleeps(pid);
	ASSERT_LE(0, count);
	ASSERT_EQ(0, scrub_ms(1));
	ASSERT_EQ(0, give_dirty(self));
	EXPECT_EQ(ROOM, wait_clean(self));
	EXPECT_LT(count, sleeps(pid));
	/* The thread may check once more after some time. */
	do {
		before = sleeps(pid);
		usleep(200000);
		count = sleeps(pid);
	} while (count != before);
}

/* Each page is cleared once, by the thread or by the allocation. */
TEST_F_TIMEOUT(clear, allocated_while_clearing, LIMIT_S)
{
	struct observed_dirt d;

	ASSERT_EQ(0, scrub_ms(1));
	for (int round = 1; round <= 30; round++) {
		ASSERT_EQ(0, give_dirty(self));
		usleep(rng_below(&self->rng, 30000));
		ASSERT_EQ(0, take(self));
		ASSERT_EQ(0, observe_dirt(0, &d));
		EXPECT_EQ(0, d.dirty);
		EXPECT_EQ(ROOM * round, d.cleared - self->before.cleared);
		ASSERT_EQ(1, is_zero(self));
		ASSERT_EQ(0, give(self));
	}
}

/* A killed process leaves no secrets, and its memory becomes clean. */
TEST_F_TIMEOUT(clear, memory_of_killed_process, LIMIT_S)
{
	int go[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, scrub_ms(1));
	for (int round = 0; round < 10; round++) {
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct client c;

			if (client_open(&c) ||
			    mem_alloc_at(&c, 0, 0, 0, ROOM, c.base) ||
			    fill(&c, c.base, ROOM, SECRET, 8))
				_exit(1);
			baton_pass(go[1]);
			pause();
		}
		baton_take(go[0]);
		kill(pid, SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(pid));
		if (round % 2)
			EXPECT_LE(ROOM, wait_clean(self));
		ASSERT_EQ(0, take(self));
		ASSERT_EQ(1, is_zero(self));
		ASSERT_EQ(0, give(self));
	}
}

#define USERS	3
#define PIECES	8
#define ROUNDS	150

struct user {
	struct client c;
	struct rng rng;
	pthread_barrier_t *all;
	/* requests large pages, so that objects are moved */
	bool is_large;
	__u8 *seen;		/* 2 MiB */
	__u64 length[PIECES];	/* length of each object, or 0 */
	__u64 faults;
};

static __u64 piece_va(const struct user *u, int i)
{
	return u->c.base + (__u64)i * MIB(2);
}

static __u8 piece_value(const struct user *u, int i)
{
	return (__u8)(0x11 + 16 * i + u->c.fd);
}

/* Check that the object has its contents, and free it. */
static void piece_give(struct user *u, int i)
{
	u->faults += copy(&u->c, addr(u->seen), piece_va(u, i), u->length[i]) ||
		     !is_all(u->seen, piece_value(u, i), u->length[i]) ||
		     va_unbind(&u->c, piece_va(u, i), 0);
	u->length[i] = 0;
}

/* The device may be full. */
static void piece_take(struct user *u, int i)
{
	__u64 length = u->is_large ? MIB(2) :
		       (1 + rng_below(&u->rng, 128)) * PAGE;
	int ret = mem_alloc_at(&u->c, 0, 0, u->is_large ?
			       VNPU_PAGE_SHIFT_2M : 0, length, piece_va(u, i));

	if (ret) {
		u->faults += ret != -ENOSPC;
		return;
	}
	u->length[i] = length;
	u->faults += copy(&u->c, addr(u->seen), piece_va(u, i), length) ||
		     !is_all(u->seen, 0, length) ||
		     fill(&u->c, piece_va(u, i), length, piece_value(u, i), 1);
}

static void *user_main(void *arg)
{
	struct user *u = arg;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < (u->is_large ? 2 : PIECES); i++) {
			if (u->length[i] && rng_below(&u->rng, 2))
				piece_give(u, i);
			else if (!u->length[i])
				piece_take(u, i);
		}
		/*
		 * All threads pause at the same time; otherwise the device
		 * would never be idle.
		 */
		pthread_barrier_wait(u->all);
		usleep(rng_below(&u->rng, 16000));
	}
	for (i = 0; i < PIECES; i++)
		if (u->length[i])
			piece_give(u, i);
	return NULL;
}

/*
 * Free memory is cleared, and allocated memory never is, even if it is moved.
 */
TEST_F_TIMEOUT(clear, allocate_move_and_clear, LIMIT_S)
{
	struct user users[USERS] = {};
	pthread_t threads[USERS];
	pthread_barrier_t all;
	int i;

	pthread_barrier_init(&all, NULL, USERS);
	ASSERT_EQ(0, scrub_ms(1));
	for (i = 0; i < USERS; i++) {
		users[i].rng.state = rng_next(&self->rng) | 1;
		users[i].all = &all;
		users[i].is_large = !i;
		users[i].seen = self->seen + i * MIB(2);
		ASSERT_EQ(0, client_open(&users[i].c));
	}
	for (i = 0; i < USERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, user_main,
					    &users[i]));
	for (i = 0; i < USERS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, users[i].faults);
		client_close(&users[i].c);
	}
	pthread_barrier_destroy(&all);
	EXPECT_LT(0, wait_clean(self));
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(1, is_zero(self));
}

/* The device has no clients, but has memory to clear. */
TEST_F_TIMEOUT(clear, device_is_removed, LIMIT_S)
{
	int device;

	ASSERT_EQ(0, scrub_ms(1));
	for (int round = 0; round < 10; round++) {
		device = device_add(ROOM);
		ASSERT_LT(0, device);
		ASSERT_EQ(0, mem_alloc_at(&self->c, device, 0, 0, ROOM,
					  self->va));
		/*
		 * Memory of the next device does not have the old contents
		 * either.
		 */
		ASSERT_EQ(1, is_zero(self));
		ASSERT_EQ(0, fill(&self->c, self->va, ROOM, SECRET, 8));
		ASSERT_EQ(0, give(self));
		usleep(rng_below(&self->rng, 15000));
		EXPECT_EQ(0, device_remove((__u32)device));
	}
}

TEST_HARNESS_MAIN
