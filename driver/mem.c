// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory objects of any kind: references, pins, and a client's ids.
 *
 * A reference keeps an object's bytes, a pin keeps them where they are. Who
 * resolved an address to a pointer has a pin for as long as it uses that
 * pointer. A pin waits for a move that is under way; a move waits for nobody:
 * it leaves pinned objects alone. So a pin may be taken under any lock that a
 * move does not take.
 *
 * An engine has no reference. It could be the last one, and to free GiBs, or very
 * many extents, takes long: all other clients of the device would wait. So it is
 * counted instead, and who gives the last reference back waits for it, which is
 * no longer than a piece of a task takes.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>
#include <linux/xarray.h>

#include "account.h"
#include "client.h"
#include "mem.h"

/*
 * A mutex of its own would be a fifth of a small object. There are so many that
 * two objects which are used at the same time rarely share one. A view's is held
 * while that of what it shows is taken, so these are from different sets.
 */
#define VNPU_MEM_LOCK_BITS	10
static struct mutex vnpu_mem_locks[2][1 << VNPU_MEM_LOCK_BITS];

/* An array that starts at 1 gives 0 out too, once 0 has been erased from it. */
#define VNPU_ID_LIMIT	XA_LIMIT(1, INT_MAX)

/**
 * vnpu_mem_init_locks() - once, before there is any object
 */
void vnpu_mem_init_locks(void)
{
	unsigned int i;

	/* Apart, so that lockdep tells the sets from each other. */
	for (i = 0; i < ARRAY_SIZE(vnpu_mem_locks[0]); i++) {
		mutex_init(&vnpu_mem_locks[0][i]);
		mutex_init(&vnpu_mem_locks[1][i]);
	}
}

/**
 * vnpu_mem_init() - the common part of a new object
 * @mem: the object, zeroed; all that is constant but @ops is set by its kind
 * @ops: its kind
 *
 * There is one reference, the caller's.
 */
void vnpu_mem_init(struct vnpu_mem *mem, const struct vnpu_mem_ops *ops)
{
	bool is_view = ops->kind == VNPU_MEM_KIND_DMABUF;

	mem->ops = ops;
	kref_init(&mem->ref);
	mem->lock = &vnpu_mem_locks[is_view][hash_ptr(mem, VNPU_MEM_LOCK_BITS)];
}

/**
 * vnpu_mem_get() - take a reference
 * @mem: an object that the caller has a reference to
 */
void vnpu_mem_get(struct vnpu_mem *mem)
{
	kref_get(&mem->ref);
}

/**
 * vnpu_mem_begin_use() - an engine is about to use an object without a reference
 * @mem: the object, pinned; others have references until this returns
 */
void vnpu_mem_begin_use(struct vnpu_mem *mem)
{
	atomic_inc(&mem->uses);
}

/**
 * vnpu_mem_end_use() - it does not any more
 * @mem: the object, not pinned any more; may be gone after this
 */
void vnpu_mem_end_use(struct vnpu_mem *mem)
{
	/* Of what may be gone only the address is looked at. */
	if (atomic_dec_and_test(&mem->uses))
		wake_up_var(&mem->uses);
}

/* No use begins any more: that takes somebody who has a reference. */
static void vnpu_mem_wait_for_uses(struct vnpu_mem *mem)
{
	/* What engines did with it, before it is another's. */
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
 * vnpu_mem_put() - give a reference back
 * @mem: the object; with the last reference its memory is free again
 *
 * May wait for an engine, which takes no lock of ours meanwhile. Not to be called
 * by one.
 */
void vnpu_mem_put(struct vnpu_mem *mem)
{
	kref_put(&mem->ref, vnpu_mem_release);
}

/**
 * vnpu_mem_put_batched() - give a reference back, one of many
 * @mem: the object; if this was the last reference, its memory is free again
 *	when the batch ends at the latest
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
 * vnpu_mem_batch_end() - free what is left in a batch
 * @batch: the batch; may be used again
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
 * vnpu_mem_pin() - keep the bytes of an object where they are
 * @mem: an object that the caller has a reference to
 *
 * Waits for the end of a move.
 */
void vnpu_mem_pin(struct vnpu_mem *mem)
{
	while (!atomic_inc_unless_negative(&mem->pins))
		wait_var_event(&mem->pins, atomic_read(&mem->pins) >= 0);
}

/**
 * vnpu_mem_pin_killable() - the same, unless the caller is killed
 * @mem: an object that the caller has a reference to
 *
 * Return: 0 or -EINTR: then it is not pinned.
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
 * vnpu_mem_try_pin() - the same, without waiting
 * @mem: an object that the caller has a reference to
 *
 * Return: false if it is being moved.
 */
bool vnpu_mem_try_pin(struct vnpu_mem *mem)
{
	return atomic_inc_unless_negative(&mem->pins);
}

/**
 * vnpu_mem_unpin() - the bytes may be moved again
 * @mem: an object that the caller has pinned
 */
void vnpu_mem_unpin(struct vnpu_mem *mem)
{
	atomic_dec(&mem->pins);
}

/**
 * vnpu_mem_begin_move() - nobody uses the bytes until vnpu_mem_end_move()
 * @mem: an object that the caller has a reference to
 *
 * Return: whether that is so; false if it is pinned.
 */
bool vnpu_mem_begin_move(struct vnpu_mem *mem)
{
	return atomic_cmpxchg(&mem->pins, 0, VNPU_MEM_MOVING) == 0;
}

/**
 * vnpu_mem_end_move() - the bytes are where they are to stay
 * @mem: the object
 */
void vnpu_mem_end_move(struct vnpu_mem *mem)
{
	/* What was changed comes before it may be used. */
	atomic_set_release(&mem->pins, 0);
	/* Before the look at who waits, or who begins to is overlooked. */
	smp_mb();
	wake_up_var(&mem->pins);
}

/**
 * vnpu_mem_hold() - a client has an object in one more way
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
 * vnpu_mem_unhold_locked() - a client has an object in one way less
 * @mem: the object, of which the caller still has a reference
 * @client: the client
 */
void vnpu_mem_unhold_locked(struct vnpu_mem *mem, struct vnpu_client *client)
{
	lockdep_assert_held(mem->lock);
	if (mem->ops->unhold)
		mem->ops->unhold(mem, client);
}

/**
 * vnpu_mem_drop() - a client has an object in one way less, and a reference less
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
 * vnpu_mem_reserve_id() - get an id that no look-up finds yet
 * @client: whose
 * @id: the id
 *
 * Return: 0, -EDQUOT, -ENOMEM or -EAGAIN (no id is free).
 */
int vnpu_mem_reserve_id(struct vnpu_client *client, u32 *id)
{
	int ret = vnpu_account_charge(client->account, VNPU_HOST_OBJECTS, 1);

	if (ret)
		return ret;
	ret = xa_alloc(&client->objects, id, XA_ZERO_ENTRY, VNPU_ID_LIMIT,
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
	return ret == -EBUSY ? -EAGAIN : ret;
}

/**
 * vnpu_mem_cancel_id() - an id is not needed after all
 * @client: whose
 * @id: reserved
 */
void vnpu_mem_cancel_id(struct vnpu_client *client, u32 id)
{
	xa_release(&client->objects, id);
	vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
}

/**
 * vnpu_mem_publish_id() - from now on the id stands for the object
 * @client: whose
 * @id: reserved
 * @mem: the object, held by the client; takes the caller's reference
 */
void vnpu_mem_publish_id(struct vnpu_client *client, u32 id,
			 struct vnpu_mem *mem)
{
	/* The slot is there since it was reserved. */
	xa_store(&client->objects, id, mem, 0);
}

/**
 * vnpu_mem_get_by_id() - look an object up
 * @client: whose
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

/* The object that an id stood for, which it does not any more; or NULL. */
static struct vnpu_mem *vnpu_mem_take_id(struct vnpu_client *client, u32 id)
{
	struct xarray *objects = &client->objects;
	struct vnpu_mem *mem;

	/* Not what is only reserved, by a call that is still under way. */
	xa_lock(objects);
	mem = xa_load(objects, id);
	if (mem)
		__xa_erase(objects, id);
	xa_unlock(objects);
	if (mem)
		vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
	return mem;
}

/**
 * vnpu_mem_give_up_id() - the id stands for nothing any more
 * @client: whose
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
 * vnpu_mem_give_up_all() - all ids of a client stand for nothing any more
 * @client: the client, which nobody else uses
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
