// SPDX-License-Identifier: GPL-2.0-only
/* Compare the map of device addresses with an array. */
#include "../../driver/core/va.h"
#include "fuzz.h"

#define NODES	32

struct state {
	struct vnpu_va_map map;
	struct vnpu_va_node node[NODES];
	bool in[NODES];
};

/* The lowest of the bindings that have an address in [@start, @last]. */
static struct vnpu_va_node *naive_first(struct state *s, u64 start, u64 last)
{
	struct vnpu_va_node *best = NULL;
	u32 i;

	for (i = 0; i < NODES; i++) {
		struct vnpu_va_node *n = &s->node[i];

		if (s->in[i] && n->start <= last && n->last >= start &&
		    (!best || n->start < best->start))
			best = n;
	}
	return start <= last ? best : NULL;
}

/* Near both ends of all addresses. */
static u64 address(struct fuzz_input *in)
{
	u32 word = fuzz_word(in) & 0x3ff;

	return word & 0x200 ? U64_MAX - (word & 0x1ff) : word;
}

static void do_something(struct state *s, struct fuzz_input *in)
{
	u32 i = fuzz_byte(in) % NODES;
	struct vnpu_va_node *n = &s->node[i];
	u64 start = address(in);
	u64 last = address(in);
	int want = 0;

	MUST(vnpu_va_first(&s->map, start, last) ==
	     naive_first(s, start, last));
	MUST(vnpu_va_find(&s->map, start) == naive_first(s, start, start));
	if (s->in[i]) {
		vnpu_va_remove(&s->map, n);
		s->in[i] = false;
		return;
	}
	if (last < start)
		want = -EINVAL;
	else if (naive_first(s, start, last))
		want = -EEXIST;
	n->start = start;
	n->last = last;
	MUST(vnpu_va_insert(&s->map, n) == want);
	s->in[i] = !want;
}

void fuzz_va(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct state s = { };
	struct vnpu_va_node *n;
	unsigned long count = 0;
	u64 from = 0;

	vnpu_va_init(&s.map);
	while (in.size)
		do_something(&s, &in);

	for (n = vnpu_va_first(&s.map, 0, U64_MAX); n; n = vnpu_va_next(n)) {
		MUST(n == naive_first(&s, from, U64_MAX));
		from = n->last + 1;
		count++;
	}
	MUST(count == s.map.count);
}
