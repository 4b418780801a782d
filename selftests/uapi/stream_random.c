// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs for several streams and devices, and what they leave in
 * memory, against an interpreter that runs their tasks one after the other.
 *
 * A program is drawn task by task. Before a task that needs what another
 * stream has done, or has to be done with, it is drawn how the one waits for
 * the other; so each order that the streams may find has the same result.
 * VNPU_SEED= and PROGRAMS= repeat and extend.
 *
 * The check has four machines, two kernels with one and four devices, which
 * together run 10,000 programs if they find the time.
 */
#include "kselftest_harness.h"

#include "stream.h"
#include "stream_draw.h"
#include "stream_model.h"
#include "util.h"

#define STREAMS		8
#define DEVICES		4
#define CELLS		32		/* of each device */
#define SPAN		(CELL * CELLS)
/* Behind the cells: what streams tell each other by values in memory. */
#define FLAGS		(DEVICES * SPAN)
#define TASKS		40		/* of a program, without waits */
#define PROGRAMS	2500
#define LIMIT_S		60

/* Who uses a cell: 0 or the number of the last task of each stream. */
struct use {
	__u64 read[STREAMS];
	__u64 written[STREAMS];
};

FIXTURE(stream_random)
{
	struct client c;
	struct stream s[STREAMS];
	__u64 timeline[STREAMS];	/* signalled by that stream only */
	__u64 signalled[STREAMS];
	__u64 flag[STREAMS];
	__u64 reached[STREAMS][STREAMS];	/* has waited for that task */
	struct use use[DEVICES * CELLS];
	__u8 shadow[FLAGS];
	struct model m;
	struct draw draw;
	__u32 devices;
};

#define T	FIXTURE_DATA(stream_random)

FIXTURE_SETUP(stream_random)
{
	__u32 i;

	self->draw.rng = rng_init();
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->devices = device_count(&self->c);
	if (self->devices > DEVICES)
		self->devices = DEVICES;
	self->draw.base = self->c.base;
	self->draw.size = SPAN;
	self->draw.ranges = DEVICES;
	self->m.base = self->c.base;
	self->m.mem = self->shadow;
	for (i = 0; i < DEVICES; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, i % self->devices,
					  VNPU_MEM_F_HOST_ACCESS, 0, SPAN,
					  self->c.base + i * SPAN));
	}
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  PAGE, self->c.base + FLAGS));
	memset(ptr(self->c.base), 0, FLAGS + PAGE);
	for (i = 0; i < STREAMS; i++) {
		ASSERT_EQ(0, stream_create_only(&self->s[i], &self->c,
						i % self->devices, i, 0, 0));
		ASSERT_EQ(0, stream_map(&self->s[i]));
		ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0,
					     &self->timeline[i]));
	}
}

FIXTURE_TEARDOWN(stream_random)
{
	client_close(&self->c);
}

/* Let stream @who wait for what stream @whom has been given up to @number. */
static void await(T *t, __u32 who, __u32 whom, __u64 number)
{
	__u64 flag = t->c.base + FLAGS + 8 * whom;

	if (who == whom || t->reached[who][whom] >= number)
		return;
	t->reached[who][whom] = number;
	switch (rng_below(&t->draw.rng, 4)) {
	case 0:
		stream_put(&t->s[whom], task_signal(t->timeline[whom],
						    ++t->signalled[whom],
						    VNPU_SIGNAL_ADVANCE));
		stream_put(&t->s[who], task_wait(t->timeline[whom],
						 t->signalled[whom]));
		break;
	case 1:
		stream_put(&t->s[whom], (struct vnpu_task){
			.op = VNPU_TASK_VALUE_WRITE, .mode = 8, .dst = flag,
			.arg0 = ++t->flag[whom] });
		stream_put(&t->s[who], (struct vnpu_task){
			.op = VNPU_TASK_VALUE_WAIT, .src = flag,
			.mode = VNPU_COND_GEQ, .arg0 = t->flag[whom] });
		break;
	default:
		stream_put(&t->s[who], task_wait(t->s[whom].id, number));
	}
}

/* @length bytes are going to be read or written by stream @who. */
static void claim(T *t, __u32 who, __u64 va, __u64 length, bool write)
{
	__u64 at = va - t->c.base, cell, i;

	for (cell = at / CELL; cell <= (at + length - 1) / CELL; cell++) {
		struct use *use = &t->use[cell];

		for (i = 0; i < STREAMS; i++) {
			await(t, who, i, use->written[i]);
			if (write)
				await(t, who, i, use->read[i]);
		}
	}
}

static void use(T *t, __u32 who, __u64 va, __u64 length, bool write)
{
	__u64 at = va - t->c.base, cell;

	for (cell = at / CELL; cell <= (at + length - 1) / CELL; cell++) {
		if (write)
			t->use[cell].written[who] = t->s[who].last;
		else
			t->use[cell].read[who] = t->s[who].last;
	}
}

static void put_task(T *t)
{
	struct vnpu_task task = draw_task(&t->draw);
	__u32 who = rng_below(&t->draw.rng, STREAMS);

	if (task.src)
		claim(t, who, task.src, span(&task, false), false);
	claim(t, who, task.dst, span(&task, true), true);
	stream_put(&t->s[who], task);
	if (task.src)
		use(t, who, task.src, span(&task, false), false);
	use(t, who, task.dst, span(&task, true), true);
	model_run(&t->m, &task);
}

/* Streams are given their tasks at different times, and some in parts. */
static int run_program(T *t)
{
	__u32 i, k;

	for (i = 0; i < TASKS; i++) {
		put_task(t);
		k = rng_below(&t->draw.rng, 2 * STREAMS);
		if (k < STREAMS && stream_submit(&t->s[k]))
			return -EIO;
	}
	for (i = 0; i < STREAMS; i++)
		if (stream_submit(&t->s[i]))
			return -EIO;
	for (i = 0; i < STREAMS; i++) {
		if (stream_wait(&t->s[i], 60000))
			return -ETIMEDOUT;
		if (t->s[i].ring->errors)
			return -(int)t->s[i].ring->error;
	}
	return memcmp(ptr(t->c.base), t->shadow, FLAGS) ? -EILSEQ : 0;
}

TEST_F_TIMEOUT(stream_random, programs_do_what_they_say, 4 * LIMIT_S)
{
	__u64 programs = env_u64("PROGRAMS", PROGRAMS), i;
	__u64 end = now_ns() + LIMIT_S * 1000000000ULL;

	for (i = 0; i < programs && now_ns() < end; i++) {
		ASSERT_EQ(0, run_program(self))
			TH_LOG("program %llu", (unsigned long long)i);
	}
	TH_LOG("%llu programs on %u devices", (unsigned long long)i,
	       self->devices);
	EXPECT_LT(0, i);
}

TEST_HARNESS_MAIN
