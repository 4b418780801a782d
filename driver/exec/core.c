// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a core: a process that runs the launches of a client on a device,
 * and the engine file by which it does so; see linux/vnpu_engine.h.
 *
 * The driver does not trust the core. It can access what the device can access
 * in the client's window, and it can end launches that it was given, each once.
 * The driver reads no memory that the core can write.
 *
 * A core ends for one of the reasons in enum vnpu_core_cause. vnpu_core_end()
 * first takes the memory away, so that the core cannot change anything after
 * its launches are complete. It then completes them. It waits for nothing that
 * the process does, so it may be called while a client, a device or an address
 * space ends.
 *
 * A launch can be stopped without an end of the core: core_end.c.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "account/account.h"
#include "account/host_account.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "base/inode.h"
#include "compat.h"
#include "core.h"
#include "engine.h"
#include "sched_client.h"
#include "trace.h"

static void vnpu_core_release(struct kref *ref)
{
	struct vnpu_core *core = container_of(ref, struct vnpu_core, ref);

	vnpu_core_window_fini(&core->window);
	mutex_destroy(&core->lock);
	put_pid(core->pid);
	vnpu_core_free_names(core);
	vnpu_mm_owner_put(core->client_owner);
	__free_page(core->page);
	vnpu_inode_destroy(core->inode);
	vnpu_host_account_uncharge(core->client->host_account,
				   VNPU_HOST_OBJECTS, 1);
	vnpu_device_put(core->dev);
	vnpu_client_put(core->client);
	kvfree(core);
}

/**
 * vnpu_core_put() - drop a reference
 * @core: the core
 */
void vnpu_core_put(struct vnpu_core *core)
{
	kref_put(&core->ref, vnpu_core_release);
}

static void vnpu_core_end_with_mm(struct vnpu_mm_owned *owned)
{
	vnpu_core_end(container_of(owned, struct vnpu_core, owned),
		      VNPU_CORE_DIED);
}

/* Make a core the one of its client and device. */
static int vnpu_core_make_current(struct vnpu_core *core)
{
	struct vnpu_engines *engines = core->dev->engines;
	struct vnpu_core_port *port = &core->sched->port;
	int ret = 0;

	spin_lock_bh(&engines->lock);
	/* Pairs with the lock in vnpu_cores_end_device(). */
	if (vnpu_device_is_gone(core->dev)) {
		ret = -ENODEV;
	} else if (port->core) {
		ret = -EBUSY;
	} else {
		core->resets = engines->resets;
		port->core = core;
		port->has_failed = false;
		WRITE_ONCE(engines->cores.count, engines->cores.count + 1);
		list_add_tail(&core->link, &engines->cores.list);
		WRITE_ONCE(core->state->waiting, port->nr_waiting);
	}
	spin_unlock_bh(&engines->lock);
	return ret;
}

/* Reserve an index, and show the core to other threads. */
static int vnpu_core_publish(struct vnpu_core *core)
{
	struct vnpu_cores *cores = &core->dev->engines->cores;
	int ret;

	ret = xa_alloc_cyclic(&cores->by_index, &core->index, NULL,
			      XA_LIMIT(1, INT_MAX), &cores->next_index,
			      GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		return ret;
	/* Another thread that ends the core removes it after this. */
	mutex_lock(&core->lock);
	ret = vnpu_core_make_current(core);
	if (ret)
		xa_erase(&cores->by_index, core->index);
	else
		xa_store(&cores->by_index, core->index, core, GFP_KERNEL);
	mutex_unlock(&core->lock);
	return ret;
}

static void vnpu_core_init(struct vnpu_core *core, u32 slots)
{
	u32 i;

	kref_init(&core->ref);
	mutex_init(&core->lock);
	vnpu_core_window_init(&core->window);
	init_waitqueue_head(&core->wait);
	init_waitqueue_head(&core->stopped);
	vnpu_pollers_init(&core->pollers);
	INIT_DELAYED_WORK(&core->stop_work, vnpu_core_stop_late);
	vnpu_core_inject_init(core);
	core->owned.end = vnpu_core_end_with_mm;
	core->state = page_address(core->page);
	core->nr_slots = slots;
	core->free = GENMASK_ULL(slots - 1, 0);
	for (i = 0; i < VNPU_CORE_EVENT_LISTS; i++)
		INIT_LIST_HEAD(&core->events[i]);
	for (i = 0; i < slots; i++)
		INIT_LIST_HEAD(&core->slots[i].link);
}

/**
 * vnpu_core_create() - create a core, to which a process can attach
 * @client: the client of the calling process
 * @device: index of the device
 * @slots: number of launches at a time, 1 to VNPU_ENGINE_SLOTS_MAX
 *
 * Return: the core or ERR_PTR of -ENODEV, -EBUSY, -EDQUOT, -ENOMEM or
 * -ERESTARTNOINTR.
 */
struct vnpu_core *vnpu_core_create(struct vnpu_client *client, u32 device,
				   u32 slots)
{
	struct vnpu_account *account = vnpu_client_account(client, device);
	struct vnpu_core *core;
	int ret = -ENOMEM;

	if (IS_ERR(account))
		return ERR_CAST(account);
	core = kvzalloc(struct_size(core, slots, slots), GFP_KERNEL_ACCOUNT);
	if (!core)
		return ERR_PTR(-ENOMEM);
	core->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!core->page)
		goto err_free;
	vnpu_core_init(core, slots);
	core->dev = vnpu_client_device_get(client, device);
	if (!core->dev) {
		ret = -ENODEV;
		goto err_page;
	}
	core->sched = vnpu_sched_client_of(client, core->dev);
	if (!core->sched)
		goto err_device;
	ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_OBJECTS,
				       1);
	if (ret)
		goto err_device;
	core->client_owner = vnpu_mm_owner_get();
	if (IS_ERR(core->client_owner)) {
		ret = PTR_ERR(core->client_owner);
		goto err_charge;
	}
	ret = vnpu_inode_get(client->inode);
	if (ret)
		goto err_owner;
	core->inode = client->inode;
	vnpu_client_get(client);
	core->client = client;
	ret = vnpu_core_publish(core);
	if (ret) {
		vnpu_core_put(core);
		return ERR_PTR(ret);
	}
	return core;

err_owner:
	vnpu_mm_owner_put(core->client_owner);
err_charge:
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
err_device:
	vnpu_device_put(core->dev);
err_page:
	vnpu_core_window_fini(&core->window);
	mutex_destroy(&core->lock);
	__free_page(core->page);
err_free:
	kvfree(core);
	return ERR_PTR(ret);
}

/**
 * vnpu_core_destroy() - end a core at the last close of its file
 * @core: the core, which has no mappings left
 */
void vnpu_core_destroy(struct vnpu_core *core)
{
	vnpu_core_end(core, VNPU_CORE_DIED);
	cancel_delayed_work_sync(&core->stop_work);
	hrtimer_cancel(&core->late_timer);
	vnpu_pollers_fini(&core->pollers);
	/*
	 * After this, the end of the address space does not touch the core. No
	 * other thread uses the owner of a core that has ended.
	 */
	if (core->owner) {
		vnpu_mm_owner_remove(core->owner, &core->owned);
		vnpu_mm_owner_put(core->owner);
	}
	vnpu_core_put(core);
}

/**
 * vnpu_core_is_current() - check if the caller is in the process of a core
 * @core: the core
 */
bool vnpu_core_is_current(struct vnpu_core *core)
{
	/* Pairs with smp_store_release() in vnpu_core_attach_to(). */
	struct vnpu_mm_owner *owner = smp_load_acquire(&core->owner);

	return owner && vnpu_mm_owner_is_current(owner);
}

/**
 * vnpu_core_is_client() - check if the caller is in the process of the client
 * @core: the core
 */
bool vnpu_core_is_client(const struct vnpu_core *core)
{
	return vnpu_mm_owner_is_current(core->client_owner);
}

/* Return 0 if the core belongs to @owner now, which it did not before. */
static int vnpu_core_attach_to(struct vnpu_core *core,
			       struct vnpu_mm_owner *owner)
{
	int ret;

	if (READ_ONCE(core->has_ended))
		return -ENODEV;
	if (core->owner)
		return vnpu_core_is_current(core) ? -EALREADY : -EBUSY;
	ret = vnpu_core_window_set(&core->window, core->client,
				   core->dev->index);
	if (ret)
		return ret;
	core->pid = get_pid(task_tgid(current));
	/* Order the stores above before this. Pairs with the load-acquires. */
	smp_store_release(&core->owner, owner);
	return 0;
}

/**
 * vnpu_core_attach() - make the calling process the process of a core
 * @core: the core; the caller has its file open
 *
 * Return: 0, also if it is already; -EBUSY, -ENXIO, -ENODEV, -ENOMEM or
 * -ERESTARTNOINTR.
 */
int vnpu_core_attach(struct vnpu_core *core)
{
	struct vnpu_mm_owner *owner = vnpu_mm_owner_get();
	int ret;

	if (IS_ERR(owner))
		return PTR_ERR(owner);
	mutex_lock(&core->lock);
	ret = vnpu_core_attach_to(core, owner);
	mutex_unlock(&core->lock);
	if (ret) {
		vnpu_mm_owner_put(owner);
		return ret == -EALREADY ? 0 : ret;
	}
	/* The caller keeps the address space and the file. */
	vnpu_mm_owner_add(owner, &core->owned);
	trace_vnpu_core_attach(core);
	vnpu_core_open_slots(core);
	return 0;
}

/*
 * Kill a process that has this address space. It can have called exec() since,
 * and can be privileged by now: so kill only a thread that still has the address
 * space, which does not change under its alloc_lock.
 */
static void vnpu_core_kill_process(struct task_struct *leader,
				   const struct mm_struct *mm)
{
	struct task_struct *task;
	bool is_found = false;

	for_each_thread(leader, task) {
		task_lock(task);
		if (task->mm == mm) {
			send_sig(SIGKILL, task, 1);
			is_found = true;
		}
		task_unlock(task);
		if (is_found)
			return;
	}
}

/* Kill the process of a core, and others that share its address space. */
static void vnpu_core_kill(struct vnpu_core *core)
{
	const struct mm_struct *mm = core->owner->mn.mm;
	struct task_struct *leader;

	rcu_read_lock();
	for_each_process(leader)
		if (!(leader->flags & PF_KTHREAD))
			vnpu_core_kill_process(leader, mm);
	rcu_read_unlock();
}

/**
 * vnpu_core_end() - end a core
 * @core: the core, with a reference
 * @cause: the reason
 *
 * May be called more than once. When this returns, the process cannot access
 * the memory, and all its launches have ended.
 */
void vnpu_core_end(struct vnpu_core *core, enum vnpu_core_cause cause)
{
	mutex_lock(&core->lock);
	if (!core->has_ended) {
		vnpu_core_window_end(&core->window);
		/* For debugging, the client's own process may be the core. */
		if (cause != VNPU_CORE_DIED && core->owner &&
		    core->owner != core->client_owner)
			vnpu_core_kill(core);
		vnpu_core_close_slots(core, cause);
		xa_erase(&core->dev->engines->cores.by_index, core->index);
	}
	mutex_unlock(&core->lock);
}

/**
 * vnpu_core_die() - let a core die, as if its process had been killed
 * @core: the core of the calling process
 *
 * The launches fail when the process has ended.
 */
void vnpu_core_die(struct vnpu_core *core)
{
	/* For debugging, the client's own process may be the core. */
	if (core->owner == core->client_owner)
		vnpu_core_end(core, VNPU_CORE_DIED);
	else
		vnpu_core_kill(core);
}

/* Get the core of a client on a device, with a reference, or NULL. */
static struct vnpu_core *vnpu_core_get_at(struct vnpu_sched_client *sched)
{
	struct vnpu_engines *engines = sched->dev->engines;
	struct vnpu_core *core;

	spin_lock_bh(&engines->lock);
	core = sched->port.core;
	if (core)
		vnpu_core_get(core);
	spin_unlock_bh(&engines->lock);
	return core;
}

/**
 * vnpu_cores_end_client() - end all cores of an ending client
 * @client: the client
 */
void vnpu_cores_end_client(struct vnpu_client *client)
{
	u32 i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_sched_client *sched;
		struct vnpu_core *core;

		/* Pairs with smp_store_release() in vnpu_sched_client_publish(). */
		sched = smp_load_acquire(&client->sched[i]);
		core = sched ? vnpu_core_get_at(sched) : NULL;
		if (!core)
			continue;
		vnpu_core_end(core, VNPU_CORE_CLIENT);
		vnpu_core_put(core);
	}
}

/* Get a core of a device, with a reference, or NULL. */
static struct vnpu_core *vnpu_core_get_first(struct vnpu_engines *engines,
					     bool is_reset)
{
	struct vnpu_core *core;

	spin_lock_bh(&engines->lock);
	list_for_each_entry(core, &engines->cores.list, link) {
		if (is_reset && (!core->nr_fetched ||
				 core->resets == READ_ONCE(engines->resets)))
			continue;
		vnpu_core_get(core);
		spin_unlock_bh(&engines->lock);
		return core;
	}
	spin_unlock_bh(&engines->lock);
	return NULL;
}

/**
 * vnpu_cores_end_device() - end all cores of a device that is gone
 * @engines: the engines of the device
 */
void vnpu_cores_end_device(struct vnpu_engines *engines)
{
	struct vnpu_core *core;

	while ((core = vnpu_core_get_first(engines, false))) {
		vnpu_core_end(core, VNPU_CORE_GONE);
		vnpu_core_put(core);
		cond_resched();
	}
}

/**
 * vnpu_cores_reset() - end all cores of a device that run launches
 * @engines: the engines of the device
 *
 * Cores that were created after the reset began are left alone.
 */
void vnpu_cores_reset(struct vnpu_engines *engines)
{
	struct vnpu_core *core;

	while ((core = vnpu_core_get_first(engines, true))) {
		vnpu_core_end(core, VNPU_CORE_RESET);
		vnpu_core_put(core);
		cond_resched();
	}
}

/* The page is mapped from the start. See vnpu_hostmem_vma_fault(). */
static vm_fault_t vnpu_core_state_fault(struct vm_fault *vmf)
{
	struct vnpu_core *core = vmf->vma->vm_private_data;
	/* Pairs with smp_store_release() in vnpu_core_attach_to(). */
	struct vnpu_mm_owner *owner = smp_load_acquire(&core->owner);

	if (!vnpu_mm_owner_has_vma(core->client_owner, vmf->vma) &&
	    !(owner && vnpu_mm_owner_has_vma(owner, vmf->vma)))
		return VM_FAULT_SIGSEGV;
	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	vmf->page = core->page;
	get_page(vmf->page);
	return 0;
}

/* The file of each mapping keeps the core. */
static const struct vm_operations_struct vnpu_core_state_ops = {
	.fault = vnpu_core_state_fault,
};

/**
 * vnpu_core_mmap_state() - map the state of a core
 * @core: the core, of the calling process or of its client
 * @vma: the new mapping
 *
 * Return: 0, -EINVAL, -EACCES or -ENOMEM; see VNPU_ENGINE_MMAP_STATE.
 */
int vnpu_core_mmap_state(struct vnpu_core *core, struct vm_area_struct *vma)
{
	int ret;

	if (vma_pages(vma) != 1)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	ret = vm_insert_page(vma, vma->vm_start, core->page);
	if (ret)
		return ret;
	vnpu_vma_fork_by_fault(vma);
	vma->vm_private_data = core;
	vma->vm_ops = &vnpu_core_state_ops;
	return 0;
}
