// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory objects of any kind: references, pins, and a client's ids.
 *
 * A reference keeps an object's memory allocated; a pin keeps it from being
 * moved. A caller that has resolved an address to a pointer holds a pin for as
 * long as it uses the pointer. A pin waits for a move in progress. A move never
 * waits for pins; it skips pinned objects. So a pin may be taken under any lock
 * that a move does not take.
 *
 * Engines take no reference, because dropping the last one could free GiBs, or
 * very many extents. That takes long, and all other clients of the device would
 * wait. Instead, an engine counts its uses, and the task that drops the last
 * reference waits for them, which takes no longer than a piece of a task.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>
#include <linux/xarray.h>

#include "account/host_account.h"
#include "base/client.h"
#include "base/upcalls.h"
#include "mem.h"

/*
 * A mutex per object would be a fifth of the size of a small object. There are
 * so many shared ones that two objects in use at the same time rarely have the
 * same one. The lock of an alias is held while that of its target is taken, so
 * aliases have a separate set.
 */
#define VNPU_MEM_LOCK_BITS	10
static struct mutex vnpu_mem_locks[2][1 << VNPU_MEM_LOCK_BITS];

/* An XA_FLAGS_ALLOC1 array also hands out 0, once 0 has been erased from it. */
#define VNPU_ID_LIMIT	XA_LIMIT(1, INT_MAX)

/**
 * vnpu_mem_init_locks() - initialise the shared locks at load
 */
void vnpu_mem_init_locks(void)
{
	unsigned int i;

	/* Two calls, so that lockdep sees the sets as two classes. */
	for (i = 0; i < ARRAY_SIZE(vnpu_mem_locks[0]); i++) {
		mutex_init(&vnpu_mem_locks[0][i]);
		mutex_init(&vnpu_mem_locks[1][i]);
	}
}

/**
 * vnpu_mem_init() - initialise the common part of an object
 * @mem: the object, zeroed; its kind sets all constant members but @ops
 * @ops: operations of its kind
 *
 * The caller gets the first reference.
 */
void vnpu_mem_init(struct vnpu_mem *mem, const struct vnpu_mem_ops *ops)
{
	bool is_alias = ops->kind == VNPU_MEM_KIND_DMABUF;

	mem->ops = ops;
	kref_init(&mem->ref);
	mem->lock = &vnpu_mem_locks[is_alias][hash_ptr(mem, VNPU_MEM_LOCK_BITS)];
}

/**
 * vnpu_mem_get() - take a reference
 * @mem: an object to which the caller has a reference
 */
void vnpu_mem_get(struct vnpu_mem *mem)
{
	kref_get(&mem->ref);
}

/**
 * vnpu_mem_begin_use() - begin the use of an object by an engine
 * @mem: the object, pinned; has other references until this returns
 *
 * The engine needs no reference until vnpu_mem_end_use().
 */
void vnpu_mem_begin_use(struct vnpu_mem *mem)
{
	atomic_inc(&mem->uses);
}

/**
 * vnpu_mem_end_use() - end the use of an object by an engine
 * @mem: the object, no longer pinned; may be freed when this returns
 */
void vnpu_mem_end_use(struct vnpu_mem *mem)
{
	/*
	 * The object may be freed by now; wake_up_var() uses only the address.
	 */
	if (atomic_dec_and_test(&mem->uses))
		wake_up_var(&mem->uses);
}

/* Wait for engines. No new use can begin, as that takes a reference. */
static void vnpu_mem_wait_for_uses(struct vnpu_mem *mem)
{
	/*
	 * Order accesses of engines before the memory is reused. Pairs with
	 * atomic_dec_and_test() in vnpu_mem_end_use().
	 */
	wait_var_event(&mem->uses, !atomic_read_acquire(&mem->uses));
}

static void vnpu_mem_release(struct kref *ref)
{
	struct vnpu_mem *mem = container_of(ref, struct vnpu_mem, ref);

	vnpu_assert_may_wait();
	vnpu_mem_wait_for_uses(mem);
	mem->ops->release(mem);
}

/**
 * vnpu_mem_put() - drop a reference
 * @mem: the object, which is freed with the last reference
 *
 * May wait for an engine, which takes no lock of the driver meanwhile. Engines
 * must not call this.
 */
void vnpu_mem_put(struct vnpu_mem *mem)
{
	kref_put(&mem->ref, vnpu_mem_release);
}

/**
 * vnpu_mem_put_batched() - drop one of many references
 * @mem: the object; if this was the last reference, it is freed at the latest
 *	at the end of the batch
 * @batch: the batch
 */
void vnpu_mem_put_batched(struct vnpu_mem *mem, struct vnpu_mem_batch *batch)
{
	if (!refcount_dec_and_test(&mem->ref.refcount))
		return;
	vnpu_mem_wait_for_uses(mem);
	batch->mems[batch->nr++] = mem;
	if (batch->nr == VNPU_MEM_BATCH_MAX)
		vnpu_mem_batch_end(batch);
}

/**
 * vnpu_mem_batch_end() - free the objects that are left in a batch
 * @batch: the batch, which may be used again
 */
void vnpu_mem_batch_end(struct vnpu_mem_batch *batch)
{
	u32 i = 0;

	while (i < batch->nr) {
		struct vnpu_mem *mem = batch->mems[i];

		if (mem->ops->release_some) {
			i += mem->ops->release_some(&batch->mems[i],
						    batch->nr - i);
		} else {
			mem->ops->release(mem);
			i++;
		}
	}
	batch->nr = 0;
}

/**
 * vnpu_mem_pin() - keep an object from being moved
 * @mem: an object to which the caller has a reference
 *
 * Waits for the end of a move in progress.
 */
void vnpu_mem_pin(struct vnpu_mem *mem)
{
	while (!atomic_inc_unless_negative(&mem->pins))
		wait_var_event(&mem->pins, atomic_read(&mem->pins) >= 0);
}

/**
 * vnpu_mem_pin_killable() - pin an object, unless the caller is killed
 * @mem: an object to which the caller has a reference
 *
 * Return: 0, or -EINTR if the caller was killed; then the object is not pinned.
 */
int vnpu_mem_pin_killable(struct vnpu_mem *mem)
{
	while (!atomic_inc_unless_negative(&mem->pins))
		if (wait_var_event_killable(&mem->pins,
					    atomic_read(&mem->pins) >= 0))
			return -EINTR;
	return 0;
}

/**
 * vnpu_mem_try_pin() - pin an object without waiting
 * @mem: an object to which the caller has a reference
 *
 * Return: false if the object is being moved.
 */
bool vnpu_mem_try_pin(struct vnpu_mem *mem)
{
	return atomic_inc_unless_negative(&mem->pins);
}

/**
 * vnpu_mem_unpin() - allow an object to be moved again
 * @mem: an object that the caller has pinned
 */
void vnpu_mem_unpin(struct vnpu_mem *mem)
{
	/*
	 * Order the accesses to the bytes before a move. Pairs with
	 * atomic_cmpxchg() in vnpu_mem_begin_move().
	 */
	smp_mb__before_atomic();
	atomic_dec(&mem->pins);
}

/**
 * vnpu_mem_begin_move() - begin to move an object
 * @mem: an object to which the caller has a reference
 *
 * Until vnpu_mem_end_move(), the object is not in use.
 *
 * Return: true if the move may begin; false if the object is pinned.
 */
bool vnpu_mem_begin_move(struct vnpu_mem *mem)
{
	return atomic_cmpxchg(&mem->pins, 0, VNPU_MEM_MOVING) == 0;
}

/**
 * vnpu_mem_end_move() - end the move of an object and wake waiters
 * @mem: the object
 */
void vnpu_mem_end_move(struct vnpu_mem *mem)
{
	/*
	 * Order the changes of the move before the next pin. Pairs with
	 * atomic_inc_unless_negative() in vnpu_mem_pin().
	 */
	atomic_set_release(&mem->pins, 0);
	/*
	 * Order the store to pins before the check for waiters. Pairs with
	 * set_current_state() in wait_var_event().
	 */
	smp_mb();
	wake_up_var(&mem->pins);
}

/**
 * vnpu_mem_hold() - count one more id or binding of a client
 * @mem: the object
 * @client: the client
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_mem_hold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	int ret;

	if (!mem->ops->hold)
		return 0;
	mutex_lock(mem->lock);
	ret = mem->ops->hold(mem, client);
	mutex_unlock(mem->lock);
	return ret;
}

/**
 * vnpu_mem_unhold_locked() - count one id or binding of a client less
 * @mem: the object, to which the caller still has a reference
 * @client: the client
 */
void vnpu_mem_unhold_locked(struct vnpu_mem *mem, struct vnpu_client *client)
{
	lockdep_assert_held(mem->lock);
	if (mem->ops->unhold)
		mem->ops->unhold(mem, client);
}

/**
 * vnpu_mem_drop() - count one id or binding of a client less, and drop a
 *   reference
 * @mem: the object
 * @client: the client
 */
void vnpu_mem_drop(struct vnpu_mem *mem, struct vnpu_client *client)
{
	mutex_lock(mem->lock);
	vnpu_mem_unhold_locked(mem, client);
	mutex_unlock(mem->lock);
	vnpu_mem_put(mem);
}

/**
 * vnpu_mem_reserve_id() - reserve an id that no look-up finds yet
 * @client: the client that gets the id
 * @id: filled with the id
 *
 * Return: 0, -EDQUOT, -ENOMEM or -EAGAIN (no id is free).
 */
int vnpu_mem_reserve_id(struct vnpu_client *client, u32 *id)
{
	int ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_OBJECTS, 1);

	if (ret)
		return ret;
	ret = xa_alloc(&client->objects, id, XA_ZERO_ENTRY, VNPU_ID_LIMIT,
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
	return ret == -EBUSY ? -EAGAIN : ret;
}

/**
 * vnpu_mem_cancel_id() - free a reserved id
 * @client: the client that has the id
 * @id: the reserved id
 */
void vnpu_mem_cancel_id(struct vnpu_client *client, u32 id)
{
	xa_release(&client->objects, id);
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
}

/**
 * vnpu_mem_publish_id() - make a reserved id refer to an object
 * @client: the client that has the id
 * @id: the reserved id
 * @mem: the object, held by the client; takes over the caller's reference
 */
void vnpu_mem_publish_id(struct vnpu_client *client, u32 id,
			 struct vnpu_mem *mem)
{
	/* Cannot fail: the entry was allocated with the reservation. */
	xa_store(&client->objects, id, mem, 0);
}

/**
 * vnpu_mem_get_by_id() - look up an object by its id
 * @client: the client that has the id
 * @id: any number
 *
 * Return: the object with a reference, or NULL.
 */
struct vnpu_mem *vnpu_mem_get_by_id(struct vnpu_client *client, u32 id)
{
	struct vnpu_mem *mem;

	xa_lock(&client->objects);
	mem = xa_load(&client->objects, id);
	if (mem)
		kref_get(&mem->ref);
	xa_unlock(&client->objects);
	return mem;
}

/* Free an id, and return the object that it referred to, or NULL. */
static struct vnpu_mem *vnpu_mem_take_id(struct vnpu_client *client, u32 id)
{
	struct xarray *objects = &client->objects;
	struct vnpu_mem *mem;

	/* Keep an id that is only reserved, by a call still in progress. */
	xa_lock(objects);
	mem = xa_load(objects, id);
	if (mem)
		__xa_erase(objects, id);
	xa_unlock(objects);
	if (mem)
		vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
	return mem;
}

/**
 * vnpu_mem_give_up_id() - free an id and drop its object
 * @client: the client that has the id
 * @id: any number
 *
 * Return: 0 or -ENOENT.
 */
int vnpu_mem_give_up_id(struct vnpu_client *client, u32 id)
{
	struct vnpu_mem *mem = vnpu_mem_take_id(client, id);

	if (!mem)
		return -ENOENT;
	vnpu_mem_drop(mem, client);
	return 0;
}

/**
 * vnpu_mem_give_up_all() - free all ids of a client and drop their objects
 * @client: the client, used by the caller only
 */
void vnpu_mem_give_up_all(struct vnpu_client *client)
{
	struct vnpu_mem_batch batch = { .nr = 0 };
	struct vnpu_mem *mem;
	unsigned long id;

	xa_for_each(&client->objects, id, mem) {
		vnpu_mem_take_id(client, id);
		mutex_lock(mem->lock);
		vnpu_mem_unhold_locked(mem, client);
		mutex_unlock(mem->lock);
		vnpu_mem_put_batched(mem, &batch);
		cond_resched();
	}
	vnpu_mem_batch_end(&batch);
}
