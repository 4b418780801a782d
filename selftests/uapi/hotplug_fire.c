// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that come and go while others use them or set faults of them: nothing
 * is left of what these had.
 */
#include "hotplug.h"

#include <pthread.h>

#define SLOTS	4	/* devices that are added and removed */

struct setter {
	__u32 device;
	bool stop;
};

static void *set_faults(void *arg)
{
	struct setter *s = arg;
	struct fault f = { .device = s->device, .class = ~0U };

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		f.kind = VNPU_INJECT_KIND_ALLOC_FAIL;
		f.client = f.client % 64 + 1;
		fault_change(&f, false);
	}
	return NULL;
}

/* What is set too late is not left behind, as kmemleak would say. */
TEST(faults_of_a_device_that_goes)
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
}

/* Uses whatever devices there are, in every way, until it is killed. */
static void use_devices(struct rng *r)
{
	for (;;) {
		__u32 device = 1 + (__u32)rng_below(r, SLOTS + 1);
		struct stream s[2];
		struct client c;
		__u64 id, va;
		int i;

		if (client_open_only(&c) ||
		    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE))
			_exit(1);
		va = c.base;
		mem_alloc_at(&c, device, VNPU_MEM_F_HOST_ACCESS, 0, MIB(2), va);
		mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0, KIB(256),
			     va + MIB(2));
		touch_write(va, 1);
		if (timeline_create(&c, 0, 0, 0, &id))
			_exit(2);
		for (i = 0; i < 2; i++) {
			if (stream_create(&s[i], &c, device))
				continue;
			stream_put(&s[i], task_copy(va, va + MIB(2), KIB(256)));
			if (i)
				stream_put(&s[i], task_wait(id, 1));
			stream_put(&s[i], task_fill(va, MIB(2), 1, 1));
			stream_submit(&s[i]);
		}
		touch_read(va + MIB(1));
		if (rng_below(r, 2) && s[0].ring)
			stream_wait(&s[0], 20);
		if (rng_below(r, 2))
			va_unbind(&c, va, MIB(2));
		for (i = 0; i < 2; i++)
			if (s[i].ring)
				munmap(s[i].ring, VNPU_RING_MAP_SIZE);
		client_close(&c);
	}
}

/* What there is on device 0. */
struct left {
	__u64 free;
	__u64 streams, counters, events;
};

static struct left look(const struct client *c)
{
	struct vnpu_limits_query l = { .size = sizeof(l) };
	struct vnpu_device_query d = { };

	if (device_query(c, 0, &d) || call(c->fd, VNPU_IOCTL_LIMITS_QUERY, &l))
		abort();
	return (struct left){
		.free = d.out_free,
		.streams = l.out_streams,
		.counters = l.out_counters,
		.events = l.out_events,
	};
}

/*
 * 100 devices, times the strength of a storm, are added and removed while others
 * use them; when those are killed, nothing is left of what they had.
 */
TEST_F_TIMEOUT(hotplug, while_others_use_them, 3600)
{
	const __u64 cycles = 100 * env_u64("VNPU_STORM", 1);
	const struct left before = look(&self->c);
	int slots[SLOTS] = { 0 }, i;
	struct left after;
	__u64 removed = 0;
	struct rng r = rng_init();
	pid_t users[3];

	for (i = 0; i < 3; i++) {
		users[i] = fork_bound();
		ASSERT_GE(users[i], 0);
		if (!users[i]) {
			r.state += i + 1;
			use_devices(&r);
		}
	}
	while (removed < cycles) {
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
	after = look(&self->c);
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)));
	printf("# %llu devices removed under those who use them\n",
	       (unsigned long long)removed);
}

TEST_HARNESS_MAIN
