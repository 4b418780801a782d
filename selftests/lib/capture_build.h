/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of built models: a model with three streams, and numbers on the device. */
#ifndef SELFTESTS_LIB_CAPTURE_BUILD_H
#define SELFTESTS_LIB_CAPTURE_BUILD_H

#include "capture.h"

#define HEAD		ACL_MODEL_STREAM_FLAG_HEAD
#define LATER		ACL_MODEL_STREAM_FLAG_DEFAULT
#define WRONG		ACL_ERROR_RT_PARAM_INVALID
#define BOUND		ACL_ERROR_RT_STREAM_MODEL
#define STREAMS		3

FIXTURE(build) {
	struct work w;
	aclmdlRI model;
	aclrtStream s[STREAMS];		/* persistent; the first is the head */
	int32_t *n;			/* numbers on the device */
};

FIXTURE_SETUP(build)
{
	OK(work_init(&self->w));
	self->n = (int32_t *)self->w.dev;
	OK(aclmdlRIBuildBegin(&self->model, 0));
	for (int i = 0; i < STREAMS; i++) {
		OK(aclrtCreateStreamWithConfig(&self->s[i], 0,
					       ACL_STREAM_PERSISTENT));
		OK(aclmdlRIBindStream(self->model, self->s[i],
				      i ? LATER : HEAD));
	}
}

FIXTURE_TEARDOWN(build)
{
	work_fini(&self->w);
}

static inline aclError set(int32_t *to, int32_t value, aclrtStream stream)
{
	return aclrtMemsetD32Async(to, 4, value, 1, stream);
}

static inline aclError add(int32_t *to, int32_t *from, aclrtStream stream)
{
	return aclrtReduceAsync(to, from, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
				ACL_INT32, stream, NULL);
}

static inline aclError put(int32_t *to, const int32_t *from, size_t count)
{
	return aclrtMemcpy(to, 4 * count, from, 4 * count,
			   ACL_MEMCPY_HOST_TO_DEVICE);
}

static inline int32_t get(const int32_t *from)
{
	int32_t value = INT32_MIN;

	return aclrtMemcpy(&value, 4, from, 4, ACL_MEMCPY_DEVICE_TO_HOST) ?
	       INT32_MIN : value;
}

/* Go on in a stream if a number is less than another one. */
static inline aclError go_if_less(int32_t *left, int32_t *right, aclrtStream to,
			   aclrtStream stream)
{
	return aclrtSwitchStream(left, ACL_RT_LESS, right, ACL_RT_SWITCH_INT32,
				 to, NULL, stream);
}

#endif
