// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a launch: at most three times that of a task that does nothing, and
 * constant, however many launches were made and however many streams there are.
 * The cost of a task in a graph: at most 1.2 times that in a ring. The test runs in a
 * machine where the clock counts instructions (vnpu-vm --icount).
 */
#include "kselftest_harness.h"

#include "core.h"
#include "graph.h"

#define BATCH		128
#define ROUNDS		8
#define MANY		1000	/* streams */

/*
 * ns: a no-op of a batch costs 1008 if the engine sleeps before. It costs less if the
 * engine is still awake, which depends on what ran before.
 */
#define LAUNCH_MAX	(3 * 1008)

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

static __u64 smaller(__u64 a, __u64 b)
{
	return a < b ? a : b;
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
	/* A pause of the host's scheduler may cost all rounds once. */
	for (i = 0; i < 5 && after > before; i++)
		after = smaller(after, cost_of(&self->s, launch));
	printf("# ns: no-op %llu, launch %llu, beside %d streams %llu\n", nop,
	       before, MANY, after);
	ASSERT_LT(0, before);
	ASSERT_LT(0, after);
	EXPECT_GT(before + before / 4, after);
	EXPECT_GE(LAUNCH_MAX, before);
	for (i = 0; i < MANY; i++)
		stream_destroy(&many[i]);
}

/* Return the least ns of some submissions of the same tasks. */
static __u64 cost_of_all(struct stream *s, const struct vnpu_task *tasks,
			 int count)
{
	__u64 least = ~0ULL, start;
	int i, round;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		for (i = 0; i < count; i++)
			stream_put(s, tasks[i]);
		if (stream_submit(s) || stream_wait(s, 20000) ||
		    s->ring->errors)
			return 0;
		if (now_ns() - start < least)
			least = now_ns() - start;
	}
	return least;
}

TEST_F(engine_cost, of_tasks_of_a_graph)
{
	static const int counts[] = { BATCH, 8 * BATCH };
	static struct vnpu_task nops[8 * BATCH];
	__u64 ring[2], graph[2], more;
	struct vnpu_task run;
	struct graph g;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, graph_create_one(&g, &self->c, nops, counts[i]));
		run = task_graph(&g);
		ring[i] = cost_of_all(&self->s, nops, counts[i]);
		graph[i] = cost_of_all(&self->s, &run, 1);
		ASSERT_LT(0, ring[i]);
		ASSERT_LT(0, graph[i]);
		ASSERT_EQ(0, graph_destroy(&g));
		printf("# ns of %d no-ops: in the ring %llu, in a graph %llu, ratio %.2f\n",
		       counts[i], ring[i], graph[i],
		       (double)graph[i] / (double)ring[i]);
	}
	more = counts[1] - counts[0];
	printf("# ns of one more: in the ring %llu, in a graph %llu\n",
	       (ring[1] - ring[0]) / more, (graph[1] - graph[0]) / more);
	/* The cost of the fewer ones depends on whether the engine is awake, too. */
	EXPECT_LE(10 * graph[1], 12 * ring[1]);
}

TEST_HARNESS_MAIN
