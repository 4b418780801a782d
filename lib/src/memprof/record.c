// SPDX-License-Identifier: MIT
/*
 * The database of allocations: one record for each, under one lock.
 *
 * A live record is found by its address.  A freed record is held while it
 * belongs to the peak of its device, or of all devices, so that the profiler
 * can report these peaks exactly at any time.  At a higher peak it joins the
 * other freed records, of which a number that the program has chosen is kept.
 * So a record moves at most three times, and the database is at most twice as
 * large as the peak, the peaks of the devices, and this number.
 *
 * Events are numbered: a record was alive at a peak if it was allocated by the
 * event of the peak or earlier, and not freed by then.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/util.h"
#include "io/device_number.h"
#include "io/io.h"
#include "live.h"
#include "trace.h"

#define RECORDS_AT_ONCE		256

/* Freed records, in the order of the frees. */
struct fifo {
	struct vnpu_record *first;
	struct vnpu_record **last;
	size_t count;
};

/* The lock protects all of this. */
static struct fifo held = { .last = &held.first };	/* at the total peak */
static struct fifo past = { .last = &past.first };
static struct vnpu_record *spare;
static size_t history;
static uint64_t last_seq, peak_seq;
static uint32_t run;
static struct vnpu_profile_stats stats;		/* of all devices together */
static struct device_book {
	struct vnpu_profile_stats stats;
	uint64_t peak_seq;
	struct fifo held;	/* at its peak; an empty list may have no end */
} by_device[VNPU_IO_MAX_DEVICES];

static void fifo_add(struct fifo *fifo, struct vnpu_record *record)
{
	record->next = NULL;
	*fifo->last = record;
	fifo->last = &record->next;
	fifo->count++;
}

static void fifo_init(struct fifo *fifo)
{
	fifo->first = NULL;
	fifo->last = &fifo->first;
	fifo->count = 0;
}

/* Append all records of @from to @to. */
static void fifo_move(struct fifo *to, struct fifo *from)
{
	if (!from->first)
		return;
	*to->last = from->first;
	to->last = from->last;
	to->count += from->count;
	fifo_init(from);
}

static void to_spare(struct vnpu_record *record)
{
	record->next = spare;
	spare = record;
}

static void past_trim(size_t keep)
{
	struct vnpu_record *record;

	while (past.count > keep) {
		record = past.first;
		past.first = record->next;
		if (!past.first)
			past.last = &past.first;
		past.count--;
		to_spare(record);
	}
}

static struct vnpu_record *record_make(void)
{
	struct vnpu_record *record = spare;

	if (!record) {
		record = calloc(RECORDS_AT_ONCE, sizeof(*record));
		for (size_t i = 0; record && i < RECORDS_AT_ONCE; i++)
			to_spare(&record[i]);
		record = spare;
	}
	if (record)
		spare = record->next;
	return record;
}

static struct device_book *book_of(const struct vnpu_record *record)
{
	return &by_device[record->device % VNPU_IO_MAX_DEVICES];
}

static struct vnpu_profile_stats *stats_of(const struct vnpu_record *record)
{
	return &book_of(record)->stats;
}

static bool was_alive(const struct vnpu_record *record, uint64_t seq)
{
	return record->alloc_seq <= seq &&
	       (!record->free_seq || record->free_seq > seq);
}

/* Count an allocation; true at a new peak. */
static bool count_live(struct vnpu_profile_stats *s,
		       const struct vnpu_record *record)
{
	s->live_blocks++;
	s->live_bytes += record->size;
	if (s->live_bytes <= s->peak_bytes)
		return false;
	s->peak_bytes = s->live_bytes;
	s->peak_blocks = s->live_blocks;
	s->peak_ns = record->alloc_ns;
	return true;
}

/* Release records held for an earlier peak of the device, or of all devices. */
static void release_held(struct fifo *from)
{
	struct vnpu_record *record, *next;

	for (record = from->first; record; record = next) {
		next = record->next;
		fifo_add(was_alive(record, peak_seq) ? &held : &past, record);
	}
	fifo_init(from);
}

static void live_add(struct vnpu_record *record)
{
	struct device_book *book = book_of(record);

	vnpu_live_add(record);
	if (count_live(&stats, record)) {
		peak_seq = last_seq;
		fifo_move(&past, &held);
	}
	if (count_live(&book->stats, record)) {
		book->peak_seq = last_seq;
		release_held(&book->held);
	}
	past_trim(history);
}

static void count_dead(struct vnpu_profile_stats *s,
		       const struct vnpu_record *record)
{
	s->live_blocks--;
	s->live_bytes -= record->size;
	s->frees++;
}

/* Count a record that was removed from the live ones as freed. */
static void count_free(struct vnpu_record *record)
{
	record->free_ns = vnpu_now_ns();
	record->free_seq = ++last_seq;
	record->free_thread = vnpu_profile_thread();
	count_dead(&stats, record);
	count_dead(stats_of(record), record);
}

/* Put a freed record into the list where it belongs. */
static void file_away(struct vnpu_record *record)
{
	struct device_book *book = book_of(record);

	if (was_alive(record, book->peak_seq)) {
		if (!book->held.first)
			fifo_init(&book->held);
		fifo_add(&book->held, record);
	} else if (was_alive(record, peak_seq)) {
		fifo_add(&held, record);
	} else {
		fifo_add(&past, record);
		past_trim(history);
	}
}

/* Add the record of a new block; NULL without memory. */
static struct vnpu_record *block_add(const struct vnpu_record *block,
				     const struct vnpu_stack *stack)
{
	struct vnpu_site *site = vnpu_site_get(stack, vnpu_tag_current());
	struct vnpu_record *old = vnpu_live_remove(block->address);
	struct vnpu_record *record = NULL;

	/* The reset of the device preceded this thread's report. */
	if (old) {
		count_free(old);
		vnpu_trace_free(old, true);
		file_away(old);
	}
	if (site && vnpu_live_grow(stats.live_blocks))
		record = record_make();
	if (!record) {
		stats.lost++;
		stats_of(block)->lost++;
		return NULL;
	}
	*record = *block;
	record->alloc_ns = vnpu_now_ns();
	record->site = site;
	record->run = run;
	record->alloc_seq = ++last_seq;
	record->alloc_thread = vnpu_profile_thread();
	stats.allocs++;
	stats_of(record)->allocs++;
	live_add(record);
	return record;
}

void vnpu_record_alloc(vnpu_profile_kind kind, uint64_t address, uint64_t size,
		       uint32_t device, int64_t stream)
{
	struct vnpu_record block = {
		.kind = kind,
		.address = address,
		.size = size,
		.device = device,
		.stream = stream,
	};
	struct vnpu_site *first = NULL;
	struct vnpu_record *record;
	struct vnpu_stack stack;

	if (!vnpu_profile_is_wanted())
		return;
	vnpu_stack_capture(&stack);
	vnpu_profile_lock();
	if (atomic_load(&vnpu_profile_state)) {
		record = block_add(&block, &stack);
		if (record)
			first = vnpu_trace_alloc(record);
	}
	vnpu_profile_unlock();
	/*
	 * Names are looked up without the lock, because that takes other locks.
	 */
	if (first)
		vnpu_trace_site(first);
}

/*
 * Check whether the profiler records.  Before the first decision, there is no
 * record that could end.  So this does not decide, because that needs the
 * dynamic loader and the caller may hold a lock.
 */
static bool is_recording(void)
{
	return atomic_load(&vnpu_profile_state) & ~VNPU_PROFILE_UNDECIDED;
}

struct vnpu_record *vnpu_record_free_begin(uint64_t address)
{
	struct vnpu_record *record = NULL;

	if (!is_recording())
		return NULL;
	vnpu_profile_lock();
	if (atomic_load(&vnpu_profile_state))
		record = vnpu_live_remove(address);
	if (record)
		count_free(record);
	vnpu_profile_unlock();
	return record;
}

void vnpu_record_free_end(struct vnpu_record *record, bool is_freed)
{
	vnpu_profile_lock();
	if (record->run != run) {
		to_spare(record);
	} else if (is_freed) {
		vnpu_trace_free(record, false);
		file_away(record);
	} else {
		record->free_seq = 0;
		record->free_ns = 0;
		stats.frees--;
		stats_of(record)->frees--;
		live_add(record);
	}
	vnpu_profile_unlock();
}

/* End a live block on a device that is reset, and remove it from its chain. */
static void reset_one(struct vnpu_record **link)
{
	struct vnpu_record *record = *link;

	*link = record->next;
	record->site->reset_blocks++;
	record->site->reset_bytes += record->size;
	count_free(record);
	vnpu_trace_free(record, true);
	file_away(record);
}

void vnpu_record_reset(uint32_t device)
{
	struct vnpu_record **link;

	if (!is_recording())
		return;
	vnpu_profile_lock();
	for (size_t i = 0; i < vnpu_live_chains(); i++) {
		link = vnpu_live_chain(i);
		while (*link) {
			if ((*link)->device == device)
				reset_one(link);
			else
				link = &(*link)->next;
		}
	}
	vnpu_profile_unlock();
}

/* Drop all records. */
static void clear(void)
{
	struct vnpu_record **chain, *record;
	struct vnpu_site *site;

	for (size_t i = 0; i < vnpu_live_chains(); i++) {
		chain = vnpu_live_chain(i);
		while ((record = *chain)) {
			*chain = record->next;
			to_spare(record);
		}
	}
	fifo_move(&past, &held);
	for (size_t i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		fifo_move(&past, &by_device[i].held);
	past_trim(0);
	for (site = vnpu_site_next(0); site; site = vnpu_site_next(site->number))
		site->reset_blocks = site->reset_bytes = 0;
	last_seq = 0;
	peak_seq = 0;
	memset(&stats, 0, sizeof(stats));
	memset(by_device, 0, sizeof(by_device));
	run++;
}

void vnpu_record_begin(size_t keep, bool is_new)
{
	if (is_new)
		clear();
	history = keep;
}

static aclError check_stats(const struct vnpu_profile_stats *out, size_t size)
{
	if (!out)
		return vnpu_error_null("stats");
	if (size != sizeof(*out))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size = %zu is not the size of struct vnpu_profile_stats; pass sizeof(*stats)",
			size);
	return ACL_SUCCESS;
}

void vnpu_record_device_stats(uint32_t device, struct vnpu_profile_stats *out)
{
	vnpu_profile_lock();
	*out = by_device[device % VNPU_IO_MAX_DEVICES].stats;
	vnpu_profile_unlock();
}

aclError vnpu_profile_get_device_stats(int32_t device,
				       struct vnpu_profile_stats *out,
				       size_t size)
{
	VNPU_CALL();
	uint32_t number;
	aclError ret = check_stats(out, size);

	if (!ret)
		ret = vnpu_device_resolve(device, &number);
	if (!ret)
		vnpu_record_device_stats(number, out);
	return ret;
}

aclError vnpu_profile_get_stats(struct vnpu_profile_stats *out, size_t size)
{
	VNPU_CALL();
	aclError ret = check_stats(out, size);

	if (ret)
		return ret;
	vnpu_profile_lock();
	*out = stats;
	vnpu_profile_unlock();
	return ACL_SUCCESS;
}

static bool is_in(const struct vnpu_record *record, vnpu_profile_set set,
		  int64_t device)
{
	if (device != VNPU_RECORD_ANY_DEVICE && record->device != device)
		return false;
	switch (set) {
	case VNPU_PROFILE_LIVE:
		return !record->free_seq;
	case VNPU_PROFILE_PEAK:
		return was_alive(record, device == VNPU_RECORD_ANY_DEVICE ?
				 peak_seq : book_of(record)->peak_seq);
	default:
		return true;
	}
}

static int by_age(const void *a, const void *b)
{
	const struct vnpu_record *x = a, *y = b;

	return (x->alloc_seq > y->alloc_seq) - (x->alloc_seq < y->alloc_seq);
}

/* The destination of a copied set. */
struct copies {
	struct vnpu_record *each;
	size_t count;
	vnpu_profile_set set;
	int64_t device;
};

static void copy_chain(const struct vnpu_record *chain, struct copies *copies)
{
	for (; chain; chain = chain->next)
		if (is_in(chain, copies->set, copies->device))
			copies->each[copies->count++] = *chain;
}

struct vnpu_record *vnpu_record_copy(vnpu_profile_set set, int64_t device,
				     size_t *count)
{
	size_t most = stats.live_blocks + held.count + past.count;
	struct copies copies = { .set = set, .device = device };

	for (size_t i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		most += by_device[i].held.count;
	*count = 0;
	copies.each = calloc(most + 1, sizeof(*copies.each));
	if (!copies.each)
		return NULL;
	for (size_t i = 0; i < vnpu_live_chains(); i++)
		copy_chain(*vnpu_live_chain(i), &copies);
	for (size_t i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		copy_chain(by_device[i].held.first, &copies);
	copy_chain(held.first, &copies);
	copy_chain(past.first, &copies);
	qsort(copies.each, copies.count, sizeof(*copies.each), by_age);
	*count = copies.count;
	return copies.each;
}
