// SPDX-License-Identifier: GPL-2.0-only
/* Branches and loops of built models. */
#include "capture_build.h"

TEST_F(build, a_switch_goes_on_at_the_label_of_the_index)
{
	aclrtLabel labels[4];
	aclrtLabelList list;
	aclrtStream *s = self->s;
	int32_t *n = self->n;

	for (int i = 0; i < 4; i++)
		OK(aclrtCreateLabel(&labels[i]));
	OK(aclrtCreateLabelList(labels, 4, &list));
	OK(aclrtSwitchLabelByIndex(n, 3, list, s[0]));
	OK(set(n + 1, 99, s[0]));
	/* Two labels ahead in the stream, and two in another one. */
	for (int i = 0; i < 4; i++) {
		OK(aclrtSetLabel(labels[i], s[i / 2]));
		OK(set(n + 1, i, s[i / 2]));
		OK(add(n + 2, n + 3, s[i / 2]));
	}
	OK(aclmdlRIBuildEnd(self->model, NULL));
	for (int32_t i = -1; i < 5; i++) {
		OK(put(n, (int32_t[]){ i, 50, 0, 1 }, 4));
		OK(run(self->model, self->w.a));
		/* Only three labels are chosen among: -1 is a large index. */
		EXPECT_EQ(i == 0 || i == 1 ? 1 : 3, get(n + 1)) TH_LOG("%d", i);
		EXPECT_EQ(i == 1 ? 1 : 2, get(n + 2)) TH_LOG("%d", i);
	}
}

TEST_F(build, all_conditions_compare_with_sign)
{
	static const int64_t values[] = { INT32_MIN, -1, 0, 5, INT32_MAX };
	const int count = ARRAY_SIZE(values);
	int64_t *left = (int64_t *)self->w.dev, *right = left + 1;

	for (int k = 0; k < 12; k++) {
		const aclrtCondition cond = k / 2;
		aclrtStream from, to;
		aclmdlRI model;
		int32_t *done = (int32_t *)(left + 2 + k);

		OK(aclrtCreateStreamWithConfig(&from, 0,
					       ACL_STREAM_PERSISTENT));
		OK(aclrtCreateStreamWithConfig(&to, 0, ACL_STREAM_PERSISTENT));
		OK(aclmdlRIBuildBegin(&model, 0));
		OK(aclmdlRIBindStream(model, from, HEAD));
		OK(aclmdlRIBindStream(model, to, LATER));
		OK(set(done, 0, from));
		OK(aclrtSwitchStream(left, cond, right, k % 2, to, NULL, from));
		OK(set(done, 1, from));
		OK(set(done, 2, to));
		OK(aclmdlRIBuildEnd(model, NULL));
		for (int i = 0; i < count * count; i++) {
			/* Only long values differ in their upper halves. */
			const int64_t unit = k % 2 ? 1LL << 32 : 1;
			const int64_t l = values[i / count] * unit;
			const int64_t r = values[i % count] * unit;
			const bool holds[] = { l == r, l != r, l > r, l >= r,
					       l < r, l <= r };

			OK(put((int32_t *)left, (int32_t *)&l, 2));
			OK(put((int32_t *)right, (int32_t *)&r, 2));
			if (i % 4 != k % 4 && l != r)
				continue;
			OK(run(model, self->w.a));
			EXPECT_EQ(holds[cond] ? 2 : 1, get(done))
				TH_LOG("condition %d of %ld and %ld", cond,
				       l, r);
		}
		OK(aclmdlRIDestroy(model));
		OK(aclrtDestroyStream(from));
		OK(aclrtDestroyStream(to));
	}
}

TEST_F(build, streams_loop_and_activate_each_other)
{
	aclrtStream *s = self->s;
	int32_t *n = self->n;

	/* Count to 10, and let the other two follow, each once. */
	OK(add(n, n + 8, s[0]));
	OK(go_if_less(n, n + 9, s[0], s[0]));
	OK(aclrtActiveStream(s[1], s[0]));
	OK(aclrtActiveStream(s[2], s[0]));
	OK(set(n + 1, 1, s[0]));
	OK(set(n + 2, 2, s[1]));
	/* This one starts itself until its number is 5. */
	OK(add(n + 3, n + 8, s[2]));
	OK(go_if_less(n + 10, n + 3, s[1], s[2]));
	OK(aclrtActiveStream(s[2], s[2]));
	OK(add(n + 4, n + 8, s[2]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	for (int i = 0; i < 3; i++) {
		OK(put(n, (int32_t[]){ 0, 0, 0, 0, 0, 0, 0, 0, 1, 10, 4 }, 11));
		OK(aclmdlRIExecute(self->model, -1));
		EXPECT_EQ(10, get(n));
		EXPECT_EQ(1, get(n + 1));
		EXPECT_EQ(2, get(n + 2));
		EXPECT_EQ(5, get(n + 3));
		EXPECT_EQ(4, get(n + 4));
	}
}

/* Run a model that fails; the message must contain a text. */
static bool fails_with(aclmdlRI model, aclrtStream stream, const char *text)
{
	const char *message;

	if (run(model, stream) != ACL_ERROR_RT_SYS_DMA)
		return false;
	message = recent();
	if (strstr(message, text))
		return true;
	ksft_print_msg("%s\n", message);
	return false;
}

TEST_F(build, a_failure_ends_the_model_and_names_the_call)
{
	aclrtStream *s = self->s;
	int32_t *n = self->n;
	uint8_t *freed;

	OK(freed_address(&freed));
	/* It would loop for ever, beside one that waits for its turn. */
	OK(set(n, 1, s[0]));
	OK(aclrtMemcpyAsync(n + 1, 4, freed, 4, ACL_MEMCPY_DEVICE_TO_DEVICE,
			    s[0]));
	OK(go_if_less(n + 2, n, s[0], s[0]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	for (int i = 0; i < 2; i++)
		EXPECT_TRUE(fails_with(self->model, self->w.a,
				       "(copy, aclrtMemcpyAsync)"));
}

/*
 * One of the streams fails while the others come to their end, before it or after
 * it.  All of them end.
 */
TEST_F(build, a_failure_beside_the_ends_of_other_streams)
{
	const int heads = 6;
	uint8_t *freed;

	OK(freed_address(&freed));
	for (int before = 0; before < 8; before++) {
		aclrtLabel label;
		aclmdlRI model;
		aclrtStream s[heads];

		OK(aclmdlRIBuildBegin(&model, 0));
		for (int i = 0; i < heads; i++) {
			OK(aclrtCreateStreamWithConfig(&s[i], 0,
						       ACL_STREAM_PERSISTENT));
			OK(aclmdlRIBindStream(model, s[i], HEAD));
			for (int j = 0; j < (i ? i : before); j++)
				OK(set(self->n + i, j, s[i]));
		}
		OK(aclrtMemcpyAsync(self->n, 4, freed, 4,
				    ACL_MEMCPY_DEVICE_TO_DEVICE, s[0]));
		OK(aclrtCreateLabel(&label));
		OK(aclrtSetLabel(label, s[0]));
		OK(aclmdlRIBuildEnd(model, NULL));
		for (int i = 0; i < 8; i++)
			EXPECT_TRUE(fails_with(model, self->w.a,
					       "(copy, aclrtMemcpyAsync)"));
		OK(aclmdlRIDestroy(model));
		for (int i = 0; i < heads; i++)
			OK(aclrtDestroyStream(s[i]));
		OK(aclrtDestroyLabel(label));
	}
}

TEST_F(build, a_switch_on_freed_memory_fails)
{
	uint8_t *freed;

	OK(freed_address(&freed));
	OK(aclrtSwitchStream(freed, ACL_RT_EQUAL, freed, ACL_RT_SWITCH_INT32,
			     self->s[1], NULL, self->s[0]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	EXPECT_TRUE(fails_with(self->model, self->w.a,
			       "(copy, aclrtSwitchStream)"));
}

TEST_F(build, an_endless_loop_can_be_aborted)
{
	int32_t *n = self->n;

	OK(add(n, n + 1, self->s[0]));
	OK(go_if_less(n + 2, n + 1, self->s[0], self->s[0]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(put(n, (int32_t[]){ 0, 1, 0 }, 3));
	OK(aclmdlRIExecuteAsync(self->model, self->w.a));
	while (get(n) < 10)
		usleep(1000);
	OK(aclrtStreamAbort(self->w.a));
	/* The next run begins anew. */
	OK(put(n, (int32_t[]){ 0, 1, 1 }, 3));
	OK(run(self->model, self->w.b));
	EXPECT_EQ(1, get(n));
	OK(aclmdlRIDestroy(self->model));
}

TEST_F(build, tasks_of_blocks_can_be_edited)
{
	aclmdlRITaskParams params = {
		.type = ACL_MODEL_RI_TASK_VALUE_WRITE,
		.valueWriteTaskParams = { self->w.gate, 5 },
	};
	uint32_t streams = STREAMS, tasks = 8;
	aclrtStream shown[STREAMS];
	int32_t *n = self->n;
	aclmdlRITask task[8];

	OK(set(n, 1, self->s[0]));
	OK(go_if_less(n + 1, n, self->s[1], self->s[0]));
	OK(set(n + 2, 2, self->s[1]));
	OK(set(n + 3, 3, self->s[1]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(aclmdlRIGetStreams(self->model, shown, &streams));
	EXPECT_EQ(STREAMS, streams);
	OK(aclmdlRIGetTasksByStream(shown[1], task, &tasks));
	EXPECT_EQ(2, tasks);
	OK(aclmdlRITaskDisable(task[0]));
	OK(aclmdlRITaskSetParams(task[1], &params));
	OK(aclmdlRIUpdate(self->model));
	OK(run(self->model, self->w.a));
	EXPECT_EQ(0, get(n + 2));
	EXPECT_EQ(0, get(n + 3));
	EXPECT_EQ(5, dev_u64(self->w.gate));
}

/*
 * Random programs: each segment of a stream has a label, computes 2 * sum + its
 * number, and then goes on at the next one, at a label, or in another stream.
 * Counters bound the loops.
 */
#define NUMBERS		64
#define SEGMENTS	5
#define CHOICES		4
#define ALL		(STREAMS * SEGMENTS)
#define SUM		0
#define ONE		1
#define MINUS		2
#define LIMIT		3
#define NUMBER(i)	(4 + (i))
#define COUNTER(i)	(4 + ALL + (i))

struct segment {
	enum { NEXT, CHOOSE, GO } turn;
	int to[CHOICES];	/* segments; of GO, a stream */
};

static uint32_t random_of(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % limit;
}

static void make_program(struct segment *all, uint64_t seed)
{
	for (int i = 0; i < ALL; i++) {
		all[i].turn = random_of(&seed, 3);
		for (int j = 0; j < CHOICES; j++)
			all[i].to[j] = random_of(&seed, all[i].turn == GO ?
						 STREAMS : ALL);
		/* A counter below 1 or above 3 ends the loop. */
		if (all[i].turn == CHOOSE)
			all[i].to[0] = all[i].to[CHOICES - 1] = ALL - 1;
	}
	all[ALL - 1].turn = NEXT;
}

static void start_values(const struct segment *all, int32_t *n)
{
	memset(n, 0, 4 * NUMBERS);
	n[ONE] = 1;
	n[MINUS] = -1;
	n[LIMIT] = 3;
	for (int i = 0; i < ALL; i++) {
		n[NUMBER(i)] = i + 1;
		n[COUNTER(i)] = all[i].turn == CHOOSE ? 3 : 0;
	}
}

static void model_program(const struct segment *all, int32_t *n)
{
	int at = 0;

	for (;;) {
		const struct segment *s = &all[at];
		uint32_t *counter = (uint32_t *)&n[COUNTER(at)];

		n[SUM] = 2u * n[SUM] + n[NUMBER(at)];
		if (s->turn == CHOOSE) {
			(*counter)--;
			at = s->to[*counter < CHOICES ? *counter : CHOICES - 1];
			continue;
		}
		if (s->turn == GO && ++*counter < 3) {
			at = s->to[0] * SEGMENTS;
			continue;
		}
		if (++at % SEGMENTS == 0)
			return;
	}
}

static aclError build_turn(aclrtStream *s, int32_t *n, const aclrtLabel *labels,
			   const struct segment *segment, int at)
{
	aclrtStream stream = s[at / SEGMENTS];
	aclrtLabel chosen[CHOICES];
	aclrtLabelList list;
	aclError err;

	if (segment->turn == NEXT)
		return ACL_SUCCESS;
	if (segment->turn == GO) {
		err = add(n + COUNTER(at), n + ONE, stream);
		return err ? err : go_if_less(n + COUNTER(at), n + LIMIT,
					      s[segment->to[0]], stream);
	}
	for (int i = 0; i < CHOICES; i++)
		chosen[i] = labels[segment->to[i]];
	err = add(n + COUNTER(at), n + MINUS, stream);
	if (!err)
		err = aclrtCreateLabelList(chosen, CHOICES, &list);
	if (!err)
		err = aclrtSwitchLabelByIndex(n + COUNTER(at), CHOICES, list,
					      stream);
	return err ? err : aclrtDestroyLabelList(list);
}

static aclError build_program(aclrtStream *s, int32_t *n, aclrtLabel *labels,
			      const struct segment *all)
{
	aclError err = ACL_SUCCESS;

	for (int i = 0; i < ALL && !err; i++)
		err = aclrtCreateLabel(&labels[i]);
	for (int i = 0; i < ALL && !err; i++) {
		err = aclrtSetLabel(labels[i], s[i / SEGMENTS]);
		if (!err)
			err = add(n + SUM, n + SUM, s[i / SEGMENTS]);
		if (!err)
			err = add(n + SUM, n + NUMBER(i), s[i / SEGMENTS]);
		if (!err)
			err = build_turn(s, n, labels, &all[i], i);
	}
	for (int i = 0; i < ALL && !err; i++)
		err = aclrtDestroyLabel(labels[i]);
	return err;
}

TEST_F(build, random_programs_go_their_way)
{
	int32_t want[NUMBERS], first[NUMBERS], *n = self->n;
	struct segment all[ALL];
	aclrtLabel labels[ALL];

	for (uint64_t seed = 1; seed <= 10; seed++) {
		make_program(all, seed);
		start_values(all, first);
		memcpy(want, first, sizeof(want));
		model_program(all, want);
		OK(build_program(self->s, n, labels, all));
		OK(aclmdlRIBuildEnd(self->model, NULL));
		for (int i = 0; i < 2; i++) {
			OK(put(n, first, NUMBERS));
			OK(run(self->model, self->w.a));
			EXPECT_EQ(want[SUM], get(n + SUM))
				TH_LOG("seed %lu, run %d", seed, i);
		}
		OK(aclmdlRIDestroy(self->model));
		OK(aclmdlRIBuildBegin(&self->model, 0));
		for (int i = 0; i < STREAMS; i++)
			OK(aclmdlRIBindStream(self->model, self->s[i],
					      i ? LATER : HEAD));
	}
}

TEST_HARNESS_MAIN
