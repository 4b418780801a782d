/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Index of free runs by length: exact best fit without nodes.
 *
 * A run of length n belongs to order o = floor(log2(n)). Cut the arena into
 * windows of 1 << o units. A run is not shorter than the window in which it
 * starts, so it covers the window's last unit, and no other run of its order
 * can start there. So the pair (length, window) is a unique name of the run. An
 * order has 1 << o lengths and about units >> o windows, so every order has
 * about as many names as there are units. The index is one bitset over the
 * names of all orders, sorted by (length, window):
 *
 *	order 0	|length 1: units windows			|
 *	order 1	|length 2: units/2	|length 3: units/2	|
 *	order 2	|length 4: /4|length 5: |length 6: |length 7:	|
 *	...
 *
 * The successor of (n, 0) in the bitset is the shortest run that holds n units,
 * and the lowest of that length. This is exact best fit without a scan. The
 * index costs one bit per unit and order.
 *
 * From order @located on, a separate array holds the page at which a run starts
 * in its window. For lower orders, the owner of the index finds it in another
 * way.
 */
#ifndef VNPU_CORE_RUNS_H
#define VNPU_CORE_RUNS_H

#include "bitset.h"

#define VNPU_RUNS_ORDERS	28

/**
 * struct vnpu_runs_order - the runs of at least 1 << o and less than 2 << o
 * units
 * @base: first name of the order; the entry after the last order has only this
 * @width: number of windows
 * @page: for each window, the page at which the run in it starts; may be NULL
 */
struct vnpu_runs_order {
	u32 base;
	u32 width;
	u32 *page;
};

/**
 * struct vnpu_runs - an index of runs by length
 * @set: names of the runs
 * @order: the orders
 * @pages: the @page arrays of all orders, in one allocation
 * @words: number of entries of @pages
 * @units: number of units that the index covers
 * @orders: number of orders
 * @located: lowest order that has a @page array
 * @count: number of runs
 * @guess: 2^32 / (names of an order), to estimate the order of a name
 */
struct vnpu_runs {
	struct vnpu_bitset set;
	struct vnpu_runs_order order[VNPU_RUNS_ORDERS + 1];
	u32 *pages;
	size_t words;
	u32 units;
	u32 orders;
	u32 located;
	u32 count;
	u32 guess;
};

/**
 * struct vnpu_runs_hit - a run found in the index
 * @name: its bit
 * @length: length in units
 * @order: order of the length
 * @window: window in which the run starts
 */
struct vnpu_runs_hit {
	u32 name;
	u32 length;
	u32 order;
	u32 window;
};

/* fini may also be called after a failed init, and on a zeroed index. */
int vnpu_runs_init(struct vnpu_runs *r, u32 units, u32 located);
void vnpu_runs_fini(struct vnpu_runs *r);

static inline u32 vnpu_runs_order_of(u32 length)
{
	return fls64(length) - 1;
}

static inline u32 vnpu_runs_name(const struct vnpu_runs *r, u32 start,
				 u32 length)
{
	u32 o = vnpu_runs_order_of(length);
	const struct vnpu_runs_order *order = &r->order[o];

	return order->base + (length - (1U << o)) * order->width + (start >> o);
}

static inline bool vnpu_runs_has(const struct vnpu_runs *r, u32 start,
				 u32 length)
{
	return vnpu_bitset_has(&r->set, vnpu_runs_name(r, start, length));
}

/*
 * Check if a merged run would be the best fit for @length. The run is [@start,
 * @end); its end [@rest, @rest_end), unless empty, is still in the index as a
 * run of its own, which the merged run would replace.
 */
static inline bool vnpu_runs_none_but(const struct vnpu_runs *r, u32 start,
				      u32 end, u32 length, u32 rest,
				      u32 rest_end)
{
	u32 from = vnpu_runs_name(r, 0, length);
	u32 to = vnpu_runs_name(r, start, end - start);
	u32 name;

	if (rest_end - rest < length)
		return vnpu_bitset_none(&r->set, from, to);
	name = vnpu_runs_name(r, rest, rest_end - rest);
	return vnpu_bitset_none(&r->set, from, name) &&
	       vnpu_bitset_none(&r->set, name + 1, to);
}

/* Change the first page of a run; its units stay the same. */
static inline void vnpu_runs_move(struct vnpu_runs *r, u32 start, u32 length,
				  u32 page)
{
	u32 o = vnpu_runs_order_of(length);

	if (o >= r->located)
		r->order[o].page[start >> o] = page;
}

/* Add a run of @length units from unit @start; its first page is @page. */
static inline void vnpu_runs_add(struct vnpu_runs *r, u32 start, u32 length,
				 u32 page)
{
	vnpu_bitset_add(&r->set, vnpu_runs_name(r, start, length));
	vnpu_runs_move(r, start, length, page);
	r->count++;
}

static inline void vnpu_runs_remove(struct vnpu_runs *r, u32 start, u32 length)
{
	vnpu_bitset_remove(&r->set, vnpu_runs_name(r, start, length));
	r->count--;
}

/*
 * Find the shortest run of at least @length. Among runs of one length, take the
 * lowest window or, if @high, the highest.
 */
bool vnpu_runs_find(const struct vnpu_runs *r, u32 length, bool high,
		    struct vnpu_runs_hit *hit);

/* Find the run after @hit, in the order of length and then window. */
bool vnpu_runs_next(const struct vnpu_runs *r, struct vnpu_runs_hit *hit);

/* Find the longest run; among equals, the highest. */
bool vnpu_runs_longest(const struct vnpu_runs *r, struct vnpu_runs_hit *hit);

#endif
