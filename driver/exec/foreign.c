// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that use memory of other drivers.
 *
 * Before the CPU uses a dma-buf of another driver, and after it, this driver
 * must call the other one (dma_buf_begin_cpu_access()). The other driver may
 * take any lock of its own. It also waits for fences, and each process that has
 * the dma-buf can add a fence at any time. So no engine may make these calls.
 * Each client has a thread for them, from its first import on. An engine that
 * finds such memory hands the stream over to the thread (VNPU_STREAM_REMOTE).
 * The thread begins the access, and gives the stream back. When the task ends
 * or pauses, the engine hands the stream over once more, and the thread ends
 * the access.
 *
 * The thread does not wait for a fence that already exists either, so that
 * streams of a client do not wait for each other. Instead, it parks the stream
 * until the fence's callback runs. The thread waits only for a fence that is
 * added after this check. vnpu_foreign_recall() ends that wait with a signal:
 * when a task is cancelled or times out, or when its stream or client ends.
 *
 * The kernel charges the stack of a kernel thread to no cgroup, and a kernel
 * thread takes one of the system's pids. So the number of these threads per
 * user is limited (user_limit.c).
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>

#include "account/host_account.h"
#include "base/client.h"
#include "base/upcalls.h"
#include "mem/dmabuf.h"
#include "mem/mem.h"
#include "engine.h"
#include "foreign.h"
#include "stream.h"

static struct vnpu_foreign *vnpu_foreign_of(const struct vnpu_stream *stream)
{
	return &stream->client->foreign;
}

/**
 * vnpu_foreign_has() - check whether a task has begun an access to memory
 * @stream: the stream of the task, which the caller owns at the moment
 * @mem: memory of another driver
 *
 * Return: true if the CPU may use the memory for the task.
 */
bool vnpu_foreign_has(const struct vnpu_stream *stream,
		      const struct vnpu_mem *mem)
{
	const struct vnpu_foreign_task *task = &stream->foreign;
	u32 i;

	for (i = 0; i < VNPU_FOREIGN_MAX; i++)
		if (task->begun[i] == mem)
			return true;
	return false;
}

/**
 * vnpu_foreign_has_any() - check whether the thread must handle a stream
 * @stream: the stream, which the caller owns at the moment
 *
 * Return: true if an access must be ended or begun.
 */
bool vnpu_foreign_has_any(const struct vnpu_stream *stream)
{
	const struct vnpu_foreign_task *task = &stream->foreign;
	u32 i;

	for (i = 0; i < VNPU_FOREIGN_MAX; i++)
		if (task->begun[i])
			return true;
	return task->wanted;
}

static void vnpu_foreign_end(struct vnpu_mem **begun)
{
	struct vnpu_mem *mem = *begun;

	*begun = NULL;
	if (!mem)
		return;
	mem->ops->end_access(mem);
	vnpu_mem_put(mem);
}

static void vnpu_foreign_want_nothing(struct vnpu_foreign_task *task)
{
	if (task->wanted)
		vnpu_mem_put(task->wanted);
	task->wanted = NULL;
}

/**
 * vnpu_foreign_end_all() - end all accesses of a task
 * @stream: the stream, which the caller owns at the moment; not for engines
 */
void vnpu_foreign_end_all(struct vnpu_stream *stream)
{
	struct vnpu_foreign_task *task = &stream->foreign;
	u32 i;

	vnpu_foreign_want_nothing(task);
	for (i = 0; i < VNPU_FOREIGN_MAX; i++)
		vnpu_foreign_end(&task->begun[i]);
}

/* Move a parked stream to the queue. If it is not parked, do nothing. */
static void vnpu_foreign_unpark_locked(struct vnpu_foreign *foreign,
				       struct vnpu_foreign_task *task)
{
	lockdep_assert_held(&foreign->lock);
	if (!task->is_parked)
		return;
	task->is_parked = false;
	list_move_tail(&task->link, &foreign->queue);
	wake_up(&foreign->wait);
}

/* The callback of a fence, called in the context that signals the fence. */
static void vnpu_foreign_signalled(struct dma_fence *fence,
				   struct dma_fence_cb *cb)
{
	struct vnpu_stream *stream =
		container_of(cb, struct vnpu_stream, foreign.cb);
	struct vnpu_foreign *foreign = vnpu_foreign_of(stream);
	unsigned long flags;

	spin_lock_irqsave(&foreign->lock, flags);
	vnpu_foreign_unpark_locked(foreign, &stream->foreign);
	spin_unlock_irqrestore(&foreign->lock, flags);
}

/* Park a stream until its fence is signalled, or the stream is recalled. */
static void vnpu_foreign_park(struct vnpu_foreign *foreign,
			      struct vnpu_foreign_task *task,
			      struct dma_fence *fence)
{
	task->fence = fence;
	spin_lock_irq(&foreign->lock);
	task->is_parked = true;
	list_add_tail(&task->link, &foreign->parked);
	if (task->is_recalled)
		vnpu_foreign_unpark_locked(foreign, task);
	spin_unlock_irq(&foreign->lock);
	/*
	 * The stream still exists: only this thread takes it out of the queue.
	 */
	if (!dma_fence_add_callback(fence, &task->cb, vnpu_foreign_signalled))
		return;
	spin_lock_irq(&foreign->lock);
	vnpu_foreign_unpark_locked(foreign, task);
	spin_unlock_irq(&foreign->lock);
}

static void vnpu_foreign_forget_fence(struct vnpu_foreign_task *task)
{
	if (!task->fence)
		return;
	/* After the removal, no callback is in progress. */
	dma_fence_remove_callback(task->fence, &task->cb);
	dma_fence_put(task->fence);
	task->fence = NULL;
}

/*
 * Allow signals until vnpu_foreign_block_signals(). Return false if the stream
 * has been recalled.
 */
static bool vnpu_foreign_allow_signals(struct vnpu_foreign *foreign,
				       const struct vnpu_foreign_task *task)
{
	bool is_allowed;

	spin_lock_irq(&foreign->lock);
	is_allowed = !task->is_recalled;
	foreign->is_interruptible = is_allowed;
	spin_unlock_irq(&foreign->lock);
	return is_allowed;
}

static void vnpu_foreign_block_signals(struct vnpu_foreign *foreign)
{
	spin_lock_irq(&foreign->lock);
	foreign->is_interruptible = false;
	flush_signals(current);
	spin_unlock_irq(&foreign->lock);
}

/*
 * Begin an access. After an interruption, a task that still needs it retries.
 */
static void vnpu_foreign_begin_access(struct vnpu_foreign *foreign,
				      struct vnpu_foreign_task *task)
{
	struct vnpu_mem *mem = task->wanted;
	int ret;

	/* Before signals are allowed, which might make the end fail. */
	vnpu_foreign_end(&task->begun[task->next]);
	if (!vnpu_foreign_allow_signals(foreign, task)) {
		vnpu_foreign_want_nothing(task);
		return;
	}
	ret = mem->ops->begin_access(mem);
	vnpu_foreign_block_signals(foreign);
	if (ret) {
		vnpu_foreign_want_nothing(task);
		task->error = ret == -EINTR ? 0 : ret;
		return;
	}
	task->wanted = NULL;
	task->begun[task->next] = mem;
	task->next = (task->next + 1) % VNPU_FOREIGN_MAX;
}

static void vnpu_foreign_look_at(struct vnpu_foreign *foreign,
				 struct vnpu_stream *stream)
{
	struct vnpu_foreign_task *task = &stream->foreign;
	struct dma_fence *fence;

	vnpu_foreign_forget_fence(task);
	if (stream->run.is_over) {
		vnpu_foreign_end_all(stream);
	} else if (task->wanted) {
		fence = vnpu_import_get_fence(task->wanted);
		if (fence && !READ_ONCE(task->is_recalled)) {
			vnpu_foreign_park(foreign, task, fence);
			return;
		}
		if (fence) {
			dma_fence_put(fence);
			vnpu_foreign_want_nothing(task);
		} else {
			vnpu_foreign_begin_access(foreign, task);
		}
	}
	/* An engine continues the task. The stream may be gone after this. */
	vnpu_engines_take_back(stream);
}

/* Take the next stream from the queue. Return it, or NULL. */
static struct vnpu_stream *vnpu_foreign_next(struct vnpu_foreign *foreign)
{
	struct vnpu_stream *stream;

	spin_lock_irq(&foreign->lock);
	stream = list_first_entry_or_null(&foreign->queue, struct vnpu_stream,
					  foreign.link);
	if (stream)
		list_del_init(&stream->foreign.link);
	spin_unlock_irq(&foreign->lock);
	return stream;
}

static bool vnpu_foreign_has_work(const struct vnpu_foreign *foreign)
{
	return !list_empty_careful(&foreign->queue) || kthread_should_stop();
}

static int vnpu_foreign_main(void *data)
{
	struct vnpu_foreign *foreign = data;

	/* Only vnpu_foreign_recall() sends it: user space cannot. */
	allow_signal(SIGKILL);
	while (!kthread_should_stop()) {
		struct vnpu_stream *stream = vnpu_foreign_next(foreign);

		if (stream)
			vnpu_foreign_look_at(foreign, stream);
		else
			wait_event_idle(foreign->wait,
					vnpu_foreign_has_work(foreign));
		cond_resched();
	}
	return 0;
}

/* Take over a stream from the engine that has it. */
static void vnpu_foreign_take(struct vnpu_stream *stream)
{
	struct vnpu_foreign *foreign = vnpu_foreign_of(stream);
	struct vnpu_foreign_task *task = &stream->foreign;
	unsigned long flags;

	spin_lock_irqsave(&foreign->lock, flags);
	task->is_recalled = false;
	list_add_tail(&task->link, &foreign->queue);
	wake_up(&foreign->wait);
	spin_unlock_irqrestore(&foreign->lock, flags);
}

/*
 * Make the thread give a stream back as soon as possible. The signal may
 * interrupt an access for another stream of the client, which then retries.
 */
static void vnpu_foreign_recall(struct vnpu_stream *stream)
{
	struct vnpu_foreign *foreign = vnpu_foreign_of(stream);
	unsigned long flags;

	spin_lock_irqsave(&foreign->lock, flags);
	WRITE_ONCE(stream->foreign.is_recalled, true);
	vnpu_foreign_unpark_locked(foreign, &stream->foreign);
	if (foreign->is_interruptible)
		send_sig(SIGKILL, foreign->thread, 1);
	spin_unlock_irqrestore(&foreign->lock, flags);
}

static const struct vnpu_remote_ops vnpu_foreign_remote_ops = {
	.take = vnpu_foreign_take,
	.recall = vnpu_foreign_recall,
};

/**
 * vnpu_foreign_want() - request access to memory of another driver for a task
 * @stream: the stream, which the calling engine runs
 * @mem: the memory; a binding keeps it alive until this function returns
 * @va: the device address of the memory
 *
 * The calling engine must then change the stream to VNPU_STREAM_REMOTE.
 */
void vnpu_foreign_want(struct vnpu_stream *stream, struct vnpu_mem *mem, u64 va)
{
	struct vnpu_foreign_task *task = &stream->foreign;

	if (WARN_ON_ONCE(task->wanted))
		return;
	vnpu_mem_get(mem);
	task->wanted = mem;
	task->va = va;
	stream->remote = &vnpu_foreign_remote_ops;
}

/**
 * vnpu_foreign_init() - initialize the state of a client without imports
 * @foreign: the state in the client
 */
void vnpu_foreign_init(struct vnpu_foreign *foreign)
{
	mutex_init(&foreign->start_lock);
	init_waitqueue_head(&foreign->wait);
	spin_lock_init(&foreign->lock);
	INIT_LIST_HEAD(&foreign->queue);
	INIT_LIST_HEAD(&foreign->parked);
}

static struct vnpu_host_account *vnpu_foreign_account(struct vnpu_foreign *foreign)
{
	return container_of(foreign, struct vnpu_client, foreign)->host_account;
}

static int vnpu_foreign_make_thread(struct vnpu_foreign *foreign)
{
	struct vnpu_host_account *host_account = vnpu_foreign_account(foreign);
	struct task_struct *thread;
	int ret;

	ret = vnpu_host_account_charge(host_account, VNPU_HOST_THREADS, 1);
	if (ret)
		return ret;
	thread = kthread_run(vnpu_foreign_main, foreign, "vnpu-foreign");
	if (IS_ERR(thread)) {
		vnpu_host_account_uncharge(host_account, VNPU_HOST_THREADS, 1);
		return PTR_ERR(thread);
	}
	foreign->thread = thread;
	return 0;
}

/**
 * vnpu_foreign_start() - start the thread of a client before an import
 * @foreign: the state in the calling process's client, which may have a thread
 *
 * Return: 0, -EDQUOT, -ENOMEM or -EINTR.
 */
int vnpu_foreign_start(struct vnpu_foreign *foreign)
{
	int ret = 0;

	if (mutex_lock_killable(&foreign->start_lock))
		return -EINTR;
	if (!foreign->thread)
		ret = vnpu_foreign_make_thread(foreign);
	mutex_unlock(&foreign->start_lock);
	return ret;
}

/**
 * vnpu_foreign_stop() - stop the thread of a client
 * @foreign: the state in the client, which has no streams; may be called twice
 */
void vnpu_foreign_stop(struct vnpu_foreign *foreign)
{
	mutex_lock(&foreign->start_lock);
	if (foreign->thread) {
		kthread_stop(foreign->thread);
		vnpu_host_account_uncharge(vnpu_foreign_account(foreign),
					   VNPU_HOST_THREADS, 1);
	}
	foreign->thread = NULL;
	mutex_unlock(&foreign->start_lock);
}

/**
 * vnpu_foreign_fini() - destroy the state of a client
 * @foreign: the state in the client; its thread is stopped
 */
void vnpu_foreign_fini(struct vnpu_foreign *foreign)
{
	WARN_ON_ONCE(foreign->thread);
	mutex_destroy(&foreign->start_lock);
}
