// SPDX-License-Identifier: MIT
/* Streams of other processes, see stream_share.h. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/fork.h"
#include "io/io_stream.h"
#include "ipc/share.h"
#include "stream_share.h"

/* A stream of another process. */
struct import {
	struct import *next;
	struct vnpu_token token;
	uint64_t timeline;		/* its id in this process */
};

/* Taken after the runtime lock, and before that of sharing. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct import *imports;		/* under the lock */

void vnpu_stream_share_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void vnpu_stream_share_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static int share_locked(struct vnpu_stream *stream)
{
	const struct vnpu_share_spec spec = {
		.kind = VNPU_SHARE_STREAM,
		.timeline = stream->queue.id,
		.any_pid = true,
		.device = stream->context->device,
		.length = 1,
	};
	int ret;

	if (stream->is_shared)
		return 0;
	ret = vnpu_share_create(&spec, &stream->token);
	stream->is_shared = !ret;
	return ret;
}

int vnpu_stream_share(struct vnpu_stream *stream, struct vnpu_token *token)
{
	int ret;

	vnpu_stream_share_lock();
	ret = share_locked(stream);
	*token = stream->token;
	vnpu_stream_share_unlock();
	return ret;
}

void vnpu_stream_unshare(struct vnpu_stream *stream)
{
	if (stream->is_shared)
		vnpu_share_close(VNPU_SHARE_STREAM, &stream->token);
}

static struct import *find_locked(const struct vnpu_token *token)
{
	struct import *import = imports;

	while (import && !vnpu_token_is_same(&import->token, token))
		import = import->next;
	return import;
}

/* Check whether this process can see that the stream has ended. */
static bool is_over(uint64_t timeline)
{
	uint64_t value;

	return !vnpu_io_timeline_query(timeline, &value) && value == UINT64_MAX;
}

static void drop_over_locked(void)
{
	struct import **link = &imports, *import;

	while ((import = *link)) {
		if (!is_over(import->timeline)) {
			link = &import->next;
			continue;
		}
		*link = import->next;
		vnpu_io_timeline_destroy(import->timeline);
		free(import);
	}
}

/* Store a fetched timeline, unless another thread has stored it already. */
static int keep_locked(struct import *new, uint64_t *timeline)
{
	struct import *other = find_locked(&new->token);

	*timeline = other ? other->timeline : new->timeline;
	if (other)
		return -EEXIST;
	drop_over_locked();
	new->next = imports;
	imports = new;
	return 0;
}

static int fetch(const struct vnpu_token *token, uint64_t *timeline)
{
	struct import *new = malloc(sizeof(*new));
	struct vnpu_shared shared;
	int ret;

	if (!new)
		return -ENOMEM;
	ret = vnpu_share_fetch(VNPU_SHARE_STREAM, token, &shared);
	if (ret) {
		free(new);
		return ret;
	}
	new->token = *token;
	new->timeline = shared.timeline;
	ret = is_over(new->timeline) ? -ENOENT : 0;
	if (!ret) {
		vnpu_stream_share_lock();
		ret = keep_locked(new, timeline);
		vnpu_stream_share_unlock();
	}
	if (!ret)
		return 0;
	vnpu_io_timeline_destroy(new->timeline);
	free(new);
	return ret == -EEXIST ? 0 : ret;
}

static bool find_import(const struct vnpu_token *token, uint64_t *timeline)
{
	struct import *import;

	vnpu_stream_share_lock();
	import = find_locked(token);
	if (import)
		*timeline = import->timeline;
	vnpu_stream_share_unlock();
	return import;
}

int vnpu_stream_shared_find(const struct vnpu_token *token, uint64_t *timeline)
{
	if (find_import(token, timeline) ||
	    !vnpu_share_find(VNPU_SHARE_STREAM, token, timeline))
		return 0;
	return fetch(token, timeline);
}

bool vnpu_stream_shared_is_gone(const struct vnpu_token *token)
{
	uint64_t timeline;
	int ret = vnpu_stream_shared_find(token, &timeline);

	return ret == -ENOENT || (!ret && is_over(timeline));
}
