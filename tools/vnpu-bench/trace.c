// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench pool: reading, creating and sending traces.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "random.h"
#include "trace.h"

/* Limits the size of tables by ID. */
#define ID_MOST		99999999
#define NO_SLOT		UINT32_MAX
#define BYTES_MOST	(UINT64_C(1) << 50)

static void *grow(void *table, size_t *room, size_t need_room, size_t size)
{
	size_t more = *room ? *room : 1024;

	if (need_room <= *room)
		return table;
	while (more < need_room)
		more *= 2;
	table = realloc(table, more * size);
	if (!table)
		die(BENCH_FAILED, "no memory");
	*room = more;
	return table;
}

static void add(struct trace *trace, uint32_t slot, uint64_t size)
{
	trace->ops = grow(trace->ops, &trace->room, trace->count + 1,
			  sizeof(*trace->ops));
	trace->ops[trace->count++] = (struct trace_op){
		.size = size,
		.slot = slot,
	};
	if (slot >= trace->slots)
		trace->slots = slot + 1;
}

static void count_live(struct trace *trace, uint64_t size)
{
	trace->live += size;
	if (trace->live > trace->peak)
		trace->peak = trace->live;
}

/* The slots of IDs, the free slots, and the contents of each. */
struct reader {
	struct trace *trace;
	const char *path;
	uint64_t line;
	uint32_t *slot_of;
	size_t ids;
	uint32_t *free;
	size_t free_room;
	size_t nr_free;
	uint64_t *sizes;
	size_t sizes_room;
};

static uint32_t *slot_of(struct reader *reader, uint64_t id)
{
	size_t old = reader->ids;

	reader->slot_of = grow(reader->slot_of, &reader->ids, id + 1,
			       sizeof(*reader->slot_of));
	for (; old < reader->ids; old++)
		reader->slot_of[old] = NO_SLOT;
	return &reader->slot_of[id];
}

static const char *take_alloc(struct reader *reader, uint64_t id,
			      uint64_t size)
{
	uint32_t *slot = slot_of(reader, id);
	struct trace *trace = reader->trace;

	if (*slot != NO_SLOT)
		return "the ID is allocated already";
	if (!size || size > BYTES_MOST || trace->live > BYTES_MOST - size)
		return "invalid size";
	*slot = reader->nr_free ? reader->free[--reader->nr_free] :
				  trace->slots;
	reader->sizes = grow(reader->sizes, &reader->sizes_room,
			     (size_t)*slot + 1, sizeof(*reader->sizes));
	reader->sizes[*slot] = size;
	add(trace, *slot, size);
	count_live(trace, size);
	return NULL;
}

static const char *take_free(struct reader *reader, uint64_t id)
{
	uint32_t *slot = slot_of(reader, id);

	if (*slot == NO_SLOT)
		return "the ID is not allocated";
	add(reader->trace, *slot, 0);
	reader->trace->live -= reader->sizes[*slot];
	reader->free = grow(reader->free, &reader->free_room,
			    reader->nr_free + 1, sizeof(*reader->free));
	reader->free[reader->nr_free++] = *slot;
	*slot = NO_SLOT;
	return NULL;
}

/*
 * Parse a number without a sign, at the end of the line if it is the last one.
 */
static bool take_number(const char **text, uint64_t *value, bool is_last)
{
	char *end;

	if (**text != ' ' || (*text)[1] < '0' || (*text)[1] > '9')
		return false;
	errno = 0;
	*value = strtoull(*text + 1, &end, 10);
	*text = end;
	return !errno && (!is_last || *end == '\n' || !*end);
}

/* Parse a line; returns the error, or NULL. */
static const char *take_line(struct reader *reader, const char *text)
{
	bool is_alloc = *text == 'a';
	uint64_t id, size = 0;

	if (*text != 'a' && *text != 'f')
		return "neither 'a ID BYTES' nor 'f ID'";
	text++;
	if (!take_number(&text, &id, !is_alloc) ||
	    (is_alloc && !take_number(&text, &size, true)))
		return "invalid number";
	if (id > ID_MOST)
		return "the ID has more than 8 digits";
	return is_alloc ? take_alloc(reader, id, size) : take_free(reader, id);
}

void trace_read(struct trace *trace, const char *path)
{
	struct reader reader = { .trace = trace, .path = path };
	FILE *f = fopen(path, "re");
	const char *wrong = NULL;
	char line[80];

	*trace = (struct trace){ 0 };
	if (!f)
		die(BENCH_USAGE, "%s: %s", path, strerror(errno));
	while (!wrong && fgets(line, sizeof(line), f)) {
		reader.line++;
		wrong = take_line(&reader, line);
	}
	if (wrong)
		die(BENCH_USAGE, "%s, line %" PRIu64 ": %s", path, reader.line,
		    wrong);
	if (ferror(f))
		die(BENCH_USAGE, "%s: cannot be read", path);
	if (!trace->count)
		die(BENCH_USAGE, "%s: the trace allocates nothing", path);
	fclose(f);
	free(reader.slot_of);
	free(reader.free);
	free(reader.sizes);
}

void trace_make(struct trace *trace, uint64_t size, uint32_t live,
		uint32_t pairs, uint32_t seed)
{
	uint64_t *sizes = need(live, sizeof(*sizes));
	struct random random = { seed };

	*trace = (struct trace){ 0 };
	for (uint32_t i = 0; i < live + pairs; i++) {
		uint32_t slot = i < live ? i : random_below(&random, live);

		if (i >= live) {
			add(trace, slot, 0);
			trace->live -= sizes[slot];
		}
		sizes[slot] = size ? size :
			random_log_uniform(&random, 64, 2 * MIB);
		add(trace, slot, sizes[slot]);
		count_live(trace, sizes[slot]);
	}
	free(sizes);
}

bool trace_send(const struct trace *trace, FILE *f)
{
	return fwrite(trace, sizeof(*trace), 1, f) == 1 &&
	       fwrite(trace->ops, sizeof(*trace->ops), trace->count, f) ==
		       trace->count && !fflush(f);
}

bool trace_receive(struct trace *trace, FILE *f)
{
	if (fread(trace, sizeof(*trace), 1, f) != 1)
		return false;
	trace->ops = need(trace->count, sizeof(*trace->ops));
	return fread(trace->ops, sizeof(*trace->ops), trace->count, f) ==
	       trace->count;
}

void trace_fini(struct trace *trace)
{
	free(trace->ops);
	trace->ops = NULL;
}
