// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a launch: constant, however many launches were made and however
 * many streams there are. For a machine whose clock counts instructions
 * (vnpu-vm --icount).
 */
#include "kselftest_harness.h"

#include "core.h"

#define BATCH		128
#define ROUNDS		8
#define MANY		300	/* streams */

FIXTURE(engine_cost)
{
	struct client c;
	struct stream s;
	struct core k;
};

FIXTURE_SETUP(engine_cost)
{
	memset(&self->k, 0, sizeof(self->k));
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
}

FIXTURE_TEARDOWN(engine_cost)
{
	core_end(&self->k);
	stream_destroy(&self->s);
	client_close(&self->c);
}

/* Return the least ns per task of some batches. */
static __u64 cost_of(struct stream *s, struct vnpu_task task)
{
	__u64 least = ~0ULL, start;
	int i, round;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		for (i = 0; i < BATCH; i++)
			stream_put(s, task);
		if (stream_submit(s) || stream_wait(s, 20000) ||
		    s->ring->errors)
			return 0;
		if (now_ns() - start < least)
			least = now_ns() - start;
	}
	return least / BATCH;
}

TEST_F(engine_cost, of_a_launch)
{
	struct vnpu_task launch = task_launch(CORE_NOTHING, 0, 0);
	struct stream many[MANY];
	__u64 nop, before, after;
	int i;

	nop = cost_of(&self->s, (struct vnpu_task){ .op = VNPU_TASK_NOP });
	before = cost_of(&self->s, launch);
	for (i = 0; i < 20; i++)
		ASSERT_LT(0, cost_of(&self->s, launch));
	client_allow_many();
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(0, stream_create(&many[i], &self->c, 0));
		ASSERT_EQ(0, stream_run(&many[i], launch));
	}
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, stream_wait(&many[i], 20000));
	after = cost_of(&self->s, launch);
	printf("# ns: no-op %llu, launch %llu, beside %d streams %llu\n", nop,
	       before, MANY, after);
	ASSERT_LT(0, before);
	ASSERT_LT(0, after);
	EXPECT_GT(before + before / 4, after);
	for (i = 0; i < MANY; i++)
		stream_destroy(&many[i]);
}

TEST_HARNESS_MAIN
