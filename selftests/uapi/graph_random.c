// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random graphs: the memory that their runs leave is compared with an
 * interpreter that runs the tasks sequentially, in the order in which they were
 * drawn.
 *
 * If a task uses memory that a task of another stream of the graph uses as well,
 * and one of them writes it, the later one waits for the earlier. Each order that
 * the streams may take has the same result. VNPU_SEED= and GRAPHS= repeat and
 * extend.
 */
#include "kselftest_harness.h"

#include "graph.h"
#include "stream_draw.h"
#include "stream_model.h"
#include "util.h"

#define LANES		6
#define CELLS		48
#define MEMORY		(CELL * CELLS)
#define TASKS		60	/* of a graph, without its waits */
#define ROOM		1024	/* with them */
#define RUNS		4
#define GRAPHS		150
#define LIMIT_S		20

/* A task in the order of the interpreter. */
struct place {
	__u32 lane;
	__u32 index;
};

FIXTURE(graph_random)
{
	struct client c;
	struct stream s[2];
	__u8 shadow[MEMORY];
	struct model m;
	struct draw draw;
	/* the graph */
	struct vnpu_task tasks[LANES][ROOM];
	__u32 count[LANES];
	struct place order[TASKS];
	/* for each cell and lane: the position, from 1 on, of its last use */
	__u32 read[CELLS][LANES];
	__u32 written[CELLS][LANES];
	__u32 reached[LANES][LANES];	/* has waited for that position */
};

#define T	FIXTURE_DATA(graph_random)

FIXTURE_SETUP(graph_random)
{
	self->draw.rng = rng_init();
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MEMORY, self->c.base));
	memset(ptr(self->c.base), 0, MEMORY);
	self->draw.base = self->c.base;
	self->draw.size = MEMORY;
	self->draw.ranges = 1;
	self->m = (struct model){ self->c.base, self->shadow, MEMORY };
	ASSERT_EQ(0, stream_create(&self->s[0], &self->c, 0));
	ASSERT_EQ(0, stream_create(&self->s[1], &self->c, 0));
}

FIXTURE_TEARDOWN(graph_random)
{
	client_close(&self->c);
}

static void await(T *t, __u32 lane, __u32 other, __u32 position)
{
	if (lane == other || t->reached[lane][other] >= position)
		return;
	t->reached[lane][other] = position;
	t->tasks[lane][t->count[lane]++] = task_wait_in(other, position - 1);
}

/* Let a lane wait until it may use the memory, or record that it uses it. */
static void use(T *t, __u32 lane, __u64 va, __u64 length, bool write, bool done)
{
	__u64 at = va - t->c.base, cell;
	__u32 i;

	for (cell = at / CELL; length && cell <= (at + length - 1) / CELL;
	     cell++) {
		__u32 *last = write ? t->written[cell] : t->read[cell];

		if (done)
			last[lane] = t->count[lane];
		for (i = 0; i < LANES && !done; i++) {
			await(t, lane, i, t->written[cell][i]);
			if (write)
				await(t, lane, i, t->read[cell][i]);
		}
	}
}

static void use_all(T *t, __u32 lane, const struct vnpu_task *task, bool done)
{
	use(t, lane, task->dst, span(task, true), true, done);
	if (task->src)
		use(t, lane, task->src, span(task, false), false, done);
}

static void draw_graph(T *t)
{
	__u32 i;

	memset(t->count, 0, sizeof(t->count));
	memset(t->read, 0, sizeof(t->read));
	memset(t->written, 0, sizeof(t->written));
	memset(t->reached, 0, sizeof(t->reached));
	for (i = 0; i < TASKS; i++) {
		struct vnpu_task task = draw_task(&t->draw);
		__u32 lane = rng_below(&t->draw.rng, LANES);

		use_all(t, lane, &task, false);
		t->order[i] = (struct place){ lane, t->count[lane] };
		t->tasks[lane][t->count[lane]++] = task;
		use_all(t, lane, &task, true);
	}
}

static int create_graph(T *t, struct graph *g)
{
	struct vnpu_graph_stream streams[LANES];
	__u32 i;

	for (i = 0; i < LANES; i++)
		streams[i] = (struct vnpu_graph_stream){
			.tasks = addr(t->tasks[i]), .count = t->count[i],
		};
	return graph_create(g, &t->c, streams, LANES);
}

/* Replace the values that some tasks write. */
static int update_graph(T *t, const struct graph *g)
{
	__u32 i;
	int ret = 0;

	for (i = 0; i < TASKS && !ret; i++) {
		const struct place *p = &t->order[i];
		struct vnpu_task *task = &t->tasks[p->lane][p->index];

		if (task->op != VNPU_TASK_FILL &&
		    task->op != VNPU_TASK_VALUE_WRITE)
			continue;
		task->arg0 = rng_next(&t->draw.rng) >> (64 - 8 * task->mode);
		ret = graph_update(g, p->lane, p->index, task, 1);
	}
	return ret;
}

/* Run the graph in both streams, which take turns. */
static int run_graph(T *t, const struct graph *g)
{
	__u32 i, k, runs = 1 + rng_below(&t->draw.rng, RUNS);
	int ret = 0;

	for (i = 0; i < runs && !ret; i++) {
		struct stream *s = &t->s[rng_below(&t->draw.rng, 2)];

		ret = stream_run(s, task_graph(g));
		for (k = 0; k < TASKS; k++)
			model_run(&t->m, &t->tasks[t->order[k].lane]
						  [t->order[k].index]);
	}
	for (i = 0; i < 2 && !ret; i++)
		ret = stream_wait(&t->s[i], 30000) ?:
		      -(int)t->s[i].ring->error;
	return ret;
}

static bool has_result(T *t)
{
	return !memcmp(ptr(t->c.base), t->shadow, MEMORY);
}

TEST_F(graph_random, results_are_those_of_the_model)
{
	__u64 graphs = env_u64("GRAPHS", GRAPHS), i;
	__u64 end = now_ms() + LIMIT_S * 1000;
	struct graph g;

	for (i = 0; i < graphs && now_ms() < end; i++) {
		draw_graph(self);
		ASSERT_EQ(0, create_graph(self, &g));
		ASSERT_EQ(0, run_graph(self, &g));
		ASSERT_TRUE(has_result(self)) TH_LOG("graph %llu", i);
		ASSERT_EQ(0, update_graph(self, &g));
		ASSERT_EQ(0, run_graph(self, &g));
		ASSERT_TRUE(has_result(self)) TH_LOG("update %llu", i);
		ASSERT_EQ(0, graph_destroy(&g));
	}
}

TEST_HARNESS_MAIN
