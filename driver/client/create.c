// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of a client, and the table of all clients.
 *
 * Lock ordering in the driver:
 *
 * vnpu_mm_owner.lock
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
	client->mm_owner = vnpu_mm_owner_get();
	if (IS_ERR(client->mm_owner)) {
		ret = PTR_ERR(client->mm_owner);
		goto err_inode;
	}
	ret = xa_insert(&vnpu_clients, client->id, client, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_owner;
	vnpu_mm_owner_add(client->mm_owner, client);
	atomic_inc(&vnpu_clients_gen);
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
	/* End the users of the other resources first. */
	vnpu_timelines_end_all(client);
	vnpu_foreign_stop(&client->foreign);
	vnpu_contexts_end_all(client);
	/* A process that opens a key until now finds timelines that have ended. */
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
	vnpu_mm_owner_remove(client->mm_owner, client);
	vnpu_client_end(client);
	vnpu_task_faults_end(&client->faults);
	/*
	 * Add first, so that a reader of both tables finds the client in one.
	 */
	vnpu_history_add(client);
	xa_erase(&vnpu_clients, client->id);
	vnpu_host_quota_note_end(client);
	atomic_inc(&vnpu_clients_gen);
	vnpu_event_send_close(client->history);
	xa_destroy(&client->objects);
	xa_destroy(&client->contexts);
	xa_destroy(&client->timelines);
	xa_destroy(&client->rings);
	xa_destroy(&client->events);
	vnpu_mm_owner_put(client->mm_owner);
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
static struct vnpu_account *vnpu_client_publish_account(struct vnpu_account *account)
{
	struct vnpu_account **slot = &account->client->account[account->dev->index];
	struct vnpu_account *old;

	spin_lock(&account->dev->lock);
	old = *slot;
	if (!old) {
		vnpu_account_attach_locked(account);
		set_bit(account->dev->index, account->client->devices);
		vnpu_clients_note_devices(account->client);
		/* Pairs with smp_load_acquire() in vnpu_client_peek_account(). */
		smp_store_release(slot, account);
	}
	spin_unlock(&account->dev->lock);
	return old ?: account;
}

/**
 * vnpu_client_account() - get a client's account of a device
 * @client: the client
 * @index: any number
 *
 * Return: the account, which is created if there is none and lives as long as
 * the client; ERR_PTR(-ENODEV) if the client has no such device, or
 * ERR_PTR(-ENOMEM).
 */
struct vnpu_account *vnpu_client_account(struct vnpu_client *client,
					 unsigned int index)
{
	struct vnpu_account *account, *new;

	if (index >= VNPU_MAX_DEVICES)
		return ERR_PTR(-ENODEV);
	index = array_index_nospec(index, VNPU_MAX_DEVICES);
	account = vnpu_client_peek_account(client, index);
	if (account)
		return account;

	new = vnpu_account_create(client, index);
	if (IS_ERR(new))
		return new;
	account = vnpu_client_publish_account(new);
	if (account != new)
		vnpu_account_destroy(new);
	return account;
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
