/* SPDX-License-Identifier: MIT */
/*
 * Sharing of memory, notifies, events and streams between processes.
 *
 * The driver makes files that stand for them; AscendCL wants to pass keys.
 * So the process that shares something answers for its keys: threads of the
 * library wait at a socket, and hand out a file for a key to whom the program
 * allowed it.  What can be asked for is in share.c, who answers in service.c, who
 * talks to those who come in door.c, and who asks in fetch.c.
 *
 * Any thread may call any of these.  The lock of sharing is inside the runtime
 * lock.
 */
#ifndef VNPU_LIB_SHARE_H
#define VNPU_LIB_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "acl/acl_rt.h"
#include "io.h"
#include "token.h"

/* One is not found by the key of another. */
enum vnpu_share_kind {
	VNPU_SHARE_KEY,			/* aclrtIpcMem*(): a part of memory */
	VNPU_SHARE_HANDLE,		/* aclrtMem*ShareableHandle*() */
	VNPU_SHARE_NOTIFY,		/* aclrtNotify*(): a counter */
	VNPU_SHARE_EVENT,		/* aclrtIpc*Event*(): a file */
	VNPU_SHARE_STREAM,		/* for these: a stream's timeline */
};

struct vnpu_share_spec {
	enum vnpu_share_kind kind;
	uint32_t mem_id;
	uint64_t timeline;		/* this instead, or 0; */
	bool can_signal;		/* otherwise importers only wait for it */
	bool has_file;			/* or this: */
	int file;			/* the caller's */
	bool owns_mem;			/* gives the id up at its end */
	bool any_pid;			/* to everyone who knows the key */
	bool is_short;			/* the token has to fit in a number */
	uint32_t device;		/* whose reset ends it */
	uint64_t va;			/* where it is bound, see forget() */
	uint64_t offset;		/* in the memory object */
	uint64_t length;
	uint32_t number;		/* of what is no memory */
};

/* What was fetched: the id is the caller's. */
struct vnpu_shared {
	struct vnpu_io_mem mem;
	uint64_t timeline;
	int file;			/* of an event */
	uint32_t number;
	uint64_t offset;
	uint64_t length;
};

/*
 * Share something; on failure the id stays the caller's.  It may take a thread:
 * vnpu_thread_prepare() was called.  0 or -errno.
 */
int vnpu_share_create(const struct vnpu_share_spec *spec,
		      struct vnpu_token *token);

/* The timeline of what this process shares, or -ENOENT. */
int vnpu_share_find(enum vnpu_share_kind kind, const struct vnpu_token *token,
		    uint64_t *timeline);

/* -ENOENT if this process does not share such a thing, -ENOMEM. */
int vnpu_share_allow(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     const int32_t *pids, size_t count);

/* -ENOENT as above. */
int vnpu_share_close(enum vnpu_share_kind kind, const struct vnpu_token *token);

/*
 * What was bound at @va is freed: its keys find nothing any more.  To be called
 * before the address may be used again.
 */
void vnpu_share_forget(uint64_t va);

/* Close all that a device shares. */
void vnpu_share_close_all(uint32_t device);

/**
 * vnpu_share_fetch() - get what a process shares
 * @kind: what it shares it as
 * @token: from its key
 * @shared: filled
 *
 * Waits for the other process, if need be for seconds; no lock is held.
 *
 * Return: 0; -ENOENT: nobody knows the key; -EACCES: this process is not
 * allowed; -ETIMEDOUT: no answer; another -errno.
 */
int vnpu_share_fetch(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     struct vnpu_shared *shared);

/* What vnpu_share_fetch() returned, for @call; @argument is the key. */
aclError vnpu_share_error(int err, const char *call, const char *argument);

/* For service.c. */

/* By which the key is asked for: it does not tell the key. */
uint64_t vnpu_share_tag(enum vnpu_share_kind kind,
			const struct vnpu_token *token);

/* An answer to a request with this nonce, of one who knows the key. */
uint64_t vnpu_share_proof(const struct vnpu_token *token, uint64_t nonce);

struct vnpu_share_answer {
	int fd;
	uint64_t proof;
	uint64_t offset;
	uint64_t length;
};

/*
 * 0, and @answer has a new fd; -ENOENT, -EACCES, or why there is no file.  The
 * lock is held.
 */
int vnpu_share_answer_locked(uint64_t tag, uint64_t nonce, pid_t pid,
			     struct vnpu_share_answer *answer);

#endif /* VNPU_LIB_SHARE_H */
