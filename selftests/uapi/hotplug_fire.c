// SPDX-License-Identifier: GPL-2.0-only
/*
 * Add and remove devices while processes use them or inject faults into them:
 * nothing is left behind.
 */
#include "hotplug.h"

#include <pthread.h>

#include "../storm/storm.h"
#include "core.h"

#define SLOTS	4	/* devices that are added and removed */

/* Only the permanent devices are left, and they are idle. */
FIXTURE(hotplug_fire)
{
	struct calm calm;
	int device;	/* number of the first added device */
};

FIXTURE_SETUP(hotplug_fire)
{
	ASSERT_EQ(0, calm_begin(&self->calm));
	self->device = device_add(SMALL);
	ASSERT_GT(self->device, 0);
	ASSERT_EQ(0, device_remove((__u32)self->device));
}

FIXTURE_TEARDOWN(hotplug_fire)
{
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	/* No added device has users: the number of the first is free again. */
	EXPECT_EQ(self->device, device_add_at(SMALL, self->device));
	EXPECT_EQ(0, device_remove((__u32)self->device));
	calm_end(&self->calm);
}

struct setter {
	__u32 device;
	bool stop;
	unsigned long set;
};

static void *set_faults(void *arg)
{
	struct setter *s = arg;
	struct fault f = { .device = s->device, .class = ~0U };

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		f.kind = VNPU_INJECT_KIND_ALLOC_FAIL;
		f.client = f.client % 64 + 1;
		if (!fault_change(&f, false))
			__atomic_fetch_add(&s->set, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* A fault that is set too late does not leak, as kmemleak would report. */
TEST_F(hotplug_fire, faults_of_a_removed_device)
{
	struct setter s = { 0 };
	pthread_t threads[2];
	int i, k;

	for (i = 0; i < 20; i++) {
		int device = device_add(MIB(2));

		ASSERT_GT(device, 0);
		s.device = (__u32)device;
		s.stop = false;
		for (k = 0; k < 2; k++)
			ASSERT_EQ(0, pthread_create(&threads[k], NULL,
						    set_faults, &s));
		usleep(10000);
		EXPECT_EQ(0, device_remove(s.device));
		__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
		for (k = 0; k < 2; k++)
			ASSERT_EQ(0, pthread_join(threads[k], NULL));
	}
	EXPECT_LT(0, s.set);
}

/* Counts of all users' work on the added devices. */
struct used {
	__u64 memory, touches, streams, tasks, launches;
};

static void count(__u64 *what, bool success)
{
	if (success)
		__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static bool is_used(const struct used *used)
{
	return used->memory && used->touches && used->streams && used->tasks &&
	       used->launches;
}

/* Use all devices in every way, until the process is killed. */
static void use_devices(struct rng *r, struct used *used)
{
	for (;;) {
		__u32 device = 1 + (__u32)rng_below(r, SLOTS + 1);
		struct core k = { 0 };
		struct stream s[2];
		struct client c;
		bool has_core;
		__u64 id, va;
		int i;

		if (client_open_only(&c) ||
		    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE))
			_exit(1);
		va = c.base;
		count(&used->memory,
		      !mem_alloc_at(&c, device, VNPU_MEM_F_HOST_ACCESS, 0,
				    MIB(2), va));
		mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0, KIB(256),
			     va + MIB(2));
		count(&used->touches, !touch_write(va, 1));
		if (timeline_create(&c, 0, 0, 0, &id))
			_exit(2);
		has_core = !rng_below(r, 3) && !core_start(&k, &c, device, 2);
		for (i = 0; i < 2; i++) {
			if (stream_create(&s[i], &c, device))
				continue;
			count(&used->streams, true);
			if (has_core)
				stream_put(&s[i],
					   task_launch(i ? CORE_HANG :
						       CORE_NOTHING, 0, 0));
			stream_put(&s[i], task_copy(va, va + MIB(2), KIB(256)));
			if (i)
				stream_put(&s[i], task_wait(id, 1));
			stream_put(&s[i], task_fill(va, MIB(2), 1, 1));
			stream_submit(&s[i]);
		}
		touch_read(va + MIB(1));
		if (rng_below(r, 2) && s[0].ring)
			count(&used->tasks, !stream_wait(&s[0], 20) &&
			      !s[0].ring->errors);
		count(&used->launches, has_core && core_launches(&k));
		if (rng_below(r, 2))
			va_unbind(&c, va, MIB(2));
		for (i = 0; i < 2; i++)
			if (s[i].ring)
				munmap(s[i].ring, s[i].map_size);
		core_end(&k);
		client_close(&c);
	}
}

/*
 * Add and remove 100 devices, times VNPU_STORM, while processes use them. When
 * these are killed, nothing is left behind.
 */
TEST_F_TIMEOUT(hotplug_fire, while_processes_use_them, STORM_SECONDS)
{
	const __u64 cycles = storm_times(100);
	int slots[SLOTS] = { 0 }, i;
	struct used *used = mmap(NULL, sizeof(*used), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rng r = rng_init();
	__u64 removed = 0;
	pid_t users[3];

	ASSERT_NE(MAP_FAILED, (void *)used);
	for (i = 0; i < 3; i++) {
		users[i] = fork_bound();
		ASSERT_GE(users[i], 0);
		if (!users[i]) {
			r.state += i + 1;
			calm_end(&self->calm);
			use_devices(&r, used);
		}
	}
	/* On a slow machine add more, until all kinds of use have occurred. */
	while (removed < cycles ||
	       (!is_used(used) && removed < 10 * cycles)) {
		i = (int)rng_below(&r, SLOTS);
		if (slots[i] > 0) {
			ASSERT_EQ(0, device_remove(slots[i]));
			slots[i] = 0;
			removed++;
		} else {
			slots[i] = device_add(MIB(4));
			ASSERT_GT(slots[i], 0);
		}
		usleep((useconds_t)rng_below(&r, 10000));
	}
	for (i = 0; i < 3; i++) {
		kill(users[i], SIGKILL);
		EXPECT_EQ(256 + SIGKILL, child_wait(users[i]));
	}
	for (i = 0; i < SLOTS; i++)
		if (slots[i] > 0)
			EXPECT_EQ(0, device_remove(slots[i]));
	EXPECT_LT(0, used->memory);
	EXPECT_LT(0, used->touches);
	EXPECT_LT(0, used->streams);
	EXPECT_LT(0, used->tasks);
	EXPECT_LT(0, used->launches);
	printf("# %llu devices removed while in use\n",
	       (unsigned long long)removed);
	printf("# memory %llu times, touched %llu; streams %llu, tasks ended %llu, launches %llu\n",
	       used->memory, used->touches, used->streams, used->tasks,
	       used->launches);
}

TEST_HARNESS_MAIN
