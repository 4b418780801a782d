// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -t frag: the layout of the memory of a device.
 *
 * npu-smi has no such view.  The map has a character for each part of the
 * memory, from the first byte to the last, in 80 columns.
 */
#include <inttypes.h>
#include <langinfo.h>
#include <string.h>

#include "info.h"

#define MAP_COLUMNS	64
#define KIB		1024

/* The use of a part, with its legend below the map. */
enum shade { FREE, LOW, HALF, HIGH, FULL, FIXED, FIXED_FULL, SHADES };

static const char *const ascii_shades[SHADES] = {
	".", "-", "=", "+", "#", "x", "X",
};

static const char *const utf8_shades[SHADES] = {
	"·", "░", "▒", "▓", "█", "x", "X",
};

static enum shade cell_shade(const struct map_cell *c)
{
	if (c->fixed)
		return c->used == c->size ? FIXED_FULL : FIXED;
	if (!c->used)
		return FREE;
	if (c->used == c->size)
		return FULL;
	if (c->used * 3 < c->size)
		return LOW;
	return c->used * 3 < c->size * 2 ? HALF : HIGH;
}

static void print_map(FILE *f, const struct frag *frag)
{
	const char *const *shades = ascii_shades;
	uint64_t start = 0;
	size_t i;

	if (!strcmp(nl_langinfo(CODESET), "UTF-8"))
		shades = utf8_shades;
	fputs("\n\tStart(MB)\n", f);
	for (i = 0; i < frag->cell_count; i++) {
		const struct map_cell *c = &frag->cells[i];

		if (i % MAP_COLUMNS == 0)
			fprintf(f, "%13" PRIu64 " |", bytes_to_mib(start));
		fputs(shades[cell_shade(c)], f);
		start += c->size;
		if (i % MAP_COLUMNS == MAP_COLUMNS - 1 ||
		    i == frag->cell_count - 1)
			fputs("|\n", f);
	}
	if (frag->cell_count)
		fprintf(f, "\tOne character is %" PRIu64 " KB:\n",
			frag->cells[0].size / KIB);
	fprintf(f, "\t%s free  %s up to 1/3 used  %s up to 2/3  %s more  %s all\n",
		shades[FREE], shades[LOW], shades[HALF], shades[HIGH],
		shades[FULL]);
	fprintf(f, "\t%s some used, %s all used, and partly not movable\n",
		shades[FIXED], shades[FIXED_FULL]);
}

static void show_map(struct out *o, const struct frag *frag)
{
	size_t i;

	if (!o->is_data) {
		print_map(o->f, frag);
		return;
	}
	out_list(o, "map");
	for (i = 0; i < frag->cell_count; i++) {
		const struct map_cell *c = &frag->cells[i];

		out_object(o, NULL);
		out_uint(o, "size_bytes", NULL, c->size);
		out_uint(o, "used_bytes", NULL, c->used);
		out_uint(o, "fixed_bytes", NULL, c->fixed);
		out_uint(o, "dirty_bytes", NULL, c->dirty);
		out_object_end(o);
	}
	out_list_end(o);
}

static void show_classes(struct out *o, const struct frag *frag)
{
	size_t i;

	out_text(o, "\n\t%-10s%10s%10s%18s%24s\n", "Page(KB)", "Used(MB)",
		 "Free(MB)", "Largest Free(MB)", "Fragmentation(permille)");
	out_list(o, "classes");
	for (i = 0; i < frag->class_count; i++) {
		const struct mem_class *c = &frag->classes[i];

		out_text(o, "\t%-10" PRIu64 "%10" PRIu64 "%10" PRIu64 "%18"
			 PRIu64 "%24u\n", c->page_size / KIB,
			 bytes_to_mib(c->used), bytes_to_mib(c->free),
			 bytes_to_mib(c->largest), c->frag_index);
		out_object(o, NULL);
		out_uint(o, "page_size_bytes", NULL, c->page_size);
		out_uint(o, "used_bytes", NULL, c->used);
		out_uint(o, "free_bytes", NULL, c->free);
		out_uint(o, "largest_free_bytes", NULL, c->largest);
		out_uint(o, "fragmentation_permille", NULL, c->frag_index);
		out_object_end(o);
	}
	out_list_end(o);
}

static void show_orders(struct out *o, const struct frag *frag)
{
	size_t i;

	out_text(o, "\n\t%-10s%12s%12s%18s\n", "Order", "Block(KB)",
		 "Free Blocks", "Free(KB)");
	out_list(o, "orders");
	for (i = 0; i < frag->order_count; i++) {
		const struct mem_order *m = &frag->orders[i];
		uint64_t block = VNPU_PAGE_SIZE << m->order;

		out_text(o, "\t%-10u%12" PRIu64 "%12u%18" PRIu64 "\n", m->order,
			 block / KIB, m->free_blocks,
			 block / KIB * m->free_blocks);
		out_object(o, NULL);
		out_uint(o, "order", NULL, m->order);
		out_uint(o, "block_bytes", NULL, block);
		out_uint(o, "free_blocks", NULL, m->free_blocks);
		out_object_end(o);
	}
	out_list_end(o);
}

void info_show_frag(struct out *o, const struct device *d)
{
	const struct frag *frag = d->frag;

	out_bytes(o, "hbm_capacity_bytes", "HBM Capacity(MB)", d->mem_total);
	out_bytes(o, "free_bytes", "Free(MB)", d->mem_free);
	out_bytes(o, "largest_free_bytes", "Largest Free(MB)",
		  d->mem_largest_free);
	out_uint(o, "free_runs", "Free Runs", frag->runs);
	out_uint(o, "fragmentation_permille", "Fragmentation(permille)",
		 frag->frag_index);
	out_bytes(o, "dirty_bytes", "Free And To Be Cleared(MB)", frag->dirty);
	out_uint(o, "waste_bytes", "Rounded Up(byte)", frag->waste);
	out_bytes(o, "cleared_bytes", "Cleared So Far(MB)", frag->cleared);
	out_uint(o, "compactions", "Compactions So Far", frag->compactions);
	out_bytes(o, "moved_bytes", "Moved So Far(MB)", frag->moved);
	show_classes(o, frag);
	show_orders(o, frag);
	info_show_slabs(o, frag);
	show_map(o, frag);
	out_text(o, "\n");
}

/* Rows are devices, or parts of their memory if their fields are requested. */
const struct csv_list info_frag_csv[] = {
	{ "devices", "", "id,chip_count,chip_id,hbm_capacity_bytes,free_bytes,"
			 "largest_free_bytes,free_runs,fragmentation_permille,"
			 "dirty_bytes,waste_bytes,cleared_bytes,compactions,"
			 "moved_bytes" },
	{ "devices.classes", "classes.",
	  "page_size_bytes,used_bytes,free_bytes,largest_free_bytes,"
	  "fragmentation_permille" },
	{ "devices.orders", "orders.", "order,block_bytes,free_blocks" },
	{ "devices.slabs", "slabs.",
	  "object_bytes,slabs,held_bytes,objects,waste_bytes" },
	{ "devices.slab_clients", "slab_clients.",
	  "client,pid,held_bytes,objects,waste_bytes" },
	{ "devices.map", "map.",
	  "size_bytes,used_bytes,fixed_bytes,dirty_bytes" },
	{ 0 }
};
