// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi frag --svg: the memory of devices as a picture.
 *
 * It is the map of info -t frag with a square for each part of the memory; the
 * pointer shows its bytes.  The file is self-contained.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frag_svg.h"

#define MAP_COLUMNS	64
#define CELL		14
#define MARGIN		20
#define TITLE		24	/* above the map of a device */
#define GAP		16	/* below it */
#define LEGEND		40
#define WIDTH		(MAP_COLUMNS * CELL + 2 * MARGIN)

/* Colours from unused to used, for movable memory and for other memory. */
struct scale {
	const char *name;
	unsigned int empty[3];
	unsigned int full[3];
};

static const struct scale movable_scale = {
	"used", { 0xee, 0xf3, 0xf8 }, { 0x1b, 0x5e, 0xa8 },
};

static const struct scale fixed_scale = {
	"used, partly not movable",
	{ 0xfd, 0xe3, 0xc8 }, { 0xc4, 0x4e, 0x00 },
};

static void write_colour(FILE *f, const struct scale *scale, uint64_t part,
			 uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;
	int i;

	putc('#', f);
	for (i = 0; i < 3; i++) {
		double from = scale->empty[i], to = scale->full[i];

		fprintf(f, "%02x", (unsigned int)(from + (to - from) * share));
	}
}

static void write_cell(FILE *f, const struct map_cell *c, size_t i,
		       uint64_t start, unsigned int top)
{
	fprintf(f, "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"",
		MARGIN + i % MAP_COLUMNS * CELL, top + i / MAP_COLUMNS * CELL,
		CELL, CELL);
	write_colour(f, c->fixed ? &fixed_scale : &movable_scale, c->used,
		     c->size);
	fprintf(f, "\"><title>%" PRIu64 " bytes at %" PRIu64 ": %" PRIu64
		" used, %" PRIu64 " fixed, %" PRIu64
		" to be cleared</title></rect>\n", c->size, start, c->used,
		c->fixed, c->dirty);
}

static unsigned int map_height(const struct frag *frag)
{
	size_t rows = (frag->cell_count + MAP_COLUMNS - 1) / MAP_COLUMNS;

	return (unsigned int)rows * CELL;
}

/* Draw a device; returns the position of the next one. */
static unsigned int write_device(FILE *f, const struct device *d,
				 unsigned int top)
{
	const struct frag *frag = d->frag;
	uint64_t start = 0;
	size_t i;

	fprintf(f, "<g id=\"device%u\">\n<text x=\"%d\" y=\"%u\">Device %u: %"
		PRIu64 " of %" PRIu64 " MiB used, longest free run %" PRIu64
		" MiB, fragmentation %u permille</text>\n", d->id, MARGIN,
		top + TITLE - 8, d->id, bytes_to_mib(d->mem_used),
		bytes_to_mib(d->mem_total), bytes_to_mib(d->mem_largest_free),
		frag->frag_index);
	for (i = 0; i < frag->cell_count; i++) {
		write_cell(f, &frag->cells[i], i, start, top + TITLE);
		start += frag->cells[i].size;
	}
	fputs("</g>\n", f);
	return top + TITLE + map_height(frag) + GAP;
}

/* Draw the legend: five squares from empty to full. */
static void write_scale(FILE *f, const struct scale *scale, unsigned int x,
			unsigned int y)
{
	unsigned int i;

	for (i = 0; i <= 4; i++) {
		fprintf(f, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" "
			"fill=\"", x + i * CELL, y, CELL, CELL);
		write_colour(f, scale, i, 4);
		fputs("\"/>\n", f);
	}
	fprintf(f, "<text x=\"%u\" y=\"%u\">0 to 100 %% %s</text>\n",
		x + 5 * CELL + 8, y + CELL - 2, scale->name);
}

static void write_picture(FILE *f, const struct device_list *devices,
			  const struct device *only)
{
	unsigned int height = MARGIN + LEGEND, top = MARGIN + LEGEND;
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!only || only == &devices->items[i])
			height += TITLE + GAP +
				  map_height(devices->items[i].frag);
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%u\" viewBox=\"0 0 %d %u\" font-family=\"sans-serif\" "
		"font-size=\"13\">\n"
		"<title>Memory of vnpu devices</title>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<g stroke=\"none\" id=\"legend\">\n",
		WIDTH, height, WIDTH, height);
	write_scale(f, &movable_scale, MARGIN, MARGIN);
	write_scale(f, &fixed_scale, WIDTH / 2, MARGIN);
	fputs("</g>\n", f);
	for (i = 0; i < devices->count; i++)
		if (!only || only == &devices->items[i])
			top = write_device(f, &devices->items[i], top);
	fputs("</svg>\n", f);
}

enum smi_exit frag_svg_write(const char *file, const struct device_list *devices,
			     const struct device *only)
{
	FILE *f = fopen(file, "we");
	enum smi_exit status;

	if (!f)
		return fail(SMI_FAILED, "cannot write '%s': %s", file,
			    strerror(errno));
	write_picture(f, devices, only);
	status = finish_output(f);
	fclose(f);
	return status;
}
