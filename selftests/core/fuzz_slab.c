// SPDX-License-Identifier: GPL-2.0-only
/* Compare the slab with the list of allocated objects. */
#include "../../driver/core/slab.h"
#include "fuzz.h"

#define CHUNKS		12
#define MAX_LIVE	256

struct object {
	u64 addr;
	u32 size;
};

struct state {
	struct vnpu_slab_cache cache;
	struct object live[MAX_LIVE];
	u32 nr;
};

static int object_alloc(struct state *s, u32 size, u64 *addr)
{
	int err = vnpu_slab_alloc(&s->cache, size, addr);
	struct vnpu_slab *slab;
	u32 room;

	if (err != -EAGAIN)
		return err;
	slab = core_calloc(1, sizeof(*slab));
	err = vnpu_slab_add(&s->cache, slab, size, addr);
	if (err == -EAGAIN) {
		/* One more at a time: grow as often as possible. */
		room = s->cache.room + 1;
		MUST(vnpu_slab_table_size(&s->cache) >= room);
		core_free(vnpu_slab_set_table(&s->cache,
					      core_calloc(room, sizeof(slab)),
					      room));
		err = vnpu_slab_add(&s->cache, slab, size, addr);
	}
	if (err)
		core_free(slab);
	return err;
}

static void do_alloc(struct state *s, u32 size)
{
	struct object *o = &s->live[s->nr];
	u32 i;
	int err;

	if (s->nr == MAX_LIVE)
		return;
	err = object_alloc(s, size, &o->addr);
	MUST((err == -EINVAL) == (!size || size > VNPU_SLAB_MAX_SIZE));
	if (err)
		return;
	o->size = size;
	for (i = 0; i < s->nr; i++)
		MUST(o->addr + size <= s->live[i].addr ||
		     s->live[i].addr + s->live[i].size <= o->addr);
	s->nr++;
}

/* The object that contains @addr, or @nr. */
static u32 naive_find(const struct state *s, u64 addr)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		if (addr - s->live[i].addr < s->live[i].size)
			break;
	return i;
}

static void do_free(struct state *s, u64 addr)
{
	struct vnpu_slab *empty = NULL;
	u32 i = naive_find(s, addr);
	u32 size;
	int err;

	err = vnpu_slab_free(&s->cache, addr, &size, &empty);
	MUST(!err == (i < s->nr && s->live[i].addr == addr));
	if (err)
		return;
	MUST(size == s->live[i].size);
	core_free(empty);
	s->live[i] = s->live[--s->nr];
}

static void do_find(const struct state *s, u64 addr)
{
	u32 i = naive_find(s, addr);
	struct vnpu_slab_object o;

	if (vnpu_slab_find(&s->cache, addr, &o)) {
		MUST(i == s->nr);
		return;
	}
	MUST(addr >= o.addr);
	if (i < s->nr)
		MUST(o.addr == s->live[i].addr && o.size == s->live[i].size);
	else
		MUST(addr >= o.addr + o.size);
}

static void do_something(struct state *s, struct fuzz_input *in)
{
	u8 what = fuzz_byte(in);
	u32 x = fuzz_word(in);

	switch (what & 7) {
	case 0:
	case 1:
		do_alloc(s, x & 0xfff);
		break;
	case 2:
		do_alloc(s, (x & 63) * VNPU_SLAB_UNIT);
		break;
	case 3:
	case 4:
		if (s->nr)
			do_free(s, s->live[x % s->nr].addr);
		break;
	case 5:
		do_free(s, (u64)what << 13 | x);
		break;
	case 6:
		do_find(s, (u64)what << 13 | x);
		break;
	case 7:
		MUST(vnpu_slab_check(&s->cache));
		break;
	}
}

void fuzz_slab(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct state *s = calloc(1, sizeof(*s));
	struct vnpu_slab *slab;

	vnpu_slab_init(&s->cache, CHUNKS << VNPU_SLAB_CHUNK_SHIFT);
	while (in.size)
		do_something(s, &in);
	MUST(vnpu_slab_check(&s->cache));
	while ((slab = vnpu_slab_pop(&s->cache)))
		core_free(slab);
	core_free(s->cache.table);
	free(s);
}
