// SPDX-License-Identifier: MIT
/*
 * Allocations over time, as JSON for chrome://tracing and Perfetto: the
 * allocated bytes of each device are a counter, and each allocation is a span
 * from its beginning to its end.  A span without an end is open.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "io/device_number.h"
#include "io/io.h"
#include "report.h"

struct moment {
	uint64_t seq;
	const struct vnpu_record *record;
	bool is_free;
};

static int by_seq(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static const char *kind_name(vnpu_profile_kind kind)
{
	static const char *const names[] = {
		[VNPU_PROFILE_MALLOC]	= "malloc",
		[VNPU_PROFILE_MANAGED]	= "managed",
		[VNPU_PROFILE_PHYSICAL]	= "physical",
		[VNPU_PROFILE_POOL]	= "pool",
	};

	return names[kind];
}

/* Begin an event; times are in microseconds. */
static void print_head(FILE *file, char phase, uint64_t ns, uint32_t thread)
{
	fprintf(file, ",\n{\"ph\":\"%c\",\"ts\":%" PRIu64 ".%03u,\"pid\":%d,\"tid\":%u",
		phase, ns / 1000, (unsigned int)(ns % 1000), getpid(), thread);
}

static void print_moment(FILE *file, const struct moment *moment,
			 uint64_t allocated)
{
	const struct vnpu_record *record = moment->record;
	int32_t device = vnpu_device_user_number(record->device);
	uint64_t ns = moment->is_free ? record->free_ns : record->alloc_ns;

	print_head(file, moment->is_free ? 'e' : 'b', ns, moment->is_free ?
		   record->free_thread : record->alloc_thread);
	fprintf(file, ",\"cat\":\"memory\",\"id\":%" PRIu64 ",\"name\":",
		record->alloc_seq);
	vnpu_json_print_string(file, *record->site->tag ? record->site->tag :
			       kind_name(record->kind));
	if (!moment->is_free) {
		fprintf(file, ",\"args\":{\"address\":\"0x%" PRIx64 "\",\"bytes\":%" PRIu64,
			record->address, record->size);
		fprintf(file, ",\"kind\":\"%s\",\"device\":%d,\"stream\":%" PRId64 ",\"site\":%u}",
			kind_name(record->kind), device, record->stream,
			record->site->number);
	}
	fputc('}', file);

	print_head(file, 'C', ns, 0);
	fprintf(file, ",\"name\":\"device %d\",\"args\":{\"bytes\":%" PRIu64 "}}",
		device, allocated);
}

bool vnpu_timeline_print(const struct vnpu_record *records, size_t count,
			 FILE *file)
{
	struct moment *moments = calloc(2 * count + 1, sizeof(*moments));
	uint64_t allocated[VNPU_IO_MAX_DEVICES] = { 0 };
	size_t nr_moments = 0;

	if (!moments)
		return false;
	for (size_t i = 0; i < count; i++) {
		moments[nr_moments++] = (struct moment){
			records[i].alloc_seq, &records[i], false
		};
		if (records[i].free_seq)
			moments[nr_moments++] = (struct moment){
				records[i].free_seq, &records[i], true
			};
	}
	qsort(moments, nr_moments, sizeof(*moments), by_seq);

	fprintf(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	fprintf(file, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":",
		getpid());
	vnpu_json_print_string(file, program_invocation_short_name);
	fprintf(file, "}}");
	for (size_t i = 0; i < nr_moments; i++) {
		const struct vnpu_record *record = moments[i].record;
		uint64_t *bytes = &allocated[record->device %
					     VNPU_IO_MAX_DEVICES];

		*bytes += moments[i].is_free ? -record->size : record->size;
		print_moment(file, &moments[i], *bytes);
	}
	fprintf(file, "\n]}\n");
	free(moments);
	return true;
}
