// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that use memory of other drivers.
 *
 * Before the CPU uses a dma-buf of another driver, and after it, that driver has
 * to be asked (dma_buf_begin_cpu_access()). It may take any lock of its own, and
 * it waits for fences: anybody who has the dma-buf can add some, at any time. No
 * engine asks. The client has a thread for that, from its first import on: an
 * engine that meets such memory gives the stream to the thread
 * (VNPU_STREAM_REMOTE), and has it back with the access begun; when the task is
 * over, or pauses, the stream goes that way once more for the access to be ended.
 *
 * The thread does not wait for a fence that it can see either, so that streams of
 * one client do not wait for each other: a stream is parked until the fence calls
 * back. Only a fence that is added after that look has the thread wait. That wait
 * ends with a signal, which is what vnpu_foreign_recall() sends: when a task is
 * cancelled, its time is over, or its stream or client ends.
 *
 * The kernel charges the stack of such a thread to no cgroup, and its number is one of
 * all processes. So each user has a limited number of them (user_limit.c).
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>

#include "account.h"
#include "client.h"
#include "dmabuf.h"
#include "engine.h"
#include "foreign.h"
#include "mem.h"
#include "stream.h"

static struct vnpu_foreign *vnpu_foreign_of(const struct vnpu_stream *stream)
{
	return &stream->client->foreign;
}

/**
 * vnpu_foreign_has() - may the CPU use this memory for the task?
 * @stream: the stream, which the caller has
 * @mem: memory of another driver
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
 * vnpu_foreign_has_any() - is there an access to be ended, or to be begun?
 * @stream: the stream, which the caller has
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
 * @stream: the stream, which the caller has; not an engine
 */
void vnpu_foreign_end_all(struct vnpu_stream *stream)
{
	struct vnpu_foreign_task *task = &stream->foreign;
	u32 i;

	vnpu_foreign_want_nothing(task);
	for (i = 0; i < VNPU_FOREIGN_MAX; i++)
		vnpu_foreign_end(&task->begun[i]);
}

/* Queues a stream that is parked; a stream that is not is being looked at. */
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

/* From wherever the fence is signalled. */
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

/* The stream comes back into the queue when the fence, or someone, says so. */
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
	/* The thread alone takes it out of the queue: it is still here. */
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
	/* After this no callback is under way. */
	dma_fence_remove_callback(task->fence, &task->cb);
	dma_fence_put(task->fence);
	task->fence = NULL;
}

/*
 * From here to vnpu_foreign_end_asking() a signal may come. Returns false if the
 * stream has been recalled.
 */
static bool vnpu_foreign_begin_asking(struct vnpu_foreign *foreign,
				      const struct vnpu_foreign_task *task)
{
	bool asks;

	spin_lock_irq(&foreign->lock);
	asks = !task->is_recalled;
	foreign->is_asking = asks;
	spin_unlock_irq(&foreign->lock);
	return asks;
}

static void vnpu_foreign_end_asking(struct vnpu_foreign *foreign)
{
	spin_lock_irq(&foreign->lock);
	foreign->is_asking = false;
	flush_signals(current);
	spin_unlock_irq(&foreign->lock);
}

/* One that was interrupted is begun anew, if the task still wants it. */
static void vnpu_foreign_ask(struct vnpu_foreign *foreign,
			     struct vnpu_foreign_task *task)
{
	struct vnpu_mem *mem = task->wanted;
	int ret;

	/* To end one may fail if it is interrupted: that is done first. */
	vnpu_foreign_end(&task->begun[task->next]);
	if (!vnpu_foreign_begin_asking(foreign, task)) {
		vnpu_foreign_want_nothing(task);
		return;
	}
	ret = mem->ops->begin_access(mem);
	vnpu_foreign_end_asking(foreign);
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
	if (task->is_over) {
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
			vnpu_foreign_ask(foreign, task);
		}
	}
	/* An engine finds out what has become of it. It may be gone after this. */
	vnpu_engines_take_back(stream);
}

/* The next stream that the thread is to look at, or NULL. */
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

	/* Sent by vnpu_foreign_recall() alone: a user cannot signal it. */
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

/* The engine that has the stream gives it to the thread. */
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
 * The thread gives the stream back as soon as it can. What it asks for another
 * stream of the client may be interrupted by that, and is asked for again.
 */
static void vnpu_foreign_recall(struct vnpu_stream *stream)
{
	struct vnpu_foreign *foreign = vnpu_foreign_of(stream);
	unsigned long flags;

	spin_lock_irqsave(&foreign->lock, flags);
	WRITE_ONCE(stream->foreign.is_recalled, true);
	vnpu_foreign_unpark_locked(foreign, &stream->foreign);
	if (foreign->is_asking)
		send_sig(SIGKILL, foreign->thread, 1);
	spin_unlock_irqrestore(&foreign->lock, flags);
}

static const struct vnpu_remote_ops vnpu_foreign_remote_ops = {
	.take = vnpu_foreign_take,
	.recall = vnpu_foreign_recall,
};

/**
 * vnpu_foreign_want() - a task needs memory of another driver
 * @stream: the calling engine's
 * @mem: the memory; a binding keeps it until this returns
 * @va: the device address at which it is
 *
 * The stream is to become VNPU_STREAM_REMOTE.
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
 * vnpu_foreign_init() - a client without imports
 * @foreign: of the client
 */
void vnpu_foreign_init(struct vnpu_foreign *foreign)
{
	mutex_init(&foreign->start_lock);
	init_waitqueue_head(&foreign->wait);
	spin_lock_init(&foreign->lock);
	INIT_LIST_HEAD(&foreign->queue);
	INIT_LIST_HEAD(&foreign->parked);
}

static struct vnpu_account *vnpu_foreign_account(struct vnpu_foreign *foreign)
{
	return container_of(foreign, struct vnpu_client, foreign)->account;
}

static int vnpu_foreign_make_thread(struct vnpu_foreign *foreign)
{
	struct vnpu_account *account = vnpu_foreign_account(foreign);
	struct task_struct *thread;
	int ret;

	ret = vnpu_account_charge(account, VNPU_HOST_THREADS, 1);
	if (ret)
		return ret;
	thread = kthread_run(vnpu_foreign_main, foreign, "vnpu-foreign");
	if (IS_ERR(thread)) {
		vnpu_account_uncharge(account, VNPU_HOST_THREADS, 1);
		return PTR_ERR(thread);
	}
	foreign->thread = thread;
	return 0;
}

/**
 * vnpu_foreign_start() - have a thread for what is about to be imported
 * @foreign: of the calling process's client, which may have the thread
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
 * vnpu_foreign_stop() - end the thread
 * @foreign: of a client whose streams have ended; may be called twice
 */
void vnpu_foreign_stop(struct vnpu_foreign *foreign)
{
	mutex_lock(&foreign->start_lock);
	if (foreign->thread) {
		kthread_stop(foreign->thread);
		vnpu_account_uncharge(vnpu_foreign_account(foreign),
				      VNPU_HOST_THREADS, 1);
	}
	foreign->thread = NULL;
	mutex_unlock(&foreign->start_lock);
}

/**
 * vnpu_foreign_fini() - at the end of a client
 * @foreign: of the client; the thread was stopped
 */
void vnpu_foreign_fini(struct vnpu_foreign *foreign)
{
	WARN_ON_ONCE(foreign->thread);
	mutex_destroy(&foreign->start_lock);
}
