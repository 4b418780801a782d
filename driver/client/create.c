// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of a client, and the table of all clients.
 *
 * Lock ordering in the driver:
 *
 * vnpu_owner.lock
 *   mm->mmap_lock
 *     vnpu_slabs.grow_lock
 *       vnpu_slabs.lock
 *         vnpu_client.lock
 *           vnpu_client.map_lock	(nothing inside)
 *           vnpu_client.table_lock	(faults of the window)
 *           vnpu_mem.lock		(of a view)
 *             vnpu_mem.lock		(of any other object)
 *               i_mmap_rwsem		(of a client's inode or a dma-buf's)
 *                 vnpu_device.lock
 *
 * vnpu_slabs.grow_lock			(no other lock held)
 *   vnpu_device.compact_lock		(may be taken without grow_lock)
 *     vnpu_mem.lock			(also by a worker that moves an object,
 *       i_mmap_rwsem			 while the holder of compact_lock waits)
 *         vnpu_device.lock
 *   vnpu_device.oom_lock		(only tried, after a failed allocation)
 *     vnpu_device.lock
 *
 * vnpu_device.look_lock		(no other lock held)
 *   vnpu_device.lock
 *
 * vnpu_client.export_lock		(no other lock held)
 *
 * dma_resv of a dma-buf		(by importers; mmap_lock may be held)
 *   (no lock inside; a vmap waits for the end of a move)
 *
 * vnpu_client.lock			(engines only try it, shared)
 *   (as above)
 *
 * vnpu_client.map_lock			(engines only try it, for tasks that a
 *					 dma_fence depends on)
 *
 * vnpu_device.lock			(a spinlock, in no interrupt; inside all of
 *					 the above, and outside of no lock of the
 *					 driver)
 *
 * vnpu_timeline.lock			(inside all of the above but
 *					 vnpu_device.lock)
 *   vnpu_engines.lock
 *     vnpu_foreign.lock		(also inside the lock of any fence)
 *
 * An allocation takes compact_lock if it has to, also after it has allocated
 * some pages, see vnpu_pages_find().
 *
 * Engines must not wait for vnpu_client.lock, map_lock or the locks of slabs: a
 * holder of grow_lock or vnpu_slabs.lock may wait for an engine for a short
 * time, see vnpu_bind_lock(). A task that drops the last reference to memory
 * may wait for an engine that uses it, see vnpu_mem_put(); that engine takes
 * none of these locks until it has finished the use. The thread of a client
 * that calls other drivers (foreign.c) holds no lock during such a call.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account/cgroups.h"
#include "account/host_account.h"
#include "account/host_quota.h"
#include "account/id_pool.h"
#include "account/oom.h"
#include "account/user.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "base/inode.h"
#include "base/mm_owner.h"
#include "exec/context.h"
#include "exec/sched_client.h"
#include "mem/key.h"
#include "mem/mem.h"
#include "netlink/netlink.h"
#include "sync/timeline.h"
#include "va/bind.h"
#include "va/slabs.h"
#include "history.h"

static DEFINE_XARRAY_FLAGS(vnpu_clients, XA_FLAGS_ACCOUNT);
static atomic_t vnpu_clients_gen = ATOMIC_INIT(0);
static atomic_long_t vnpu_clients_last_id = ATOMIC_LONG_INIT(0);

/* The highest number of devices that any client has used. */
static atomic_t vnpu_clients_most = ATOMIC_INIT(0);

static void vnpu_client_release(struct kref *ref)
{
	struct vnpu_client *client = container_of(ref, struct vnpu_client, ref);
	unsigned int i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_usage *usage = client->usage[i];

		if (!usage)
			continue;
		WARN_ON_ONCE(usage->used || usage->objects ||
			     memchr_inv(usage->numbers, 0,
					sizeof(usage->numbers)));
		spin_lock(&usage->dev->lock);
		vnpu_usage_detach_locked(usage);
		spin_unlock(&usage->dev->lock);
		vnpu_usage_destroy(usage);
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
	if (client->account)
		vnpu_account_put(client->account);
	vnpu_uids_destroy(client->uids);
	mem_cgroup_put(client->memcg);
	if (client->exited)
		vnpu_exited_put(client->exited);
	put_pid(client->pid);
	kfree(client);
}

/* Set the users and cgroups of a new client, and allocate its exit record. */
static int vnpu_client_describe(struct vnpu_client *client)
{
	client->uids = vnpu_uids_create();
	if (!client->uids)
		return -ENOMEM;
	client->account = vnpu_account_create(client->uids);
	if (!client->account)
		return -ENOMEM;
	client->user = client->account->in_charge;
	client->cgroups = vnpu_cgroups_create();
	client->exited = vnpu_exited_create(client);
	return client->cgroups && client->exited ? 0 : -ENOMEM;
}

/**
 * vnpu_client_create() - create a client of the calling process
 * @node: the device whose node is opened, or NULL for that of all devices
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
	vnpu_client_set_node(client, node);
	init_rwsem(&client->lock);
	init_rwsem(&client->map_lock);
	atomic_set(&client->nr_asking, 0);
	init_waitqueue_head(&client->engine_went);
	mutex_init(&client->table_lock);
	mutex_init(&client->oom_lock);
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
	client->owner = vnpu_owner_get();
	if (IS_ERR(client->owner)) {
		ret = PTR_ERR(client->owner);
		goto err_inode;
	}
	ret = xa_insert(&vnpu_clients, client->id, client, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_owner;
	vnpu_owner_add(client->owner, client);
	atomic_inc(&vnpu_clients_gen);
	vnpu_netlink_send_open(client->exited);
	return client;

err_owner:
	vnpu_owner_put(client->owner);
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
		vnpu_exited_note_end(client);
	client->is_ending = true;
	/* End the users of the other resources first. */
	vnpu_timelines_end_all(client);
	vnpu_foreign_stop(&client->foreign);
	vnpu_contexts_end_all(client);
	/* A process that opens a key until now finds timelines that have ended. */
	vnpu_keys_destroy_all(client);
	vnpu_events_give_all(client);
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
	vnpu_owner_remove(client->owner, client);
	vnpu_client_end(client);
	vnpu_task_faults_end(&client->faults);
	/*
	 * Add first, so that a reader of both tables finds the client in one.
	 */
	vnpu_exited_add(client);
	xa_erase(&vnpu_clients, client->id);
	vnpu_host_quota_note_end(client);
	atomic_inc(&vnpu_clients_gen);
	vnpu_netlink_send_close(client->exited);
	xa_destroy(&client->objects);
	xa_destroy(&client->contexts);
	xa_destroy(&client->timelines);
	xa_destroy(&client->rings);
	xa_destroy(&client->events);
	vnpu_owner_put(client->owner);
	vnpu_inode_destroy(client->inode);
	vnpu_client_put(client);
}

static void vnpu_clients_note_devices(const struct vnpu_client *client)
{
	int count = bitmap_weight(client->devices, VNPU_MAX_DEVICES);
	int most = atomic_read(&vnpu_clients_most);

	while (most < count &&
	       !atomic_try_cmpxchg(&vnpu_clients_most, &most, count))
		;
}

/* Publish an account, or return the one that another thread has published. */
static struct vnpu_usage *vnpu_client_publish_usage(struct vnpu_usage *usage)
{
	struct vnpu_usage **slot = &usage->client->usage[usage->dev->index];
	struct vnpu_usage *old;

	spin_lock(&usage->dev->lock);
	old = *slot;
	if (!old) {
		vnpu_usage_attach_locked(usage);
		set_bit(usage->dev->index, usage->client->devices);
		vnpu_clients_note_devices(usage->client);
		/* Pairs with smp_load_acquire() in vnpu_client_peek_usage(). */
		smp_store_release(slot, usage);
	}
	spin_unlock(&usage->dev->lock);
	return old ?: usage;
}

/**
 * vnpu_client_usage() - get a client's account of a device
 * @client: the client
 * @index: any number
 *
 * Return: the account, which is created if there is none and lives as long as
 * the client; ERR_PTR(-ENODEV) if the client has no such device, or
 * ERR_PTR(-ENOMEM).
 */
struct vnpu_usage *vnpu_client_usage(struct vnpu_client *client,
				     unsigned int index)
{
	struct vnpu_usage *usage, *new;

	if (index >= VNPU_MAX_DEVICES)
		return ERR_PTR(-ENODEV);
	index = array_index_nospec(index, VNPU_MAX_DEVICES);
	usage = vnpu_client_peek_usage(client, index);
	if (usage)
		return usage;

	new = vnpu_usage_create(client, index);
	if (IS_ERR(new))
		return new;
	usage = vnpu_client_publish_usage(new);
	if (usage != new)
		vnpu_usage_destroy(new);
	return usage;
}

/**
 * vnpu_client_get_by_id() - look up a client by its id
 * @id: any number
 *
 * Return: the client with a reference, or NULL.
 */
struct vnpu_client *vnpu_client_get_by_id(u64 id)
{
	struct vnpu_client *client = NULL;

	xa_lock(&vnpu_clients);
	if (id <= ULONG_MAX)
		client = xa_load(&vnpu_clients, id);
	if (client)
		kref_get(&client->ref);
	xa_unlock(&vnpu_clients);
	return client;
}

/**
 * vnpu_client_get_next() - find the first client at or after an id
 * @id: the id to start at; set to the id of the client found
 *
 * Return: the client with a reference, or NULL.
 */
struct vnpu_client *vnpu_client_get_next(unsigned long *id)
{
	struct vnpu_client *client;

	/* A client leaves the table before its file drops the reference. */
	xa_lock(&vnpu_clients);
	client = xa_find(&vnpu_clients, id, ULONG_MAX, XA_PRESENT);
	if (client)
		kref_get(&client->ref);
	xa_unlock(&vnpu_clients);
	return client;
}

/**
 * vnpu_client_name() - get the name of the process that opened a client
 * @client: the client
 * @name: filled with the current name, or with the name at open if the process
 *	is gone
 */
void vnpu_client_name(const struct vnpu_client *client,
		      char name[TASK_COMM_LEN])
{
	struct task_struct *task = get_pid_task(client->pid, PIDTYPE_TGID);

	if (task) {
		__get_task_comm(name, TASK_COMM_LEN, task);
		put_task_struct(task);
	} else {
		memcpy(name, client->comm, TASK_COMM_LEN);
	}
}

/**
 * vnpu_client_get() - take a reference
 * @client: a client to which the caller has a reference
 */
void vnpu_client_get(struct vnpu_client *client)
{
	kref_get(&client->ref);
}

/**
 * vnpu_client_put() - drop a reference
 * @client: the client
 */
void vnpu_client_put(struct vnpu_client *client)
{
	kref_put(&client->ref, vnpu_client_release);
}

/**
 * vnpu_clients_generation() - get a number that changes with the table of
 *   clients
 */
unsigned int vnpu_clients_generation(void)
{
	return atomic_read(&vnpu_clients_gen);
}

/**
 * vnpu_clients_most_devices() - get the highest number of devices used by a
 *   client
 */
unsigned int vnpu_clients_most_devices(void)
{
	return atomic_read(&vnpu_clients_most);
}
