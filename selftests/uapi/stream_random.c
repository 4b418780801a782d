// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs for several streams and devices: the memory that they leave
 * and the tasks that fail are compared with an interpreter that runs the tasks
 * sequentially.
 *
 * A program is drawn task by task. If a task depends on another stream, the
 * generator draws how one waits for the other, so each order that the streams
 * may take has the same result. The interpreter's memory provides the addresses
 * that an indirect copy will use; tasks write these addresses, too.
 *
 * VNPU_SEED= and PROGRAMS= repeat and extend; with setarch -R the addresses are
 * the same as well.
 *
 * The check has four machines, two kernels with one and four devices, which
 * together run 10,000 programs if time permits.
 */
#include "kselftest_harness.h"

#include "model_indirect.h"
#include "stream.h"
#include "stream_draw.h"
#include "stream_model.h"
#include "util.h"

#define STREAMS		8
#define DEVICES		4
#define CELLS		32		/* of each device */
#define SPAN		(CELL * CELLS)
#define MEMORY		(DEVICES * SPAN)
/* Far behind: the values in memory by which streams synchronise. */
#define FLAGS		GIB(1)
/* tasks of a program, without those that they depend on */
#define TASKS		32
#define FAILURES	(8 * TASKS)
#define PROGRAMS	2500
#define LIMIT_S		60

/* Uses of a cell: 0 or the number of the last task of each stream. */
struct use {
	__u64 read[STREAMS];
	__u64 written[STREAMS];
};

/* A range that a task uses. */
struct range {
	__u64 va;
	__u64 length;
	bool write;
};

/* A task that should fail. */
struct failure {
	__u32 who;
	__u64 seq;
	struct model_end end;
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
	__u8 shadow[MEMORY];
	struct failure failures[FAILURES];	/* of a program */
	__u32 failed;
	__u32 errors[STREAMS];			/* of all programs */
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
	self->m.size = MEMORY;
	for (i = 0; i < DEVICES; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, i % self->devices,
					  VNPU_MEM_F_HOST_ACCESS, 0, SPAN,
					  self->c.base + i * SPAN));
	}
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  PAGE, self->c.base + FLAGS));
	memset(ptr(self->c.base), 0, MEMORY);
	memset(ptr(self->c.base + FLAGS), 0, PAGE);
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

/* Let stream @who wait for tasks of stream @whom up to @number. */
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

/* Record that stream @who reads or writes @length bytes. */
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

/*
 * Record the memory that a task uses; @plain is its equivalent. This includes
 * the numbers that it reads, unless it fails because of their addresses.
 */
static __u32 ranges_of(T *t, const struct vnpu_task *task,
		       const struct vnpu_task *plain, struct range *ranges)
{
	const struct range all[] = {
		{ plain->dst, span(plain, true), true },
		{ plain->src, span(plain, false), false },
		{ task->dst, 8, false },
		{ task->src, 8, false },
		{ task->arg2, 8, false },
	};
	__u32 n = task->op == VNPU_TASK_COPY_INDIRECT ? 5 : 2, used = 0, i;

	for (i = 0; i < n; i++) {
		if (i >= 2 && all[i].va % 8)
			continue;
		if (all[i].length && model_has(&t->m, all[i].va))
			ranges[used++] = all[i];
	}
	return used;
}

/* Give a task to a stream, and to the interpreter. */
static void put_task(T *t, __u32 who, struct vnpu_task task)
{
	struct vnpu_task plain = task;
	struct model_end end = model_resolve(&t->m, &plain);
	struct range ranges[5];
	__u32 n = ranges_of(t, &task, &plain, ranges), i;

	for (i = 0; i < n; i++)
		claim(t, who, ranges[i].va, ranges[i].length, ranges[i].write);
	stream_put(&t->s[who], task);
	for (i = 0; i < n; i++)
		use(t, who, ranges[i].va, ranges[i].length, ranges[i].write);
	model_run(&t->m, &plain);
	if (end.error) {
		t->failures[t->failed++] = (struct failure){
			who, t->s[who].last, end };
		t->errors[who]++;
	}
}

static void put_value(T *t, __u32 who, __u64 va, __u64 value)
{
	put_task(t, who, (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE, .mode = 8, .dst = va,
		.arg0 = value });
}

/*
 * Usually write a number to the address at which stream @who is going to read
 * it.
 */
static void put_operand(T *t, __u32 who, __u64 va, __u64 value)
{
	__u64 from = somewhere(&t->draw, 8, 8);
	__u64 places[2] = { somewhere(&t->draw, 8, 8),
			    somewhere(&t->draw, 8, 8) };

	if (va % 8 || !model_has(&t->m, va))
		return;
	if (rng_below(&t->draw.rng, 2))
		who = rng_below(&t->draw.rng, STREAMS);
	switch (rng_below(&t->draw.rng, 12)) {
	case 0:
		break;
	case 1 ... 3:
		put_task(t, who, task_fill(va, 8, value, 8));
		break;
	case 4 ... 6:
		put_value(t, rng_below(&t->draw.rng, STREAMS), from, value);
		put_task(t, who, task_copy(va, from, 8));
		break;
	case 7:
		put_value(t, rng_below(&t->draw.rng, STREAMS), from, value);
		put_value(t, who, places[0], va);
		put_value(t, who, places[1], from);
		put_task(t, who, (struct vnpu_task){
			.op = VNPU_TASK_COPY_INDIRECT, .dst = places[0],
			.src = places[1], .length = 8 });
		break;
	default:
		put_value(t, who, va, value);
	}
}

static void put_indirect(T *t, __u32 who)
{
	struct vnpu_task reach = draw_reach(&t->draw);
	struct vnpu_task task = draw_indirect(&t->draw, &reach);

	put_operand(t, who, task.dst, reach.dst - task.arg0);
	put_operand(t, who, task.src, reach.src - task.arg1);
	if (task.arg2)
		put_operand(t, who, task.arg2, reach.length);
	put_task(t, who, task);
}

static void put_some(T *t)
{
	__u32 who = rng_below(&t->draw.rng, STREAMS);

	if (rng_below(&t->draw.rng, 8))
		put_task(t, who, draw_task(&t->draw));
	else
		put_indirect(t, who);
}

/* Check that there is a record of the failure that the interpreter expects. */
static bool is_told(T *t, const struct failure *f)
{
	const struct stream *s = &t->s[f->who];
	const struct vnpu_task_failure *told;
	__u64 record = stream_failures(s);

	do
		told = stream_failure(s, record);
	while (told->seq > f->seq && --record);
	return told->op == VNPU_TASK_COPY_INDIRECT &&
	       told->error == f->end.error && told->seq == f->seq &&
	       told->addr >= f->end.first && told->addr <= f->end.last;
}

/* The tasks that should fail have failed, and no others. */
static int compare_failures(T *t)
{
	__u32 i;

	for (i = 0; i < STREAMS; i++)
		if (t->s[i].ring->errors != t->errors[i])
			return -ERANGE;
	for (i = 0; i < t->failed; i++)
		if (!is_told(t, &t->failures[i]))
			return -EBADMSG;
	return 0;
}

/* Submit the tasks of streams at different times, some in parts. */
static int run_program(T *t)
{
	__u32 i, k;
	int ret;

	t->failed = 0;
	for (i = 0; i < TASKS; i++) {
		put_some(t);
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
	}
	ret = compare_failures(t);
	if (ret)
		return ret;
	return memcmp(ptr(t->c.base), t->shadow, MEMORY) ? -EILSEQ : 0;
}

TEST_F_TIMEOUT(stream_random, results_equal_those_of_the_model, 4 * LIMIT_S)
{
	__u64 programs = env_u64("PROGRAMS", PROGRAMS), errors = 0, i, k;
	__u64 end = now_ns() + LIMIT_S * 1000000000ULL;

	for (i = 0; i < programs && now_ns() < end; i++) {
		ASSERT_EQ(0, run_program(self))
			TH_LOG("program %llu", (unsigned long long)i);
	}
	for (k = 0; k < STREAMS; k++)
		errors += self->errors[k];
	TH_LOG("%llu programs on %u devices, %llu expected failures",
	       (unsigned long long)i, self->devices,
	       (unsigned long long)errors);
	EXPECT_LT(0, i);
}

TEST_HARNESS_MAIN
