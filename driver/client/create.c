// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of a client, and the table of all clients.
 *
 * Lock ordering in the driver. Each lock is listed once, below the lock that it
 * usually nests in; the notes name its other uses. Locks at the left margin are
 * taken with no other lock of the driver held, except where noted.
 *
 * vnpu_devices_lock			(device/create.c)
 * vnpu_host_quota_lock			(account/host_quota.c)
 * vnpu_history_lock			(history.c)
 * vnpu_engines.start_lock		(creation and statistics of engines)
 * vnpu_engines.reset_lock		(reset and health; vnpu_core.lock and
 *					 vnpu_engines.lock inside)
 * vnpu_client.export_lock		(latch.c; map_lock, vnpu_engines.lock inside)
 * vnpu_device.look_lock		(vnpu_device.lock inside)
 * dma_resv of a dma-buf		(by importers, also inside mmap_lock; no lock
 *					 inside, but a vmap waits for a move)
 * vnpu_mm_owner.lock
 *   vnpu_foreign.start_lock
 *   vnpu_core.lock			(attachment and end of a core)
 *   mm->mmap_lock
 *     vnpu_stream.ring_lock		(mmap of a ring)
 *     vnpu_slabs.grow_lock
 *       vnpu_client.oom_lock		(also without grow_lock)
 *       vnpu_device.oom_lock		(only tried; vnpu_device.lock inside)
 *       vnpu_device.compact_lock	(also without grow_lock; the second
 *					 vnpu_mem.lock inside)
 *       vnpu_slabs.lock
 *         vnpu_client.lock		(engines only try it, shared)
 *           vnpu_client.map_lock	(engines only try it, for tasks that a
 *					 dma_fence depends on)
 *           vnpu_client.table_lock	(faults of the window)
 *           vnpu_core_window.lock	(also inside vnpu_core.lock)
 *           vnpu_mem.lock		(of an alias)
 *             vnpu_mem.lock		(of any other object; also by a worker that
 *					 moves it for the holder of compact_lock)
 *               i_mmap_rwsem		(of a client's inode or a dma-buf's)
 *                 vnpu_device.lock	(inside all of the above)
 *
 * The remaining locks, and vnpu_device.lock, are spinlocks:
 *
 * vnpu_timeline.lock			(inside all of the above but
 *					 vnpu_device.lock)
 *   vnpu_fence.lock
 *   vnpu_engines.lock			(also by timers)
 *     vnpu_foreign.lock		(also inside the lock of any fence)
 *
 * vnpu_client.keys_lock, vnpu_context.lock, vnpu_graph.check_lock,
 * vnpu_task_faults.lock, vnpu_inject.lock, vnpu_stamp_lock (exec/task_value.c)
 * and the locks of xarrays, IDAs and hash tables are innermost.
 *
 * An allocation takes compact_lock if it has to, also after it has allocated
 * some pages, see vnpu_pages_find().
 *
 * Engines must not wait for vnpu_client.lock, map_lock or the locks of slabs: a
 * holder of grow_lock or vnpu_slabs.lock may wait for an engine for a short
 * time, see vnpu_bind_lock(). A task that drops the last reference to memory
 * may wait for an engine that uses it, see vnpu_mem_put(); that engine takes
 * none of these locks until it has finished the use. The thread of a client
 * that calls other drivers (exec/foreign.c) holds no lock during such a call.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account/account.h"
#include "account/cgroups.h"
#include "account/host_account.h"
#include "account/host_quota.h"
#include "account/id_pool.h"
#include "account/quota_report.h"
#include "account/user.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "base/events.h"
#include "base/inode.h"
#include "base/mm_owner.h"
#include "exec/context.h"
#include "exec/core.h"
#include "exec/foreign.h"
#include "exec/graph.h"
#include "exec/sched_client.h"
#include "exec/stream.h"
#include "exec/task_fault.h"
#include "mem/key.h"
#include "mem/mem.h"
#include "sync/timeline.h"
#include "va/bind.h"
#include "va/slabs.h"
#include "create.h"
#include "history.h"

static atomic_long_t vnpu_clients_last_id = ATOMIC_LONG_INIT(0);

static void vnpu_client_release(struct kref *ref)
{
	struct vnpu_client *client = container_of(ref, struct vnpu_client, ref);
	unsigned int i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_account *account = client->account[i];

		if (!account)
			continue;
		WARN_ON_ONCE(account->used || account->objects ||
			     memchr_inv(account->ids, 0,
					sizeof(account->ids)));
		spin_lock(&account->dev->lock);
		vnpu_account_detach_locked(account);
		spin_unlock(&account->dev->lock);
		vnpu_account_destroy(account);
	}
	vnpu_sched_clients_destroy(client);
	vnpu_slabs_destroy_all(client);
	if (client->oom)
		vnpu_oom_put_holders(client->oom);
	kfree(client->oom);
	vnpu_foreign_fini(&client->foreign);
	mutex_destroy(&client->export_lock);
	mutex_destroy(&client->table_lock);
	mutex_destroy(&client->oom_lock);
	vnpu_cgroups_destroy(client->cgroups);
	if (client->host_account)
		vnpu_host_account_put(client->host_account);
	vnpu_uids_destroy(client->uids);
	mem_cgroup_put(client->memcg);
	if (client->history)
		vnpu_history_put(client->history);
	put_pid(client->pid);
	kfree(client);
}

/* Set the users and cgroups of a new client, and allocate its exit record. */
static int vnpu_client_describe(struct vnpu_client *client)
{
	client->uids = vnpu_uids_create();
	if (!client->uids)
		return -ENOMEM;
	client->host_account = vnpu_host_account_create(client->uids);
	if (!client->host_account)
		return -ENOMEM;
	client->user = client->host_account->in_charge;
	client->cgroups = vnpu_cgroups_create();
	client->history = vnpu_history_create(client);
	return client->cgroups && client->history ? 0 : -ENOMEM;
}

static void vnpu_client_end_with_mm(struct vnpu_mm_owned *owned)
{
	vnpu_client_end(container_of(owned, struct vnpu_client, mm_owned));
}

/**
 * vnpu_client_create() - create a client of the calling process
 * @node: the device, if its node is opened, or NULL for that of all devices
 *
 * Return: the client or ERR_PTR().
 */
struct vnpu_client *vnpu_client_create(const struct vnpu_device *node)
{
	struct vnpu_client *client;
	int ret;

	client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	if (!client)
		return ERR_PTR(-ENOMEM);

	kref_init(&client->ref);
	client->release = vnpu_client_release;
	client->mm_owned.end = vnpu_client_end_with_mm;
	vnpu_client_set_node(client, node);
	init_rwsem(&client->lock);
	init_rwsem(&client->map_lock);
	atomic_set(&client->nr_lock_requests, 0);
	init_waitqueue_head(&client->lock_requests_done);
	mutex_init(&client->table_lock);
	mutex_init(&client->oom_lock);
	ratelimit_state_init(&client->oom_limit, VNPU_OOM_EVENT_SECONDS * HZ,
			     VNPU_OOM_EVENT_BURST);
	/* Without this flag, the kernel would log the number of lost events. */
	ratelimit_set_flags(&client->oom_limit, RATELIMIT_MSG_ON_RELEASE);
	mutex_init(&client->export_lock);
	INIT_LIST_HEAD(&client->keys);
	spin_lock_init(&client->keys_lock);
	vnpu_task_faults_init(&client->faults);
	vnpu_foreign_init(&client->foreign);
	vnpu_va_init(&client->map);
	vnpu_va_init(&client->slab_windows);
	client->slabs_start = U64_MAX;
	xa_init_flags(&client->objects, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->graphs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->timelines, XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->rings, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->events, XA_FLAGS_ACCOUNT);
	client->id = atomic_long_inc_return(&vnpu_clients_last_id);
	client->pid = get_pid(task_tgid(current));
	client->uid = current_uid();
	client->weight = vnpu_sched_weight(task_nice(current));
	get_task_comm(client->comm, current->group_leader);

	client->memcg = get_mem_cgroup_from_mm(current->mm);
	ret = vnpu_client_describe(client);
	if (ret)
		goto err_put;
	client->inode = vnpu_inode_create();
	if (IS_ERR(client->inode)) {
		ret = PTR_ERR(client->inode);
		goto err_put;
	}
	client->mm_owner = vnpu_mm_owner_get();
	if (IS_ERR(client->mm_owner)) {
		ret = PTR_ERR(client->mm_owner);
		goto err_inode;
	}
	ret = vnpu_clients_insert(client);
	if (ret)
		goto err_owner;
	vnpu_mm_owner_add(client->mm_owner, &client->mm_owned);
	vnpu_event_send_open(client->history);
	return client;

err_owner:
	vnpu_mm_owner_put(client->mm_owner);
err_inode:
	vnpu_inode_destroy(client->inode);
err_put:
	vnpu_client_put(client);
	return ERR_PTR(ret);
}

/**
 * vnpu_client_end() - free all resources of a client
 * @client: the client, which is no longer in use, though its file may be open
 *
 * When this returns, all memory of the client is free. May be called twice.
 */
void vnpu_client_end(struct vnpu_client *client)
{
	if (!client->is_ending)
		vnpu_history_note_end(client);
	client->is_ending = true;
	/* Nothing below has to wait for the process of a core. */
	vnpu_cores_end_client(client);
	/* End the users of the other resources first. */
	vnpu_timelines_end_all(client);
	vnpu_foreign_stop(&client->foreign);
	vnpu_graphs_end_all(client);
	vnpu_contexts_end_all(client);
	/*
	 * A process that opens a key until now finds timelines that have ended.
	 */
	vnpu_keys_destroy_all(client);
	vnpu_events_free_all(client);
	vnpu_bind_remove_all(client);
	vnpu_slabs_end_all(client);
	vnpu_mem_give_up_all(client);
}

/**
 * vnpu_client_destroy() - destroy a client at the last close of its file
 * @client: the client
 */
void vnpu_client_destroy(struct vnpu_client *client)
{
	/*
	 * After this, the end of the address space does not touch the client.
	 */
	vnpu_mm_owner_remove(client->mm_owner, &client->mm_owned);
	vnpu_client_end(client);
	vnpu_task_faults_end(&client->faults);
	/*
	 * Add first, so that a reader of both tables finds the client in one.
	 */
	vnpu_history_add(client);
	vnpu_clients_erase(client);
	vnpu_host_quota_note_end(client);
	vnpu_event_send_close(client->history);
	xa_destroy(&client->objects);
	xa_destroy(&client->contexts);
	xa_destroy(&client->graphs);
	xa_destroy(&client->timelines);
	xa_destroy(&client->rings);
	xa_destroy(&client->events);
	vnpu_mm_owner_put(client->mm_owner);
	vnpu_inode_destroy(client->inode);
	vnpu_client_put(client);
}
