// SPDX-License-Identifier: GPL-2.0-only
/*
 * Migration: empty a run of the arena, as planned by the compaction planner.
 *
 * First, claim the free pages of the run, so that no other allocation gets
 * them; pages that are moved out stay claimed as well. Then move contiguous
 * objects, each to a free run of its length. Allocate the runs for all of them
 * first; if there are too few, nothing has been moved in vain. Then move pages
 * of 2 MiB one by one, each to a free frame or, if there is none, to a frame
 * that is emptied for it. Move small pages last: by then there is room for them.
 *
 * Other tasks may allocate and free memory at any time and so invalidate the
 * plan. The migration notices this and fails; only its work is lost.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/workqueue.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "core/compact.h"
#include "mem/binding.h"
#include "mem/devmem.h"
#include "mem/dmabuf.h"
#include "mem/pages.h"
#include "migrate.h"
#include "snapshot.h"

#define VNPU_PLACE_PAGES	BIT(VNPU_PAGE_ORDER_2M)

/*
 * Number of pages per move, so that users of an object wait for 16 MiB at most.
 */
#define VNPU_MIGRATE_SLICE	4096U

/*
 * Maximum number of extents in addition to those of the blocks in the window.
 */
#define VNPU_MIGRATE_ROOM	0x40000U

/**
 * vnpu_migration_init() - prepare a migration
 * @e: the migration; the caller sets @e->dev and fills @e->targets
 * @plan: the plan
 * @order: pages of classes above this order are not moved
 * @blocks: number of blocks in the window
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_migration_init(struct vnpu_migration *e,
			const struct vnpu_compact_plan *plan,
			unsigned int order, u32 blocks)
{
	e->window = plan->window;
	e->order = order;
	e->nr_targets = plan->emptied;
	/* There may be free memory between the blocks. */
	e->room = 2 * blocks + 64;
	if (plan->emptied) {
		/* Small pages may have to go through the window. */
		e->room += min3(plan->emptied * (u32)VNPU_PLACE_PAGES,
				plan->window.count, VNPU_MIGRATE_ROOM);
		e->targets = kvmalloc_array(plan->emptied, sizeof(*e->targets),
					    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!e->targets)
			return -ENOMEM;
	}
	e->victims = kvmalloc_array(e->room, sizeof(*e->victims),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (e->victims && !vnpu_emptied_init(&e->emptied, e->room))
		return 0;
	vnpu_migration_fini(e);
	return -ENOMEM;
}

/**
 * vnpu_migration_fini() - free the memory of a migration
 * @e: the migration, finished or not
 */
void vnpu_migration_fini(struct vnpu_migration *e)
{
	vnpu_emptied_fini(&e->emptied);
	kvfree(e->victims);
	kvfree(e->targets);
}

/*
 * Remove the object's pages in a window from the mappings of the host. At least
 * one page of the object is in the window. They may be scattered over the object,
 * so the whole range from the first to the last is removed.
 */
static void vnpu_migrate_unmap(struct vnpu_devmem *devmem,
			       struct vnpu_extent window)
{
	const struct vnpu_pages *pages = &devmem->pages;
	u64 first = U64_MAX, end = 0;
	u32 i;

	for (i = 0; i < pages->nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(pages, i);
		struct vnpu_extent in = vnpu_extent_intersect(ext, window);
		u64 at = vnpu_pages_before(pages, i) + in.start - ext.start;

		if (!in.count)
			continue;
		first = min(first, at);
		end = at + in.count;
	}
	first = vnpu_pages_to_bytes(first);
	end = vnpu_pages_to_bytes(end);
	vnpu_mapped_revoke(&devmem->mem, first, end - first);
	vnpu_dmabuf_zap(devmem, first, end - first);
}

/* Start a move: until vnpu_mem_end_move(), all users of the object wait. */
static int vnpu_migrate_begin_move(struct vnpu_migration *e,
				   struct vnpu_devmem *devmem,
				   struct vnpu_extent window)
{
	if (!vnpu_snapshot_is_movable(devmem, e->order) ||
	    !vnpu_mem_begin_move(&devmem->mem))
		return -EAGAIN;
	vnpu_migrate_unmap(devmem, window);
	return 0;
}

/* Execute the prepared move, which is used up. */
static int vnpu_migrate_move(struct vnpu_migration *e,
			     struct vnpu_devmem *devmem,
			     struct vnpu_extent window, struct vnpu_move *move)
{
	int ret;

	cond_resched();
	ret = fatal_signal_pending(e->task) ? -EINTR :
	      vnpu_migrate_begin_move(e, devmem, window);
	if (ret) {
		vnpu_move_fini(move, e->dev);
		return ret;
	}
	ret = vnpu_move(move, devmem, window, &e->emptied);
	vnpu_mem_end_move(&devmem->mem);
	return ret;
}

static int vnpu_migrate_part(struct vnpu_migration *e,
			     struct vnpu_devmem *devmem,
			     struct vnpu_extent part)
{
	struct vnpu_move move;
	int ret;

	/* The pages in this part may have been moved to empty a frame. */
	if (!vnpu_migrate_concerns(devmem, part))
		return 0;
	/*
	 * The window may cut a page if the object came after the plan was made.
	 */
	if (!vnpu_snapshot_is_movable(devmem, e->order))
		return -EAGAIN;
	ret = vnpu_move_init_out(&move, devmem, part);
	return ret ?: vnpu_migrate_move(e, devmem, part, &move);
}

/*
 * Move an object in slices, so that its users do not wait for the whole object.
 * A page of 1 GiB is moved at once.
 */
static int vnpu_migrate_object(struct vnpu_migration *e,
			       struct vnpu_devmem *devmem)
{
	struct vnpu_extent rest = e->window;
	int ret = 0;

	if (vnpu_devmem_order(devmem) > VNPU_PAGE_ORDER_2M)
		return vnpu_migrate_part(e, devmem, rest);
	while (!ret && rest.count) {
		struct vnpu_extent part = {
			rest.start, min(rest.count, VNPU_MIGRATE_SLICE) };

		ret = vnpu_migrate_part(e, devmem, part);
		rest.start += part.count;
		rest.count -= part.count;
		cond_resched();
	}
	return ret;
}

/* Find a free run for a contiguous object: it moves as a whole. */
static int vnpu_migrate_find_run(struct vnpu_migration *e,
				 const struct vnpu_devmem *devmem,
				 struct vnpu_pages *target)
{
	const struct vnpu_pages_req req = {
		.count = devmem->pages.one.count,
		.order = vnpu_devmem_order(devmem),
		.align_order = devmem->mem.align_order,
		.contiguous = true,
	};

	if (!e->runs || !vnpu_snapshot_is_movable(devmem, e->order))
		return -EAGAIN;
	if (fatal_signal_pending(e->task))
		return -EINTR;
	return vnpu_pages_find(e->dev, &req, target, NULL, NULL);
}

static int vnpu_migrate_longer(const void *a, const void *b)
{
	const struct vnpu_devmem *const *x = a, *const *y = b;

	return (*x)->mem.length < (*y)->mem.length ? 1 :
	       (*x)->mem.length > (*y)->mem.length ? -1 : 0;
}

/*
 * Find a free run for each victim, then move all of them. The longest comes
 * first, as it needs the longest run.
 */
static int vnpu_migrate_all_runs(struct vnpu_migration *e,
				 struct vnpu_pages *targets)
{
	u32 nr = 0, i;
	int ret = 0;

	sort(e->victims, e->nr_victims, sizeof(*e->victims),
	     vnpu_migrate_longer, NULL);
	while (!ret && nr < e->nr_victims) {
		ret = vnpu_migrate_find_run(e, e->victims[nr], &targets[nr]);
		if (!ret)
			nr++;
		cond_resched();
	}
	for (i = 0; !ret && i < nr; i++) {
		struct vnpu_devmem *devmem = e->victims[i];
		struct vnpu_move move;

		ret = vnpu_move_init_to(&move, devmem, devmem->pages.one,
					&targets[i]) ?:
		      vnpu_migrate_move(e, devmem, devmem->pages.one, &move);
	}
	for (; i < nr; i++) {
		vnpu_pages_give_back(e->dev, &targets[i]);
		cond_resched();
	}
	return ret;
}

/* Move all contiguous objects. */
static int vnpu_migrate_runs(struct vnpu_migration *e)
{
	int ret = vnpu_migrate_find_victims(e, VNPU_MIGRATE_RUNS);
	struct vnpu_pages *targets;

	if (!ret && e->nr_victims) {
		targets = kvmalloc_array(e->nr_victims, sizeof(*targets),
					 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		ret = targets ? vnpu_migrate_all_runs(e, targets) : -ENOMEM;
		kvfree(targets);
	}
	vnpu_migrate_put_victims(e);
	return ret;
}

/* Move all objects of small pages. */
static int vnpu_migrate_small(struct vnpu_migration *e)
{
	int ret = vnpu_migrate_find_victims(e, VNPU_MIGRATE_SMALL);
	u32 i;

	for (i = 0; !ret && i < e->nr_victims; i++)
		ret = vnpu_migrate_object(e, e->victims[i]);
	vnpu_migrate_put_victims(e);
	return ret;
}

/* Pass the window to @held if it is complete and requested, else free it. */
static int vnpu_migrate_finish(struct vnpu_migration *e, int ret,
			       struct vnpu_pages *held)
{
	/* Also claim the pages that others have freed in the meantime. */
	if (!ret && held)
		ret = vnpu_migrate_isolate(e);
	if (!ret && held && vnpu_emptied_trim(&e->emptied, e->dev, e->window) !=
			    e->window.count)
		ret = -EAGAIN;
	if (ret || !held) {
		vnpu_emptied_free(&e->emptied, e->dev);
		return ret;
	}
	vnpu_emptied_hand_over(&e->emptied, e->dev);
	vnpu_pages_add(e->dev, held, e->window);
	return 0;
}

/* Empty a frame of contiguous objects and small pages, and claim it. */
static int vnpu_migrate_set_target(const struct vnpu_migration *outer,
				   struct vnpu_extent place,
				   struct vnpu_pages *target)
{
	const struct vnpu_compact_plan plan = { .window = place };
	struct vnpu_migration e = {
		.dev = outer->dev,
		.task = outer->task,
		.runs = outer->runs,
	};
	int ret;

	ret = vnpu_migration_init(&e, &plan, VNPU_PAGE_ORDER_4K,
				  VNPU_PLACE_PAGES);
	if (ret)
		return ret;
	ret = vnpu_migrate_isolate(&e);
	if (!ret)
		ret = vnpu_migrate_runs(&e);
	if (!ret)
		ret = vnpu_migrate_small(&e);
	ret = vnpu_migrate_finish(&e, ret, target);
	vnpu_migration_fini(&e);
	return ret;
}

/*
 * Get a frame for a page of 2 MiB. Small pages of a frame that find no room
 * elsewhere move to the window for a while; other tasks may then allocate some
 * of its pages, too.
 */
static int vnpu_migrate_get_target(struct vnpu_migration *e,
				   struct vnpu_pages *target)
{
	static const struct vnpu_pages_req req = {
		.count = VNPU_PLACE_PAGES,
		.order = VNPU_PAGE_ORDER_2M,
	};
	struct vnpu_extent place;
	int ret;

	ret = vnpu_pages_find(e->dev, &req, target, NULL, NULL);
	if (ret != -ENOSPC)
		return ret;
	if (e->used_targets == e->nr_targets)
		return -EAGAIN;
	place = e->targets[e->used_targets++];
	ret = vnpu_pages_init(target, 1);
	if (ret)
		return ret;
	ret = vnpu_migrate_set_target(e, place, target);
	if (ret != -EAGAIN)
		return ret;
	vnpu_migrate_finish(e, -EAGAIN, NULL);
	ret = vnpu_migrate_set_target(e, place, target);
	if (ret)
		return ret;
	ret = vnpu_migrate_isolate(e);
	if (ret)
		vnpu_pages_give_back(e->dev, target);
	return ret;
}

/* Find the first page of 2 MiB that an object has in the window. */
static bool vnpu_migrate_next_page(const struct vnpu_migration *e,
				   const struct vnpu_devmem *devmem,
				   struct vnpu_extent *page)
{
	u32 i;

	for (i = 0; i < devmem->pages.nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(&devmem->pages, i);
		struct vnpu_extent in = vnpu_extent_intersect(ext, e->window);

		if (!in.count)
			continue;
		page->start = round_down(in.start, VNPU_PLACE_PAGES);
		page->count = VNPU_PLACE_PAGES;
		return true;
	}
	return false;
}

static int vnpu_migrate_large_object(struct vnpu_migration *e,
				     struct vnpu_devmem *devmem)
{
	struct vnpu_pages target;
	struct vnpu_extent page;
	struct vnpu_move move;
	int ret;

	/*
	 * Only moves change the location of the pages, and only this task
	 * moves.
	 */
	while (vnpu_migrate_next_page(e, devmem, &page)) {
		ret = vnpu_migrate_get_target(e, &target);
		if (!ret)
			ret = vnpu_move_init_to(&move, devmem, page, &target);
		if (!ret)
			ret = vnpu_migrate_move(e, devmem, page, &move);
		if (ret)
			return ret;
	}
	return 0;
}

/* Move all objects of large pages; pages of 1 GiB need free memory. */
static int vnpu_migrate_large(struct vnpu_migration *e)
{
	int ret = vnpu_migrate_find_victims(e, VNPU_MIGRATE_LARGE);
	u32 i;

	for (i = 0; !ret && i < e->nr_victims; i++) {
		struct vnpu_devmem *devmem = e->victims[i];

		if (vnpu_devmem_order(devmem) == VNPU_PAGE_ORDER_2M)
			ret = vnpu_migrate_large_object(e, devmem);
		else
			ret = vnpu_migrate_object(e, devmem);
	}
	vnpu_migrate_put_victims(e);

	/*
	 * The rest of a large page that the window cut makes room for small
	 * pages.
	 */
	vnpu_emptied_trim(&e->emptied, e->dev, e->window);
	return ret;
}

static int vnpu_migrate_all(struct vnpu_migration *e, struct vnpu_pages *held)
{
	int ret = vnpu_migrate_isolate(e);

	if (!ret)
		ret = vnpu_migrate_runs(e);
	if (!ret)
		ret = vnpu_migrate_large(e);
	if (!ret)
		ret = vnpu_migrate_small(e);
	return vnpu_migrate_finish(e, ret, held);
}

/**
 * struct vnpu_migrate_work - a migration that a worker executes
 * @work: work item
 * @e: the migration
 * @held: see vnpu_migrate()
 * @memcg: memory cgroup of the waiting thread, which is charged as if that
 *	thread allocated the memory
 * @ret: result
 */
struct vnpu_migrate_work {
	struct work_struct work;
	struct vnpu_migration *e;
	struct vnpu_pages *held;
	struct mem_cgroup *memcg;
	int ret;
};

static void vnpu_migrate_execute(struct work_struct *work)
{
	struct vnpu_migrate_work *w =
		container_of(work, struct vnpu_migrate_work, work);
	struct mem_cgroup *old = set_active_memcg(w->memcg);

	w->ret = vnpu_migrate_all(w->e, w->held);
	set_active_memcg(old);
}

/**
 * vnpu_migrate() - empty the run
 * @e: the migration
 * @held: list to which the run is added, allocated; NULL to free the run
 *
 * While an object is moved, all its users wait, and the caller may have little
 * processor time. So a worker executes the migration. There is at most one per
 * device; like the time of the engines, its time is not charged to the caller.
 *
 * Return: 0; -EAGAIN if other tasks have used the memory, and some objects may
 * have been moved; -ENOSPC if there is no free run for a contiguous object;
 * -ENOMEM or -EINTR.
 */
int vnpu_migrate(struct vnpu_migration *e, struct vnpu_pages *held)
{
	struct vnpu_migrate_work w = {
		.e = e,
		.held = held,
		.memcg = get_mem_cgroup_from_mm(current->mm),
	};

	e->task = current;
	INIT_WORK_ONSTACK(&w.work, vnpu_migrate_execute);
	queue_work(system_unbound_wq, &w.work);
	flush_work(&w.work);
	destroy_work_on_stack(&w.work);
	mem_cgroup_put(w.memcg);
	return w.ret;
}
