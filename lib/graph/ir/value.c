// SPDX-License-Identifier: MIT
/* Values of graphs: names, shapes. See ir.h. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261U;

	while (*name)
		h = (h ^ (uint8_t)*name++) * 16777619U;
	return h ^ h >> 15;
}

/* Find the place of a name: its entry, or the free one for it. */
static struct graph_name *place(const struct graph *g, const char *name)
{
	uint32_t at = hash(name) & (g->name_room - 1);

	while (g->names[at].name && strcmp(g->names[at].name, name))
		at = (at + 1) & (g->name_room - 1);
	return &g->names[at];
}

struct graph_value *graph_find(const struct graph *g, const char *name)
{
	return g->name_room ? place(g, name)->value : NULL;
}

/* Double the table, so that at least half of it stays free. */
static int grow(struct graph *g)
{
	struct graph_name *old = g->names;
	uint32_t room = g->name_room, i;

	g->names = store_alloc(&g->store, room ? 2 * room : 64, sizeof(*old));
	if (!g->names) {
		g->names = old;
		return graph_status(g);
	}
	g->name_room = room ? 2 * room : 64;
	for (i = 0; i < room; i++)
		if (old[i].name)
			*place(g, old[i].name) = old[i];
	return 0;
}

int graph_enter(struct graph *g, const char *name, struct graph_value *v)
{
	struct graph_name *entry;

	if (2 * g->name_count >= g->name_room && grow(g))
		return g->err;
	entry = place(g, name);
	g->name_count += !entry->name;
	entry->name = name;
	entry->value = v;
	return 0;
}

void graph_set_shape(struct graph_value *v, unsigned int dtype,
		     unsigned int rank, const int64_t *dims)
{
	v->dtype = dtype;
	v->rank = rank;
	v->has_shape = true;
	if (rank)
		memcpy(v->dims, dims, rank * sizeof(*dims));
}

int64_t graph_elements(const struct graph_value *v)
{
	int64_t n = 1;
	unsigned int i;

	for (i = 0; i < v->rank; i++)
		n *= v->dims[i];
	return n;
}

uint64_t graph_bytes(const struct graph_value *v)
{
	return (uint64_t)graph_elements(v) * (vnpu_dtype_bits(v->dtype) / 8);
}

const char *graph_describe(const struct graph_value *v, char *text,
			   size_t size)
{
	size_t at;
	unsigned int i;

	at = snprintf(text, size, "%s ",
		      v->dtype ? vnpu_dtype_name(v->dtype) : "unknown");
	if (!v->has_shape) {
		snprintf(text + at, size - at, "of unknown shape");
		return text;
	}
	for (i = 0; i < v->rank && at < size; i++) {
		if (v->dims[i] < 0)
			at += snprintf(text + at, size - at, "%s%.20s",
				       i ? ", " : "[",
				       v->symbols[i] ? v->symbols[i] : "?");
		else
			at += snprintf(text + at, size - at, "%s%lld",
				       i ? ", " : "[", (long long)v->dims[i]);
	}
	if (at < size)
		snprintf(text + at, size - at, "%s", v->rank ? "]" : "[]");
	return text;
}
