// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emptying a run of the arena: a plan of compaction is carried out.
 *
 * What is free in the run is taken first, so that nobody else gets it, nor a
 * page that is moved out. Then its pages of 2 MiB go, one by one: each to a
 * free place of its size or, where there is none, to one that is emptied for
 * it. The small pages are last: by then there is room for them. Before all of
 * these go contiguous objects, each to a free run of its length: where there is
 * none, nothing else has been moved for nothing.
 *
 * Others may overtake a plan at any time. What they did is seen here, and
 * nothing is lost but the work.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/workqueue.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "core/compact.h"
#include "device.h"
#include "devmem.h"
#include "dmabuf.h"
#include "evacuate.h"
#include "pages.h"
#include "snapshot.h"

#define VNPU_PLACE_PAGES	BIT(VNPU_BUDDY_ORDER_2M)

/* As many pages are moved in less time than it takes to have another do it. */
#define VNPU_EVACUATE_INLINE	16

/* Pages that an object is waited for at a time: 16 MiB. */
#define VNPU_EVACUATE_SLICE	4096U

/* Extents that there is room for beside those that are in the window. */
#define VNPU_EVACUATE_ROOM	0x40000U

/**
 * vnpu_evacuation_init() - get ready
 * @e: filled, but for @e->dev and the contents of @e->places
 * @plan: what is to be made free
 * @order: pages of larger classes stay
 * @blocks: how many blocks there are in the window
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_evacuation_init(struct vnpu_evacuation *e,
			 const struct vnpu_compact_plan *plan,
			 unsigned int order, u32 blocks)
{
	e->window = plan->window;
	e->order = order;
	e->nr_places = plan->emptied;
	/* Between and around the blocks there is free memory. */
	e->room = 2 * blocks + 64;
	if (plan->emptied) {
		/* What may have to go through the window. */
		e->room += min3(plan->emptied * (u32)VNPU_PLACE_PAGES,
				plan->window.count, VNPU_EVACUATE_ROOM);
		e->places = kvmalloc_array(plan->emptied, sizeof(*e->places),
					   GFP_KERNEL_ACCOUNT);
		if (!e->places)
			return -ENOMEM;
	}
	e->victims = kvmalloc_array(e->room, sizeof(*e->victims),
				    GFP_KERNEL_ACCOUNT);
	if (e->victims && !vnpu_emptied_init(&e->emptied, e->room))
		return 0;
	vnpu_evacuation_fini(e);
	return -ENOMEM;
}

/**
 * vnpu_evacuation_fini() - the end of it
 * @e: after vnpu_evacuation_init(), evacuated or not
 */
void vnpu_evacuation_fini(struct vnpu_evacuation *e)
{
	vnpu_emptied_fini(&e->emptied);
	kvfree(e->victims);
	kvfree(e->places);
}

/* From here on to vnpu_mem_end_move() nobody uses the object. */
static int vnpu_evacuate_begin_move(struct vnpu_evacuation *e,
				    struct vnpu_devmem *devmem)
{
	if (!vnpu_snapshot_is_movable(devmem, e->order) ||
	    !vnpu_mem_begin_move(&devmem->mem))
		return -EAGAIN;
	vnpu_mapped_revoke(&devmem->mem);
	vnpu_dmabuf_zap(devmem);
	return 0;
}

/**
 * struct vnpu_evacuate_step - the move of an object, or of a part of it
 * @work: does it
 * @e: the evacuation
 * @devmem: the object
 * @window: what is emptied of it
 * @move: was made ready for that; ends
 * @ret: 0 or -EAGAIN
 */
struct vnpu_evacuate_step {
	struct work_struct work;
	struct vnpu_evacuation *e;
	struct vnpu_devmem *devmem;
	struct vnpu_extent window;
	struct vnpu_move *move;
	int ret;
};

static void vnpu_evacuate_take_step(struct work_struct *work)
{
	struct vnpu_evacuate_step *step =
		container_of(work, struct vnpu_evacuate_step, work);

	step->ret = vnpu_evacuate_begin_move(step->e, step->devmem);
	if (step->ret) {
		vnpu_move_fini(step->move, step->e->dev);
		return;
	}
	step->ret = vnpu_move(step->move, step->devmem, step->window,
			      &step->e->emptied);
	vnpu_mem_end_move(&step->devmem->mem);
}

/*
 * What @move was made ready for; it ends. All who use the object wait meanwhile,
 * and who asks for memory may hardly get the processor: what is long is done by
 * somebody who does. It is one processor's time for each device, which is not
 * charged to who asks, as is that of the engines.
 */
static int vnpu_evacuate_move(struct vnpu_evacuation *e,
			      struct vnpu_devmem *devmem,
			      struct vnpu_extent window, struct vnpu_move *move)
{
	struct vnpu_evacuate_step step = {
		.e = e,
		.devmem = devmem,
		.window = window,
		.move = move,
	};

	if (fatal_signal_pending(current)) {
		vnpu_move_fini(move, e->dev);
		return -EINTR;
	}
	cond_resched();
	INIT_WORK_ONSTACK(&step.work, vnpu_evacuate_take_step);
	if (vnpu_pages_count(&move->targets) > VNPU_EVACUATE_INLINE) {
		queue_work(system_unbound_wq, &step.work);
		flush_work(&step.work);
	} else {
		vnpu_evacuate_take_step(&step.work);
	}
	destroy_work_on_stack(&step.work);
	return step.ret;
}

static int vnpu_evacuate_part(struct vnpu_evacuation *e,
			      struct vnpu_devmem *devmem,
			      struct vnpu_extent part)
{
	struct vnpu_move move;
	int ret;

	/* What was a part of it may have been moved to empty a place. */
	if (!vnpu_evacuate_concerns(devmem, part))
		return 0;
	/* The window may cut its pages, if it came there after the plan was made. */
	if (!vnpu_snapshot_is_movable(devmem, e->order))
		return -EAGAIN;
	ret = vnpu_move_init_out(&move, devmem, part);
	return ret ?: vnpu_evacuate_move(e, devmem, part, &move);
}

/*
 * In slices, so that whoever uses the object does not wait for all of it. A page
 * of 1 GiB is moved as a whole.
 */
static int vnpu_evacuate_object(struct vnpu_evacuation *e,
				struct vnpu_devmem *devmem)
{
	struct vnpu_extent rest = e->window;
	int ret = 0;

	if (vnpu_devmem_order(devmem) > VNPU_BUDDY_ORDER_2M)
		return vnpu_evacuate_part(e, devmem, rest);
	while (!ret && rest.count) {
		struct vnpu_extent part = {
			rest.start, min(rest.count, VNPU_EVACUATE_SLICE) };

		ret = vnpu_evacuate_part(e, devmem, part);
		rest.start += part.count;
		rest.count -= part.count;
		cond_resched();
	}
	return ret;
}

/* A contiguous object is one extent, and so it is where it arrives. */
static int vnpu_evacuate_run(struct vnpu_evacuation *e,
			     struct vnpu_devmem *devmem)
{
	const struct vnpu_extent run = devmem->pages.one;
	const struct vnpu_pages_req req = {
		.count = run.count,
		.order = vnpu_devmem_order(devmem),
		.align_order = devmem->mem.align_order,
		.contiguous = true,
	};
	struct vnpu_pages target;
	struct vnpu_move move;
	int ret;

	if (!vnpu_evacuate_concerns(devmem, e->window))
		return 0;
	if (!e->runs || !vnpu_snapshot_is_movable(devmem, e->order))
		return -EAGAIN;
	ret = vnpu_pages_find(e->dev, &req, &target, NULL, NULL);
	if (!ret)
		ret = vnpu_move_init_to(&move, devmem, run, &target);
	return ret ?: vnpu_evacuate_move(e, devmem, run, &move);
}

static int vnpu_evacuate_longer(const void *a, const void *b)
{
	const struct vnpu_devmem *const *x = a, *const *y = b;

	return (*x)->mem.length < (*y)->mem.length ? 1 :
	       (*x)->mem.length > (*y)->mem.length ? -1 : 0;
}

/* Of all contiguous objects, the longest first: it finds a run least easily. */
static int vnpu_evacuate_runs(struct vnpu_evacuation *e)
{
	int ret = vnpu_evacuate_find_victims(e, VNPU_EVACUATE_RUNS);
	u32 i;

	if (!ret)
		sort(e->victims, e->nr_victims, sizeof(*e->victims),
		     vnpu_evacuate_longer, NULL);
	for (i = 0; !ret && i < e->nr_victims; i++)
		ret = vnpu_evacuate_run(e, e->victims[i]);
	vnpu_evacuate_put_victims(e);
	return ret;
}

/* Of all objects of small pages. */
static int vnpu_evacuate_small(struct vnpu_evacuation *e)
{
	int ret = vnpu_evacuate_find_victims(e, VNPU_EVACUATE_SMALL);
	u32 i;

	for (i = 0; !ret && i < e->nr_victims; i++)
		ret = vnpu_evacuate_object(e, e->victims[i]);
	vnpu_evacuate_put_victims(e);
	return ret;
}

/* Hands the window over if all of it is there, else gives back what it had. */
static int vnpu_evacuate_finish(struct vnpu_evacuation *e, int ret,
				struct vnpu_pages *held)
{
	/* What others have freed in it meanwhile is a part of it. */
	if (!ret && held)
		ret = vnpu_evacuate_isolate(e);
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

/* Makes a place free of all but large pages, and takes it. */
static int vnpu_evacuate_place(const struct vnpu_evacuation *outer,
			       struct vnpu_extent place,
			       struct vnpu_pages *target)
{
	const struct vnpu_compact_plan plan = { .window = place };
	struct vnpu_evacuation e = { .dev = outer->dev, .runs = outer->runs };
	int ret;

	ret = vnpu_evacuation_init(&e, &plan, VNPU_BUDDY_ORDER_4K,
				   VNPU_PLACE_PAGES);
	if (ret)
		return ret;
	ret = vnpu_evacuate_isolate(&e);
	if (!ret)
		ret = vnpu_evacuate_runs(&e);
	if (!ret)
		ret = vnpu_evacuate_small(&e);
	ret = vnpu_evacuate_finish(&e, ret, target);
	vnpu_evacuation_fini(&e);
	return ret;
}

/*
 * A place for a page of 2 MiB. Small pages that find no room elsewhere go to
 * the window for the time being; others may take some of it then.
 */
static int vnpu_evacuate_get_place(struct vnpu_evacuation *e,
				   struct vnpu_pages *target)
{
	static const struct vnpu_pages_req req = {
		.count = VNPU_PLACE_PAGES,
		.order = VNPU_BUDDY_ORDER_2M,
	};
	struct vnpu_extent place;
	int ret;

	ret = vnpu_pages_find(e->dev, &req, target, NULL, NULL);
	if (ret != -ENOSPC)
		return ret;
	if (e->used_places == e->nr_places)
		return -EAGAIN;
	place = e->places[e->used_places++];
	ret = vnpu_pages_init(target, 1);
	if (ret)
		return ret;
	ret = vnpu_evacuate_place(e, place, target);
	if (ret != -EAGAIN)
		return ret;
	vnpu_evacuate_finish(e, -EAGAIN, NULL);
	ret = vnpu_evacuate_place(e, place, target);
	if (ret)
		return ret;
	ret = vnpu_evacuate_isolate(e);
	if (ret)
		vnpu_pages_give_back(e->dev, target);
	return ret;
}

/* The first page of 2 MiB that an object has in the window. */
static bool vnpu_evacuate_next_page(const struct vnpu_evacuation *e,
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

static int vnpu_evacuate_large_object(struct vnpu_evacuation *e,
				      struct vnpu_devmem *devmem)
{
	struct vnpu_pages target;
	struct vnpu_extent page;
	struct vnpu_move move;
	int ret;

	/* Only a move changes where it is, and only we move. */
	while (vnpu_evacuate_next_page(e, devmem, &page)) {
		ret = vnpu_evacuate_get_place(e, &target);
		if (!ret)
			ret = vnpu_move_init_to(&move, devmem, page, &target);
		if (!ret)
			ret = vnpu_evacuate_move(e, devmem, page, &move);
		if (ret)
			return ret;
	}
	return 0;
}

/* Of all objects of large pages; those of 1 GiB must find a free place. */
static int vnpu_evacuate_large(struct vnpu_evacuation *e)
{
	int ret = vnpu_evacuate_find_victims(e, VNPU_EVACUATE_LARGE);
	u32 i;

	for (i = 0; !ret && i < e->nr_victims; i++) {
		struct vnpu_devmem *devmem = e->victims[i];

		if (vnpu_devmem_order(devmem) == VNPU_BUDDY_ORDER_2M)
			ret = vnpu_evacuate_large_object(e, devmem);
		else
			ret = vnpu_evacuate_object(e, devmem);
	}
	vnpu_evacuate_put_victims(e);

	/* What an end of the window cut off is room for small pages. */
	vnpu_emptied_trim(&e->emptied, e->dev, e->window);
	return ret;
}

/**
 * vnpu_evacuate() - make the run free
 * @e: the evacuation
 * @held: to which the run is added, allocated; or NULL
 *
 * Return: 0; -EAGAIN if others were faster, with some objects moved and no harm
 * done; -ENOSPC if there is no free run for a contiguous object; -ENOMEM or -EINTR.
 */
int vnpu_evacuate(struct vnpu_evacuation *e, struct vnpu_pages *held)
{
	int ret = vnpu_evacuate_isolate(e);

	if (!ret)
		ret = vnpu_evacuate_runs(e);
	if (!ret)
		ret = vnpu_evacuate_large(e);
	if (!ret)
		ret = vnpu_evacuate_small(e);
	return vnpu_evacuate_finish(e, ret, held);
}
