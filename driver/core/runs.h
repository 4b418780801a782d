/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Free runs by length: an exact best-fit index without nodes.
 *
 * A run of length n belongs to order o = floor(log2(n)). As it is not shorter
 * than the window of 1 << o units in which it starts, it covers that window's
 * last unit, so no other run of its order can start there: (length, window)
 * names it. An order has 1 << o lengths and about units >> o windows, so the
 * names of an order are as many as there are units, whatever the order. One
 * bitset over the names of all orders, in the order (length, window), is the
 * index:
 *
 *	order 0	|length 1: units windows			|
 *	order 1	|length 2: units/2	|length 3: units/2	|
 *	order 2	|length 4: /4|length 5: |length 6: |length 7:	|
 *	...
 *
 * and the successor of (n, 0) in it is the shortest run that holds n units,
 * the lowest among those: best fit, exact, without scanning anything.
 * Its cost is one bit per unit and order.
 *
 * Where in its window a run starts is kept beside, as a page, from order
 * located on; the owner finds it otherwise for orders below.
 */
#ifndef VNPU_CORE_RUNS_H
#define VNPU_CORE_RUNS_H

#include "bitset.h"

#define VNPU_RUNS_ORDERS	28

/**
 * struct vnpu_runs_order - the runs of 1 << o units or more, less than double
 * @base: first name of the order; the order after the last has only this
 * @width: windows
 * @page: page at which the run that starts in a window starts, or NULL
 */
struct vnpu_runs_order {
	u32 base;
	u32 width;
	u32 *page;
};

/**
 * struct vnpu_runs - an index of runs by length
 * @set: the names of the runs
 * @order: the orders
 * @pages: all of their @page
 * @words: in @pages
 * @units: where the index ends
 * @orders: how many orders
 * @located: lowest order that has @page
 * @count: how many runs
 * @guess: 2^32 over the names of an order, to guess the order of a name
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
 * struct vnpu_runs_hit - a run as the index knows it
 * @name: its bit
 * @length: in units
 * @order: of the length
 * @window: in which it starts
 */
struct vnpu_runs_hit {
	u32 name;
	u32 length;
	u32 order;
	u32 window;
};

/* fini also after an init that failed, and of an index of zeroes. */
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
 * Whether the run [@start, @end) would be the first that holds @length, were it
 * in the index in place of [@rest, @rest_end), its end, which is there unless it
 * is empty.
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

/* The first page of the run has changed, its units have not. */
static inline void vnpu_runs_move(struct vnpu_runs *r, u32 start, u32 length,
				  u32 page)
{
	u32 o = vnpu_runs_order_of(length);

	if (o >= r->located)
		r->order[o].page[start >> o] = page;
}

/* A run of @length units from unit @start, whose first page is @page. */
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
 * The shortest run of @length or more; among those of one length, the one that
 * starts in the lowest window or, if @high, in the highest.
 */
bool vnpu_runs_find(const struct vnpu_runs *r, u32 length, bool high,
		    struct vnpu_runs_hit *hit);

/* The run that follows @hit, by length and then window. */
bool vnpu_runs_next(const struct vnpu_runs *r, struct vnpu_runs_hit *hit);

/* The longest run; among equals the highest. */
bool vnpu_runs_longest(const struct vnpu_runs *r, struct vnpu_runs_hit *hit);

#endif
