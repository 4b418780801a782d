// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of graphs that end early: by abort, time limit, the end of the stream,
 * the client or the device, and launches of kernels in graphs.
 */
#include "engine.h"
#include "graph.h"
#include "hotplug.h"

#include <pthread.h>

#define NOP	((struct vnpu_task){})
#define STORM_S	2

/* The fixture of a client with an engine file is that of all tests here. */
#define AT(i)	(self->va + 8 * (i))

/* How many more streams the client can make. */
static __u32 streams_left(const struct client *c)
{
	struct vnpu_limits_query q = { .size = sizeof(q) };

	return call(c->fd, VNPU_IOCTL_LIMITS_QUERY, &q) ? 0 : q.out_streams;
}

/*
 * Make a graph whose streams wait: one for a timeline, which is 0, one for a
 * value in memory, and one for the first. Each then adds 1 to a number.
 */
static int graph_that_waits(struct graph *g, const struct client *c, __u64 id,
			    __u32 device)
{
	const __u64 va = c->base;
	const struct vnpu_task first[] = {
		task_wait(id, 1), task_sum(va + 8 * 16, va + 8 * 15),
	}, second[] = {
		{ .op = VNPU_TASK_VALUE_WAIT, .mode = VNPU_COND_EQ,
		  .src = va + 8 * 14, .arg0 = 1 },
		task_sum(va + 8 * 17, va + 8 * 15),
	}, third[] = {
		task_wait_in(0, 1), task_sum(va + 8 * 18, va + 8 * 15),
	};
	const struct vnpu_graph_stream streams[] = {
		LANE(first), LANE(second), LANE(third),
	};
	__u64 *mem = ptr(va);

	mem[15] = 1;
	return graph_create_in(g, c, device, 0, streams, 3);
}

/* Submit it, and wait until it has begun. */
static int begin_waiting(struct stream *s, const struct graph *g)
{
	struct vnpu_graph_query q = {};
	int ret = stream_run(s, task_graph(g));

	while (!ret && !q.out_runs)
		ret = graph_query(g, 0, 0, &q) ?: usleep(1000);
	return ret;
}

/* Let it finish. */
static int release(const struct client *c, __u64 id)
{
	((volatile __u64 *)ptr(c->base))[14] = 1;
	return timeline_signal(c, id, 1, VNPU_SIGNAL_ADVANCE);
}

TEST_F(engine, abort_ends_a_run)
{
	volatile __u64 *mem = ptr(self->va);
	struct graph g;
	__u64 id, last;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, graph_that_waits(&g, &self->c, id, 0));
	ASSERT_EQ(0, begin_waiting(&self->s, &g));
	EXPECT_EQ(-EBUSY, graph_destroy(&g));
	ASSERT_EQ(0, stream_abort(&self->s, &last));
	EXPECT_EQ(1, last);
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(1, self->s.ring->cancelled);
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, mem[16] | mem[17] | mem[18]);
	/* The next run is whole. */
	ASSERT_EQ(0, release(&self->c, id));
	EXPECT_EQ(0, stream_do(&self->s, task_graph(&g)));
	EXPECT_EQ(1, mem[16] & mem[17] & mem[18]);
	EXPECT_EQ(0, graph_destroy(&g));
}

TEST_F(engine, time_limit_ends_a_run)
{
	struct vnpu_task t;
	struct graph g;
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, graph_that_waits(&g, &self->c, id, 0));
	t = task_graph(&g);
	t.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, t));
	ASSERT_EQ(0, release(&self->c, id));
	t.timeout_ms = 20000;
	EXPECT_EQ(0, stream_do(&self->s, t));
	EXPECT_EQ(0, graph_destroy(&g));
}

TEST_F(engine, the_next_launch_goes_on)
{
	struct stream s[3];
	struct graph g;
	__u64 id;
	int i;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, graph_that_waits(&g, &self->c, id, 0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
	ASSERT_EQ(0, begin_waiting(&s[0], &g));
	ASSERT_EQ(0, stream_run(&s[1], task_graph(&g)));
	ASSERT_EQ(-ETIMEDOUT, stream_wait(&s[1], 50));
	ASSERT_EQ(0, stream_run(&s[2], task_graph(&g)));
	ASSERT_EQ(-ETIMEDOUT, stream_wait(&s[2], 50));
	/* Of three launches end the one that waits first and the running one. */
	ASSERT_EQ(0, stream_abort(&s[1], NULL));
	ASSERT_EQ(0, stream_destroy(&s[0]));
	EXPECT_EQ(-EBUSY, graph_destroy(&g));
	ASSERT_EQ(0, release(&self->c, id));
	EXPECT_EQ(0, stream_wait(&s[2], 10000));
	EXPECT_EQ(0, s[2].ring->errors | s[2].ring->cancelled);
	EXPECT_EQ(0, graph_destroy(&g));
	stream_destroy(&s[1]);
	stream_destroy(&s[2]);
}

TEST_F(engine, long_graphs_end_soon)
{
	enum { TASKS = 200000 };
	struct vnpu_task *tasks = calloc(TASKS, sizeof(*tasks));
	struct graph g;
	__u64 id;

	ASSERT_NE(NULL, tasks);
	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	tasks[0] = task_wait(id, 1);
	ASSERT_EQ(0, graph_create_one(&g, &self->c, tasks, TASKS));
	free(tasks);
	ASSERT_EQ(0, begin_waiting(&self->s, &g));
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(0, graph_destroy(&g));
}

/* Make and run graphs until killed. */
static void run_until_killed(int ready)
{
	struct stream s[2] = {};
	struct client c;
	struct graph g;
	__u64 id;

	if (client_open_only(&c) ||
	    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE) ||
	    mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(1), c.base) ||
	    timeline_create(&c, 0, 0, 0, &id) || stream_create(&s[0], &c, 0) ||
	    stream_create(&s[1], &c, 0) || graph_that_waits(&g, &c, id, 0) ||
	    begin_waiting(&s[0], &g) || stream_run(&s[1], task_graph(&g)))
		_exit(1);
	baton_pass(ready);
	pause();
}

TEST_F(engine, death_of_the_client_frees_all)
{
	__u32 left = streams_left(&self->c);
	int pipes[2], i;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	for (i = 0; i < 3; i++) {
		pid = fork_bound();
		if (!pid)
			run_until_killed(pipes[1]);
		baton_take(pipes[0]);
		EXPECT_GT(left, streams_left(&self->c));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		EXPECT_EQ(256 + SIGKILL, child_wait(pid));
		EXPECT_EQ(left, streams_left(&self->c));
	}
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F(engine, streams_of_graphs_are_freed)
{
	__u32 left = streams_left(&self->c);
	struct graph g[4];
	__u64 id;
	int i;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, graph_that_waits(&g[i], &self->c, id, 0));
	EXPECT_GT(left, streams_left(&self->c));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, graph_destroy(&g[i]));
	EXPECT_EQ(left, streams_left(&self->c));
}

TEST_F(engine, a_reset_fails_the_running_task)
{
	const struct vnpu_task tasks[] = {
		NOP, task_fill(AT(64), KIB(64), 1, 1), task_write(AT(20), 7),
	};
	struct vnpu_graph_query q;
	struct graph g;

	ASSERT_EQ(0, graph_create_one(&g, &self->c, tasks, 3));
	ASSERT_EQ(0, hang_next(client_id(&self->c)));
	ASSERT_EQ(0, stream_run(&self->s, task_graph(&g)));
	ASSERT_EQ(0, fault_wait(0, VNPU_INJECT_KIND_ENGINE_HANG));
	ASSERT_EQ(0, device_reset(0));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(0, stream_wait(&self->s, 20000));
	EXPECT_EQ(ECONNRESET, self->s.ring->error);
	ASSERT_EQ(0, graph_query(&g, 0, 0, &q));
	EXPECT_EQ(ECONNRESET, q.out_error);
	EXPECT_EQ(0, q.out_error_stream);
	EXPECT_EQ(7, *(__u64 *)ptr(AT(20)));
	EXPECT_EQ(0, stream_do(&self->s, task_graph(&g)));
}

TEST_F(hotplug, a_removed_device_ends_its_runs)
{
	struct stream s, other;
	struct graph g;
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, stream_create(&s, &self->c, self->device));
	ASSERT_EQ(0, stream_create(&other, &self->c, self->device));
	ASSERT_EQ(0, graph_that_waits(&g, &self->c, id, self->device));
	ASSERT_EQ(0, begin_waiting(&s, &g));
	ASSERT_EQ(0, stream_run(&other, task_graph(&g)));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(0, stream_wait(&s, 20000));
	EXPECT_EQ(0, stream_wait(&other, 20000));
	EXPECT_EQ(ENODEV, s.ring->error);
	EXPECT_EQ(ENODEV, other.ring->error);
	EXPECT_EQ(0, graph_destroy(&g));
	stream_destroy(&s);
	stream_destroy(&other);
}

TEST_F(engine, kernels_run_in_graphs)
{
	const struct vnpu_task first[] = {
		add(&self->c), add(&self->c), add(&self->c),
	}, second[] = {
		task_wait_in(0, 2), task_copy(AT(600), self->va + PAGE, 64),
	};
	const struct vnpu_graph_stream streams[] = { LANE(first), LANE(second) };
	struct graph g;
	int i;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, graph_create(&g, &self->c, streams, 2));
	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, stream_do(&self->s, task_graph(&g)));
		EXPECT_EQ(3 * i, self->data[0]);
		EXPECT_EQ(3 * i, ((__u64 *)ptr(AT(600)))[7]);
	}
	/* The core gets the numbers of the stream of the graph. */
	EXPECT_EQ(g.timeline, self->k.report->streams[0]);
	EXPECT_EQ(g.step + 1, self->k.report->seqs[0]);
	EXPECT_EQ(60, core_launches(&self->k));
}

TEST_F(engine, an_abort_stops_the_kernel)
{
	const struct vnpu_task tasks[] = {
		task_launch(CORE_HANG, self->va, 16), add(&self->c),
	};
	struct graph g;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, graph_create_one(&g, &self->c, tasks, 2));
	ASSERT_EQ(0, stream_run(&self->s, task_graph(&g)));
	ASSERT_TRUE(core_wait_launches(&self->k, 1));
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->k.report->stops);
	EXPECT_EQ(1, self->s.ring->cancelled);
	/* Destroying the stream waits for the core as well. */
	ASSERT_EQ(0, stream_run(&self->s, task_graph(&g)));
	ASSERT_TRUE(core_wait_launches(&self->k, 2));
	ASSERT_EQ(0, stream_destroy(&self->s));
	EXPECT_EQ(2, self->k.report->stops);
	EXPECT_EQ(0, graph_destroy(&g));
	EXPECT_EQ(2, core_launches(&self->k));
}

struct storm {
	const struct client *c;
	__u64 id;
	uint64_t seed;
	int ret;
};

/* Make, run, abort, update and destroy at random. */
static void *storm_thread(void *arg)
{
	struct storm *t = arg;
	struct rng r = { .state = t->seed };
	__u64 end = now_ms() + STORM_S * 1000;
	struct graph g = {};
	struct stream s;

	t->ret = stream_create(&s, t->c, 0);
	while (!t->ret && now_ms() < end) {
		int ret = 0;

		switch (rng_below(&r, 6)) {
		case 0:
			if (g.id && !graph_destroy(&g))
				g.id = 0;
			if (!g.id)
				ret = graph_that_waits(&g, t->c, t->id, 0);
			break;
		case 1:
			ret = stream_abort(&s, NULL);
			break;
		case 2:
			if (g.id)
				ret = graph_update(&g, 0, 1, &NOP, 1);
			break;
		case 3:
			stream_destroy(&s);
			ret = stream_create(&s, t->c, 0);
			break;
		default:
			/* Also those of other threads, and none. */
			ret = stream_run(&s, (struct vnpu_task){
				.op = VNPU_TASK_GRAPH,
				.src = rng_below(&r, 5),
			});
		}
		t->ret = ret;
	}
	return NULL;
}

TEST_F(engine, storm)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	struct storm t[THREADS];
	struct rng r = rng_init();
	__u64 id;
	int i;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	for (i = 0; i < THREADS; i++) {
		t[i] = (struct storm){ &self->c, id, rng_next(&r) | 1, 0 };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, storm_thread,
					    &t[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, t[i].ret);
	}
}

TEST_HARNESS_MAIN
