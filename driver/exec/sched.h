/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions shared by the files sched*.c. All need vnpu_engines.lock. */
#ifndef VNPU_SCHED_H
#define VNPU_SCHED_H

#include "base/device.h"
#include "stream.h"

static inline struct vnpu_engines *
vnpu_engines_of(const struct vnpu_stream *stream)
{
	return stream->dev->engines;
}

void vnpu_engines_push_locked(struct vnpu_stream *stream);
void vnpu_engines_unpush_locked(struct vnpu_stream *stream);
void vnpu_engines_recall_locked(struct vnpu_stream *stream);

#endif
