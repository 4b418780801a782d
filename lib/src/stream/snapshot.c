// SPDX-License-Identifier: MIT
/*
 * Snapshots of a process: the state, its callbacks, and the wait for idle
 * devices.  base/gate.h makes the calls of other threads wait.
 *
 * One call changes the state at a time; another one fails meanwhile.  Callbacks
 * are called without a lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl_rt_snapshot.h"
#include "base/child.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "io/io.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "stream.h"

#define STAGES	(ACL_RT_SNAPSHOT_UNLOCK_POST + 1)

enum state { RUNNING, LOCKED, BACKED_UP };

static const char *const state_names[] = {
	[RUNNING]	= "running",
	[LOCKED]	= "locked",
	[BACKED_UP]	= "backed up",
};

struct hook {
	aclrtSnapShotCallBack callback;
	void *args;
};

static pthread_mutex_t snapshot_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static enum state state;
static bool is_busy;			/* a call is about to change it */
static struct {
	struct hook *hooks;
	size_t count;
} stages[STAGES];

void vnpu_snapshot_lock(void)
{
	pthread_mutex_lock(&snapshot_mutex);
}

void vnpu_snapshot_unlock(void)
{
	pthread_mutex_unlock(&snapshot_mutex);
}

/* The thread that would unlock the process exists in the parent only. */
void vnpu_snapshot_disown(void)
{
	state = RUNNING;
	is_busy = false;
	vnpu_gate_open();
}

static aclError pid_check(int pid)
{
	if (pid != getpid())
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"pid = %d is another process; pass getpid()", pid);
	return vnpu_is_forked() ? vnpu_error_open(-EPERM) :
				     ACL_SUCCESS;
}

static aclError reserve_check(const void *reserve)
{
	if (reserve)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "reserve is reserved; pass NULL");
	return ACL_SUCCESS;
}

/* The driver cannot save device memory by class. */
static aclError flags_check(const uint32_t *flags)
{
	if (!flags)
		return ACL_SUCCESS;
	if (*flags > 1)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"args has flags 0x%x; use 0 or 1, or pass NULL as args",
			*flags);
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"this driver cannot copy device memory; pass NULL as args");
}

/* Begin a change of the state, which must be one of the bits of @from. */
static aclError begin(unsigned int from, aclError code)
{
	enum state now;
	bool can;

	vnpu_snapshot_lock();
	now = state;
	can = !is_busy && from & 1U << now;
	if (can)
		is_busy = true;
	vnpu_snapshot_unlock();
	if (can)
		return ACL_SUCCESS;
	if (from & 1U << now)
		return vnpu_error(code,
			"another thread is in a snapshot call; call one at a time");
	return vnpu_error(code,
		"the process is %s; see acl_rt_snapshot.h for the order of the calls",
		state_names[now]);
}

static void end(enum state next)
{
	vnpu_snapshot_lock();
	state = next;
	is_busy = false;
	vnpu_snapshot_unlock();
}

static int copy_hooks(aclrtSnapShotStage stage, struct hook **hooks,
		      size_t *count)
{
	int ret = 0;

	vnpu_snapshot_lock();
	*count = stages[stage].count;
	*hooks = calloc(*count + 1, sizeof(**hooks));
	if (*hooks)
		for (size_t i = 0; i < *count; i++)
			(*hooks)[i] = stages[stage].hooks[i];
	else
		ret = -ENOMEM;
	vnpu_snapshot_unlock();
	return ret;
}

/* Call the callbacks of a stage until one fails. */
static aclError call_hooks(aclrtSnapShotStage stage)
{
	uint64_t devices = vnpu_device_set_mask();
	aclError ret = ACL_SUCCESS;
	struct hook *hooks;
	size_t count;

	if (copy_hooks(stage, &hooks, &count))
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to call %zu callbacks",
				  count);
	for (size_t i = 0; i < count && !ret; i++) {
		for (int32_t device = 0; device < 64 && !ret; device++) {
			uint32_t result;

			if (!(devices & 1ULL << device))
				continue;
			result = hooks[i].callback(device, hooks[i].args);
			if (result)
				ret = vnpu_error(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED,
					"callback %zu of stage %d returned %u for device %d",
					i, stage, result, device);
		}
	}
	free(hooks);
	return ret;
}

/* Get references to all contexts, in an array that the caller frees. */
static int contexts_get(struct vnpu_context ***contexts, size_t *count)
{
	struct vnpu_context *context;
	int ret = -ENOMEM;

	*count = 0;
	vnpu_runtime_lock();
	for (context = vnpu_context_first(); context; context = context->next)
		++*count;
	*contexts = calloc(*count + 1, sizeof(**contexts));
	if (*contexts) {
		struct vnpu_context **next = *contexts;

		for (context = vnpu_context_first(); context;
		     context = context->next) {
			vnpu_handle_ref(context->handle);
			*next++ = context;
		}
		ret = 0;
	}
	vnpu_runtime_unlock();
	return ret;
}

/* Wait for all streams, and return the first failure. */
static aclError wait_idle(void)
{
	struct vnpu_context **contexts;
	aclError ret = ACL_SUCCESS;
	size_t count;

	if (contexts_get(&contexts, &count))
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to wait for %zu contexts",
				  count);
	for (size_t i = 0; i < count; i++) {
		aclError code = vnpu_stream_wait_context(contexts[i], -1);

		if (!ret)
			ret = code;
		vnpu_context_put_handle(contexts[i]);
	}
	free(contexts);
	return ret;
}

aclError aclrtSnapShotProcessLock(int pid, void *reserve)
{
	VNPU_CALL();
	aclError ret = pid_check(pid);

	if (!ret)
		ret = reserve_check(reserve);
	if (!ret)
		ret = begin(1U << RUNNING, ACL_ERROR_SNAPSHOT_LOCK_FAILED);
	if (ret)
		return ret;
	ret = call_hooks(ACL_RT_SNAPSHOT_LOCK_PRE);
	if (!ret)
		vnpu_gate_close();
	end(ret ? RUNNING : LOCKED);
	return ret;
}

aclError aclrtSnapShotProcessUnlock(int pid, void *reserve)
{
	VNPU_CALL();
	aclError ret = pid_check(pid);

	if (!ret)
		ret = reserve_check(reserve);
	if (!ret)
		ret = begin(1U << LOCKED | 1U << BACKED_UP,
			    ACL_ERROR_SNAPSHOT_UNLOCK_FAILED);
	if (ret)
		return ret;
	vnpu_gate_open();
	end(RUNNING);
	return call_hooks(ACL_RT_SNAPSHOT_UNLOCK_POST);
}

aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args)
{
	VNPU_CALL();
	aclError ret = pid_check(pid);

	if (!ret)
		ret = flags_check(args ? &args->backupFlags : NULL);
	if (!ret)
		ret = begin(1U << LOCKED, ACL_ERROR_SNAPSHOT_BACKUP_FAILED);
	if (ret)
		return ret;
	ret = call_hooks(ACL_RT_SNAPSHOT_BACKUP_PRE);
	if (!ret)
		ret = wait_idle();
	if (!ret)
		ret = call_hooks(ACL_RT_SNAPSHOT_BACKUP_POST);
	end(ret ? LOCKED : BACKED_UP);
	return ret;
}

aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args)
{
	VNPU_CALL();
	aclError ret = pid_check(pid);

	if (!ret)
		ret = flags_check(args ? &args->restoreFlags : NULL);
	if (!ret)
		ret = begin(1U << BACKED_UP, ACL_ERROR_SNAPSHOT_RESTORE_FAILED);
	if (ret)
		return ret;
	ret = call_hooks(ACL_RT_SNAPSHOT_RESTORE_PRE);
	if (!ret)
		ret = call_hooks(ACL_RT_SNAPSHOT_RESTORE_POST);
	end(ret ? BACKED_UP : LOCKED);
	return ret;
}

static aclError hook_check(aclrtSnapShotStage stage,
			   aclrtSnapShotCallBack callback)
{
	if ((unsigned int)stage >= STAGES)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"stage = %d is not known; use a value of aclrtSnapShotStage",
			stage);
	if (!callback)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "callback is NULL; pass a function");
	return ACL_SUCCESS;
}

/* The index of a callback, or the number of callbacks of the stage. */
static size_t hook_find_locked(aclrtSnapShotStage stage,
			       aclrtSnapShotCallBack callback)
{
	size_t i = 0;

	while (i < stages[stage].count &&
	       stages[stage].hooks[i].callback != callback)
		i++;
	return i;
}

aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
				       aclrtSnapShotCallBack callback,
				       void *args)
{
	VNPU_CALL();
	aclError ret = hook_check(stage, callback);
	struct hook *more = NULL;
	bool is_new;
	size_t count;

	if (ret)
		return ret;
	vnpu_snapshot_lock();
	count = stages[stage].count;
	is_new = hook_find_locked(stage, callback) == count;
	if (is_new)
		more = reallocarray(stages[stage].hooks, count + 1,
				    sizeof(*more));
	if (more) {
		more[count] = (struct hook){ callback, args };
		stages[stage].hooks = more;
		stages[stage].count++;
	}
	vnpu_snapshot_unlock();
	if (!is_new)
		return vnpu_error(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED,
			"stage %d has this callback already; unregister it first",
			stage);
	return more ? ACL_SUCCESS :
		      vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a callback");
}

aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
					 aclrtSnapShotCallBack callback)
{
	VNPU_CALL();
	aclError ret = hook_check(stage, callback);
	bool was_there;
	size_t i;

	if (ret)
		return ret;
	vnpu_snapshot_lock();
	i = hook_find_locked(stage, callback);
	was_there = i < stages[stage].count;
	if (was_there) {
		stages[stage].count--;
		for (; i < stages[stage].count; i++)
			stages[stage].hooks[i] = stages[stage].hooks[i + 1];
	}
	vnpu_snapshot_unlock();
	return was_there ? ACL_SUCCESS :
		vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			   "stage %d does not have this callback", stage);
}
