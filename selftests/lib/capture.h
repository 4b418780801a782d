/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of captures: two streams, memory, and events for forks and joins. */
#ifndef SELFTESTS_LIB_CAPTURE_H
#define SELFTESTS_LIB_CAPTURE_H

#include "acl-stream.h"

#define GLOBAL		ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL	ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED		ACL_MODEL_RI_CAPTURE_MODE_RELAXED

#define NONE		ACL_MODEL_RI_CAPTURE_STATUS_NONE
#define ACTIVE		ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
#define INVALIDATED	ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED

#define INVALID_CAPTURE	ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED
#define UNSUPPORTED	ACL_ERROR_RT_FEATURE_NOT_SUPPORT

FIXTURE(capture) {
	struct work w;
	aclrtEvent fork, join;
	aclmdlRI model;
};

FIXTURE_SETUP(capture)
{
	OK(work_init(&self->w));
	OK(aclrtCreateEventExWithFlag(&self->fork, ACL_EVENT_SYNC));
	OK(aclrtCreateEventExWithFlag(&self->join, ACL_EVENT_SYNC));
}

FIXTURE_TEARDOWN(capture)
{
	work_fini(&self->w);
}

static inline aclmdlRICaptureStatus status_of(aclrtStream stream)
{
	aclmdlRICaptureStatus status = NONE;
	aclmdlRI model;

	return aclmdlRICaptureGetInfo(stream, &status, &model) ?
	       (aclmdlRICaptureStatus)-1 : status;
}

static inline aclError fill(uint8_t *to, int value, size_t count,
			    aclrtStream stream)
{
	return aclrtMemsetAsync(to, count, value, count, stream);
}

static inline aclError move(uint8_t *to, const uint8_t *from, size_t count,
			    aclrtStream stream)
{
	return aclrtMemcpyAsync(to, count, from, count,
				ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

/* Let @to continue after what @from was given. */
static inline aclError follow(aclrtStream to, aclrtStream from,
			      aclrtEvent event)
{
	aclError err = aclrtRecordEvent(event, from);

	return err ? err : aclrtStreamWaitEvent(to, event);
}

/* Capture a fill of the first @count bytes. */
static inline aclError capture_fill(struct work *w, int value, size_t count,
				    aclmdlRI *model)
{
	aclError err = aclmdlRICaptureBegin(w->a, GLOBAL);

	if (!err)
		err = fill(w->dev, value, count, w->a);
	return err ? err : aclmdlRICaptureEnd(w->a, model);
}

static inline aclError run(aclmdlRI model, aclrtStream stream)
{
	aclError err = aclmdlRIExecuteAsync(model, stream);

	return err ? err : aclrtSynchronizeStream(stream);
}

static inline bool device_has(const uint8_t *dev, uint8_t value, size_t count)
{
	uint8_t bytes[256];

	return count <= sizeof(bytes) &&
	       !aclrtMemcpy(bytes, count, dev, count,
			    ACL_MEMCPY_DEVICE_TO_HOST) &&
	       all_are(bytes, value, count);
}

#endif
