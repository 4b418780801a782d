/* SPDX-License-Identifier: MIT */
/*
 * Sharing of memory, notifies, events and streams between processes.
 *
 * AscendCL passes keys between processes.  The driver has files that stand for
 * shared objects, and a table of keys by which other processes open these
 * files.  It checks which processes may open a key, and drops the keys of a
 * process that ends.  The library records the keys of this process, to drop
 * each with its object.
 *
 * Any thread may call these functions.  The lock of sharing is taken under the
 * runtime lock.
 */
#ifndef VNPU_LIB_SHARE_H
#define VNPU_LIB_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "io/io.h"
#include "token.h"

/*
 * The key of one kind does not open another.  Processes with libraries of
 * different versions pass these numbers to the driver.
 */
enum vnpu_share_kind {
	VNPU_SHARE_KEY = 1,		/* aclrtIpcMem*(): a part of memory */
	VNPU_SHARE_HANDLE = 2,		/* aclrtMem*ShareableHandle*() */
	VNPU_SHARE_NOTIFY = 3,		/* aclrtNotify*(): a counter */
	VNPU_SHARE_EVENT = 4,		/* aclrtIpc*Event*(): a file */
	VNPU_SHARE_STREAM = 5,		/* for these: a stream's timeline */
};

struct vnpu_share_spec {
	enum vnpu_share_kind kind;
	uint32_t mem_id;
	uint64_t timeline;		/* this instead, or 0; */
	bool can_signal;		/* otherwise importers only wait for it */
	bool has_file;			/* or this: */
	int file;			/* stays the caller's */
	bool any_pid;			/* any process that has the key may import */
	bool is_short;			/* the token has to fit in a number */
	uint32_t device;		/* its reset ends the key */
	uint64_t va;			/* where it is bound, see forget() */
	uint64_t offset;		/* in the memory object */
	uint64_t length;
	uint32_t number;		/* of a notify, instead of offset and length */
};

/* The object of a key; the caller owns its id or its file. */
struct vnpu_shared {
	struct vnpu_io_mem mem;
	uint64_t timeline;
	int file;			/* of an event */
	uint32_t number;
	uint64_t offset;
	uint64_t length;
};

/* Create a key; 0 or -errno.  The id or file stays the caller's. */
int vnpu_share_create(const struct vnpu_share_spec *spec,
		      struct vnpu_token *token);

/* Find the timeline of a key of this process; 0 or -ENOENT. */
int vnpu_share_find(enum vnpu_share_kind kind, const struct vnpu_token *token,
		    uint64_t *timeline);

/*
 * Let processes import; 0, -ENOENT if this process has no such key, or -ENOMEM.
 */
int vnpu_share_allow(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     const int32_t *pids, size_t count);

/* Close a key; -ENOENT as above. */
int vnpu_share_close(enum vnpu_share_kind kind, const struct vnpu_token *token);

/*
 * The memory bound at @va is freed: its keys import nothing any more.  To be
 * called before the address may be used again.
 */
void vnpu_share_forget(uint64_t va);

/* Check whether a key of this process still stands for memory. */
bool vnpu_share_has_memory(const struct vnpu_token *token);

/* Close all keys of a device. */
void vnpu_share_close_all(uint32_t device);

/**
 * vnpu_share_fetch() - import what a process shares
 * @kind: the kind it was shared as
 * @token: from its key
 * @shared: filled
 *
 * Return: 0; -ENOENT: there is no such key; -EACCES: this process is not
 * allowed;
 * -ENODEV: this process does not have the device; another -errno.
 */
int vnpu_share_fetch(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     struct vnpu_shared *shared);

/* Report what vnpu_share_fetch() returned; @argument is the key. */
aclError vnpu_share_error(int err, const char *argument);

#endif /* VNPU_LIB_SHARE_H */
