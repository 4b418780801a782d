// SPDX-License-Identifier: MIT
/*
 * What this process shares, see share.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "error.h"
#include "fork.h"
#include "io_stream.h"
#include "service.h"
#include "share.h"
#include "siphash.h"
#include "tree.h"

struct share {
	struct vnpu_tree_node by_tag;	/* {tag, 0} */
	struct vnpu_tree_node by_va;	/* {va, tag}; in the tree if bound */
	struct vnpu_token token;
	struct vnpu_share_spec spec;	/* no ids once they were freed */
	int32_t *pids;
	size_t nr_pids;
};

static pthread_mutex_t share_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *tags;		/* under the lock */
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

uint64_t vnpu_share_tag(enum vnpu_share_kind kind,
			const struct vnpu_token *token)
{
	return vnpu_siphash(token->secret, kind, 0);
}

uint64_t vnpu_share_proof(const struct vnpu_token *token, uint64_t nonce)
{
	return vnpu_siphash(token->secret, nonce, 1);
}

static struct share *find_locked(uint64_t tag)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(tags, tag, 0);

	return node && node->hi == tag ?
	       container_of(node, struct share, by_tag) : NULL;
}

static struct share *find_token_locked(enum vnpu_share_kind kind,
				       const struct vnpu_token *token)
{
	struct share *share = find_locked(vnpu_share_tag(kind, token));

	return share && vnpu_token_is_same(&share->token, token) ? share : NULL;
}

/* Hand out nothing more; the key is still known. */
static void forget_locked(struct share *share)
{
	if (share->spec.va) {
		vnpu_tree_remove(&addresses, &share->by_va);
		atomic_fetch_sub(&nr_addresses, 1);
		share->spec.va = 0;
	}
	if (share->spec.mem_id && share->spec.owns_mem)
		vnpu_io_mem_close(share->spec.mem_id);
	share->spec.mem_id = 0;
	share->spec.timeline = 0;
}

static void close_locked(struct share *share)
{
	forget_locked(share);
	vnpu_tree_remove(&tags, &share->by_tag);
	free(share->pids);
	free(share);
}

static int export(const struct vnpu_share_spec *spec, int *fd)
{
	if (spec->timeline)
		return vnpu_io_timeline_export(spec->timeline, 0,
					       spec->can_signal, fd);
	if (!spec->has_file)
		return vnpu_io_mem_export(spec->mem_id, fd);
	*fd = fcntl(spec->file, F_DUPFD_CLOEXEC, 0);
	return *fd < 0 ? -errno : 0;
}

/* Whether the driver makes files for this. */
static int try_export(const struct vnpu_share_spec *spec)
{
	int fd, ret = export(spec, &fd);

	if (!ret)
		close(fd);
	return ret;
}

static int create_locked(const struct vnpu_share_spec *spec,
			 struct vnpu_token *token)
{
	struct share *share;
	uint32_t service;
	uint64_t tag;
	int ret;

	ret = try_export(spec);
	if (!ret)
		ret = vnpu_service_start_locked(&service);
	if (ret)
		return ret;
	do {
		ret = vnpu_token_init(token, service, spec->is_short);
		if (ret)
			return ret;
		tag = vnpu_share_tag(spec->kind, token);
	} while (find_locked(tag));

	share = calloc(1, sizeof(*share));
	if (!share)
		return -ENOMEM;
	share->token = *token;
	share->spec = *spec;
	share->by_tag.hi = tag;
	vnpu_tree_add(&tags, &share->by_tag);
	if (spec->va) {
		share->by_va.hi = spec->va;
		share->by_va.lo = tag;
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
	share = find_token_locked(kind, token);
	if (share)
		*timeline = share->spec.timeline;
	vnpu_share_unlock();
	return share ? 0 : -ENOENT;
}

static int allow_locked(struct share *share, const int32_t *pids, size_t count)
{
	int32_t *all = reallocarray(share->pids, share->nr_pids + count,
				    sizeof(*all));

	if (!all)
		return -ENOMEM;
	share->pids = all;
	for (size_t i = 0; i < count; i++)
		all[share->nr_pids++] = pids[i];
	return 0;
}

int vnpu_share_allow(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     const int32_t *pids, size_t count)
{
	struct share *share;
	int ret = -ENOENT;

	vnpu_share_lock();
	share = find_token_locked(kind, token);
	if (share)
		ret = allow_locked(share, pids, count);
	vnpu_share_unlock();
	return ret;
}

int vnpu_share_close(enum vnpu_share_kind kind, const struct vnpu_token *token)
{
	struct share *share;

	vnpu_share_lock();
	share = find_token_locked(kind, token);
	if (share)
		close_locked(share);
	vnpu_share_unlock();
	return share ? 0 : -ENOENT;
}

void vnpu_share_forget(uint64_t va)
{
	struct vnpu_tree_node *node;

	/* Every free comes here, and few programs share anything. */
	if (!atomic_load(&nr_addresses))
		return;
	vnpu_share_lock();
	while ((node = vnpu_tree_at_least(addresses, va, 0)) && node->hi == va)
		forget_locked(container_of(node, struct share, by_va));
	vnpu_share_unlock();
}

void vnpu_share_close_all(uint32_t device)
{
	struct vnpu_tree_node *node;
	uint64_t tag = 0;

	vnpu_share_lock();
	while ((node = vnpu_tree_at_least(tags, tag, 0))) {
		struct share *share = container_of(node, struct share, by_tag);

		tag = node->hi + 1;
		if (share->spec.device == device)
			close_locked(share);
		if (!tag)
			break;
	}
	vnpu_share_unlock();
}

/* The process itself has the memory anyway; 0 is one that it does not see. */
static bool is_allowed(const struct share *share, pid_t pid)
{
	if (share->spec.any_pid || pid == getpid())
		return true;
	for (size_t i = 0; i < share->nr_pids; i++)
		if (pid > 0 && share->pids[i] == pid)
			return true;
	return false;
}

static bool is_over(const struct vnpu_share_spec *spec)
{
	return !spec->mem_id && !spec->timeline && !spec->has_file;
}

int vnpu_share_answer_locked(uint64_t tag, uint64_t nonce, pid_t pid,
			     struct vnpu_share_answer *answer)
{
	struct share *share = find_locked(tag);

	if (!share || is_over(&share->spec))
		return -ENOENT;
	if (!is_allowed(share, pid))
		return -EACCES;
	answer->proof = vnpu_share_proof(&share->token, nonce);
	answer->offset = share->spec.offset;
	answer->length = share->spec.length;
	if (share->spec.timeline)
		answer->offset = share->spec.number;
	return export(&share->spec, &answer->fd);
}

aclError vnpu_share_error(int err, const char *call, const char *argument)
{
	switch (err) {
	case -ENOENT:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
			"no process shares anything under this %s: it was closed, or its process has ended, or is in another network namespace; share it anew",
			argument);
	case -EACCES:
		return vnpu_error(ACL_ERROR_RT_NO_PERMISSION, call,
			"this process (%d) was not allowed to import this %s; the exporter has to name it as it sees its process id",
			getpid(), argument);
	case -ETIMEDOUT:
		return vnpu_error(ACL_ERROR_RT_WAIT_TIMEOUT, call,
			"the process that answers for this %s does not answer; it may be stopped",
			argument);
	default:
		return vnpu_error_errno(err, call, "sharing");
	}
}
