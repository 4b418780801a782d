/* SPDX-License-Identifier: MIT */
/*
 * Streams as other processes see them: timelines to wait for.
 *
 * A stream that was shared has a token, by which any process that is told of it
 * finds the stream's timeline.  That goes on to the end of the stream, and has
 * reached every value then, however the end came: also by the death of the
 * process.
 *
 * Any thread may call any of these.
 */
#ifndef VNPU_LIB_STREAM_SHARE_H
#define VNPU_LIB_STREAM_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream.h"
#include "token.h"

/* Share a stream, unless it is shared; 0 or -errno. */
int vnpu_stream_share(struct vnpu_stream *stream, struct vnpu_token *token);

/* The last reference to a stream is given up. */
void vnpu_stream_unshare(struct vnpu_stream *stream);

/**
 * vnpu_stream_shared_find() - the timeline of a stream
 * @token: the stream's, of this process or another
 * @timeline: set to an id, which stays as long as the stream is there.  An id of
 *	what is gone is one that waits for nothing.
 *
 * Return: 0; -ENOENT: the stream is gone; another -errno.
 */
int vnpu_stream_shared_find(const struct vnpu_token *token, uint64_t *timeline);

/* Check whether a stream is gone. */
bool vnpu_stream_shared_is_gone(const struct vnpu_token *token);

#endif /* VNPU_LIB_STREAM_SHARE_H */
