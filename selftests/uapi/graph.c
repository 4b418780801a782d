// SPDX-License-Identifier: GPL-2.0-only
/* Graphs: the order of their tasks, failures, and what is refused. */
#include "graph_fixture.h"
#include "sync.h"

TEST_F(graph, runs_its_tasks_in_order)
{
	const struct vnpu_task tasks[] = {
		task_fill(AT(16), 64, 7, 8),
		task_copy(AT(32), AT(16), 64),
		task_sum(AT(32), AT(1)),
		task_write(AT(33), 100),
		task_sum(AT(0), AT(32)),
		NOP,
	};
	__u64 run;

	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, tasks,
				      ARRAY_SIZE(tasks)));
	for (run = 1; run <= 20; run++) {
		ASSERT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
		EXPECT_EQ(8 * run, self->mem[0]);
		EXPECT_EQ(100, self->mem[33]);
	}
	EXPECT_EQ(20, stream_completed(&self->s));
	EXPECT_EQ(0, graph_destroy(&self->g));
	EXPECT_EQ(-ENOENT, graph_destroy(&self->g));
	EXPECT_EQ(-ENOENT, stream_do(&self->s, task_graph(&self->g)));
}

/* Each stream of the graph waits for tasks of the other, in each run anew. */
TEST_F(graph, waits_hold_for_the_run)
{
	const struct vnpu_task first[] = {
		task_sum(AT(0), AT(1)),		/* odd */
		task_wait_in(1, 1),
		task_sum(AT(0), AT(1)),		/* even */
		task_wait_in(1, 3),
	}, second[] = {
		task_wait_in(0, 0),
		task_copy(AT(2), AT(0), 8),
		task_wait_in(0, 2),
		task_copy(AT(3), AT(0), 8),
	};
	const struct vnpu_graph_stream streams[] = { LANE(first), LANE(second) };
	__u64 run, value;

	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams, 2));
	EXPECT_EQ(4, self->g.step);
	for (run = 1; run <= 100; run++) {
		if (run < 50) {
			stream_put(&self->s, task_graph(&self->g));
			continue;
		}
		ASSERT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
		EXPECT_EQ(2 * run, self->mem[0]);
		EXPECT_EQ(2 * run - 1, self->mem[2]);
		EXPECT_EQ(2 * run, self->mem[3]);
	}
	/* The numbers of its tasks are as documented. */
	ASSERT_EQ(0, timeline_value(&self->c, self->g.timeline + 1, &value));
	EXPECT_EQ(100 * self->g.step + 4, value);
	EXPECT_EQ(0, self->s.ring->errors);
}

TEST_F(graph, ten_thousand_tasks_are_one)
{
	enum { LANES = 4, EACH = 2500 };
	struct vnpu_graph_stream streams[LANES];
	struct vnpu_task *tasks = calloc(LANES * EACH, sizeof(*tasks));
	int i;

	ASSERT_NE(NULL, tasks);
	for (i = 0; i < LANES * EACH; i++)
		tasks[i] = task_sum(AT(8 * (1 + i / EACH)), AT(1));
	for (i = 0; i < LANES; i++)
		streams[i] = (struct vnpu_graph_stream){
			.tasks = addr(&tasks[i * EACH]), .count = EACH,
		};
	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams, LANES));
	free(tasks);
	ASSERT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
	EXPECT_EQ(1, stream_completed(&self->s));
	for (i = 1; i <= LANES; i++)
		EXPECT_EQ(EACH, self->mem[8 * i]);
}

TEST_F(graph, streams_may_be_many_or_empty)
{
	struct vnpu_graph_stream streams[VNPU_GRAPH_STREAMS_MAX] = {};
	const struct vnpu_task task = task_sum(AT(0), AT(1));
	struct vnpu_graph_query q;
	__u32 i;

	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams, 1));
	EXPECT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
	EXPECT_EQ(0, graph_destroy(&self->g));
	for (i = 0; i < ARRAY_SIZE(streams); i += 2) {
		streams[i].tasks = addr(&task);
		streams[i].count = 1;
	}
	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams,
				  ARRAY_SIZE(streams)));
	EXPECT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
	EXPECT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
	ASSERT_EQ(0, graph_query(&self->g, 0, 0, &q));
	EXPECT_EQ(ARRAY_SIZE(streams), q.out_streams);
	EXPECT_EQ(ARRAY_SIZE(streams) / 2, q.out_tasks);
	EXPECT_EQ(2, q.out_runs);
	EXPECT_EQ(0, q.out_failures);
}

/* Two copies and a sum are not atomic: runs that overlap would lose some. */
TEST_F(graph, launches_in_two_streams_take_turns)
{
	const struct vnpu_task first[] = {
		task_copy(AT(2), AT(0), 8),
		task_wait_in(1, 1),
		task_copy(AT(0), AT(2), 8),
	}, second[] = {
		task_wait_in(0, 0),
		task_sum(AT(2), AT(1)),
	};
	const struct vnpu_graph_stream streams[] = { LANE(first), LANE(second) };
	int i;

	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams, 2));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, stream_run(&self->s, task_graph(&self->g)));
		ASSERT_EQ(0, stream_run(&self->other, task_graph(&self->g)));
	}
	EXPECT_EQ(0, stream_wait(&self->s, 30000));
	EXPECT_EQ(0, stream_wait(&self->other, 30000));
	EXPECT_EQ(200, self->mem[0]);
}

TEST_F(graph, values_are_relative_to_the_launch)
{
	const struct vnpu_task tasks[] = {
		{ .op = VNPU_TASK_WAIT, .flags = VNPU_TASK_F_RELATIVE,
		  .src = self->id, .arg0 = 1 },
		{ .op = VNPU_TASK_SIGNAL, .flags = VNPU_TASK_F_RELATIVE,
		  .dst = self->id, .arg0 = 2 },
		{ .op = VNPU_TASK_BASE, .mode = VNPU_BASE_ADD, .arg0 = 1 },
		{ .op = VNPU_TASK_SIGNAL, .flags = VNPU_TASK_F_RELATIVE,
		  .dst = self->id, .arg0 = 2 },
	};
	struct vnpu_task launch;
	__u64 value;

	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, tasks,
				      ARRAY_SIZE(tasks)));
	launch = task_graph(&self->g);
	launch.arg0 = 5;
	ASSERT_EQ(0, stream_run(&self->s, (struct vnpu_task){
		.op = VNPU_TASK_BASE, .arg0 = 10 }));
	ASSERT_EQ(0, stream_run(&self->s, launch));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 16, 0));
	EXPECT_EQ(0, stream_wait(&self->s, 10000));
	ASSERT_EQ(0, timeline_value(&self->c, self->id, &value));
	EXPECT_EQ(18, value);
	/* The base of the stream itself is the same as before. */
	launch.arg0 = ~0ULL - 9;
	EXPECT_EQ(-EOVERFLOW, stream_do(&self->s, launch));
	launch.arg0 = 6;
	EXPECT_EQ(0, stream_do(&self->s, launch));
}

/* Also if the streams have as many tasks as their numbers have room for. */
TEST_F(graph, each_run_has_its_own_base)
{
	const struct vnpu_task signal = {
		.op = VNPU_TASK_SIGNAL, .flags = VNPU_TASK_F_RELATIVE,
		.dst = self->id, .arg0 = 1,
	};
	const struct vnpu_task tasks[] = {
		signal, { .op = VNPU_TASK_BASE, .mode = VNPU_BASE_ADD,
			  .arg0 = 100 }, NOP, NOP,
	};
	__u64 value, base = 0;
	__u32 count;

	for (count = 1; count <= ARRAY_SIZE(tasks); count++) {
		__u32 run;

		ASSERT_EQ(0, graph_create_one(&self->g, &self->c, tasks,
					      count));
		for (run = 0; run < 3; run++) {
			struct vnpu_task launch = task_graph(&self->g);

			base += 1000;
			launch.arg0 = base;
			ASSERT_EQ(0, stream_do(&self->s, launch));
			ASSERT_EQ(0, timeline_value(&self->c, self->id,
						    &value));
			EXPECT_EQ(base + 1, value);
		}
		ASSERT_EQ(0, graph_destroy(&self->g));
	}
}

TEST_F(graph, failures_name_the_task)
{
	const struct vnpu_task first[] = { NOP, NOP }, second[] = {
		task_wait_in(0, 1),
		task_fill(self->bad, 8, 0, 8),
		task_write(self->bad + 4096, 1),
		task_sum(AT(0), AT(1)),
	};
	const struct vnpu_graph_stream streams[] = { LANE(first), LANE(second) };
	const struct vnpu_task_failure *record;
	struct vnpu_graph_query q;
	__u64 i;

	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams, 2));
	for (i = 1; i <= VNPU_GRAPH_FAILURES + 2; i++) {
		ASSERT_EQ(-EFAULT, stream_do(&self->s, task_graph(&self->g)));
		/* The other tasks run nevertheless. */
		EXPECT_EQ(i, self->mem[0]);
	}
	record = stream_failure(&self->s, stream_failures(&self->s));
	EXPECT_EQ(i - 1, record->seq);
	EXPECT_EQ(EFAULT, record->error);
	EXPECT_EQ(self->bad, record->addr);
	EXPECT_EQ(VNPU_TASK_GRAPH | self->g.id << 8, record->op);
	ASSERT_EQ(0, graph_query(&self->g, 0, 0, &q));
	EXPECT_EQ(i - 1, q.out_failures);
	EXPECT_EQ(i - 1, q.out_seq);
	ASSERT_EQ(0, graph_query(&self->g, self->s.id, 3, &q));
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(VNPU_TASK_FILL, q.out_error_op);
	EXPECT_EQ(1, q.out_error_stream);
	EXPECT_EQ(1, q.out_error_index);
	EXPECT_EQ(self->bad, q.out_error_addr);
	EXPECT_EQ(self->s.id, q.out_stream);
	EXPECT_EQ(3, q.out_seq);
	/* The graph has forgotten this one, and that one was none. */
	ASSERT_EQ(0, graph_query(&self->g, self->s.id, 2, &q));
	EXPECT_EQ(0, q.out_error);
	ASSERT_EQ(0, graph_query(&self->g, self->other.id, 3, &q));
	EXPECT_EQ(0, q.out_error);
}

/* The first failure cancels the rest of the run, then the stream stops. */
TEST_F(graph, stops_with_its_stream)
{
	const struct vnpu_task first[] = {
		task_fill(self->bad, 8, 0, 8),
		task_sum(AT(0), AT(1)),
	}, second[] = {
		task_wait_in(0, 0),
		task_sum(AT(0), AT(1)),
	}, third[] = {
		task_wait(self->id, 1),
		task_sum(AT(0), AT(1)),
	};
	const struct vnpu_graph_stream streams[] = {
		LANE(first), LANE(second), LANE(third),
	};
	struct vnpu_context_query q;
	struct stream s;
	__u32 context;

	ASSERT_EQ(0, context_create(&self->c, 0, &context));
	ASSERT_EQ(0, stream_create_only(&s, &self->c, 0, 0, context,
					VNPU_STREAM_F_STOP));
	ASSERT_EQ(0, stream_map(&s));
	ASSERT_EQ(0, graph_create_in(&self->g, &self->c, 0, context, streams,
				     3));
	stream_put(&s, task_graph(&self->g));
	ASSERT_EQ(-ECANCELED, stream_do(&s, NOP));
	EXPECT_EQ(1, s.ring->errors);
	EXPECT_EQ(EFAULT, s.ring->error);
	EXPECT_EQ(0, self->mem[0]);
	/* The context names the task in the graph. */
	ASSERT_EQ(0, context_query(&self->c, context, &q));
	EXPECT_EQ(self->g.timeline, q.out_error_stream);
	EXPECT_EQ(self->g.step + 1, q.out_error_seq);
	EXPECT_EQ(VNPU_TASK_FILL, q.out_error_op);
	ASSERT_EQ(0, stream_abort(&s, NULL));
	ASSERT_EQ(0, graph_update(&self->g, 0, 0, &NOP, 1));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 1, 0));
	EXPECT_EQ(0, stream_do(&s, task_graph(&self->g)));
	EXPECT_EQ(3, self->mem[0]);
	stream_destroy(&s);
}

/* Also streams that begin after the failure: tasks behind it never run. */
TEST_F(graph, a_failure_stops_streams_that_begin_later)
{
	enum { STREAMS = 100, RUNS = 50 };
	const struct vnpu_task first[] = { task_fill(self->bad, 8, 0, 8) };
	const struct vnpu_task other[] = {
		task_wait_in(0, 0),
		task_sum(AT(0), AT(1)),
	};
	struct vnpu_graph_stream streams[STREAMS] = { LANE(first) };
	int i;

	for (i = 1; i < STREAMS; i++)
		streams[i] = (struct vnpu_graph_stream)LANE(other);
	ASSERT_EQ(0, graph_create(&self->g, &self->c, streams, STREAMS));
	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	for (i = 0; i < RUNS; i++) {
		EXPECT_EQ(-EFAULT, stream_do(&self->s, task_graph(&self->g)));
		ASSERT_EQ(0, stream_abort(&self->s, NULL));
	}
	EXPECT_EQ(0, self->mem[0]);
}

/* Return the error of a graph with this task behind another. */
static int refusal(const struct client *c, struct vnpu_task task)
{
	const struct vnpu_task first[1] = {}, second[] = { NOP, task };
	const struct vnpu_graph_stream streams[] = { LANE(first), LANE(second) };
	struct vnpu_graph_create a = {
		.size = sizeof(a), .streams = addr(streams), .count = 2,
	};
	int ret = call(c->fd, VNPU_IOCTL_GRAPH_CREATE, &a);

	if (ret && (a.out_stream != 1 || a.out_task != 2))
		return -EBADMSG;
	return ret;
}

TEST_F(graph, tasks_are_checked)
{
	const struct client *c = &self->c;
	struct vnpu_task t;

	EXPECT_EQ(0, refusal(c, NOP));
	EXPECT_EQ(-EINVAL, refusal(c, (struct vnpu_task){ .op = 255 }));
	EXPECT_EQ(0, refusal(c, task_graph_update(&self->g, 0, 0, 0, 0)));
	EXPECT_EQ(-EINVAL, refusal(c, task_graph_update(&self->g, 0, 0, 1, 0)));
	EXPECT_EQ(0, refusal(c, task_graph_cond(&self->g, VNPU_GRAPH_IF,
						VNPU_COND_NOT_LESS, 8, 9)));
	EXPECT_EQ(-EINVAL, refusal(c, task_graph_cond(&self->g, VNPU_GRAPH_IF,
						      7, 8, 9)));
	EXPECT_EQ(-EINVAL, refusal(c, task_graph_cond(&self->g, VNPU_GRAPH_IF,
						      0, 4, 9)));
	EXPECT_EQ(-EINVAL, refusal(c, task_graph_cond(&self->g, 3, 0, 8, 9)));
	EXPECT_EQ(-EINVAL, refusal(c, task_graph_cond(&self->g, 0, 1, 8, 9)));
	EXPECT_EQ(-EOPNOTSUPP, refusal(c, task_graph_cond(&self->g, 0, 0, 8,
							  0)));
	EXPECT_EQ(-EOPNOTSUPP, refusal(c, task_graph_cond(&self->g, 0, 0, 0,
							  1)));
	EXPECT_EQ(-EOPNOTSUPP, refusal(c, (struct vnpu_task){ .arg3 = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, refusal(c, (struct vnpu_task){ .flags = 4 }));
	EXPECT_EQ(-EOVERFLOW, refusal(c, task_copy(~0ULL, 0, 2)));
	EXPECT_EQ(-EINVAL, refusal(c, task_fill(AT(0), 7, 0, 8)));
	EXPECT_EQ(-EINVAL, refusal(c, (struct vnpu_task){
		.op = VNPU_TASK_BASE, .mode = 2 }));
	EXPECT_EQ(-EINVAL, refusal(c, (struct vnpu_task){
		.op = VNPU_TASK_LAUNCH }));

	EXPECT_EQ(0, refusal(c, task_wait_in(0, 0)));
	EXPECT_EQ(0, refusal(c, task_wait_in(1, 0)));
	EXPECT_EQ(-EINVAL, refusal(c, task_wait_in(0, 1)));
	EXPECT_EQ(-EINVAL, refusal(c, task_wait_in(1, 1)));
	EXPECT_EQ(-EINVAL, refusal(c, task_wait_in(1, 2)));
	EXPECT_EQ(-EINVAL, refusal(c, task_wait_in(2, 0)));
	t = task_wait_in(0, 0);
	t.flags |= VNPU_TASK_F_RELATIVE;
	EXPECT_EQ(-EOPNOTSUPP, refusal(c, t));
	t.op = VNPU_TASK_SIGNAL;
	EXPECT_EQ(-EOPNOTSUPP, refusal(c, t));
	/* Outside of a graph there is nothing to wait for. */
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->s, task_wait_in(0, 0)));
}

TEST_F(graph, arguments_are_checked)
{
	struct vnpu_task spread[3] = {};
	struct vnpu_graph_stream streams[2] = {
		{ .tasks = addr(spread), .count = 2, .stride = 72 },
	};
	struct vnpu_graph_create a = {
		.size = sizeof(a), .streams = addr(streams), .count = 1,
	}, good = a;
	int fd = self->c.fd;

#define REFUSED(error, field, value) \
	({ a = good; a.field = value; \
	   EXPECT_EQ(-(error), call(fd, VNPU_IOCTL_GRAPH_CREATE, &a)); })

	REFUSED(EINVAL, count, 0);
	REFUSED(EINVAL, count, VNPU_GRAPH_STREAMS_MAX + 1);
	REFUSED(EINVAL, stride, 8);
	REFUSED(EINVAL, stride, 20);
	REFUSED(EFAULT, streams, 0);
	REFUSED(ENODEV, device, VNPU_MAX_DEVICES);
	REFUSED(ENOENT, context, 77);
	REFUSED(EOPNOTSUPP, flags, 1);
	REFUSED(EOPNOTSUPP, __reserved, 1);
	a = good;
	EXPECT_EQ(0, call(fd, VNPU_IOCTL_GRAPH_CREATE, &a));
	streams[0].stride = 60;
	REFUSED(EINVAL, count, 1);
	streams[0].stride = 68;
	REFUSED(EINVAL, count, 1);
	streams[0].stride = 0;
	streams[0].tasks = 8;
	REFUSED(EFAULT, count, 1);
	streams[0].tasks = ~0ULL - 63;
	REFUSED(EFAULT, count, 1);
	streams[0].count = VNPU_GRAPH_TASKS_MAX;
	streams[1].count = 1;
	REFUSED(EINVAL, count, 2);
	streams[0].count = streams[1].count = ~0U;
	REFUSED(EINVAL, count, 2);
}

TEST_F(graph, streams_belong_to_its_context)
{
	struct stream s;
	__u32 context;

	ASSERT_EQ(0, context_create(&self->c, 0, &context));
	ASSERT_EQ(0, stream_create_only(&s, &self->c, 0, 0, context, 0));
	ASSERT_EQ(0, stream_map(&s));
	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, &NOP, 1));
	EXPECT_EQ(0, stream_do(&self->s, task_graph(&self->g)));
	EXPECT_EQ(-EINVAL, stream_do(&s, task_graph(&self->g)));
	EXPECT_EQ(0, graph_destroy(&self->g));
	ASSERT_EQ(0, graph_create_in(&self->g, &self->c, 0, context,
				     &(struct vnpu_graph_stream){
					.tasks = addr(&NOP), .count = 1 }, 1));
	EXPECT_EQ(-EINVAL, stream_do(&self->s, task_graph(&self->g)));
	EXPECT_EQ(0, stream_do(&s, task_graph(&self->g)));
	stream_destroy(&s);
}

/* Its timelines can be waited for; calls on streams do not find them. */
TEST_F(graph, ids_of_its_streams_are_timelines)
{
	const struct vnpu_task task = task_wait(self->id, 1);
	struct vnpu_stream_query q;
	struct stream lane;

	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, &task, 1));
	lane = (struct stream){ .c = &self->c, .id = self->g.timeline };
	EXPECT_EQ(-ENOENT, stream_destroy(&lane));
	EXPECT_EQ(-ENOENT, stream_abort(&lane, NULL));
	EXPECT_EQ(-ENOENT, stream_doorbell(&lane));
	EXPECT_EQ(-ENOENT, stream_query(&lane, &q));
	EXPECT_EQ(-EINVAL, timeline_destroy(&self->c, lane.id));
	ASSERT_EQ(0, stream_run(&self->s, task_graph(&self->g)));
	EXPECT_EQ(-ETIMEDOUT, wait_point(&self->c, lane.id, 2, in_ms(50)));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, self->s.id, self->s.last));
	/* A task of another stream may wait for it, but stands for no fence. */
	ASSERT_EQ(0, stream_run(&self->other, task_wait(lane.id, 2)));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, self->other.id,
				      self->other.last));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 1, 0));
	EXPECT_EQ(0, stream_wait(&self->other, 10000));
	EXPECT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(0, wait_point(&self->c, lane.id, 2, in_ms(10000)));
	EXPECT_EQ(0, graph_destroy(&self->g));
	EXPECT_EQ(0, wait_point(&self->c, lane.id, 99, in_ms(10000)));
}

TEST_HARNESS_MAIN
