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
#include "stream_model.h"
#include "util.h"

#define STREAMS		8
#define DEVICES		4
#define CELL		1024
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
	struct rng rng;
	__u32 devices;
};

#define T	FIXTURE_DATA(stream_random)

FIXTURE_SETUP(stream_random)
{
	__u32 i;

	self->rng = rng_init();
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->devices = device_count(&self->c);
	if (self->devices > DEVICES)
		self->devices = DEVICES;
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
	switch (rng_below(&t->rng, 4)) {
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

/* How many bytes of addresses a task reads, or writes. */
static __u64 span(const struct vnpu_task *task, bool write)
{
	switch (task->op) {
	case VNPU_TASK_COPY_2D:
		return (task->arg0 - 1) * (write ? task->arg1 : task->arg2) +
		       task->length;
	case VNPU_TASK_FILL_2D:
		return (task->arg1 - 1) * task->arg2 + task->length;
	case VNPU_TASK_VALUE_WRITE:
		return task->mode;
	case VNPU_TASK_REDUCE:
		return task->length * model_type_size(task->mode >> 8);
	case VNPU_TASK_RANDOM:
		return write ? model_random_bytes(task) : 16;
	default:
		return task->length;
	}
}

static __u64 somewhere(T *t, __u64 length, __u64 align)
{
	__u64 room = SPAN - length + 1;

	return t->c.base + rng_below(&t->rng, DEVICES) * SPAN +
	       rng_below(&t->rng, room) / align * align;
}

/* A task that writes values, or copies where ranges may overlap. */
static struct vnpu_task draw_plain(T *t)
{
	__u64 length = rng_below(&t->rng, 3 * CELL) + 1;
	__u16 bytes = 1 << rng_below(&t->rng, 4);
	__u64 rows = rng_below(&t->rng, 8) + 1;

	switch (rng_below(&t->rng, 4)) {
	case 0:
		return task_copy(somewhere(t, length, 1),
				 somewhere(t, length, 1), length);
	case 1:
		length = (length + 7) / 8 * 8;
		return task_fill(somewhere(t, length, 8), length,
				 rng_next(&t->rng) >> (64 - 8 * bytes), bytes);
	case 2:
		return (struct vnpu_task){
			.op = VNPU_TASK_FILL_2D, .mode = bytes,
			.dst = somewhere(t, rows * 256, 8),
			.length = (length % 256 / bytes + 1) * bytes,
			.arg0 = rng_next(&t->rng) >> (64 - 8 * bytes),
			.arg1 = rows, .arg2 = 256,
		};
	default:
		bytes = 4 << rng_below(&t->rng, 2);
		return (struct vnpu_task){
			.op = VNPU_TASK_VALUE_WRITE, .mode = bytes,
			.dst = somewhere(t, 8, 8),
			.arg0 = rng_next(&t->rng) >> (64 - 8 * bytes),
		};
	}
}

/* Two ranges of a task that do not overlap. */
static void place_apart(T *t, struct vnpu_task *task, __u64 length)
{
	do {
		task->dst = somewhere(t, length, 8);
		task->src = somewhere(t, length, 8);
	} while (task->dst < task->src + length &&
		 task->src < task->dst + length);
}

static struct vnpu_task draw_copy_2d(T *t)
{
	struct vnpu_task task = {
		.op = VNPU_TASK_COPY_2D,
		.length = rng_below(&t->rng, 200) + 1,
		.arg0 = rng_below(&t->rng, 8) + 1,
		.arg1 = 200 + rng_below(&t->rng, 50),
		.arg2 = 200 + rng_below(&t->rng, 50),
	};

	place_apart(t, &task, 2 * CELL);
	return task;
}

/* Of an array into another, or into itself. */
static struct vnpu_task draw_reduce(T *t)
{
	__u32 type = rng_below(&t->rng, VNPU_TYPE_U64 + 1);
	__u32 op = rng_below(&t->rng, VNPU_REDUCE_EQUAL + 1);
	struct vnpu_task task = {
		.op = VNPU_TASK_REDUCE,
		.mode = VNPU_REDUCE(op, type),
		.length = rng_below(&t->rng, 2 * CELL / model_type_size(type)) +
			  1,
	};

	place_apart(t, &task, 2 * CELL);
	if (!rng_below(&t->rng, 4))
		task.src = task.dst;
	return task;
}

static __u16 draw_distribution(T *t)
{
	static const __u8 floats[] = {
		VNPU_TYPE_FP32, VNPU_TYPE_FP16, VNPU_TYPE_BF16,
	};
	static const __u8 integers[] = {
		VNPU_TYPE_S32, VNPU_TYPE_S64, VNPU_TYPE_U32, VNPU_TYPE_U64,
	};

	switch (rng_below(&t->rng, 4)) {
	case 0:
		return VNPU_RANDOM(VNPU_RANDOM_DROPOUT, VNPU_TYPE_U8);
	case 1:
		return VNPU_RANDOM(VNPU_RANDOM_UNIFORM,
				   integers[rng_below(&t->rng, 4)]);
	default:
		return VNPU_RANDOM(VNPU_RANDOM_UNIFORM + rng_below(&t->rng, 3),
				   floats[rng_below(&t->rng, 3)]);
	}
}

/* With a counter that is in memory or none, and may be written over. */
static struct vnpu_task draw_random(T *t)
{
	__u16 mode = draw_distribution(t);
	struct vnpu_task task = {
		.op = VNPU_TASK_RANDOM,
		.mode = mode,
		.dst = somewhere(t, 2 * CELL, 8),
		.length = rng_below(&t->rng, CELL / 4) + 1,
		.arg0 = rng_next(&t->rng),
	};
	__u32 low = rng_below(&t->rng, 100), more = rng_below(&t->rng, 100);

	if (rng_below(&t->rng, 2))
		task.src = somewhere(t, 16, 8);
	if (mode == VNPU_RANDOM(VNPU_RANDOM_DROPOUT, VNPU_TYPE_U8)) {
		task.arg1 = to_fp32((float)low / 100);
	} else if (float_format(mode >> 8)) {
		task.arg1 = to_fp32((float)low);
		task.arg2 = to_fp32((float)(low + more));
	} else {
		task.arg1 = low;
		task.arg2 = low + more;
	}
	return task;
}

static struct vnpu_task draw_task(T *t)
{
	switch (rng_below(&t->rng, 8)) {
	case 0:
		return draw_copy_2d(t);
	case 1:
		return draw_random(t);
	case 2:
	case 3:
		return draw_reduce(t);
	default:
		return draw_plain(t);
	}
}

static void put_task(T *t)
{
	struct vnpu_task task = draw_task(t);
	__u32 who = rng_below(&t->rng, STREAMS);

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
		k = rng_below(&t->rng, 2 * STREAMS);
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
