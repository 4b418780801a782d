// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "report.h"

/* Most rectangles of a picture; tasks that are narrower are left out first. */
#define RECTANGLES	4000
#define WIDTH		1000.0
#define ROW		18
#define ROWS		32

static void print_shares(FILE *f, const struct shares *s)
{
	fprintf(f, "device %u: %.3f ms from the first task to the last\n",
		s->device, s->span / 1e6);
	for (enum bottleneck i = 0; i < BOTTLENECKS; i++)
		fprintf(f, "  %-18s %5.1f %%\n", bottleneck_name(i),
			bottleneck_percent(s, i));
}

static void print_models(FILE *f, const struct shares *s)
{
	if (s->models)
		fprintf(f, "device %u: captured or compiled models: %.3f ms, not divided into kernels%s\n",
			s->device, s->models / 1e6, shares_hide_cores(s) ?
			", so the use of cores is not known" : "");
}

static void print_bottleneck(FILE *f, const struct shares *s,
			     enum bottleneck which, enum report what)
{
	char *advice;

	fprintf(f, "device %u: %s: %.1f %% of the time\n", s->device,
		bottleneck_name(which), bottleneck_percent(s, which));
	if (what != REPORT_ADVICE)
		return;
	advice = bottleneck_advice(s, which);
	if (advice)
		fprintf(f, "  %s\n", advice);
	free(advice);
}

void report_print(FILE *f, const struct shares *shares, size_t count,
		  double threshold, enum report what)
{
	bool is_limited = false;

	for (size_t i = 0; i < count; i++) {
		if (what == REPORT_SHARES)
			print_shares(f, &shares[i]);
		print_models(f, &shares[i]);
		for (enum bottleneck b = 0; what != REPORT_SHARES &&
		     b < BOTTLENECKS; b++) {
			if (!bottleneck_is(&shares[i], b, threshold))
				continue;
			is_limited = true;
			print_bottleneck(f, &shares[i], b, what);
		}
	}
	if (!count)
		fputs("no device did a task\n", f);
	else if (what != REPORT_SHARES && !is_limited)
		fputs("no bottleneck\n", f);
}

static void print_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&' ||
		    *text == '"')
			fprintf(f, "&#%d;", *text);
		else
			fputc(*text, f);
	}
}

/* Get the row of a stream; the last one is for all streams that have none. */
static unsigned int row_of(uint32_t stream, uint32_t *streams,
			   unsigned int *count)
{
	unsigned int row = 0;

	while (row < *count && streams[row] != stream)
		row++;
	if (row < *count)
		return row;
	if (*count == ROWS)
		return ROWS - 1;
	streams[(*count)++] = stream;
	return row;
}

static void draw_task(FILE *f, const struct task *task, unsigned int row,
		      const struct shares *s)
{
	double scale = s->span ? WIDTH / s->span : 0;

	fprintf(f, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" class=\"%s\"><title>",
		(task->begin - s->begin) * scale, row * ROW,
		(task->end - task->begin) * scale, ROW - 3,
		task->core ? "core" : task_is_model(task) ? "model" :
		task->bytes ? "memory" : "other");
	print_escaped(f, task->name);
	fprintf(f, ", stream %u, %.3f us</title></rect>\n", task->stream,
		(task->end - task->begin) / 1e3);
}

/* Draw a row for each stream; the narrowest tasks are left out. */
static void draw(FILE *f, const struct profile *profile,
		 const struct shares *s)
{
	uint32_t streams[ROWS];
	unsigned int rows = 0;

	fprintf(f, "<svg width=\"%.0f\" height=\"%d\">\n", WIDTH, ROWS * ROW);
	for (size_t i = 0; i < profile->count; i++) {
		const struct task *task = &profile->task[i];

		if (task->device == s->device &&
		    task->end - task->begin >= s->span / RECTANGLES)
			draw_task(f, task, row_of(task->stream, streams, &rows),
				  s);
	}
	fputs("</svg>\n", f);
}

static void write_device(FILE *f, const struct profile *profile,
			 const struct shares *s, double threshold)
{
	fprintf(f, "<h2>Device %u</h2>\n<p>%.3f ms from the first task to the last.</p>\n<p>",
		s->device, s->span / 1e6);
	print_models(f, s);
	fputs("</p>\n<table>\n<tr><th>limit</th><th>share of the time</th><th>advice</th></tr>\n",
	      f);
	for (enum bottleneck b = 0; b < BOTTLENECKS; b++) {
		char *advice = bottleneck_is(s, b, threshold) ?
			       bottleneck_advice(s, b) : NULL;

		fprintf(f, "<tr%s><td>%s</td><td>%.1f %%</td><td>",
			advice ? " class=\"limit\"" : "", bottleneck_name(b),
			bottleneck_percent(s, b));
		print_escaped(f, advice ? advice : "");
		fputs("</td></tr>\n", f);
		free(advice);
	}
	fputs("</table>\n", f);
	draw(f, profile, s);
}

void report_html(FILE *f, const struct profile *profile,
		 const struct shares *shares, size_t count, double threshold)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profile</title>\n<style>body{font-family:sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:left}.limit{background:#fdd}svg{background:#eee}.core{fill:#27a}.model{fill:#3a6}.memory{fill:#e90}.other{fill:#999}</style></head><body>\n<h1>Profile</h1>\n<p>Blue: kernels and operators. Green: models. Orange: copies and fills. Grey: other tasks. A row for each stream.</p>\n",
	      f);
	for (size_t i = 0; i < count; i++)
		write_device(f, profile, &shares[i], threshold);
	fputs("</body></html>\n", f);
}
