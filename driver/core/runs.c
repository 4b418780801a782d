// SPDX-License-Identifier: GPL-2.0-only
/* Index of free runs by length: exact best fit without nodes. See runs.h. */
#include "runs.h"

int vnpu_runs_init(struct vnpu_runs *r, u32 units, u32 located)
{
	u32 name = 0;
	u32 *page;
	u32 o;
	int err;

	r->units = units;
	r->located = located;
	r->orders = vnpu_runs_order_of(units) + 1;
	r->guess = U32_MAX / units;
	for (o = 0; o < r->orders; o++) {
		r->order[o].width = ((units - 1) >> o) + 1;
		r->order[o].base = name;
		name += r->order[o].width * min(1U << o, units - (1U << o) + 1);
		if (o >= located)
			r->words += r->order[o].width;
	}
	r->order[o].base = name;

	err = vnpu_bitset_init(&r->set, name);
	if (err || !r->words)
		return err;
	r->pages = kvcalloc(r->words, sizeof(*r->pages), GFP_KERNEL);
	if (!r->pages)
		return -ENOMEM;

	for (page = r->pages, o = located; o < r->orders; o++) {
		r->order[o].page = page;
		page += r->order[o].width;
	}
	return 0;
}

void vnpu_runs_fini(struct vnpu_runs *r)
{
	kvfree(r->pages);
	vnpu_bitset_fini(&r->set);
}

/*
 * Decode a name. Each order but the last has at least as many names as there
 * are units, and hardly more. So the quotient is the order or one above it.
 */
static inline bool decode(const struct vnpu_runs *r, u32 name,
			  struct vnpu_runs_hit *hit)
{
	const struct vnpu_runs_order *order;
	u32 o, rest;

	if (name == VNPU_BITSET_NONE)
		return false;

	o = min((u32)((u64)name * r->guess >> 32), r->orders - 1);
	while (name < r->order[o].base)
		o--;
	while (name >= r->order[o + 1].base)
		o++;
	order = &r->order[o];
	rest = name - order->base;
	hit->name = name;
	hit->order = o;
	hit->length = (1U << o) + rest / order->width;
	hit->window = rest % order->width;
	return true;
}

bool vnpu_runs_find(const struct vnpu_runs *r, u32 length, bool high,
		    struct vnpu_runs_hit *hit)
{
	u32 o = vnpu_runs_order_of(length);
	u32 name;

	if (length > r->units)
		return false;
	name = vnpu_runs_name(r, 0, length);
	if (!decode(r, vnpu_bitset_next(&r->set, name), hit))
		return false;
	if (!high)
		return true;

	o = hit->order;
	name = hit->name - hit->window + r->order[o].width - 1;
	return decode(r, vnpu_bitset_prev(&r->set, name), hit);
}

bool vnpu_runs_next(const struct vnpu_runs *r, struct vnpu_runs_hit *hit)
{
	if (hit->name + 1 == r->order[r->orders].base)
		return false;
	return decode(r, vnpu_bitset_next(&r->set, hit->name + 1), hit);
}

bool vnpu_runs_longest(const struct vnpu_runs *r, struct vnpu_runs_hit *hit)
{
	u32 end = r->order[r->orders].base;

	return end && decode(r, vnpu_bitset_prev(&r->set, end - 1), hit);
}
