/* SPDX-License-Identifier: MIT */
/*
 * Streams of other processes: timelines to wait for.
 *
 * A shared stream has a token, by which any process that has it finds the
 * timeline of the stream.  The timeline lives until the stream ends, and has
 * then reached every value, whatever ended the stream, including the death of
 * its process.
 *
 * Any thread may call these functions.
 */
#ifndef VNPU_LIB_STREAM_SHARE_H
#define VNPU_LIB_STREAM_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/token.h"
#include "stream.h"

/* Share a stream, unless it is shared; 0 or -errno. */
int vnpu_stream_share(struct vnpu_stream *stream, struct vnpu_token *token);

/* Stop sharing a stream, when its last reference is dropped. */
void vnpu_stream_unshare(struct vnpu_stream *stream);

/**
 * vnpu_stream_shared_find() - find the timeline of a stream
 * @token: token of the stream, of this process or another
 * @timeline: set to an id, which stays valid as long as the stream exists.
 *	Afterwards, a wait for it returns at once.
 *
 * Return: 0; -ENOENT: the stream is gone; another -errno.
 */
int vnpu_stream_shared_find(const struct vnpu_token *token, uint64_t *timeline);

/* Check whether a stream is gone. */
bool vnpu_stream_shared_is_gone(const struct vnpu_token *token);

#endif /* VNPU_LIB_STREAM_SHARE_H */
