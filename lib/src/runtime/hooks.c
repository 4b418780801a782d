// SPDX-License-Identifier: MIT
/*
 * Callbacks for events, see hooks.h: a list of registrations.  Those that match
 * are copied one by one and called without the lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/thread.h"
#include "hooks.h"

enum hook_kind {
	HOOK_STREAM,
	HOOK_DEVICE,
	HOOK_ABORT,
	HOOK_EXCEPTION,		/* identified by its function, not by a name */
	HOOK_EXCEPTION_SET,	/* of aclrtSetExceptionInfoCallback() */
	HOOK_BINARY,		/* identified by the handle of a binary */
	NR_HOOKS
};

typedef void (*hook_fn)(void);

struct hook {
	struct hook *next;
	enum hook_kind kind;
	uint64_t number;	/* increases along the list */
	hook_fn fn;		/* a function of the kind's type */
	void *args;
	uint64_t binary;	/* HOOK_BINARY only */
	char name[];
};

static pthread_mutex_t hooks_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct hook *hooks;			/* protected by the lock */
static uint64_t next_number;			/* protected by the lock */
static atomic_uint nr_hooks[NR_HOOKS];		/* written under the lock */
static _Atomic(const struct vnpu_hooks_watcher *) watcher;

void vnpu_hooks_set_watcher(const struct vnpu_hooks_watcher *new)
{
	atomic_store(&watcher, new);
}

/* Report the failures so far, before a callback is added. */
static void scan_failures(void)
{
	const struct vnpu_hooks_watcher *current = atomic_load(&watcher);

	if (current)
		current->scan();
}

/*
 * Watch for failures, after a callback was added.  If there is no watcher, the
 * first stream will set it, and then find the callback.
 */
static void watch_failures(void)
{
	const struct vnpu_hooks_watcher *current = atomic_load(&watcher);

	if (current)
		current->watch();
}

void vnpu_hooks_lock(void)
{
	pthread_mutex_lock(&hooks_mutex);
}

void vnpu_hooks_unlock(void)
{
	pthread_mutex_unlock(&hooks_mutex);
}

static struct hook *hook_make(enum hook_kind kind, const char *name, hook_fn fn,
			      void *args)
{
	size_t length = strlen(name) + 1;
	struct hook *new = calloc(1, sizeof(*new) + length);

	if (!new)
		return NULL;
	new->kind = kind;
	new->fn = fn;
	new->args = args;
	memcpy(new->name, name, length);
	return new;
}

/*
 * Find a hook by name, or for kinds without names by function unless it is
 * NULL.
 */
static struct hook **hook_find(enum hook_kind kind, const char *name,
			       hook_fn fn)
{
	struct hook **link = &hooks;

	while (*link && ((*link)->kind != kind || strcmp((*link)->name, name) ||
			 (fn && (*link)->fn != fn)))
		link = &(*link)->next;
	return link;
}

static void hook_remove(struct hook **link)
{
	struct hook *hook = *link;

	if (!hook)
		return;
	*link = hook->next;
	atomic_fetch_sub(&nr_hooks[hook->kind], 1);
	free(hook);
}

static void hook_add(struct hook *new)
{
	struct hook **link = &hooks;

	while (*link)
		link = &(*link)->next;
	*link = new;
	new->number = next_number++;
	atomic_fetch_add(&nr_hooks[new->kind], 1);
}

/* Register a function by name, or remove it. */
static aclError set_named(enum hook_kind kind, const char *name, hook_fn fn,
			  void *args)
{
	struct hook *new = NULL;
	bool is_there;

	if (!name)
		return vnpu_error_null("regName");
	if (fn) {
		new = hook_make(kind, name, fn, args);
		if (!new)
			return vnpu_error(ACL_ERROR_BAD_ALLOC,
				"no host memory for a registration");
	}

	vnpu_hooks_lock();
	is_there = *hook_find(kind, name, NULL);
	if (!fn)
		hook_remove(hook_find(kind, name, NULL));
	else if (!is_there)
		hook_add(new);
	vnpu_hooks_unlock();
	if (!fn || !is_there)
		return ACL_SUCCESS;
	free(new);
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"regName = \"%s\" is registered already; remove it with a NULL callback first",
		name);
}

aclError aclrtRegStreamStateCallback(const char *regName,
				     aclrtStreamStateCallback callback,
				     void *args)
{
	VNPU_CALL();

	return set_named(HOOK_STREAM, regName, (hook_fn)callback, args);
}

aclError aclrtRegDeviceStateCallback(const char *regName,
				     aclrtDeviceStateCallback callback,
				     void *args)
{
	VNPU_CALL();

	return set_named(HOOK_DEVICE, regName, (hook_fn)callback, args);
}

aclError aclrtSetDeviceTaskAbortCallback(const char *regName,
					 aclrtDeviceTaskAbortCallback callback,
					 void *args)
{
	VNPU_CALL();

	return set_named(HOOK_ABORT, regName, (hook_fn)callback, args);
}

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for a registration");
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	VNPU_CALL();
	struct hook *new = NULL;

	if (callback && !vnpu_thread_prepare())
		new = hook_make(HOOK_EXCEPTION_SET, "", (hook_fn)callback,
				NULL);
	if (callback && !new)
		return no_memory();
	scan_failures();
	vnpu_hooks_lock();
	hook_remove(hook_find(HOOK_EXCEPTION_SET, "", NULL));
	if (new)
		hook_add(new);
	vnpu_hooks_unlock();
	watch_failures();
	return ACL_SUCCESS;
}

static aclError no_function(void)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			  "callback is NULL; pass a function");
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
	VNPU_CALL();
	struct hook *new = NULL;
	bool is_there;

	if (!callback)
		return no_function();
	if (!vnpu_thread_prepare())
		new = hook_make(HOOK_EXCEPTION, "", (hook_fn)callback, NULL);
	if (!new)
		return no_memory();
	scan_failures();
	vnpu_hooks_lock();
	is_there = *hook_find(HOOK_EXCEPTION, "", new->fn);
	if (!is_there)
		hook_add(new);
	vnpu_hooks_unlock();
	watch_failures();
	if (is_there)
		free(new);
	return ACL_SUCCESS;
}

aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
	VNPU_CALL();

	if (!callback)
		return no_function();
	vnpu_hooks_lock();
	hook_remove(hook_find(HOOK_EXCEPTION, "", (hook_fn)callback));
	vnpu_hooks_unlock();
	return ACL_SUCCESS;
}

/* Find the hook of a binary. */
static struct hook **hook_find_binary(uint64_t binary)
{
	struct hook **link = &hooks;

	while (*link && ((*link)->kind != HOOK_BINARY ||
			 (*link)->binary != binary))
		link = &(*link)->next;
	return link;
}

int vnpu_hooks_set_binary(uint64_t binary, aclrtOpExceptionCallback callback,
			  void *args)
{
	struct hook *new = NULL;

	if (callback) {
		if (!vnpu_thread_prepare())
			new = hook_make(HOOK_BINARY, "", (hook_fn)callback,
					args);
		if (!new)
			return -ENOMEM;
		new->binary = binary;
		scan_failures();
	}
	vnpu_hooks_lock();
	hook_remove(hook_find_binary(binary));
	if (new)
		hook_add(new);
	vnpu_hooks_unlock();
	if (new)
		watch_failures();
	return 0;
}

/* The range of registrations to be called, see next_hook(). */
struct round {
	enum hook_kind kind;
	uint64_t from;		/* skip registrations below this */
	uint64_t to;		/* and from here on */
};

static bool begin_round(struct round *round, enum hook_kind kind)
{
	if (!atomic_load_explicit(&nr_hooks[kind], memory_order_relaxed))
		return false;
	round->kind = kind;
	round->from = 0;
	vnpu_hooks_lock();
	round->to = next_number;
	vnpu_hooks_unlock();
	return true;
}

/*
 * Copy each registration in turn, in the order of registration.  A hook that is
 * registered in the meantime is called from the next event on; a hook that is
 * removed is not called.  So a notification needs no memory, and cannot be
 * lost.
 */
static bool next_hook(struct round *round, struct hook *copy)
{
	const struct hook *next;

	vnpu_hooks_lock();
	next = hooks;
	while (next && (next->kind != round->kind || next->number < round->from))
		next = next->next;
	if (next && next->number >= round->to)
		next = NULL;
	if (next) {
		*copy = *next;
		round->from = next->number + 1;
	}
	vnpu_hooks_unlock();
	return next;
}

bool vnpu_hooks_want_streams(void)
{
	return atomic_load_explicit(&nr_hooks[HOOK_STREAM],
				    memory_order_relaxed);
}

bool vnpu_hooks_want_exceptions(void)
{
	static const enum hook_kind kinds[] = {
		HOOK_EXCEPTION, HOOK_EXCEPTION_SET, HOOK_BINARY
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (atomic_load_explicit(&nr_hooks[kinds[i]],
					 memory_order_relaxed))
			return true;
	return false;
}

void vnpu_hooks_stream(uint64_t handle, aclrtStreamState state)
{
	struct round round;
	struct hook hook;

	if (!begin_round(&round, HOOK_STREAM))
		return;
	while (next_hook(&round, &hook))
		((aclrtStreamStateCallback)hook.fn)(vnpu_u64_to_ptr(handle),
						    state, hook.args);
}

void vnpu_hooks_device(int32_t user_device, aclrtDeviceState state)
{
	struct round round;
	struct hook hook;

	if (!begin_round(&round, HOOK_DEVICE))
		return;
	while (next_hook(&round, &hook))
		((aclrtDeviceStateCallback)hook.fn)(user_device, state,
						    hook.args);
}

int32_t vnpu_hooks_abort(int32_t user_device, aclrtDeviceTaskAbortStage stage,
			 uint32_t timeout)
{
	struct round round;
	struct hook hook;
	int32_t ret = 0;

	if (!begin_round(&round, HOOK_ABORT))
		return 0;
	while (!ret && next_hook(&round, &hook))
		ret = ((aclrtDeviceTaskAbortCallback)hook.fn)
			(user_device, stage, timeout, hook.args);
	return ret;
}

void vnpu_hooks_exception(const struct rtExceptionInfo *info)
{
	static const enum hook_kind kinds[] = { HOOK_EXCEPTION_SET,
						HOOK_EXCEPTION };
	struct rtExceptionInfo passed = *info;
	struct round round;
	struct hook hook;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!begin_round(&round, kinds[i]))
			continue;
		while (next_hook(&round, &hook))
			((aclrtExceptionInfoCallback)hook.fn)(&passed);
	}
	if (!info->binary || !begin_round(&round, HOOK_BINARY))
		return;
	while (next_hook(&round, &hook))
		if (hook.binary == info->binary)
			((aclrtOpExceptionCallback)hook.fn)(&passed,
							    hook.args);
}
