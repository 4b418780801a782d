// SPDX-License-Identifier: GPL-2.0-only
/* A picture of the work memory. See usage.h. */
#include <inttypes.h>

#include "usage.h"

#define WIDTH	1200.0
#define HEIGHT	800.0

/* Names in a file are any bytes. */
static void put_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		putc(c < 0x20 || c >= 0x7f || c == '<' || c == '>' ||
		     c == '&' ? '?' : c, f);
	}
}

void usage_draw(FILE *f, const struct program *p,
		const struct usage_tensor *tensors, size_t count)
{
	double steps = p->head->steps ? p->head->steps : 1;
	double bytes = p->head->work ? p->head->work : 1;
	size_t i;

	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-2 -2 %.0f %.0f\">\n"
		"<desc>%zu tensors in %" PRIu64 " bytes, over %u steps</desc>\n"
		"<g stroke=\"#444\" stroke-width=\"0.3\">\n", WIDTH + 4,
		HEIGHT + 4, count, p->head->work, p->head->steps);
	for (i = 0; i < count; i++) {
		const struct usage_tensor *t = &tensors[i];
		double height = t->bytes / bytes * HEIGHT;
		uint32_t first = t->first + t->in_place;

		/* Neighbours get colours that are far apart. */
		fprintf(f, "<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" fill=\"hsl(%.0f,60%%,70%%)\"><title>",
			first / steps * WIDTH,
			HEIGHT - t->offset / bytes * HEIGHT - height,
			(t->last + 1.0 - first) / steps * WIDTH, height,
			(double)(i * 13751 % 36000) / 100);
		put_text(f, t->name);
		fputs(" (", f);
		put_text(f, t->type);
		fprintf(f, "): %" PRIu64 " bytes at %" PRIu64 ", steps %u to %u</title></rect>\n",
			t->bytes, t->offset, t->first, t->last);
	}
	fputs("</g>\n</svg>\n", f);
}
