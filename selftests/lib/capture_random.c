// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs in several streams: run directly, and captured and run
 * afterwards, they must leave the same numbers.
 *
 * The programs order all tasks that use the same number by events, so that their
 * result is determined.  Captured programs also have conditions, whose parts set
 * a number, and tasks that are edited afterwards.  Groups of launches are updated
 * and edited between runs.
 */
#include "acl-kernel.h"
#include "capture.h"

#define STREAMS		4
#define NUMBERS		32
#define TASKS		80
#define PROGRAMS	12

/* A launch sets @to to @from plus @add; a second one adds to @to. */
struct task {
	enum { SET, COPY, ADD, SET_IF, LAUNCH } kind;
	unsigned int stream, to, from;
	uint32_t value;
	unsigned int launches;
	uint32_t add[2];
	bool is_off[2];
};

struct program {
	struct task tasks[TASKS];
};

static uint32_t random_of(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % limit;
}

static void make_program(struct program *p, uint64_t seed, uint32_t kinds)
{
	for (int i = 0; i < TASKS; i++)
		p->tasks[i] = (struct task){
			.kind = random_of(&seed, kinds),
			.stream = random_of(&seed, STREAMS),
			.to = random_of(&seed, NUMBERS),
			.from = random_of(&seed, NUMBERS),
			.value = random_of(&seed, 1000),
		};
}

static void model_launches(const struct task *t, uint32_t *numbers)
{
	if (!t->is_off[0])
		numbers[t->to] = numbers[t->from] + t->add[0];
	if (t->launches == 2 && !t->is_off[1])
		numbers[t->to] += t->add[1];
}

/* Compute the result as if the tasks ran one after the other. */
static void model_program(const struct program *p, uint32_t *numbers)
{
	for (int i = 0; i < TASKS; i++) {
		const struct task *t = &p->tasks[i];

		if (t->kind == LAUNCH)
			model_launches(t, numbers);
		else if (t->kind == SET || (t->kind == SET_IF && numbers[t->from]))
			numbers[t->to] = t->value;
		else if (t->kind == COPY)
			numbers[t->to] = numbers[t->from];
		else if (t->kind == ADD)
			numbers[t->to] += numbers[t->from];
	}
}

struct machine {
	aclrtStream streams[STREAMS];
	aclrtEvent event;
	uint32_t *numbers;		/* on the device */
	aclrtStream part;		/* captures parts, or updates groups */
	aclrtFuncHandle add;
	bool has_groups;
	aclrtTaskGrp groups[TASKS];
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

static aclError set(uint32_t *to, uint32_t value, aclrtStream stream)
{
	return aclrtMemsetD32Async(to, 4, value, 1, stream);
}

/* Capture a condition with the value of a number, and its part. */
static aclError set_if(struct machine *m, const struct task *t,
		       aclrtStream stream)
{
	aclmdlRICondTaskParams params = { .size = 1 };
	aclmdlRICaptureStatus status;
	uint64_t *value = NULL;
	aclmdlRI model, part;
	aclError err = aclmdlRICaptureGetInfo(stream, &status, &model);

	params.modelRIArray = &part;
	if (!err)
		err = aclmdlRICondHandleCreate(model, 0, 0, &params.handle);
	if (!err)
		err = aclmdlRICondHandleGetCondPtr(params.handle, &value);
	if (!err)
		err = move((uint8_t *)value, (uint8_t *)(m->numbers + t->from),
			   4, stream);
	if (!err)
		err = aclmdlRIAddCondTask(params, stream, 0);
	if (!err)
		err = aclmdlRICaptureToModelRIBegin(m->part, part, RELAXED);
	if (!err)
		err = set(m->numbers + t->to, t->value, m->part);
	return err ? err : aclmdlRICaptureEnd(m->part, &part);
}

struct add_args {
	void *x, *y;
	uint32_t add, n;
};

/* The arguments of a launch of a task. */
static struct add_args args_of(const struct machine *m, const struct task *t,
			       unsigned int launch)
{
	return (struct add_args){
		.x = m->numbers + (launch ? t->to : t->from),
		.y = m->numbers + t->to,
		.add = t->add[launch],
		.n = 1,
	};
}

static aclError launch(const struct machine *m, const struct task *t,
		       aclrtStream stream)
{
	aclError err = ACL_SUCCESS;

	for (unsigned int i = 0; i < t->launches && !err; i++) {
		struct add_args args = args_of(m, t, i);

		err = aclrtLaunchKernelWithHostArgs(m->add, 1, stream, NULL,
						    &args, sizeof(args), NULL,
						    0);
	}
	return err;
}

static aclError launch_group(struct machine *m, const struct task *t,
			     aclrtStream stream, aclrtTaskGrp *group)
{
	aclError err = aclmdlRICaptureTaskGrpBegin(stream);

	if (!err)
		err = launch(m, t, stream);
	return err ? err : aclmdlRICaptureTaskGrpEnd(stream, group);
}

static aclError submit(struct machine *m, const struct task *t,
		       aclrtTaskGrp *group)
{
	aclrtStream stream = m->streams[t->stream];
	uint32_t *to = m->numbers + t->to, *from = m->numbers + t->from;
	aclError err = use(m, t->stream, t->to);

	if (!err && t->kind != SET)
		err = use(m, t->stream, t->from);
	if (err)
		return err;
	if (t->kind == SET)
		return set(to, t->value, stream);
	if (t->kind == SET_IF)
		return set_if(m, t, stream);
	if (t->kind == LAUNCH)
		return m->has_groups ? launch_group(m, t, stream, group) :
				       launch(m, t, stream);
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
		err = submit(m, &p->tasks[i], &m->groups[i]);
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
		.streams = { self->w.a, self->w.b }, .event = self->fork,
		.numbers = (uint32_t *)self->w.dev,
	};

	for (int i = 2; i < STREAMS; i++)
		OK(aclrtCreateStream(&m.streams[i]));
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		make_program(&p, seed, SET_IF);
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

/* Replace each other task by a write of 8 bytes, or disable it. */
static aclError edit_all(aclmdlRI model, uint64_t *value)
{
	aclmdlRITaskParams params = {
		.type = ACL_MODEL_RI_TASK_VALUE_WRITE,
		.valueWriteTaskParams = { value, 1 },
	};
	uint32_t count = STREAMS, tasks;
	aclmdlRITask task[8 * TASKS];
	aclrtStream streams[STREAMS];
	aclError err = aclmdlRIGetStreams(model, streams, &count);

	for (uint32_t i = 0; i < count && !err; i++) {
		tasks = ARRAY_SIZE(task);
		err = aclmdlRIGetTasksByStream(streams[i], task, &tasks);
		for (uint32_t j = 0; j < tasks && !err; j++)
			err = j % 2 ? aclmdlRITaskDisable(task[j]) :
				      aclmdlRITaskSetParams(task[j], &params);
	}
	return err ? err : aclmdlRIUpdate(model);
}

TEST_F(capture, random_programs_with_conditions_and_edits)
{
	uint32_t first[NUMBERS], want[NUMBERS];
	struct program p;
	struct machine m = {
		.streams = { self->w.a, self->w.b }, .event = self->fork,
		.numbers = (uint32_t *)self->w.dev,
	};

	for (int i = 2; i < STREAMS; i++)
		OK(aclrtCreateStream(&m.streams[i]));
	OK(aclrtCreateStream(&m.part));
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		make_program(&p, seed, SET_IF + 1);
		for (uint32_t i = 0; i < NUMBERS; i++)
			first[i] = want[i] = i % 3;
		model_program(&p, want);
		OK(aclmdlRICaptureBegin(m.streams[0], RELAXED));
		OK(submit_all(&m, &p));
		OK(aclmdlRICaptureEnd(m.streams[0], &self->model));
		for (int i = 0; i < 2; i++) {
			OK(start(&m, first));
			OK(run(self->model, m.streams[i]));
			EXPECT_TRUE(has(&m, want))
				TH_LOG("seed %lu, run %d", seed, i);
		}
		/* No edited task touches the numbers. */
		OK(edit_all(self->model, self->w.gate));
		OK(start(&m, first));
		OK(run(self->model, m.streams[0]));
		EXPECT_TRUE(has(&m, first)) TH_LOG("edited, seed %lu", seed);
		EXPECT_EQ(1, dev_u64(self->w.gate));
		OK(aclmdlRIDestroy(self->model));
	}
}

/* Let all conditions be launches. */
static void make_launches(struct program *p, uint64_t seed)
{
	for (int i = 0; i < TASKS; i++) {
		struct task *t = &p->tasks[i];

		if (t->kind == SET_IF)
			t->kind = LAUNCH;
		t->launches = 1 + random_of(&seed, 2);
		t->add[0] = t->value;
		t->add[1] = random_of(&seed, 1000);
	}
}

/* Update some groups of the model, by their stream. */
static aclError update_some(struct machine *m, struct program *p,
			    uint64_t *seed)
{
	aclError err = ACL_SUCCESS;

	for (int i = 0; i < TASKS && !err; i++) {
		struct task *t = &p->tasks[i];

		if (t->kind != LAUNCH || random_of(seed, 2))
			continue;
		t->add[0] = random_of(seed, 1000);
		t->add[1] = random_of(seed, 1000);
		t->is_off[0] = t->is_off[1] = false;
		err = aclmdlRICaptureTaskUpdateBegin(m->part, m->groups[i]);
		if (!err)
			err = launch(m, t, m->part);
		if (!err)
			err = aclmdlRICaptureTaskUpdateEnd(m->part);
	}
	return err ? err : aclrtSynchronizeStream(m->part);
}

/* Edit a task of a model if it is a launch of a group. */
static aclError edit_launch(struct machine *m, struct program *p,
			    aclmdlRITask task, unsigned int nth, uint64_t *seed)
{
	aclmdlRITaskParams params;
	aclError err = aclmdlRITaskGetParams(task, &params);
	struct add_args args;
	struct task *t;
	int i = 0;

	if (err || !params.taskGrp || random_of(seed, 3))
		return err;
	while (params.taskGrp != m->groups[i])
		i++;
	t = &p->tasks[i];
	if (!random_of(seed, 3)) {
		t->is_off[nth] = true;
		return aclmdlRITaskDisable(task);
	}
	t->is_off[nth] = false;
	t->add[nth] = random_of(seed, 1000);
	args = args_of(m, t, nth);
	params = (aclmdlRITaskParams){
		.type = ACL_MODEL_RI_TASK_KERNEL,
		.kernelTaskParams = {
			.funcHandle = m->add,
			.args = &args,
			.isHostArgs = 1,
			.argsSize = sizeof(args),
			.numBlocks = 1,
		},
	};
	return aclmdlRITaskSetParams(task, &params);
}

/* Edit some launches. */
static aclError edit_some(struct machine *m, struct program *p, aclmdlRI model,
			  uint64_t *seed)
{
	uint32_t count = STREAMS, tasks;
	aclmdlRITask task[8 * TASKS];
	aclrtStream streams[STREAMS];
	aclError err = aclmdlRIGetStreams(model, streams, &count);

	for (uint32_t i = 0; i < count && !err; i++) {
		aclrtTaskGrp last = NULL;

		tasks = ARRAY_SIZE(task);
		err = aclmdlRIGetTasksByStream(streams[i], task, &tasks);
		for (uint32_t j = 0; j < tasks && !err; j++) {
			aclmdlRITaskParams params;

			err = aclmdlRITaskGetParams(task[j], &params);
			if (!err)
				err = edit_launch(m, p, task[j],
						  params.taskGrp == last, seed);
			last = params.taskGrp;
		}
	}
	return err ? err : aclmdlRIUpdate(model);
}

TEST_F_TIMEOUT(capture, random_groups_are_updated_and_edited, 300)
{
	uint32_t first[NUMBERS], want[NUMBERS];
	char path[PATH_MAX];
	aclrtBinHandle bin;
	struct program p;
	struct machine m = {
		.streams = { self->w.a, self->w.b }, .event = self->fork,
		.numbers = (uint32_t *)self->w.dev,
	};

	kernels_path(path, sizeof(path));
	OK(aclrtBinaryLoadFromFile(path, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "add", &m.add));
	for (int i = 2; i < STREAMS; i++)
		OK(aclrtCreateStream(&m.streams[i]));
	OK(aclrtCreateStream(&m.part));
	for (uint64_t seed = 1; seed <= PROGRAMS / 2; seed++) {
		uint64_t state = seed;

		make_program(&p, seed, SET_IF + 1);
		make_launches(&p, seed);
		for (uint32_t i = 0; i < NUMBERS; i++)
			first[i] = i * seed;
		OK(aclmdlRICaptureBegin(m.streams[0], GLOBAL));
		m.has_groups = true;
		OK(submit_all(&m, &p));
		OK(aclmdlRICaptureEnd(m.streams[0], &self->model));
		m.has_groups = false;
		for (int i = 0; i < 5; i++) {
			OK(!i ? ACL_SUCCESS :
			   i % 2 ? update_some(&m, &p, &state) :
				   edit_some(&m, &p, self->model, &state));
			memcpy(want, first, sizeof(want));
			model_program(&p, want);
			OK(start(&m, first));
			OK(run(self->model, m.streams[i % STREAMS]));
			EXPECT_TRUE(has(&m, want))
				TH_LOG("seed %lu, run %d", seed, i);
			if (i != 1)
				continue;
			/* No launch is disabled yet. */
			OK(start(&m, first));
			OK(submit_all(&m, &p));
			OK(aclrtSynchronizeStream(m.streams[0]));
			EXPECT_TRUE(has(&m, want))
				TH_LOG("direct, seed %lu", seed);
		}
		OK(aclmdlRIDestroy(self->model));
	}
}

TEST_HARNESS_MAIN
