// SPDX-License-Identifier: GPL-2.0-only
/* The map of device addresses, compared with a sorted array. */
#include "core_test.h"

#define NR_NODES	256

bool test_va_borders(void)
{
	struct vnpu_va_node low = { .start = 0, .last = 0 };
	struct vnpu_va_node high = { .start = U64_MAX, .last = U64_MAX };
	struct vnpu_va_node all = { .start = 0, .last = U64_MAX };
	struct vnpu_va_node back = { .start = 5, .last = 4 };
	struct vnpu_va_map m;

	vnpu_va_init(&m);
	EXPECT(!vnpu_va_find(&m, 0) && !vnpu_va_first(&m, 0, U64_MAX));
	EXPECT(vnpu_va_insert(&m, &back) == -EINVAL && m.count == 0);
	EXPECT(!vnpu_va_insert(&m, &high) && !vnpu_va_insert(&m, &low));
	EXPECT(vnpu_va_insert(&m, &all) == -EEXIST && m.count == 2);
	EXPECT(vnpu_va_find(&m, 0) == &low && !vnpu_va_find(&m, 1));
	EXPECT(vnpu_va_find(&m, U64_MAX) == &high);
	EXPECT(vnpu_va_first(&m, 0, U64_MAX) == &low);
	EXPECT(vnpu_va_first(&m, 1, U64_MAX) == &high);
	EXPECT(!vnpu_va_first(&m, 1, U64_MAX - 1));
	EXPECT(!vnpu_va_first(&m, U64_MAX, 0));
	EXPECT(vnpu_va_next(&low) == &high && !vnpu_va_next(&high));
	vnpu_va_remove(&m, &low);
	vnpu_va_remove(&m, &high);
	EXPECT(!vnpu_va_insert(&m, &all) && m.count == 1);
	EXPECT(vnpu_va_find(&m, U64_MAX) == &all);
	EXPECT(vnpu_va_insert(&m, &low) == -EEXIST);
	return true;
}

/* The ranges of the map, in ascending order. */
struct sorted {
	struct vnpu_va_node *node[NR_NODES];
	u32 nr;
};

/* Return the index of the first range that does not end before @addr. */
static u32 sorted_at(const struct sorted *s, u64 addr)
{
	u32 i = 0;

	while (i < s->nr && s->node[i]->last < addr)
		i++;
	return i;
}

static bool va_look(const struct vnpu_va_map *m, const struct sorted *s,
		    u64 start, u64 last)
{
	u32 i = sorted_at(s, start);
	bool hit = i < s->nr && s->node[i]->start <= last;

	EXPECT(vnpu_va_first(m, start, last) == (hit ? s->node[i] : NULL));
	hit = i < s->nr && s->node[i]->start <= start;
	EXPECT(vnpu_va_find(m, start) == (hit ? s->node[i] : NULL));
	return true;
}

static bool va_step(struct vnpu_va_map *m, struct sorted *s,
		    struct vnpu_va_node *n, bool *in)
{
	u64 range = 1 << 16;
	u64 start = tap_below(range);
	u64 last = start + tap_below(512);
	u32 i;

	EXPECT(va_look(m, s, start, last));
	if (*in) {
		vnpu_va_remove(m, n);
		i = sorted_at(s, n->start);
		EXPECT(s->node[i] == n);
		memmove(&s->node[i], &s->node[i + 1],
			(--s->nr - i) * sizeof(s->node[0]));
		*in = false;
		return true;
	}

	n->start = start;
	n->last = last;
	i = sorted_at(s, start);
	if (i < s->nr && s->node[i]->start <= last) {
		EXPECT(vnpu_va_insert(m, n) == -EEXIST);
		return true;
	}
	EXPECT(!vnpu_va_insert(m, n));
	memmove(&s->node[i + 1], &s->node[i],
		(s->nr++ - i) * sizeof(s->node[0]));
	s->node[i] = n;
	*in = true;
	return true;
}

bool test_va_random(void)
{
	static struct vnpu_va_node nodes[NR_NODES];
	static bool in[NR_NODES];
	static struct sorted s;
	struct vnpu_va_node *n;
	struct vnpu_va_map m;
	unsigned long step;
	u32 i;

	vnpu_va_init(&m);
	memset(in, 0, sizeof(in));
	s.nr = 0;
	for (step = 0; step < tap_steps; step++) {
		i = tap_below(NR_NODES);
		EXPECT(va_step(&m, &s, &nodes[i], &in[i]));
		EXPECT(m.count == s.nr);
		if (step % 1024)
			continue;
		for (i = 0, n = vnpu_va_first(&m, 0, U64_MAX); n;
		     n = vnpu_va_next(n))
			EXPECT(i < s.nr && s.node[i++] == n);
		EXPECT(i == s.nr);
	}
	return true;
}
