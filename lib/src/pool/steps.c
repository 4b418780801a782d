// SPDX-License-Identifier: MIT
/*
 * Allocations of steps, see steps.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "vnpu/plan.h"
#include "pool.h"
#include "steps.h"

/* This many consecutive steps that depart from a plan end it. */
#define DEPARTURES_MOST	2

/* An invalid step number. */
#define NOT_RECORDED	0

#define GRANULE		(1ULL << VNPU_PAGED_SHIFT)

/* Pages for planned requests; they stay until nothing is allocated there. */
struct arena {
	struct arena *next;		/* list of those without a plan */
	struct vnpu_span *span;
	uint64_t base;
	uint64_t bytes;
	size_t live;
};

/* An allocation. */
struct block {
	struct vnpu_tree_node node;	/* {its address, 0} */
	uint64_t bytes;
	uint64_t step;			/* of the request */
	size_t index;			/* in the record of that step */
	struct vnpu_span *span;		/* its own pages, or NULL */
	struct arena *arena;		/* or its arena */
};

struct vnpu_steps {
	pthread_mutex_t lock;
	const void *_Atomic owner;	/* the thread; written under the lock */
	/* The lock protects the rest. */
	uint64_t step;			/* number of the current step */
	bool is_running;
	struct vnpu_record now;
	struct vnpu_record before;	/* the last step */
	struct vnpu_record plan;
	struct arena *arena;		/* of the plan; NULL without one */
	struct arena *old;
	unsigned int departures;	/* consecutive steps that departed */
	bool has_departed;		/* the current step has departed */
	bool has_missed;		/* a place was still allocated */
	struct vnpu_tree_node *blocks;
	uint64_t ended;
	uint64_t replayed;
	uint64_t retry_at;		/* step number for the next plan */
};

/* Its address identifies the thread. */
static __thread char self;

static struct vnpu_steps *steps_of(const struct vnpu_pool_object *pool)
{
	return atomic_load_explicit(&pool->steps, memory_order_acquire);
}

static bool is_mine(const struct vnpu_steps *steps)
{
	return atomic_load_explicit(&steps->owner, memory_order_relaxed) ==
	       &self;
}

bool vnpu_steps_have(const struct vnpu_pool_object *pool, uint64_t size)
{
	const struct vnpu_steps *steps = steps_of(pool);

	return steps && is_mine(steps) && size > VNPU_FINE_MAX;
}

static struct block *block_of(struct vnpu_tree_node *node)
{
	return container_of(node, struct block, node);
}

static bool is_vacant(const struct vnpu_steps *steps, uint64_t addr,
		      uint64_t bytes)
{
	struct vnpu_tree_node *node;

	node = vnpu_tree_at_most(steps->blocks, addr + bytes - 1, 0);
	return !node || node->hi + block_of(node)->bytes <= addr;
}

/* Get the planned place of the next request; NULL if the step departs. */
static const struct vnpu_request *planned(const struct vnpu_steps *steps,
					  uint64_t size, uint64_t align)
{
	const struct vnpu_request *request;
	size_t index = steps->now.count;

	if (!steps->arena || steps->has_departed || steps->now.is_broken ||
	    index >= steps->plan.count)
		return NULL;
	request = &steps->plan.request[index];
	return request->size == size && request->align == align ? request :
								  NULL;
}

/* Find a place for the block; 0 or -errno. */
static int block_place(struct vnpu_cache *cache, struct vnpu_steps *steps,
		       struct block *block, uint64_t size, uint64_t align)
{
	uint64_t pages = (size + VNPU_PAGE_SIZE - 1) >> VNPU_PAGE_SHIFT;
	const struct vnpu_request *request = planned(steps, size, align);
	bool has_place = request && request->offset != VNPU_PLAN_NO_OFFSET;
	int ret;

	block->node.lo = 0;
	if (has_place)
		block->node.hi = steps->arena->base + request->offset;
	if (has_place && is_vacant(steps, block->node.hi, size)) {
		block->span = NULL;
		block->arena = steps->arena;
		block->arena->live++;
		block->bytes = size;
		return 0;
	}
	ret = vnpu_pages_alloc(cache, VNPU_PAGED, pages, align, &block->span);
	if (ret)
		return ret;
	steps->has_departed |= !request;
	steps->has_missed |= has_place;
	block->arena = NULL;
	block->node.hi = cache->pool->range[VNPU_PAGED].heap.base +
			 block->span->start * VNPU_PAGE_SIZE;
	block->bytes = pages * VNPU_PAGE_SIZE;
	return 0;
}

static uint32_t granule_of(const struct vnpu_pool_object *pool, uint64_t addr)
{
	return (addr - pool->range[VNPU_PAGED].heap.base) >> VNPU_PAGED_SHIFT;
}

/* Insert a placed block; this cannot fail. */
static void block_add(struct vnpu_pool_object *pool, struct vnpu_steps *steps,
		      struct block *block, uint64_t size, uint64_t align)
{
	block->step = steps->step;
	block->index = steps->now.count;
	if (!vnpu_record_add(&steps->now, size, align))
		block->step = NOT_RECORDED;
	vnpu_tree_add(&steps->blocks, &block->node);
	vnpu_pool_note_huge(pool, block->bytes);
	vnpu_state_write(&pool->range[VNPU_PAGED].states[
				granule_of(pool, block->node.hi)],
			 VNPU_STATE_STEP);
}

int vnpu_steps_alloc(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		     uint64_t *addr)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_steps *steps = steps_of(pool);
	struct block *block;
	int ret;

	if (size > pool->length)
		return -ENOSPC;
	block = malloc(sizeof(*block));
	if (!block)
		return -ENOMEM;
	size = vnpu_align_up(size, GRANULE);
	pthread_mutex_lock(&steps->lock);
	ret = block_place(cache, steps, block, size, align);
	if (!ret) {
		*addr = block->node.hi;
		block_add(pool, steps, block, size, align);
	}
	pthread_mutex_unlock(&steps->lock);
	if (ret)
		free(block);
	return ret;
}

static void pages_free(struct vnpu_pool_object *pool, struct vnpu_span *span)
{
	pthread_mutex_lock(&pool->lock);
	vnpu_heap_free(&pool->range[VNPU_PAGED].heap, span);
	pthread_mutex_unlock(&pool->lock);
}

/* Free the arenas without a plan where nothing is allocated. */
static void arenas_reap(struct vnpu_pool_object *pool, struct vnpu_steps *steps)
{
	struct arena **link = &steps->old, *arena;

	while ((arena = *link)) {
		if (arena->live) {
			link = &arena->next;
			continue;
		}
		*link = arena->next;
		pages_free(pool, arena->span);
		free(arena);
	}
}

/* Remove a block and free its memory. */
static void block_end(struct vnpu_pool_object *pool, struct vnpu_steps *steps,
		      struct block *block)
{
	vnpu_tree_remove(&steps->blocks, &block->node);
	if (block->step == steps->step && steps->is_running)
		steps->now.request[block->index].end = steps->now.count;
	vnpu_pool_note_huge(pool, -(int64_t)block->bytes);
	if (block->span)
		pages_free(pool, block->span);
	else if (!--block->arena->live)
		arenas_reap(pool, steps);
	free(block);
}

/* Find the block that begins at a granule; the lock is held. */
static struct block *block_at(const struct vnpu_pool_object *pool,
			      const struct vnpu_steps *steps, uint32_t granule)
{
	uint64_t addr = pool->range[VNPU_PAGED].heap.base +
			granule * GRANULE;

	return block_of(vnpu_tree_at_most(steps->blocks, addr, 0));
}

int vnpu_steps_free(struct vnpu_pool_object *pool, uint32_t granule)
{
	struct vnpu_steps *steps = steps_of(pool);
	uint16_t state = VNPU_STATE_STEP;

	/* If two threads free it at once, only one succeeds. */
	if (!__atomic_compare_exchange_n(
			&pool->range[VNPU_PAGED].states[granule], &state, 0,
			false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return -EALREADY;
	pthread_mutex_lock(&steps->lock);
	block_end(pool, steps, block_at(pool, steps, granule));
	pthread_mutex_unlock(&steps->lock);
	return 0;
}

uint64_t vnpu_steps_bytes(struct vnpu_pool_object *pool, uint32_t granule)
{
	struct vnpu_steps *steps = steps_of(pool);
	uint64_t bytes;

	pthread_mutex_lock(&steps->lock);
	bytes = block_at(pool, steps, granule)->bytes;
	pthread_mutex_unlock(&steps->lock);
	return bytes;
}

static void plan_drop(struct vnpu_pool_object *pool, struct vnpu_steps *steps)
{
	if (!steps->arena)
		return;
	steps->arena->next = steps->old;
	steps->old = steps->arena;
	steps->arena = NULL;
	arenas_reap(pool, steps);
}

void vnpu_steps_yield(struct vnpu_pool_object *pool)
{
	struct vnpu_steps *steps = steps_of(pool);

	if (!steps)
		return;
	pthread_mutex_lock(&steps->lock);
	if (steps->arena && !steps->arena->live)
		plan_drop(pool, steps);
	pthread_mutex_unlock(&steps->lock);
}

/* First return all free memory, so that it is available for the plan. */
static int arena_create(struct vnpu_cache *cache, uint64_t bytes,
			uint64_t align, struct arena **arena)
{
	uint32_t pages = (bytes + VNPU_PAGE_SIZE - 1) >> VNPU_PAGE_SHIFT;
	struct arena *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	vnpu_cache_flush(cache);
	vnpu_pool_trim_heaps(cache->pool, 0);
	ret = vnpu_pages_alloc(cache, VNPU_PAGED, pages, align, &new->span);
	if (ret) {
		free(new);
		return ret;
	}
	new->base = cache->pool->range[VNPU_PAGED].heap.base +
		    new->span->start * VNPU_PAGE_SIZE;
	new->bytes = bytes;
	*arena = new;
	return 0;
}

/*
 * Make a plan after two equal steps; without memory the step continues
 * unplanned.
 */
static void plan_make(struct vnpu_cache *cache, struct vnpu_steps *steps)
{
	struct vnpu_record unused = steps->plan;
	uint64_t bytes, align;

	if (steps->ended < steps->retry_at)
		return;
	vnpu_record_merge(&steps->before, &steps->now);
	/*
	 * Do not plan again and again if frees alternate between early and
	 * late.
	 */
	if (steps->arena && vnpu_record_is_same(&steps->before, &steps->plan))
		vnpu_record_merge(&steps->before, &steps->plan);
	plan_drop(cache->pool, steps);
	if (vnpu_record_plan(&steps->before, &bytes, &align) || !bytes ||
	    bytes > cache->pool->length ||
	    arena_create(cache, bytes, align, &steps->arena)) {
		steps->retry_at = steps->ended * 2;
		return;
	}
	steps->plan = steps->before;
	steps->before = unused;
}

static void step_ended(struct vnpu_cache *cache, struct vnpu_steps *steps)
{
	bool is_replayed = steps->arena && !steps->has_departed &&
			   !steps->has_missed &&
			   steps->now.count == steps->plan.count;
	struct vnpu_record unused;

	steps->ended++;
	if (is_replayed) {
		steps->replayed++;
		steps->departures = 0;
	} else if (vnpu_record_is_same(&steps->now, &steps->before)) {
		steps->departures = 0;
		plan_make(cache, steps);
	} else if (++steps->departures >= DEPARTURES_MOST) {
		plan_drop(cache->pool, steps);
	}
	unused = steps->before;
	steps->before = steps->now;
	steps->now = unused;
}

/* Get the steps of a pool, which may not have an owner yet. */
static struct vnpu_steps *steps_get(struct vnpu_pool_object *pool)
{
	struct vnpu_steps *steps = steps_of(pool), *new;

	if (steps)
		return steps;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	if (pthread_mutex_init(&new->lock, NULL)) {
		free(new);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&pool->steps, &steps, new))
		return new;
	pthread_mutex_destroy(&new->lock);
	free(new);
	return steps;
}

int vnpu_steps_next(struct vnpu_cache *cache)
{
	struct vnpu_steps *steps = steps_get(cache->pool);
	int ret = 0;

	if (!steps)
		return -ENOMEM;
	pthread_mutex_lock(&steps->lock);
	if (!steps->owner)
		steps->owner = &self;
	if (!is_mine(steps)) {
		ret = -EBUSY;
	} else {
		if (steps->is_running)
			step_ended(cache, steps);
		steps->is_running = true;
		steps->step++;
		steps->now.count = 0;
		steps->now.is_broken = false;
		steps->has_departed = false;
		steps->has_missed = false;
	}
	pthread_mutex_unlock(&steps->lock);
	return ret;
}

static void record_drop(struct vnpu_record *record)
{
	free(record->request);
	*record = (struct vnpu_record){ 0 };
}

int vnpu_steps_end(struct vnpu_pool_object *pool)
{
	struct vnpu_steps *steps = steps_of(pool);

	if (!steps || !is_mine(steps))
		return -ENOENT;
	pthread_mutex_lock(&steps->lock);
	plan_drop(pool, steps);
	record_drop(&steps->now);
	record_drop(&steps->before);
	record_drop(&steps->plan);
	steps->is_running = false;
	steps->departures = 0;
	steps->retry_at = 0;
	steps->owner = NULL;
	pthread_mutex_unlock(&steps->lock);
	return 0;
}

void vnpu_steps_count(struct vnpu_pool_object *pool,
		      struct vnpu_pool_stats *stats)
{
	struct vnpu_steps *steps = steps_of(pool);

	if (!steps)
		return;
	pthread_mutex_lock(&steps->lock);
	stats->steps = steps->ended;
	stats->steps_replayed = steps->replayed;
	stats->planned = steps->arena ? steps->arena->bytes : 0;
	pthread_mutex_unlock(&steps->lock);
}

static void blocks_drop(struct vnpu_tree_node *node)
{
	if (!node)
		return;
	blocks_drop(node->left);
	blocks_drop(node->right);
	free(block_of(node));
}

void vnpu_steps_destroy(struct vnpu_pool_object *pool)
{
	struct vnpu_steps *steps = steps_of(pool);
	struct arena *next;

	if (!steps)
		return;
	record_drop(&steps->now);
	record_drop(&steps->before);
	record_drop(&steps->plan);
	blocks_drop(steps->blocks);
	free(steps->arena);
	for (; steps->old; steps->old = next) {
		next = steps->old->next;
		free(steps->old);
	}
	pthread_mutex_destroy(&steps->lock);
	free(steps);
}
