/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the library's fuzzer: callers, arguments, and the tables of
 * calls.
 */
#ifndef SELFTESTS_FUZZ_LIBRARY_H
#define SELFTESTS_FUZZ_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_ext.h"
#include "acl/acl_rt_memory_soma.h"
#include "util.h"
#include "vnpu.h"

#define THREADS		4
#define HOST_BYTES	(1 << 20)
#define PAGE_BYTES	4096
#define OUTS		6
#define RECENT		8

enum kind {
	STREAM, EVENT, CONTEXT, DEVICE_MEM, PINNED, PHYSICAL, RESERVED,
	NOTIFY, COUNTER, MEM_POOL, STREAM_CONFIG, MANAGED, ALLOCATOR,
	PROF_CONFIG, STAMP, STEP, HEAP, BLOCK, DATA_BUFFER, MBUF, MODEL,
	GROUP, CONDITION, LABEL, LABEL_LIST, MODEL_STREAM, MODEL_TASK,
	DATASET, MODEL_DESC, TENSOR_DESC, LOAD_CONFIG, RUN_CONFIG, AIPP, OP_ATTR,
	OP,
	KINDS,
};

/* Data that processes pass to each other, as bytes. */
enum token {
	MEM_KEY, NOTIFY_KEY, EVENT_HANDLE, SHARE_NUMBER, SHARE_FABRIC, TOKENS,
};

#define TOKEN_BYTES	128

struct worker;

typedef aclError call_fn(struct worker *w);

/**
 * struct call - a call of the library
 * @name: for reports
 * @fn: makes it
 * @ends_pools: may destroy a pool, so that no thread may be in a call on it
 */
struct call {
	const char *name;
	call_fn *fn;
	bool ends_pools;
};

struct worker {
	struct rng r;
	uint8_t *host;		/* HOST_BYTES of its own, which copies use */
	uint64_t until;
	bool has_pools;
	unsigned long calls, refused;
	aclError bad;		/* a result that is not an error code */
	const char *bad_call;

	void *latest[KINDS];	/* calls that it has made */

	/* The last calls, for reports at the end; the next index. */
	const char *recent[RECENT];
	aclError results[RECENT];
	unsigned int at;

	/* One thread at a time uses these, so that each has its own. */
	struct vnpu_plan *plan, *fits;
	struct vnpu_arena *arena;
	struct vnpu_pool_objects objects;
	uint32_t range;

	uint64_t outs[OUTS][PAGE_BYTES / 8];
	char token[TOKEN_BYTES];
};

/* Return the thread of any worker. */
extern uint64_t thread_ids[THREADS];

/* library_handle.c */
uint64_t below(struct worker *w, uint64_t limit);
int small(struct worker *w);
uint64_t size_of(struct worker *w);
void keep(struct worker *w, enum kind kind, void *handle);
aclError keep_if(struct worker *w, aclError ret, enum kind kind, void *handle);
void *handle(struct worker *w, enum kind kind);
void *any(struct worker *w);
void *device_address(struct worker *w);
void token_keep(struct worker *w, enum token token, const void *bytes);
void *token(struct worker *w, enum token token);
void drop_all(void);

/* library_make.c */
aclrtPhysicalMemProp *physical_prop(struct worker *w);

/* Return a file or directory of this process; the first has no name. */
const char *path_of(const char *name);

/*
 * Get the path of a file with a text, maybe cut, or of none; other calls may write it
 * at the same time.
 */
const char *config_of(struct worker *w, const char *text);
void remove_files(void);

/* Results of getters: @n distinguishes several. */
static inline void *out(struct worker *w, unsigned int n)
{
	return w->outs[n];
}

/* A call that returns a negative errno. */
static inline aclError error_of(int ret)
{
	return ret < 0 && ret > -4096 ? ACL_ERROR_FAILURE : ret;
}

/* A call that returns a new object. */
static inline aclError made(const void *what)
{
	return what ? ACL_SUCCESS : ACL_ERROR_FAILURE;
}

/* A call that returns another value. */
#define DONE(...) ({ (void)(__VA_ARGS__); ACL_SUCCESS; })

/* Slow calls, which are made rarely. */
#define SELDOM(w, call) (below(w, 20) ? ACL_SUCCESS : (call))

/* Calls with global effects, which are made rarely. */
#define RARELY(w, call) (below(w, 400) ? ACL_SUCCESS : (call))

/* A table is a macro, of which ROW_CALL makes functions, and ROW_ENTRY lines. */
#define ROW_CALL(_name, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	(void)w;							\
	return _name __VA_ARGS__;					\
}

#define ROW_ENTRY(_name, ...)	{ #_name, fuzz_##_name, false },

/* Functions that return an errno. */
#define INT_CALL(_name, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	return error_of(_name __VA_ARGS__);				\
}

/* Functions whose result does not matter. */
#define VALUE_CALL(_name, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	(void)w;							\
	return DONE(_name __VA_ARGS__);					\
}

/* A line whose function is written separately. */
#define CALL(_name)	{ #_name, fuzz_##_name, false }
#define CALL_ALONE(_name)	{ #_name, fuzz_##_name, true }

/* Each ends with a name of NULL. */
extern const struct call make_calls[], destroy_calls[], copy_calls[],
	memory_calls[], buffer_calls[], share_calls[], stream_calls[],
	event_calls[],
	device_calls[], process_calls[], prof_calls[], plan_calls[],
	heap_calls[], snapshot_calls[], kernel_calls[], model_calls[],
	offline_calls[], op_calls[];

#endif
