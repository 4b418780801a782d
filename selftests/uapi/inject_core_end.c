// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults of cores while a device is reset or removed, a client is killed,
 * or other threads set and clear faults.
 */
#include "inject_core.h"

#include <pthread.h>

/* A test lets at most two cores die in a second; the third fails the stream. */
#define DEATHS		2

/* Neither a launch that never ends nor one that ends late delays an end. */
static const struct {
	__u32 kind;
	__u64 delay_us;
} pending[] = { { KIND(HANG), 0 }, { KIND(SLOW), LONG_US } };

TEST_F(inject, a_device_is_reset_under_a_fault)
{
	struct core k = { 0 };
	int i;

	ASSERT_EQ(0, begin(self, &k));
	for (i = 0; i < DEATHS; i++) {
		ASSERT_EQ(0, core_fault_of(0, pending[i].kind, self->id,
					   pending[i].delay_us));
		ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
		ASSERT_TRUE(is_stuck_by(&self->s, pending[i].kind));
		ASSERT_EQ(0, device_reset(0));
		EXPECT_EQ(0, stream_wait(&self->s, SOON));
		EXPECT_EQ(ECONNRESET, self->s.ring->error);
		EXPECT_EQ(256 + SIGKILL, core_wait(&k));
		ASSERT_EQ(0, faults_clear(0));
		EXPECT_EQ(0, replace(self, &k));
	}
	core_end(&k);
}

TEST_F(inject, a_device_is_removed_under_a_fault)
{
	int i;

	args_set(self);
	for (i = 0; i < DEATHS; i++) {
		int device = device_add(MIB(16));
		struct core k = { 0 };
		struct stream s;

		ASSERT_GT(device, 0);
		ASSERT_EQ(0, core_start(&k, &self->c, (__u32)device, 0));
		ASSERT_EQ(0, stream_create(&s, &self->c, (__u32)device));
		ASSERT_EQ(0, core_fault_of((__u32)device, pending[i].kind,
					   self->id, pending[i].delay_us));
		ASSERT_EQ(0, stream_run(&s, task_launch(CORE_NOTHING, 0, 0)));
		ASSERT_EQ(0, fault_wait((__u32)device, pending[i].kind));
		EXPECT_TRUE(is_stuck(&s));
		ASSERT_EQ(0, device_remove((__u32)device));
		EXPECT_EQ(0, stream_wait(&s, SOON));
		EXPECT_EQ(ENODEV, s.ring->error);
		EXPECT_EQ(256 + SIGKILL, core_wait(&k));
		stream_destroy(&s);
		core_end(&k);
	}
}

TEST_F(inject, a_client_is_killed_under_a_fault)
{
	__u64 used = device_used(&self->c, 0);
	int i;

	for (i = 0; i < DEATHS; i++) {
		int pair[2];
		pid_t pid;
		char c;

		ASSERT_EQ(0, pipe(pair));
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct client own;
			struct core k = { 0 };
			struct stream s;

			if (client_open(&own) || stream_create(&s, &own, 0) ||
			    core_start(&k, &own, 0, 0) ||
			    core_fault_of(0, pending[i].kind, client_id(&own),
					  pending[i].delay_us) ||
			    stream_run(&s, task_launch(CORE_NOTHING, 0, 0)) ||
			    !is_stuck_by(&s, pending[i].kind) ||
			    write(pair[1], "", 1) != 1)
				_exit(1);
			pause();
		}
		close(pair[1]);
		ASSERT_EQ(1, read(pair[0], &c, 1));
		kill(pid, SIGKILL);
		EXPECT_EQ(256 + SIGKILL, child_wait(pid));
		EXPECT_EQ(used, device_used(&self->c, 0));
		ASSERT_EQ(0, faults_clear(0));
		close(pair[0]);
	}
}

struct setter {
	volatile bool stop;
	__u64 client;
};

static void *set_and_clear(void *arg)
{
	struct setter *w = arg;

	while (!w->stop) {
		core_fault_of(0, KIND(SLOW), w->client, 300);
		fault_set(KIND(GARBAGE), w->client, ANY_CLASS, 3, 0);
		fault_set(KIND(TWICE), w->client, ANY_CLASS, 2, 0);
		usleep(2000);
		fault_set(KIND(HANG), w->client, ANY_CLASS, 50, 0);
		fault_set(KIND(DIE), w->client, ANY_CLASS, 200, 0);
		usleep(5000);
		faults_clear(0);
	}
	return NULL;
}

/* Set and clear faults while launches run, and cores come and go. */
TEST_F_TIMEOUT(inject, set_and_cleared_under_launches, 60)
{
	enum { STREAMS = 4 };
	struct setter w = { .client = self->id };
	__u64 end = now_ms() + 2000;
	struct stream s[STREAMS];
	struct core k = { 0 };
	__u64 failed = 0;
	pthread_t thread;
	int i, j;

	ASSERT_EQ(0, begin(self, &k));
	for (i = 0; i < STREAMS; i++)
		ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, set_and_clear, &w));
	while (now_ms() < end) {
		for (i = 0; i < STREAMS; i++) {
			for (j = 0; j < 16; j++)
				stream_put(&s[i], launch(self, 50));
			ASSERT_EQ(0, stream_submit(&s[i]));
		}
		for (i = 0; i < STREAMS; i++)
			ASSERT_EQ(0, stream_wait(&s[i], SOON));
		if (engine_has_ended(k.fd, 0)) {
			core_end(&k);
			ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
		}
	}
	w.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, faults_clear(0));
	for (i = 0; i < STREAMS; i++) {
		failed += s[i].ring->errors;
		stream_destroy(&s[i]);
	}
	EXPECT_LT(0, failed);
	EXPECT_EQ(0, replace(self, &k));
	core_end(&k);
}

TEST_HARNESS_MAIN
