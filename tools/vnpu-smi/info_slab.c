// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -t frag: the slabs, which hold the objects below a page.
 */
#include <inttypes.h>

#include "info.h"

#define KIB		1024

static void show_slab_classes(struct out *o, const struct frag *frag)
{
	size_t i;

	if (frag->slab_count)
		out_text(o, "\n\t%-14s%10s%12s%12s%14s\n", "Object(byte)",
			 "Slabs", "Held(KB)", "Objects", "Waste(byte)");
	out_list(o, "slabs");
	for (i = 0; i < frag->slab_count; i++) {
		const struct slab_class *c = &frag->slabs[i];

		out_text(o, "\t%-14u%10" PRIu64 "%12" PRIu64 "%12" PRIu64 "%14"
			 PRIu64 "\n", c->size, c->slabs, c->held / KIB,
			 c->objects, c->waste);
		out_object(o, NULL);
		out_uint(o, "object_bytes", NULL, c->size);
		out_uint(o, "slabs", NULL, c->slabs);
		out_uint(o, "held_bytes", NULL, c->held);
		out_uint(o, "objects", NULL, c->objects);
		out_uint(o, "waste_bytes", NULL, c->waste);
		out_object_end(o);
	}
	out_list_end(o);
}

static void show_slab_holders(struct out *o, const struct frag *frag)
{
	size_t i;

	if (frag->slab_holder_count)
		out_text(o, "\n\t%-14s%10s%12s%12s%14s\n", "Slabs Of",
			 "Process", "Held(KB)", "Objects", "Waste(byte)");
	out_list(o, "slab_clients");
	for (i = 0; i < frag->slab_holder_count; i++) {
		const struct slab_holder *h = &frag->slab_holders[i];

		out_text(o, "\t%-14" PRIu64 "%10u%12" PRIu64 "%12" PRIu64 "%14"
			 PRIu64 "\n", h->client, h->pid, h->held / KIB,
			 h->objects, h->waste);
		out_object(o, NULL);
		out_uint(o, "client", NULL, h->client);
		out_uint(o, "pid", NULL, h->pid);
		out_uint(o, "held_bytes", NULL, h->held);
		out_uint(o, "objects", NULL, h->objects);
		out_uint(o, "waste_bytes", NULL, h->waste);
		out_object_end(o);
	}
	out_list_end(o);
}

void info_show_slabs(struct out *o, const struct frag *frag)
{
	show_slab_classes(o, frag);
	show_slab_holders(o, frag);
}
