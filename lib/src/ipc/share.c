// SPDX-License-Identifier: MIT
/* The keys of this process, see share.h. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/tree.h"
#include "io/io_stream.h"
#include "share.h"

/*
 * A key; once its memory was freed it imports nothing, but can still be closed.
 */
struct share {
	struct vnpu_tree_node by_token;	/* {key[0], key[1]} */
	struct vnpu_tree_node by_va;	/* {va, key[0]}; in the tree unless va is 0 */
	struct vnpu_token token;
	enum vnpu_share_kind kind;
	uint32_t device;
	uint64_t timeline;
	uint64_t va;
};

static pthread_mutex_t share_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *tokens;		/* under the lock */
static struct vnpu_tree_node *addresses;	/* under the lock */
static atomic_size_t nr_addresses;		/* written under the lock */

void vnpu_share_lock(void)
{
	pthread_mutex_lock(&share_mutex);
}

void vnpu_share_unlock(void)
{
	pthread_mutex_unlock(&share_mutex);
}

static struct share *find_locked(enum vnpu_share_kind kind,
				 const struct vnpu_token *token)
{
	struct vnpu_tree_node *node =
		vnpu_tree_at_most(tokens, token->key[0], token->key[1]);
	struct share *share;

	if (!node)
		return NULL;
	share = container_of(node, struct share, by_token);
	return share->kind == kind && vnpu_token_is_same(&share->token, token) ?
	       share : NULL;
}

static void forget_locked(struct share *share)
{
	if (share->va) {
		vnpu_tree_remove(&addresses, &share->by_va);
		atomic_fetch_sub(&nr_addresses, 1);
		share->va = 0;
	}
	/* The driver may have dropped it, with a file that was closed. */
	vnpu_io_key_destroy(share->token.key);
}

static void close_locked(struct share *share)
{
	forget_locked(share);
	vnpu_tree_remove(&tokens, &share->by_token);
	free(share);
}

/*
 * The descriptor is open only under the lock, so that no forked child inherits
 * it; but those of events, of a page that their processes share anyway, are.
 */
static int export_locked(const struct vnpu_share_spec *spec, int *fd)
{
	if (spec->timeline)
		return vnpu_io_timeline_export(spec->timeline, 0,
					       spec->can_signal, fd);
	if (spec->has_file) {
		*fd = spec->file;
		return 0;
	}
	return vnpu_io_mem_export(spec->mem_id, fd);
}

static int create_key_locked(const struct vnpu_share_spec *spec,
			     struct vnpu_token *token)
{
	struct vnpu_io_key_spec key = {
		.kind = spec->kind,
		.data = { spec->timeline ? spec->number : spec->offset,
			  spec->length },
		.any_process = spec->any_pid,
		.is_short = spec->is_short,
	};
	int ret = export_locked(spec, &key.fd);

	if (ret)
		return ret;
	ret = vnpu_io_key_create(&key, token->key);
	if (!spec->has_file)
		close(key.fd);
	return ret;
}

static int create_locked(const struct vnpu_share_spec *spec,
			 struct vnpu_token *token)
{
	struct share *share = calloc(1, sizeof(*share));
	int ret;

	if (!share)
		return -ENOMEM;
	ret = create_key_locked(spec, token);
	if (ret) {
		free(share);
		return ret;
	}
	share->token = *token;
	share->kind = spec->kind;
	share->device = spec->device;
	share->timeline = spec->timeline;
	share->va = spec->va;
	share->by_token.hi = token->key[0];
	share->by_token.lo = token->key[1];
	vnpu_tree_add(&tokens, &share->by_token);
	if (share->va) {
		share->by_va.hi = share->va;
		share->by_va.lo = token->key[0];
		vnpu_tree_add(&addresses, &share->by_va);
		atomic_fetch_add(&nr_addresses, 1);
	}
	return 0;
}

int vnpu_share_create(const struct vnpu_share_spec *spec,
		      struct vnpu_token *token)
{
	int ret;

	vnpu_share_lock();
	ret = create_locked(spec, token);
	vnpu_share_unlock();
	return ret;
}

int vnpu_share_find(enum vnpu_share_kind kind, const struct vnpu_token *token,
		    uint64_t *timeline)
{
	struct share *share;

	vnpu_share_lock();
	share = find_locked(kind, token);
	if (share)
		*timeline = share->timeline;
	vnpu_share_unlock();
	return share ? 0 : -ENOENT;
}

int vnpu_share_allow(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     const int32_t *pids, size_t count)
{
	bool is_own;

	vnpu_share_lock();
	is_own = find_locked(kind, token);
	vnpu_share_unlock();
	return is_own ? vnpu_io_key_allow(token->key, pids, count) : -ENOENT;
}

int vnpu_share_close(enum vnpu_share_kind kind, const struct vnpu_token *token)
{
	struct share *share;

	vnpu_share_lock();
	share = find_locked(kind, token);
	if (share)
		close_locked(share);
	vnpu_share_unlock();
	return share ? 0 : -ENOENT;
}

void vnpu_share_forget(uint64_t va)
{
	struct vnpu_tree_node *node;

	/* Each free comes here, and few programs share anything. */
	if (!atomic_load(&nr_addresses))
		return;
	vnpu_share_lock();
	while ((node = vnpu_tree_at_least(addresses, va, 0)) && node->hi == va)
		forget_locked(container_of(node, struct share, by_va));
	vnpu_share_unlock();
}

bool vnpu_share_has_memory(const struct vnpu_token *token)
{
	struct share *share;
	bool has_memory;

	vnpu_share_lock();
	share = find_locked(VNPU_SHARE_KEY, token);
	has_memory = share && share->va;
	vnpu_share_unlock();
	return has_memory;
}

static struct vnpu_tree_node *next_token_locked(const struct vnpu_tree_node *node)
{
	uint64_t hi = node->hi, lo = node->lo + 1;

	if (!lo && !++hi)
		return NULL;
	return vnpu_tree_at_least(tokens, hi, lo);
}

void vnpu_share_close_all(uint32_t device)
{
	struct vnpu_tree_node *node, *next;

	vnpu_share_lock();
	for (node = vnpu_tree_at_least(tokens, 0, 0); node; node = next) {
		struct share *share = container_of(node, struct share, by_token);

		next = next_token_locked(node);
		if (share->device == device)
			close_locked(share);
	}
	vnpu_share_unlock();
}

/* The key's data are the exporter's words, which need not be true. */
static bool is_inside(const struct vnpu_shared *shared)
{
	return shared->length && shared->length <= shared->mem.length &&
	       shared->offset <= shared->mem.length - shared->length;
}

static int import_mem(int fd, struct vnpu_shared *shared)
{
	int ret = vnpu_io_mem_import(fd, &shared->mem);

	if (ret || is_inside(shared))
		return ret;
	vnpu_io_mem_close(shared->mem.id);
	return -ENOENT;
}

static int import_timeline(int fd, enum vnpu_io_timeline_kind wanted,
			   struct vnpu_shared *shared)
{
	enum vnpu_io_timeline_kind kind;
	int ret = vnpu_io_timeline_import(fd, &shared->timeline, &kind);

	if (ret || kind == wanted)
		return ret;
	vnpu_io_timeline_destroy(shared->timeline);
	return -ENOENT;
}

static int import(enum vnpu_share_kind kind, int fd, struct vnpu_shared *shared)
{
	switch (kind) {
	case VNPU_SHARE_NOTIFY:
		return import_timeline(fd, VNPU_IO_COUNTER, shared);
	case VNPU_SHARE_STREAM:
		return import_timeline(fd, VNPU_IO_STREAM, shared);
	default:
		return import_mem(fd, shared);
	}
}

static int fetch_locked(enum vnpu_share_kind kind, const struct vnpu_token *token,
			struct vnpu_shared *shared)
{
	uint64_t data[2];
	int fd, ret = vnpu_io_key_open(token->key, kind, &fd, data);

	if (ret)
		return ret;
	shared->number = (uint32_t)data[0];
	shared->offset = data[0];
	shared->length = data[1];
	if (kind == VNPU_SHARE_EVENT) {
		shared->file = fd;
		return 0;
	}
	ret = import(kind, fd, shared);
	close(fd);
	switch (ret) {
	/* The file is of another kind than the key says. */
	case -EINVAL:
		return -ENOENT;
	/* This process does not have the device. */
	case -EACCES:
		return -ENODEV;
	default:
		return ret;
	}
}

int vnpu_share_fetch(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     struct vnpu_shared *shared)
{
	int ret;

	vnpu_share_lock();
	ret = fetch_locked(kind, token, shared);
	vnpu_share_unlock();
	return ret;
}

aclError vnpu_share_error(int err, const char *argument)
{
	switch (err) {
	case -ENOENT:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"no process shares anything under this %s: it was closed, or its process has ended; share it anew",
			argument);
	case -EACCES:
		return vnpu_error(ACL_ERROR_RT_NO_PERMISSION,
			"this process (%d) is not allowed to import this %s; the exporting process has to name it by the process id in its own pid namespace",
			getpid(), argument);
	default:
		return vnpu_error_errno(err, "sharing");
	}
}
