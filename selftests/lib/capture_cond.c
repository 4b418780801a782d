// SPDX-License-Identifier: GPL-2.0-only
/* Conditions of captured models, and their parts. */
#include "capture.h"

#define IF		ACL_MODEL_RI_COND_TYPE_IF
#define WHILE		ACL_MODEL_RI_COND_TYPE_WHILE
#define SWITCH		ACL_MODEL_RI_COND_TYPE_SWITCH
#define ASSIGN		ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT
#define KEEP_VALUE	((aclmdlRICondHandleFlag)0)

struct cond {
	aclmdlRICondHandle handle;
	uint64_t *value;
	aclmdlRI parts[4];
};

/* Begin to capture stream a, with a condition. */
static aclError begin(struct work *w, struct cond *c, uint32_t first,
		      aclmdlRICondHandleFlag flag)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model;
	aclError err = aclmdlRICaptureBegin(w->a, RELAXED);

	if (!err)
		err = aclmdlRICaptureGetInfo(w->a, &status, &model);
	if (!err)
		err = aclmdlRICondHandleCreate(model, first, flag, &c->handle);
	return err ? err : aclmdlRICondHandleGetCondPtr(c->handle, &c->value);
}

static aclError add_cond(struct cond *c, aclmdlRICondTaskType type,
			 uint32_t size, aclrtStream stream)
{
	const aclmdlRICondTaskParams params = {
		c->handle, type, size, c->parts
	};

	return aclmdlRIAddCondTask(params, stream, 0);
}

/* Capture a fill in a part, by stream b. */
static aclError capture_part(struct work *w, aclmdlRI part, uint8_t *to,
			     int value)
{
	aclError err = aclmdlRICaptureToModelRIBegin(w->b, part, RELAXED);

	if (!err)
		err = fill(to, value, 8, w->b);
	return err ? err : aclmdlRICaptureEnd(w->b, &part);
}

static aclError set_value(struct cond *c, uint64_t value)
{
	return aclrtMemcpy(c->value, 8, &value, 8, ACL_MEMCPY_HOST_TO_DEVICE);
}

/* Add a number to the lower half of the value. */
static aclError add_to(uint64_t *value, uint8_t *number, aclrtStream stream)
{
	return aclrtReduceAsync(value, number, 4,
				ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
				stream, NULL);
}

TEST_F(capture, if_runs_one_of_two_parts)
{
	struct work *w = &self->w;
	struct cond c;

	OK(begin(w, &c, 0, KEEP_VALUE));
	OK(fill(w->dev, 1, 8, w->a));
	OK(add_cond(&c, IF, 2, w->a));
	OK(move(w->dev + 16, w->dev, 8, w->a));
	OK(capture_part(w, c.parts[0], w->dev, 2));
	OK(capture_part(w, c.parts[1], w->dev, 3));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (uint64_t value = 0; value < 4; value++) {
		OK(set_value(&c, value));
		OK(run(self->model, w->a));
		EXPECT_TRUE(device_has(w->dev + 16, value ? 2 : 3, 8));
	}
	OK(set_value(&c, 1ULL << 40));
	OK(run(self->model, w->b));
	EXPECT_TRUE(device_has(w->dev + 16, 2, 8));
	OK(aclmdlRIDestroy(self->model));
}

/* The first part changes the value, which must not make the second one run. */
TEST_F(capture, branches_test_the_value_once)
{
	struct work *w = &self->w;
	struct cond c;

	OK(begin(w, &c, 1, ASSIGN));
	OK(add_cond(&c, IF, 2, w->a));
	OK(capture_part(w, c.parts[0], (uint8_t *)c.value, 0));
	OK(capture_part(w, c.parts[1], w->dev, 3));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(run(self->model, w->a));
	EXPECT_EQ(0, dev_u64(c.value));
	EXPECT_TRUE(device_has(w->dev, 0, 8));
}

TEST_F(capture, while_repeats_its_part)
{
	struct work *w = &self->w;
	struct cond c;

	OK(aclrtMemsetD32(w->dev, 4, (uint32_t)-1, 1));
	OK(aclrtMemsetD32(w->dev + 4, 4, 1, 1));
	OK(begin(w, &c, 0, KEEP_VALUE));
	OK(add_cond(&c, WHILE, 1, w->a));
	OK(aclmdlRICaptureToModelRIBegin(w->b, c.parts[0], RELAXED));
	OK(add_to(c.value, w->dev, w->b));
	OK(add_to((uint64_t *)(w->dev + 8), w->dev + 4, w->b));
	OK(aclmdlRICaptureEnd(w->b, &c.parts[0]));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (uint64_t count = 0; count < 30; count += 10) {
		OK(aclrtMemset(w->dev + 8, 8, 0, 8));
		OK(set_value(&c, count));
		OK(run(self->model, w->a));
		EXPECT_EQ(count, dev_u64(w->dev + 8));
		EXPECT_EQ(0, dev_u64(c.value));
	}
}

TEST_F(capture, switch_runs_the_part_of_its_value)
{
	struct work *w = &self->w;
	struct cond c;

	OK(begin(w, &c, 0, KEEP_VALUE));
	OK(fill(w->dev, 9, 8, w->a));
	OK(add_cond(&c, SWITCH, 4, w->a));
	for (int i = 0; i < 3; i++)
		OK(capture_part(w, c.parts[i], w->dev, i));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (uint64_t value = 0; value < 6; value++) {
		OK(set_value(&c, value));
		OK(run(self->model, w->a));
		EXPECT_TRUE(device_has(w->dev, value < 3 ? value : 9, 8));
	}
}

/* Even if the run before has changed it, or the program. */
TEST_F(capture, a_run_begins_with_the_default)
{
	struct work *w = &self->w;
	struct cond c;

	OK(begin(w, &c, 2, ASSIGN));
	OK(add_cond(&c, SWITCH, 3, w->a));
	OK(fill((uint8_t *)c.value, 0, 8, w->a));
	for (int i = 0; i < 3; i++)
		OK(capture_part(w, c.parts[i], w->dev + 8 * i, 1));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (int i = 0; i < 3; i++) {
		OK(set_value(&c, 1));
		OK(run(self->model, i ? w->a : w->b));
	}
	EXPECT_TRUE(device_has(w->dev, 0, 16));
	EXPECT_TRUE(device_has(w->dev + 16, 1, 8));
	EXPECT_EQ(0, dev_u64(c.value));
}

TEST_F(capture, parts_have_conditions)
{
	struct work *w = &self->w;
	struct cond outer, inner;
	aclrtStream third;

	OK(aclrtCreateStream(&third));
	OK(begin(w, &outer, 1, ASSIGN));
	OK(add_cond(&outer, IF, 1, w->a));
	OK(aclmdlRICaptureToModelRIBegin(w->b, outer.parts[0], RELAXED));
	OK(aclmdlRICondHandleCreate(outer.parts[0], 1, ASSIGN, &inner.handle));
	OK(add_cond(&inner, IF, 2, w->b));
	/* A condition of the whole model. */
	inner.handle = outer.handle;
	OK(aclmdlRICaptureToModelRIBegin(third, inner.parts[0], RELAXED));
	OK(fill(w->dev, 5, 8, third));
	OK(aclmdlRICaptureEnd(third, &inner.parts[0]));
	OK(add_cond(&inner, IF, 1, w->b));
	OK(aclmdlRICaptureToModelRIBegin(third, inner.parts[0], RELAXED));
	OK(fill(w->dev + 8, 6, 8, third));
	OK(aclmdlRICaptureEnd(third, &inner.parts[0]));
	OK(aclmdlRICaptureEnd(w->b, &outer.parts[0]));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(run(self->model, w->a));
	EXPECT_TRUE(device_has(w->dev, 5, 8));
	EXPECT_TRUE(device_has(w->dev + 8, 6, 8));
	OK(aclmdlRIDestroy(self->model));
}

TEST_F(capture, a_failure_in_a_part_is_reported)
{
	struct work *w = &self->w;
	uint8_t *freed;
	struct cond c;

	OK(freed_address(&freed));
	OK(begin(w, &c, 1, ASSIGN));
	OK(add_cond(&c, IF, 1, w->a));
	OK(capture_part(w, c.parts[0], freed, 1));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclmdlRIExecuteAsync(self->model, w->b));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(w->b));
	EXPECT_NE(NULL, strstr(recent(), "aclrtMemsetAsync"));
}

TEST_F(capture, parts_belong_to_their_model)
{
	struct work *w = &self->w;
	uint64_t *value;
	struct cond c;

	OK(begin(w, &c, 0, KEEP_VALUE));
	OK(add_cond(&c, IF, 1, w->a));
	OK(capture_part(w, c.parts[0], w->dev, 1));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED,
		   aclmdlRICaptureToModelRIBegin(w->b, c.parts[0], GLOBAL));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlRIExecuteAsync(c.parts[0], w->a));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlRIExecute(c.parts[0], -1));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlRIDestroy(c.parts[0]));
	EXPECT_ACL(BAD_VALUE,
		   aclmdlRICaptureToModelRIBegin(w->b, self->model, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICondHandleCreate(self->model, 0, ASSIGN,
					    &c.handle));
	OK(aclmdlRIDestroy(self->model));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIExecuteAsync(c.parts[0], w->a));
	EXPECT_ACL(BAD_HANDLE, aclmdlRICondHandleGetCondPtr(c.handle, &value));
}

TEST_F(capture, a_model_waits_for_the_captures_of_its_parts)
{
	struct work *w = &self->w;
	struct cond c;

	OK(begin(w, &c, 0, KEEP_VALUE));
	OK(add_cond(&c, IF, 1, w->a));
	OK(aclmdlRICaptureToModelRIBegin(w->b, c.parts[0], RELAXED));
	OK(fill(w->dev, 1, 8, w->b));
	EXPECT_ACL(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING,
		   aclmdlRICaptureEnd(w->a, &self->model));
	EXPECT_EQ(NONE, status_of(w->a));
	EXPECT_EQ(NONE, status_of(w->b));

	OK(begin(w, &c, 0, KEEP_VALUE));
	OK(add_cond(&c, IF, 1, w->a));
	OK(aclmdlRICaptureToModelRIBegin(w->b, c.parts[0], RELAXED));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_UNJOINED,
		   aclmdlRICaptureEnd(w->b, &self->model));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));
	/* The reset ends a part that is being captured. */
	OK(begin(w, &c, 0, ASSIGN));
	OK(add_cond(&c, SWITCH, 4, w->a));
	OK(aclmdlRICaptureToModelRIBegin(w->b, c.parts[3], RELAXED));
}

TEST_F(capture, conditions_are_checked)
{
	struct work *w = &self->w;
	aclmdlRICondTaskParams params = { 0 };
	struct cond c, other;

	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlRICondHandleCreate(NULL, 0, ASSIGN, &c.handle));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRICondHandleGetCondPtr(NULL, &c.value));
	OK(begin(w, &other, 0, KEEP_VALUE));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRICondHandleGetCondPtr(other.handle,
							      NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIAddCondTask(params, w->a, 0));
	EXPECT_ACL(BAD_VALUE, add_cond(&other, IF, 3, w->a));
	EXPECT_ACL(BAD_VALUE, add_cond(&other, WHILE, 2, w->a));
	EXPECT_ACL(BAD_VALUE, add_cond(&other, SWITCH, 0, w->a));
	EXPECT_ACL(BAD_VALUE, add_cond(&other, SWITCH, 129, w->a));
	EXPECT_ACL(BAD_VALUE,
		   add_cond(&other, (aclmdlRICondTaskType)3, 1, w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   add_cond(&other, IF, 1, w->b));
	params.handle = other.handle;
	params.size = 1;
	params.modelRIArray = c.parts;
	EXPECT_ACL(BAD_VALUE, aclmdlRIAddCondTask(params, w->a, 1));
	params.handle = w->a;
	EXPECT_ACL(BAD_HANDLE, aclmdlRIAddCondTask(params, w->a, 0));
	OK(aclmdlRICaptureBegin(w->b, RELAXED));
	EXPECT_ACL(BAD_VALUE, add_cond(&other, IF, 1, w->b));
}

/* The model uses the value, so the program cannot free it. */
TEST_F(capture, the_value_belongs_to_the_model)
{
	struct work *w = &self->w;
	uint64_t *value;
	struct cond c;

	OK(begin(w, &c, 1, ASSIGN));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(c.value));
	EXPECT_NE(NULL, strstr(recent(), "condition"));
	OK(add_cond(&c, IF, 1, w->a));
	OK(capture_part(w, c.parts[0], w->dev, 5));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(c.value));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeWithDevSync(c.value));
	OK(run(self->model, w->a));
	EXPECT_TRUE(device_has(w->dev, 5, 8));
	value = c.value;
	OK(aclmdlRIDestroy(self->model));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(value));
	/* After a reset, the address is that of other memory. */
	OK(begin(w, &c, 1, ASSIGN));
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(c.value));
}

TEST_HARNESS_MAIN
