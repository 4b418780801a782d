// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi exporter: the metrics and their names.
 *
 * Names follow the rules of Prometheus: base units, and _total for counters.
 */
#include <inttypes.h>

#include "../common/json.h"

#include "metrics.h"

#define NS_PER_S	1000000000

static void begin(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP vnpu_%s %s\n# TYPE vnpu_%s %s\n", name, help, name,
		type);
}

/* The value of a label may be any UTF-8 text. */
static void put_label(FILE *f, const char *key, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	fprintf(f, "%s=\"", key);
	while (*s) {
		size_t length = json_utf8_length(s);

		if (!length)
			fputs("\xef\xbf\xbd", f);
		else if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else
			fwrite(s, 1, length, f);
		s += length ? length : 1;
	}
	putc('"', f);
}

/* Print a value for each device. */
static void put_numbers(FILE *f, const struct state *state, const char *name,
			const char *type, const char *help, size_t offset)
{
	size_t i;

	begin(f, name, type, help);
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];
		const uint64_t *value = (const void *)((const char *)d + offset);

		fprintf(f, "vnpu_%s{device=\"%" PRIu32 "\"} %" PRIu64 "\n",
			name, d->id, *value);
	}
}

static void put_devices(FILE *f, const struct state *state)
{
	size_t i;

	begin(f, "device_info", "gauge", "Description of the device; always 1.");
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		fprintf(f, "vnpu_device_info{device=\"%" PRIu32 "\",", d->id);
		put_label(f, "name", d->name);
		putc(',', f);
		put_label(f, "uuid", d->uuid);
		putc(',', f);
		put_label(f, "bus_id", d->bus_id);
		fputs("} 1\n", f);
	}
	begin(f, "device_healthy", "gauge", "1 if the device is healthy, else 0.");
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		fprintf(f, "vnpu_device_healthy{device=\"%" PRIu32 "\"} %d\n",
			d->id, d->health == VNPU_HEALTH_OK);
	}
}

static void put_engines(FILE *f, const struct state *state, const char *name,
			const char *type, const char *help, bool is_time)
{
	size_t i;
	uint32_t class;

	begin(f, name, type, help);
	for (i = 0; i < state->devices.count; i++)
		for (class = 0; class < ENGINE_CLASSES; class++) {
			const struct device *d = &state->devices.items[i];
			const struct engine_class *c = &d->engines[class];

			fprintf(f, "vnpu_%s{device=\"%" PRIu32 "\",class=\"%s\"} ",
				name, d->id, class_word(class));
			if (is_time)
				fprintf(f, "%" PRIu64 ".%09" PRIu64 "\n",
					c->busy_ns / NS_PER_S,
					c->busy_ns % NS_PER_S);
			else
				fprintf(f, "%" PRIu32 "\n", c->count);
		}
}

static void put_process(FILE *f, const struct device *d,
			const struct process *p, uint64_t used)
{
	fprintf(f, "vnpu_process_memory_used_bytes{device=\"%" PRIu32
		"\",pid=\"%" PRIu32 "\",", d->id, p->pid);
	put_label(f, "name", p->pid ? p->name : "");
	fprintf(f, "} %" PRIu64 "\n", used);
}

/*
 * Processes that are not visible share one line, because labels must be unique.
 */
static void put_processes(FILE *f, const struct state *state)
{
	static const struct process hidden = { 0 };
	size_t i, j;

	begin(f, "process_memory_used_bytes", "gauge",
	      "Memory that the process holds; pid 0 is all processes that are not visible.");
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];
		uint64_t used = 0;

		for (j = 0; j < d->process_count; j++) {
			const struct process *p = &d->processes[j];

			if (p->pid)
				put_process(f, d, p, p->mem_used);
			else
				used += p->mem_used;
		}
		if (used)
			put_process(f, d, &hidden, used);
	}
}

void metrics_write(FILE *f, const struct state *state)
{
	put_devices(f, state);
	put_numbers(f, state, "memory_size_bytes", "gauge",
		    "Memory of the device.", offsetof(struct device, mem_total));
	put_numbers(f, state, "memory_used_bytes", "gauge",
		    "Memory that is allocated.",
		    offsetof(struct device, mem_used));
	put_numbers(f, state, "memory_free_bytes", "gauge",
		    "Memory that is not allocated.",
		    offsetof(struct device, mem_free));
	put_numbers(f, state, "memory_largest_free_bytes", "gauge",
		    "The longest run of free memory.",
		    offsetof(struct device, mem_largest_free));
	put_numbers(f, state, "resets_total", "counter",
		    "Resets of the device.",
		    offsetof(struct device, resets));
	put_numbers(f, state, "hangs_total", "counter",
		    "Hangs of engines.",
		    offsetof(struct device, hangs));
	put_engines(f, state, "engines", "gauge",
		    "Number of engines; 0 before the first stream.",
		    false);
	put_engines(f, state, "engine_busy_seconds_total", "counter",
		    "Total time that engines of the class have run tasks.",
		    true);
	put_processes(f, state);
}
