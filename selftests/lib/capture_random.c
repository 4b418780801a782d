// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs in several streams: run directly, and captured and run
 * afterwards, they must leave the same numbers.
 *
 * The programs order all tasks that use the same number by events, so that their
 * result is determined.
 */
#include "capture.h"

#define STREAMS		4
#define NUMBERS		32
#define TASKS		80
#define PROGRAMS	12

struct task {
	enum { SET, COPY, ADD } kind;
	unsigned int stream, to, from;
	uint32_t value;
};

struct program {
	struct task tasks[TASKS];
};

static uint32_t random_of(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % limit;
}

static void make_program(struct program *p, uint64_t seed)
{
	for (int i = 0; i < TASKS; i++)
		p->tasks[i] = (struct task){
			.kind = random_of(&seed, 3),
			.stream = random_of(&seed, STREAMS),
			.to = random_of(&seed, NUMBERS),
			.from = random_of(&seed, NUMBERS),
			.value = random_of(&seed, 1000),
		};
}

/* Compute the result as if the tasks ran one after the other. */
static void model_program(const struct program *p, uint32_t *numbers)
{
	for (int i = 0; i < TASKS; i++) {
		const struct task *t = &p->tasks[i];

		if (t->kind == SET)
			numbers[t->to] = t->value;
		else if (t->kind == COPY)
			numbers[t->to] = numbers[t->from];
		else
			numbers[t->to] += numbers[t->from];
	}
}

struct machine {
	aclrtStream streams[STREAMS];
	aclrtEvent event;
	uint32_t *numbers;		/* on the device */
	unsigned int users[NUMBERS];	/* bit S: stream S used it since the
					 * last time that one waited for all */
};

static aclError after(struct machine *m, unsigned int stream, unsigned int user)
{
	return stream == user ? ACL_SUCCESS :
	       follow(m->streams[stream], m->streams[user], m->event);
}

/* Let a stream wait for all that used a number. */
static aclError use(struct machine *m, unsigned int stream, unsigned int number)
{
	aclError err = ACL_SUCCESS;

	for (unsigned int i = 0; i < STREAMS && !err; i++)
		if (m->users[number] >> i & 1)
			err = after(m, stream, i);
	m->users[number] = 1U << stream;
	return err;
}

static aclError submit(struct machine *m, const struct task *t)
{
	aclrtStream stream = m->streams[t->stream];
	uint32_t *to = m->numbers + t->to, *from = m->numbers + t->from;
	aclError err = use(m, t->stream, t->to);

	if (!err && t->kind != SET)
		err = use(m, t->stream, t->from);
	if (err)
		return err;
	if (t->kind == SET)
		return aclrtMemsetD32Async(to, 4, t->value, 1, stream);
	if (t->kind == COPY)
		return t->to == t->from ? ACL_SUCCESS :
		       move((uint8_t *)to, (uint8_t *)from, 4, stream);
	return aclrtReduceAsync(to, from, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
				ACL_INT32, stream, NULL);
}

/* Submit a program, whose streams begin and end with the first one. */
static aclError submit_all(struct machine *m, const struct program *p)
{
	aclError err = ACL_SUCCESS;

	memset(m->users, 0, sizeof(m->users));
	for (unsigned int i = 1; i < STREAMS && !err; i++)
		err = after(m, i, 0);
	for (int i = 0; i < TASKS && !err; i++)
		err = submit(m, &p->tasks[i]);
	for (unsigned int i = 1; i < STREAMS && !err; i++)
		err = after(m, 0, i);
	return err;
}

static aclError start(struct machine *m, const uint32_t *numbers)
{
	return aclrtMemcpy(m->numbers, NUMBERS * 4, numbers, NUMBERS * 4,
			   ACL_MEMCPY_HOST_TO_DEVICE);
}

static bool has(struct machine *m, const uint32_t *want)
{
	uint32_t numbers[NUMBERS];

	return !aclrtMemcpy(numbers, sizeof(numbers), m->numbers,
			    sizeof(numbers), ACL_MEMCPY_DEVICE_TO_HOST) &&
	       !memcmp(numbers, want, sizeof(numbers));
}

TEST_F(capture, random_programs_give_the_same)
{
	uint32_t first[NUMBERS], want[NUMBERS];
	struct program p;
	struct machine m = {
		{ self->w.a, self->w.b }, self->fork, (uint32_t *)self->w.dev,
		{ 0 }
	};

	for (int i = 2; i < STREAMS; i++)
		OK(aclrtCreateStream(&m.streams[i]));
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		make_program(&p, seed);
		for (uint32_t i = 0; i < NUMBERS; i++)
			first[i] = want[i] = i * seed;
		model_program(&p, want);

		OK(start(&m, first));
		OK(submit_all(&m, &p));
		OK(aclrtSynchronizeStream(m.streams[0]));
		EXPECT_TRUE(has(&m, want)) TH_LOG("direct, seed %lu", seed);

		OK(start(&m, first));
		OK(aclmdlRICaptureBegin(m.streams[0], GLOBAL));
		OK(submit_all(&m, &p));
		OK(aclmdlRICaptureEnd(m.streams[0], &self->model));
		EXPECT_TRUE(has(&m, first));
		for (int i = 0; i < 3; i++) {
			OK(start(&m, first));
			OK(run(self->model, m.streams[i]));
			EXPECT_TRUE(has(&m, want))
				TH_LOG("captured, seed %lu, run %d", seed, i);
		}
		OK(aclmdlRIDestroy(self->model));
	}
}

TEST_HARNESS_MAIN
