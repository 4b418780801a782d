// SPDX-License-Identifier: GPL-2.0-only
/*
 * A picture of a packing; see svg.h.
 *
 * Gaps are not cut out of their tensors: the picture shows the owner of each
 * place.
 */
#include <inttypes.h>

#include "svg.h"

#define WIDTH	1200.0
#define HEIGHT	800.0

/* An id may be any text without commas and line ends. */
static void write_text(FILE *f, const struct field *text)
{
	uint32_t i;

	for (i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->start[i];

		if (c < 0x20 || c >= 0x7f || c == '<' || c == '>' || c == '&')
			putc('?', f);
		else
			putc(c, f);
	}
}

static void write_tensor(const struct csv_row *row, FILE *f, uint32_t index,
			 uint64_t offset, const double origin[2],
			 const double scale[2])
{
	double height = (double)row->size * scale[1];

	/* Neighbours get colours that are far apart: the golden angle. */
	fprintf(f, "<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" "
		"fill=\"hsl(%.0f,60%%,70%%)\"><title>",
		((double)row->lower - origin[0]) * scale[0],
		HEIGHT - (double)offset * scale[1] - height,
		(double)(row->upper - row->lower) * scale[0], height,
		(double)(index * 13751 % 36000) / 100);
	write_text(f, &row->field[CSV_ID]);
	fprintf(f, ": %" PRIu64 " bytes at %" PRIu64 ", from %" PRIu64 " to %"
		PRIu64 "</title></rect>\n", row->size, offset, row->lower,
		row->upper);
}

bool svg_write(const struct csv *csv, FILE *f, const uint64_t *offset,
	       const struct vnpu_plan_result *result)
{
	uint64_t begin = UINT64_MAX, end = 0;
	double origin[2] = { 0, 0 }, scale[2];
	uint32_t i;

	for (i = 0; i < csv->rows; i++) {
		if (csv->row[i].lower < begin)
			begin = csv->row[i].lower;
		if (csv->row[i].upper > end)
			end = csv->row[i].upper;
	}
	origin[0] = (double)begin;
	scale[0] = WIDTH / (double)(end - begin);
	scale[1] = HEIGHT / (double)(result->peak ? result->peak : 1);
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"-2 -2 %.0f %.0f\">\n"
		"<desc>%u tensors in %" PRIu64 " bytes; at least %" PRIu64
		" are needed</desc>\n"
		"<g stroke=\"#444\" stroke-width=\"0.3\">\n", WIDTH + 4,
		HEIGHT + 4, csv->rows, result->peak, result->bound);
	for (i = 0; i < csv->rows; i++)
		if (csv->row[i].size && offset[i] != VNPU_PLAN_NO_OFFSET)
			write_tensor(&csv->row[i], f, i, offset[i], origin,
				     scale);
	fprintf(f, "</g>\n<line x1=\"0\" x2=\"%.0f\" y1=\"%.3f\" y2=\"%.3f\" "
		"stroke=\"red\" stroke-dasharray=\"6\"/>\n</svg>\n", WIDTH,
		HEIGHT - (double)result->bound * scale[1],
		HEIGHT - (double)result->bound * scale[1]);
	return !ferror(f);
}
