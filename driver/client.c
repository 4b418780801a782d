// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a client, and the table of all clients.
 *
 * Locks, outermost first: vnpu_owner.lock, mmap_lock, vnpu_slabs.grow_lock,
 * vnpu_slabs.lock, vnpu_client.lock, vnpu_mem.lock, i_mmap_rwsem of the
 * client's inode or a dma-buf's, vnpu_device.lock. vnpu_device.compact_lock is
 * taken with none of them held but grow_lock; inside it are the last three, also
 * where a worker moves an object and the holder of compact_lock waits for it. An
 * allocation takes it where it must, also after it has taken some pages (see
 * vnpu_pages_find()). vnpu_device.oom_lock is tried where an allocation has failed,
 * so at most grow_lock is held, and vnpu_device.look_lock is taken with none of them
 * held; inside each of these two is vnpu_device.lock. A
 * dma-buf's reservation is locked by who maps it for the kernel: with mmap_lock
 * held, or without, and no lock is taken inside but to wait for the end of a
 * move.
 *
 * An engine tries vnpu_client.lock, shared, and takes what is inside; or, for tasks
 * that a dma_fence stands for, vnpu_client.map_lock, which nests inside it and has
 * nothing inside. It must not wait for these two, nor for those of slabs: who holds
 * grow_lock or vnpu_slabs.lock may wait for an engine, for a short time (see
 * vnpu_bind_lock()). Its own locks are vnpu_timeline.lock and inside it
 * vnpu_engines.lock, both innermost. Who gives memory back may wait for an engine
 * that uses it (vnpu_mem_put()), which takes none of these locks until it has done
 * that. The thread of a client that asks other drivers (foreign.c) holds no lock while
 * it asks; vnpu_foreign.lock is inside vnpu_engines.lock and the lock of any fence.
 * Who exports holds vnpu_client.export_lock, which is taken with no other
 * held.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account.h"
#include "attach.h"
#include "bind.h"
#include "cgroups.h"
#include "client.h"
#include "context.h"
#include "device.h"
#include "exited.h"
#include "host_quota.h"
#include "inode.h"
#include "key.h"
#include "mem.h"
#include "netlink.h"
#include "numbers.h"
#include "oom.h"
#include "owner.h"
#include "sched_client.h"
#include "slabs.h"
#include "timeline.h"
#include "user.h"

static DEFINE_XARRAY_FLAGS(vnpu_clients, XA_FLAGS_ACCOUNT);
static atomic_t vnpu_clients_gen = ATOMIC_INIT(0);
static atomic_long_t vnpu_clients_last_id = ATOMIC_LONG_INIT(0);

/* The most devices that a client has used. */
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
		mutex_lock(&usage->dev->lock);
		vnpu_usage_detach_locked(usage);
		mutex_unlock(&usage->dev->lock);
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

/* What it is counted against, and what will be remembered of it. */
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
 * vnpu_client_create() - a client of the calling process
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
 * vnpu_client_end() - give back all that a client has
 * @client: the client, which nobody uses any more, though its file may be open
 *
 * When this returns, all its memory is free again. May be called twice.
 */
void vnpu_client_end(struct vnpu_client *client)
{
	if (!client->is_ending)
		vnpu_exited_note_end(client);
	client->is_ending = true;
	/* First of all, what uses the rest. */
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
 * vnpu_client_destroy() - the last close of the file
 * @client: the client
 */
void vnpu_client_destroy(struct vnpu_client *client)
{
	/* From here on the end of the address space does not touch it. */
	vnpu_owner_remove(client->owner, client);
	vnpu_client_end(client);
	vnpu_task_faults_end(&client->faults);
	/* Who reads both tables finds it in one of them at least. */
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

/* Returns the account that is there now: another thread may be faster. */
static struct vnpu_usage *vnpu_client_publish_usage(struct vnpu_usage *usage)
{
	struct vnpu_usage **slot = &usage->client->usage[usage->dev->index];
	struct vnpu_usage *old;

	mutex_lock(&usage->dev->lock);
	old = *slot;
	if (!old) {
		vnpu_usage_attach_locked(usage);
		set_bit(usage->dev->index, usage->client->devices);
		vnpu_clients_note_devices(usage->client);
		/* Pairs with vnpu_client_peek_usage(). */
		smp_store_release(slot, usage);
	}
	mutex_unlock(&usage->dev->lock);
	return old ?: usage;
}

/**
 * vnpu_client_usage() - where a client's use of a device is accounted
 * @client: the client
 * @index: any number
 *
 * Return: the account, made if there was none; ERR_PTR(-ENODEV) if the client has
 * no such device, or ERR_PTR(-ENOMEM). It lives as long as the client.
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
 * vnpu_client_get_by_id() - a client by its id
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
 * vnpu_client_get_next() - the first client at or after an id
 * @id: where to start; where it was found
 *
 * Return: the client with a reference, or NULL.
 */
struct vnpu_client *vnpu_client_get_next(unsigned long *id)
{
	struct vnpu_client *client;

	/* It leaves the table before the file drops its reference. */
	xa_lock(&vnpu_clients);
	client = xa_find(&vnpu_clients, id, ULONG_MAX, XA_PRESENT);
	if (client)
		kref_get(&client->ref);
	xa_unlock(&vnpu_clients);
	return client;
}

/**
 * vnpu_client_name() - the name of the process that opened a client
 * @client: the client
 * @name: that which it has now, or had then if it is gone
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
 * @client: a client that the caller has a reference to
 */
void vnpu_client_get(struct vnpu_client *client)
{
	kref_get(&client->ref);
}

/**
 * vnpu_client_put() - give a reference back
 * @client: the client
 */
void vnpu_client_put(struct vnpu_client *client)
{
	kref_put(&client->ref, vnpu_client_release);
}

/**
 * vnpu_clients_generation() - changes when the table of clients does
 */
unsigned int vnpu_clients_generation(void)
{
	return atomic_read(&vnpu_clients_gen);
}

/**
 * vnpu_clients_most_devices() - how many devices any client has used at most
 */
unsigned int vnpu_clients_most_devices(void)
{
	return atomic_read(&vnpu_clients_most);
}
