// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench replay: requests on a device that is almost full.
 *
 * Contiguous requests are first made without migration. If one fails although
 * enough memory is free, it is repeated with migration. So the results show
 * which requests compaction serves, and which it cannot.
 */
#include <errno.h>

#include "npu.h"
#include "replay.h"
#include "report.h"
#include "vnpu.h"

#define PAGE		(4 * KIB)
/* The waste is measured when the peak has grown by this. */
#define PEAK_STEP	MIB

static const char *const mode_names[] = {
	[REPLAY_SCATTERED] = "scattered",
	[REPLAY_MIXED] = "mixed",
	[REPLAY_CONTIGUOUS] = "contiguous",
};

static bool is_contiguous(struct replay *r)
{
	switch (r->mode) {
	case REPLAY_SCATTERED:
		return false;
	case REPLAY_MIXED:
		return !random_below(&r->random, 4);
	default:
		return true;
	}
}

static bool try_alloc(struct replay_object *object, uint64_t size,
		      uint32_t flags)
{
	aclError err = vnpu_malloc(&object->address, size, flags);

	if (err && npu_errno(err) != -ENOSPC)
		npu_must("vnpu_malloc()", err);
	return !err;
}

/* Repeat a request that failed with enough free memory, with migration. */
static bool try_again(struct replay *r, struct replay_object *object,
		      uint64_t size, bool contiguous)
{
	uint64_t cost = (size + PAGE - 1) / PAGE * PAGE;
	uint64_t free = npu_free_bytes();

	r->refused++;
	if (cost > free) {
		r->too_large++;
		return false;
	}
	if (contiguous && try_alloc(object, size, VNPU_MALLOC_CONTIGUOUS)) {
		r->compacted++;
		return true;
	}
	if (!r->lost || free < r->least_free)
		r->least_free = free;
	if (free > r->most_free)
		r->most_free = free;
	r->lost++;
	return false;
}

static void note_peak(struct replay *r)
{
	if (r->live <= r->peak)
		return;
	r->peak = r->live;
	if (r->live < r->seen + PEAK_STEP)
		return;
	r->seen = r->live;
	r->waste = r->arena - npu_free_bytes() - r->live;
}

bool replay_alloc(struct replay *r, struct replay_object *object, uint64_t size)
{
	bool contiguous = is_contiguous(r);

	r->done++;
	r->allocs++;
	if (!try_alloc(object, size, contiguous ? VNPU_MALLOC_CONTIGUOUS |
						  VNPU_MALLOC_NO_COMPACT : 0) &&
	    !try_again(r, object, size, contiguous)) {
		object->address = NULL;
		return false;
	}
	object->size = size;
	r->live += size;
	note_peak(r);
	return true;
}

void replay_free(struct replay *r, struct replay_object *object)
{
	if (!object->address)
		return;
	r->done++;
	NPU_MUST(aclrtFree(object->address));
	object->address = NULL;
	r->live -= object->size;
}

static void print_text(FILE *f, const struct replay_load *load,
		       const struct replay *r, double seconds)
{
	fprintf(f, "  %-8s %-10s %8llu %7llu %9llu %9llu %7llu", load->name,
		mode_names[r->mode], (unsigned long long)r->allocs,
		(unsigned long long)r->refused,
		(unsigned long long)r->too_large,
		(unsigned long long)r->compacted, (unsigned long long)r->lost);
	if (r->lost)
		fprintf(f, " %5llu..%-5llu",
			(unsigned long long)(r->least_free / MIB),
			(unsigned long long)(r->most_free / MIB));
	else
		fprintf(f, " %12s", "-");
	fprintf(f, " %6.1f %% %7.2f %% %7.1f %8.2f\n",
		(double)r->peak * 100 / (double)r->arena,
		(double)r->waste * 100 / (double)r->arena, seconds,
		seconds * 1e6 / (double)r->done);
}

static void print_json(struct json *j, const struct replay_load *load,
		       const struct replay *r, double seconds)
{
	json_open(j, NULL, '{');
	json_string(j, "load", load->name);
	json_string(j, "mode", mode_names[r->mode]);
	json_uint(j, "requests", r->done);
	json_uint(j, "allocations", r->allocs);
	json_uint(j, "refused", r->refused);
	json_uint(j, "too_large", r->too_large);
	json_uint(j, "compacted", r->compacted);
	json_uint(j, "lost", r->lost);
	json_uint(j, "least_free_bytes", r->least_free);
	json_uint(j, "most_free_bytes", r->most_free);
	json_double(j, "peak", (double)r->peak / (double)r->arena);
	json_double(j, "waste", (double)r->waste / (double)r->arena);
	json_double(j, "seconds", seconds);
	json_double(j, "each_ns", seconds * 1e9 / (double)r->done);
	json_close(j, '}');
}

static void pass(const struct options *opt, struct report *report,
		 const struct replay_load *load, enum replay_mode mode)
{
	struct replay r = {
		.mode = mode,
		.random = { opt->seed },
		.arena = npu_free_bytes(),
	};
	uint64_t begin = now_ns();
	double seconds;

	load->run(&r, opt->ops);
	seconds = (double)(now_ns() - begin) / 1e9;
	if (npu_free_bytes() != r.arena)
		die(BENCH_FAILED, "replay: not all memory was freed");
	if (report->is_json)
		print_json(&report->json, load, &r, seconds);
	else
		print_text(report->f, load, &r, seconds);
	fflush(report->f);
}

void bench_replay(const struct options *opt, struct report *report)
{
	size_t i;
	int mode;

	if (!report->is_json)
		fprintf(report->f,
			"\n  %-8s %-10s %8s %7s %9s %9s %7s %12s %8s %9s %7s %8s\n",
			"load", "memory", "allocs", "refused", "too large",
			"compacted", "lost", "free MiB", "peak", "waste",
			"s", "us each");
	for (i = 0; i < replay_load_count; i++)
		for (mode = REPLAY_SCATTERED; mode <= REPLAY_CONTIGUOUS; mode++)
			pass(opt, report, &replay_loads[i], mode);
}
