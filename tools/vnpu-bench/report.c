// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench: the results, as a table or as JSON.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "report.h"

static const char *const verdicts[] = {
	[VERDICT_NONE] = "",
	[VERDICT_MET] = "met",
	[VERDICT_MISSED] = "missed",
	[VERDICT_UNSURE] = "unsure",
};

struct size_text size_text(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	struct size_text size;
	size_t unit = 0;

	while (bytes && bytes % 1024 == 0 && unit < ARRAY_SIZE(units) - 1) {
		bytes /= 1024;
		unit++;
	}
	snprintf(size.text, sizeof(size.text), "%" PRIu64 " %s", bytes,
		 units[unit]);
	return size;
}

/* A time in a unit that gives about three digits. */
struct time_text {
	char text[32];
};

static struct time_text time_text(double ns)
{
	struct time_text time;

	if (ns < 1e3)
		snprintf(time.text, sizeof(time.text), "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(time.text, sizeof(time.text), "%.2f us", ns / 1e3);
	else
		snprintf(time.text, sizeof(time.text), "%.2f ms", ns / 1e6);
	return time;
}

void report_begin(struct report *r, FILE *f, const struct options *opt)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname system;

	*r = (struct report){
		.f = f,
		.is_json = opt->is_json,
		.json = { .f = f },
	};
	uname(&system);
	if (!r->is_json) {
		fprintf(f, "Linux %s, %s, %ld processors, %" PRIu32 " rounds\n",
			system.release, system.machine, cpus, opt->rounds);
		return;
	}
	json_open(&r->json, NULL, '{');
	json_string(&r->json, "version", VNPU_VERSION);
	json_string(&r->json, "kernel", system.release);
	json_string(&r->json, "machine", system.machine);
	json_uint(&r->json, "processors", cpus > 0 ? (uint64_t)cpus : 0);
	json_uint(&r->json, "rounds", opt->rounds);
	json_uint(&r->json, "seed", opt->seed);
	json_open(&r->json, "commands", '[');
}

void report_end(struct report *r)
{
	if (!r->is_json)
		return;
	json_close(&r->json, ']');
	json_close(&r->json, '}');
}

void report_command(struct report *r, const char *name, const char *headline)
{
	if (r->is_json) {
		json_open(&r->json, NULL, '{');
		json_string(&r->json, "name", name);
		json_open(&r->json, "figures", '[');
	} else {
		fprintf(r->f, "\n%s: %s\n", name, headline);
	}
}

void report_command_end(struct report *r)
{
	if (r->is_json) {
		json_close(&r->json, ']');
		json_close(&r->json, '}');
	}
	fflush(r->f);
}

static void subject_text(FILE *f, const struct contest *c,
			 const struct subject *s)
{
	fprintf(f, "    %-12s", s->name);
	if (s->failure) {
		fprintf(f, " does not take part: %s\n", strerror(-s->failure));
		return;
	}
	fprintf(f, " %10s %10s %6.0f %%", time_text(s->median).text,
		time_text(s->p99).text, s->spread * 100);
	if (s == c->subjects) {
		putc('\n', f);
		return;
	}
	if (c->each)
		fprintf(f, "  %9s  %9s .. %-9s", time_text(s->against.median).text,
			time_text(s->against.low).text,
			time_text(s->against.high).text);
	else
		fprintf(f, "  %9.3f  %9.3f .. %-9.3f", s->against.median,
			s->against.low, s->against.high);
	if (s->verdict != VERDICT_NONE && c->each)
		fprintf(f, " %9s %s", time_text(s->goal).text,
			verdicts[s->verdict]);
	else if (s->verdict != VERDICT_NONE)
		fprintf(f, " %9.2f %s", s->goal, verdicts[s->verdict]);
	putc('\n', f);
}

static void contest_text(FILE *f, const struct contest *c)
{
	unsigned int i;

	if (c->size)
		fprintf(f, "\n  %s of %s\n", c->title, size_text(c->size).text);
	else
		fprintf(f, "\n  %s\n", c->title);
	fprintf(f, "    %-12s %10s %10s %8s  %9s  %22s %9s\n", "", "median",
		"p99", "spread", c->each ? "each" : "ratio",
		"95 % interval    ", "goal");
	for (i = 0; i < c->count; i++)
		subject_text(f, c, &c->subjects[i]);
	fflush(f);
}

static void subject_json(struct json *j, const struct contest *c,
			 const struct subject *s)
{
	json_open(j, NULL, '{');
	json_string(j, "name", s->name);
	if (s->failure) {
		json_string(j, "failure", strerror(-s->failure));
		json_close(j, '}');
		return;
	}
	json_double(j, "median_ns", s->median);
	json_double(j, "p99_ns", s->p99);
	json_double(j, "spread", s->spread);
	json_uint(j, "samples", s->samples);
	if (s != c->subjects) {
		json_double(j, c->each ? "each_ns" : "ratio",
			    s->against.median);
		json_double(j, "low", s->against.low);
		json_double(j, "high", s->against.high);
		json_double(j, "confidence", s->against.confidence);
	}
	if (s->verdict != VERDICT_NONE) {
		json_double(j, "goal", s->goal);
		json_string(j, "verdict", verdicts[s->verdict]);
	}
	json_close(j, '}');
}

static void contest_json(struct json *j, const struct contest *c)
{
	unsigned int i;

	json_open(j, NULL, '{');
	json_string(j, "title", c->title);
	if (c->size)
		json_uint(j, "size_bytes", c->size);
	if (c->each)
		json_uint(j, "count", c->each);
	json_open(j, "subjects", '[');
	for (i = 0; i < c->count; i++)
		subject_json(j, c, &c->subjects[i]);
	json_close(j, ']');
	json_close(j, '}');
}

void report_contest(struct report *r, const struct contest *contest)
{
	if (r->is_json)
		contest_json(&r->json, contest);
	else
		contest_text(r->f, contest);
}

void report_figure(struct report *r, const struct figure *figure)
{
	const char *verdict = verdicts[figure->value <= figure->goal ?
				       VERDICT_MET : VERDICT_MISSED];

	if (!r->is_json) {
		fprintf(r->f, "\n  %s: %.4g %s, the goal is %g %s: %s\n",
			figure->title, figure->value, figure->unit,
			figure->goal, figure->unit, verdict);
		return;
	}
	json_open(&r->json, NULL, '{');
	json_string(&r->json, "title", figure->title);
	json_string(&r->json, "unit", figure->unit);
	json_double(&r->json, "value", figure->value);
	json_double(&r->json, "goal", figure->goal);
	json_string(&r->json, "verdict", verdict);
	json_close(&r->json, '}');
}

bool report_is_written(const struct report *r)
{
	return !fflush(r->f) && !ferror(r->f);
}
