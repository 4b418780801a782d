// SPDX-License-Identifier: GPL-2.0-only
/* Free runs by length: an exact best-fit index without nodes. See runs.h. */
#include "runs.h"

static inline u32 order_of(u32 length)
{
	return fls64(length) - 1;
}

static inline u32 name_of(const struct vnpu_runs *r, u32 o, u32 start,
			  u32 length)
{
	return r->base[o] + (length - (1U << o)) * r->width[o] + (start >> o);
}

int vnpu_runs_init(struct vnpu_runs *r, u32 units, u32 located)
{
	u32 name = 0;
	u32 *page;
	u32 o;
	int err;

	r->units = units;
	r->located = located;
	r->orders = order_of(units) + 1;
	for (o = 0; o < r->orders; o++) {
		r->width[o] = ((units - 1) >> o) + 1;
		r->base[o] = name;
		name += r->width[o] * min(1U << o, units - (1U << o) + 1);
		if (o >= located)
			r->words += r->width[o];
	}
	r->base[o] = name;

	err = vnpu_bitset_init(&r->set, name);
	if (err || !r->words)
		return err;
	r->pages = kvcalloc(r->words, sizeof(*r->pages), GFP_KERNEL);
	if (!r->pages)
		return -ENOMEM;

	for (page = r->pages, o = located; o < r->orders; o++) {
		r->page[o] = page;
		page += r->width[o];
	}
	return 0;
}

void vnpu_runs_fini(struct vnpu_runs *r)
{
	kvfree(r->pages);
	vnpu_bitset_fini(&r->set);
}

void vnpu_runs_add(struct vnpu_runs *r, u32 start, u32 length, u32 page)
{
	u32 o = order_of(length);

	vnpu_bitset_add(&r->set, name_of(r, o, start, length));
	if (o >= r->located)
		r->page[o][start >> o] = page;
	r->count++;
}

void vnpu_runs_remove(struct vnpu_runs *r, u32 start, u32 length)
{
	vnpu_bitset_remove(&r->set,
			   name_of(r, order_of(length), start, length));
	r->count--;
}

bool vnpu_runs_has(const struct vnpu_runs *r, u32 start, u32 length)
{
	return vnpu_bitset_has(&r->set,
			       name_of(r, order_of(length), start, length));
}

void vnpu_runs_move(struct vnpu_runs *r, u32 start, u32 length, u32 page)
{
	u32 o = order_of(length);

	r->page[o][start >> o] = page;
}

/* What @name means; its order is @o or higher. */
static bool decode(const struct vnpu_runs *r, u32 name, u32 o,
		   struct vnpu_runs_hit *hit)
{
	u32 rest;

	if (name == VNPU_BITSET_NONE)
		return false;

	while (name >= r->base[o + 1])
		o++;
	rest = name - r->base[o];
	hit->name = name;
	hit->order = o;
	hit->length = (1U << o) + rest / r->width[o];
	hit->window = rest % r->width[o];
	return true;
}

bool vnpu_runs_find(const struct vnpu_runs *r, u32 length, bool high,
		    struct vnpu_runs_hit *hit)
{
	u32 o = order_of(length);
	u32 name;

	if (length > r->units)
		return false;
	name = name_of(r, o, 0, length);
	if (!decode(r, vnpu_bitset_next(&r->set, name), o, hit))
		return false;
	if (!high)
		return true;

	o = hit->order;
	name = hit->name - hit->window + r->width[o] - 1;
	return decode(r, vnpu_bitset_prev(&r->set, name), o, hit);
}

bool vnpu_runs_next(const struct vnpu_runs *r, struct vnpu_runs_hit *hit)
{
	if (hit->name + 1 == r->base[r->orders])
		return false;
	return decode(r, vnpu_bitset_next(&r->set, hit->name + 1), hit->order,
		      hit);
}

bool vnpu_runs_longest(const struct vnpu_runs *r, struct vnpu_runs_hit *hit)
{
	if (!r->count)
		return false;
	return decode(r, vnpu_bitset_prev(&r->set, r->base[r->orders] - 1), 0,
		      hit);
}
