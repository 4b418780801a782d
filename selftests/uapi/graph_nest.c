// SPDX-License-Identifier: GPL-2.0-only
/* Graphs that run graphs, and conditions. */
#include "graph_fixture.h"

/* Make a graph that adds 1 to word @i. */
#define ADDS(g, i) \
	graph_create_one(g, &self->c, &(struct vnpu_task){ \
		.op = VNPU_TASK_REDUCE, \
		.mode = VNPU_REDUCE(VNPU_REDUCE_SUM, VNPU_TYPE_S64), \
		.dst = AT(i), .src = AT(1), .length = 1 }, 1)

TEST_F(graph, a_graph_runs_others)
{
	struct vnpu_graph_query q;
	struct graph outer;

	ASSERT_EQ(0, ADDS(&self->g, 8));
	{
		const struct vnpu_task first[] = {
			task_graph(&self->g), task_graph(&self->g),
		}, second[] = {
			task_wait_in(0, 1), task_copy(AT(9), AT(8), 8),
			task_graph(&self->g),
		};
		const struct vnpu_graph_stream streams[] = {
			LANE(first), LANE(second),
		};

		ASSERT_EQ(0, graph_create(&outer, &self->c, streams, 2));
	}
	ASSERT_EQ(0, stream_do(&self->s, task_graph(&outer)));
	EXPECT_EQ(3, self->mem[8]);
	EXPECT_EQ(2, self->mem[9]);
	ASSERT_EQ(0, graph_query(&self->g, 0, 0, &q));
	EXPECT_EQ(3, q.out_runs);
	/* A failure inside has a path: the GRAPH, and the task in its graph. */
	ASSERT_EQ(0, graph_update(&self->g, 0, 0, &(struct vnpu_task){
		.op = VNPU_TASK_FILL, .mode = 8, .dst = self->bad,
		.length = 8 }, 1));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task_graph(&outer)));
	ASSERT_EQ(0, graph_query(&outer, 0, 0, &q));
	EXPECT_EQ(VNPU_TASK_GRAPH, q.out_error_op);
	EXPECT_EQ(0, q.out_error_stream);
	EXPECT_EQ(0, q.out_error_index);
	ASSERT_EQ(0, graph_query(&self->g, outer.timeline,
				 2 * outer.step + 1, &q));
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(VNPU_TASK_FILL, q.out_error_op);
	EXPECT_EQ(self->bad, q.out_error_addr);
}

TEST_F(graph, a_graph_does_not_run_itself)
{
	struct vnpu_task t;
	struct graph third;

	ASSERT_EQ(0, ADDS(&self->g, 8));
	t = task_graph(&self->g);
	ASSERT_EQ(0, graph_update(&self->g, 0, 0, &t, 1));
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	/* Graphs in a circle wait for each other until the launch ends. */
	ASSERT_EQ(0, graph_create_one(&third, &self->c, &t, 1));
	t = task_graph(&third);
	ASSERT_EQ(0, graph_update(&self->g, 0, 0, &t, 1));
	t = task_graph(&self->g);
	t.timeout_ms = 100;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, t));
	EXPECT_EQ(0, graph_destroy(&self->g));
	EXPECT_EQ(0, graph_destroy(&third));
}

TEST_F(graph, a_failure_stops_all)
{
	const struct vnpu_task inside[] = {
		task_fill(self->bad, 8, 0, 8), task_sum(AT(8), AT(1)),
	};
	struct graph outer;

	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, inside, 2));
	{
		const struct vnpu_task outside[] = {
			task_graph(&self->g), task_sum(AT(8), AT(1)),
		};

		ASSERT_EQ(0, graph_create_one(&outer, &self->c, outside,
					      2));
	}
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task_graph(&outer)));
	EXPECT_EQ(2, self->mem[8]);
	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task_graph(&outer)));
	EXPECT_EQ(2, self->mem[8]);
	EXPECT_EQ(-ECANCELED, stream_do(&self->s, task_graph(&outer)));
}

TEST_F(graph, conditions_decide)
{
	static const struct {
		int cond;
		__u64 value, operand;
		bool holds;
	} cases[] = {
		{ VNPU_COND_EQ, 5, 5, true },
		{ VNPU_COND_EQ, 5, 6, false },
		{ VNPU_COND_GEQ, 4, 5, false },
		{ VNPU_COND_GEQ, 5, 5, true },
		{ VNPU_COND_AND, 6, 2, true },
		{ VNPU_COND_AND, 4, 2, false },
		{ VNPU_COND_LESS, 4, 5, true },
		{ VNPU_COND_GREATER, 4, 5, false },
		{ VNPU_COND_NOT_LESS, ~0ULL, 5, true },
	};
	__u64 expected = 0;
	unsigned int i;

	ASSERT_EQ(0, ADDS(&self->g, 8));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		self->mem[16] = cases[i].value;
		expected += cases[i].holds;
		ASSERT_EQ(0, stream_do(&self->s, task_graph_cond(
			&self->g, VNPU_GRAPH_IF, cases[i].cond, AT(16),
			cases[i].operand)));
		EXPECT_EQ(expected, self->mem[8]) TH_LOG("case %u", i);
	}
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task_graph_cond(
		&self->g, VNPU_GRAPH_IF, VNPU_COND_EQ, self->bad, 0)));
	EXPECT_EQ(expected, self->mem[8]);
	/* The graph is free again. */
	EXPECT_EQ(0, graph_destroy(&self->g));
}

/* Of three graphs the value selects one, which changes the value. */
TEST_F(graph, a_switch_is_a_sequence)
{
	struct graph ways[3], choice;
	struct vnpu_task tasks[4];
	__u32 i, k;

	tasks[0] = task_copy(AT(17), AT(16), 8);
	for (i = 0; i < 3; i++) {
		const struct vnpu_task way[] = {
			task_sum(AT(20 + i), AT(1)), task_sum(AT(16), AT(1)),
		};

		ASSERT_EQ(0, graph_create_one(&ways[i], &self->c, way, 2));
		tasks[1 + i] = task_graph_cond(&ways[i], VNPU_GRAPH_IF,
					       VNPU_COND_EQ, AT(17), i);
	}
	ASSERT_EQ(0, graph_create_one(&choice, &self->c, tasks, 4));
	for (k = 1; k <= 4; k++) {
		ASSERT_EQ(0, stream_do(&self->s, task_graph(&choice)));
		for (i = 0; i < 3; i++)
			EXPECT_EQ(i < k, self->mem[20 + i]);
	}
}

TEST_F(graph, a_loop_ends)
{
	const struct vnpu_task body[] = {
		task_sum(AT(8), AT(1)), task_sum(AT(16), AT(2)),
	}, fails[] = {
		task_sum(AT(8), AT(1)), task_fill(self->bad, 8, 0, 8),
	};
	struct vnpu_task loop;

	self->mem[2] = ~0ULL;	/* -1 */
	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, body, 2));
	loop = task_graph_cond(&self->g, VNPU_GRAPH_WHILE, VNPU_COND_GREATER,
			       AT(16), 0);
	ASSERT_EQ(0, stream_do(&self->s, loop));
	EXPECT_EQ(0, self->mem[8]);
	self->mem[16] = 100;
	ASSERT_EQ(0, stream_do(&self->s, loop));
	EXPECT_EQ(100, self->mem[8]);
	EXPECT_EQ(0, self->mem[16]);
	/* A failure ends the loop. */
	self->mem[16] = 100;
	ASSERT_EQ(0, graph_update(&self->g, 0, 0, fails, 2));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, loop));
	EXPECT_EQ(101, self->mem[8]);
	EXPECT_EQ(0, graph_destroy(&self->g));
}

TEST_F(graph, a_loop_can_be_ended)
{
	struct vnpu_task loop;
	struct graph empty;

	ASSERT_EQ(0, ADDS(&self->g, 8));
	self->mem[16] = 1;
	loop = task_graph_cond(&self->g, VNPU_GRAPH_WHILE, VNPU_COND_EQ, AT(16),
			       1);
	/* By the value, by a time limit, by an abort. */
	ASSERT_EQ(0, stream_run(&self->s, loop));
	while (self->mem[8] < 10)
		usleep(1000);
	self->mem[16] = 0;
	EXPECT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(0, self->s.ring->errors);
	self->mem[16] = 1;
	loop.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, loop));
	loop.timeout_ms = 0;
	ASSERT_EQ(0, graph_create_one(&empty, &self->c, NULL, 0));
	loop.src = empty.id;
	ASSERT_EQ(0, stream_run(&self->s, loop));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 20));
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(0, graph_destroy(&empty));
	EXPECT_EQ(0, graph_destroy(&self->g));
}

TEST_HARNESS_MAIN
