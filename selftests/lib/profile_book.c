// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiler's records without a device: the test reports events in place of
 * the library.  Also built for ThreadSanitizer.
 */
#include "profile_book.h"

#include <time.h>

#include "memprof/record.h"

/* The addresses of a set, in its order. */
struct seen {
	uint64_t addresses[4096];
	uint64_t bytes;
	size_t count;
};

static void see(const struct vnpu_profile_block *block, void *arg)
{
	struct seen *seen = arg;

	if (seen->count < 4096)
		seen->addresses[seen->count] = block->address;
	seen->count++;
	seen->bytes += block->size;
}

static struct seen walk(vnpu_profile_set set)
{
	static _Thread_local struct seen seen;

	memset(&seen, 0, sizeof(seen));
	if (vnpu_profile_walk(set, see, &seen))
		abort();
	return seen;
}

TEST(nothing_while_off)
{
	on_alloc(4096, 1, 0);
	EXPECT_EQ(0, stats().allocs);
	OK(vnpu_profile_start(0));
	on_free(4096);
	on_alloc(4096, 1, 0);
	OK(vnpu_profile_stop());
	on_free(4096);
	EXPECT_EQ(1, stats().live_blocks);
	/* From an empty state. */
	OK(vnpu_profile_start(0));
	EXPECT_EQ(0, stats().live_blocks);
	EXPECT_EQ(0, walk(VNPU_PROFILE_ALL).count);
	EXPECT_EQ(0, stats().peak_bytes);
}

/* An allocator that only counts, with the set at its peak. */
#define BLOCKS	1024

struct model {
	uint64_t sizes[BLOCKS];		/* 0: free */
	uint64_t order[BLOCKS], peak_order[BLOCKS];
	uint64_t live, peak, count;
};

static void model_step(struct model *m, unsigned int block, uint64_t size)
{
	uint64_t address = 4096 * (1 + block);

	if (m->sizes[block]) {
		m->live -= m->sizes[block];
		m->sizes[block] = 0;
		m->order[block] = 0;
		on_free(address);
		return;
	}
	m->sizes[block] = size;
	m->order[block] = ++m->count;
	m->live += size;
	on_alloc(address, size, 0);
	if (m->live > m->peak) {
		m->peak = m->live;
		memcpy(m->peak_order, m->order, sizeof(m->order));
	}
}

/* Check that a set is exactly that of the model, in the order of allocation. */
static bool is_same(const struct seen *seen, const uint64_t *order)
{
	uint64_t last = 0;
	size_t count = 0;

	for (size_t i = 0; i < BLOCKS; i++)
		count += order[i] != 0;
	if (seen->count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = order[seen->addresses[i] / 4096 - 1];

		if (at <= last)
			return false;
		last = at;
	}
	return true;
}

TEST(the_peak_is_exact)
{
	static const size_t histories[] = { 0, 10, 1000000 };
	struct rng rng = rng_init();

	for (size_t h = 0; h < 3; h++) {
		struct model m = { .live = 0 };
		struct seen seen;

		OK(vnpu_profile_start(histories[h]));
		for (unsigned int i = 0; i < 20000; i++) {
			unsigned int phase = i / 2000 % 3;
			unsigned int block = rng_below(&rng,
						       phase ? BLOCKS : 100);
			uint64_t size = 1 + rng_below(&rng, 100 + 5 * i);

			/*
			 * Few blocks at a time; then growth; then shrinking;
			 * then growth to a higher peak.
			 */
			if (phase < 2 || m.sizes[block])
				model_step(&m, block, size);
			if (i % 997)
				continue;
			ASSERT_EQ(m.live, stats().live_bytes);
			ASSERT_EQ(m.peak, stats().peak_bytes);
			seen = walk(VNPU_PROFILE_LIVE);
			ASSERT_TRUE(is_same(&seen, m.order));
			seen = walk(VNPU_PROFILE_PEAK);
			ASSERT_EQ(m.peak, seen.bytes);
			ASSERT_EQ(seen.count, stats().peak_blocks);
			ASSERT_TRUE(is_same(&seen, m.peak_order));
		}
		OK(vnpu_profile_stop());
	}
}

TEST(history_is_as_configured)
{
	struct seen seen;

	OK(vnpu_profile_start(3));
	on_alloc(4096, 1 << 20, 0);
	for (int i = 2; i < 100; i++) {
		on_alloc(4096 * i, 10, 0);
		on_free(4096 * i);
	}
	/* The live block, the block of the peak, and three more. */
	seen = walk(VNPU_PROFILE_ALL);
	ASSERT_EQ(5, seen.count);
	EXPECT_EQ(4096, seen.addresses[0]);
	EXPECT_EQ(4096 * 2, seen.addresses[1]);
	EXPECT_EQ(4096 * 97, seen.addresses[2]);
	EXPECT_EQ(4096 * 99, seen.addresses[4]);
	EXPECT_EQ(99, stats().allocs);
	EXPECT_EQ(98, stats().frees);
	EXPECT_EQ(0, stats().lost);
}

TEST(a_failed_free_is_not_recorded)
{
	struct vnpu_record *record;

	OK(vnpu_profile_start(0));
	on_alloc(4096, 10, 0);
	record = vnpu_profile_free_begin(4096);
	ASSERT_NE(NULL, record);
	EXPECT_EQ(NULL, vnpu_profile_free_begin(4096));
	EXPECT_EQ(NULL, vnpu_profile_free_begin(4097));
	EXPECT_EQ(0, stats().live_blocks);
	vnpu_profile_free_end(record, false);
	EXPECT_EQ(10, stats().live_bytes);
	EXPECT_EQ(10, stats().peak_bytes);
	EXPECT_EQ(0, stats().frees);
	on_free(4096);
	EXPECT_EQ(0, stats().live_blocks);
}

/* A free that spans a new start belongs to the discarded records. */
TEST(a_start_during_a_free)
{
	struct vnpu_record *record;

	OK(vnpu_profile_start(10));
	on_alloc(4096, 10, 0);
	record = vnpu_profile_free_begin(4096);
	OK(vnpu_profile_stop());
	OK(vnpu_profile_start(10));
	vnpu_profile_free_end(record, true);
	EXPECT_EQ(0, walk(VNPU_PROFILE_ALL).count);
	EXPECT_EQ(0, stats().frees);
}

TEST(a_reset_affects_one_device)
{
	OK(vnpu_profile_start(100));
	for (int i = 1; i < 50; i++)
		on_alloc(4096 * i, i, i % 2);
	vnpu_profile_reset(1);
	EXPECT_EQ(24, stats().live_blocks);
	EXPECT_EQ(2 * 24 * 25 / 2, stats().live_bytes);
	EXPECT_EQ(25, stats().frees);
	EXPECT_EQ(49, walk(VNPU_PROFILE_PEAK).count);
}

static struct vnpu_profile_stats device_stats(uint32_t device)
{
	struct vnpu_profile_stats s;

	vnpu_record_device_stats(device, &s);
	return s;
}

/* One is at its peak while the other is below its own. */
TEST(each_device_has_a_peak)
{
	struct vnpu_record *record;

	OK(vnpu_profile_start(0));
	on_alloc(4096, 100, 0);
	on_free(4096);
	on_alloc(8192, 70, 1);
	on_alloc(12288, 60, 0);
	on_alloc(16384, 10, 0);
	EXPECT_EQ(140, stats().peak_bytes);
	EXPECT_EQ(100, device_stats(0).peak_bytes);
	EXPECT_EQ(1, device_stats(0).peak_blocks);
	EXPECT_EQ(70, device_stats(0).live_bytes);
	EXPECT_EQ(2, device_stats(0).live_blocks);
	EXPECT_EQ(3, device_stats(0).allocs);
	EXPECT_EQ(1, device_stats(0).frees);
	EXPECT_EQ(70, device_stats(1).peak_bytes);
	EXPECT_NE(0, device_stats(1).peak_ns);
	/* A failed free does not count. */
	record = vnpu_profile_free_begin(8192);
	EXPECT_EQ(0, device_stats(1).live_bytes);
	vnpu_profile_free_end(record, false);
	EXPECT_EQ(70, device_stats(1).live_bytes);
	EXPECT_EQ(0, device_stats(1).frees);
	vnpu_profile_reset(0);
	EXPECT_EQ(0, device_stats(0).live_bytes);
	EXPECT_EQ(70, device_stats(1).live_bytes);
	EXPECT_EQ(0, device_stats(2).allocs);
	OK(vnpu_profile_stop());
	OK(vnpu_profile_start(0));
	EXPECT_EQ(0, device_stats(0).peak_bytes);
}

/* The blocks of a set of one device, as bits by address / 4096. */
static uint64_t device_set(int64_t device, vnpu_profile_set set)
{
	struct vnpu_record *records;
	uint64_t bits = 0;
	size_t count;

	vnpu_profile_lock();
	records = vnpu_record_copy(set, device, &count);
	vnpu_profile_unlock();
	if (!records)
		abort();
	for (size_t i = 0; i < count; i++)
		bits |= 1ULL << records[i].address / 4096;
	free(records);
	return bits;
}

/* Compare with sets of the test; with or without history. */
static void check_device_peaks(struct __test_metadata *_metadata, size_t history)
{
	uint64_t sizes[64] = { 0 }, live[4] = { 0 }, most[4] = { 0 };
	uint64_t alive[4] = { 0 }, peak[4] = { 0 };
	struct rng rng = rng_init();

	OK(vnpu_profile_start(history));
	for (unsigned int i = 0; i < 800; i++) {
		unsigned int block = 1 + rng_below(&rng, 63), d = block % 3;
		uint64_t size = 1 + rng_below(&rng, 1000), bit = 1ULL << block;
		/* The last is the set of all devices together. */
		unsigned int both[] = { d, 3 };

		if (sizes[block])
			on_free(4096ULL * block);
		else
			on_alloc(4096ULL * block, size, d);
		for (unsigned int k = 0; k < 2; k++) {
			unsigned int of = both[k];

			alive[of] ^= bit;
			live[of] += sizes[block] ? -sizes[block] : size;
			if (live[of] > most[of]) {
				most[of] = live[of];
				peak[of] = alive[of];
			}
		}
		sizes[block] = sizes[block] ? 0 : size;
		for (d = 0; d < 3; d++) {
			ASSERT_EQ(most[d], device_stats(d).peak_bytes);
			ASSERT_EQ(peak[d], device_set(d, VNPU_PROFILE_PEAK));
			ASSERT_EQ(alive[d], device_set(d, VNPU_PROFILE_LIVE));
		}
		ASSERT_EQ(peak[3], device_set(VNPU_RECORD_ANY_DEVICE,
					      VNPU_PROFILE_PEAK));
		ASSERT_EQ(0, device_set(5, VNPU_PROFILE_ALL));
	}
	OK(vnpu_profile_stop());
	/* All records are discarded. */
	OK(vnpu_profile_start(0));
	ASSERT_EQ(0, device_set(VNPU_RECORD_ANY_DEVICE, VNPU_PROFILE_ALL));
	OK(vnpu_profile_stop());
}

TEST(each_device_has_a_peak_set)
{
	check_device_peaks(_metadata, 0);
	check_device_peaks(_metadata, 7);
}

/* An address that is allocated twice was freed unnoticed. */
TEST(the_later_of_two_counts)
{
	OK(vnpu_profile_start(0));
	on_alloc(4096, 10, 0);
	on_alloc(4096, 20, 0);
	EXPECT_EQ(1, stats().live_blocks);
	EXPECT_EQ(20, stats().live_bytes);
	EXPECT_EQ(20, stats().peak_bytes);
	on_free(4096);
	EXPECT_EQ(0, stats().live_bytes);
}

#define THREADS	6
#define ROUNDS	3000

static void *work(void *arg)
{
	uint64_t base = (uint64_t)(uintptr_t)arg << 32;
	char tag[32];

	snprintf(tag, sizeof(tag), "worker");
	for (int i = 0; i < ROUNDS; i++) {
		if (vnpu_profile_push_tag(i % 2 ? "odd" : tag))
			abort();
		on_alloc(base + 4096 * (i % 64), 100, 0);
		if (i % 128 == 5)
			walk(VNPU_PROFILE_PEAK);
		if (vnpu_profile_pop_tag())
			abort();
		if (i >= 32)
			on_free(base + 4096 * ((i - 32) % 64));
	}
	return NULL;
}

TEST(threads)
{
	pthread_t threads[THREADS];
	struct vnpu_profile_stats s;

	OK(vnpu_profile_start(50));
	for (uintptr_t i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, work,
					    (void *)(i + 1)));
	for (int i = 0; i < 200; i++)
		OK(vnpu_profile_write(VNPU_PROFILE_HISTOGRAM, VNPU_PROFILE_ALL,
				      "/dev/null"));
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	s = stats();
	EXPECT_EQ(THREADS * ROUNDS, s.allocs);
	EXPECT_EQ(THREADS * 32, s.live_blocks);
	EXPECT_EQ(s.live_blocks, s.allocs - s.frees);
	EXPECT_EQ(0, s.lost);
}

/* CPU time of this thread, so that busy threads do not count. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* The cost of an event: print it, with a limit far above it. */
TEST(cost)
{
	enum { PAIRS = 200000 };
	double start, off, on;

	start = seconds();
	for (int i = 0; i < PAIRS; i++) {
		on_alloc(4096 + 4096 * (i % 1000), 100, 0);
		on_free(4096 + 4096 * (i % 1000));
	}
	off = seconds() - start;
	OK(vnpu_profile_start(1000));
	start = seconds();
	for (int i = 0; i < PAIRS; i++) {
		on_alloc(4096 + 4096 * (i % 1000), 100, 0);
		on_free(4096 + 4096 * (i % 1000));
	}
	on = seconds() - start;
	TH_LOG("%.1f ns an event, %.1f ns while off", on * 1e9 / PAIRS / 2,
	       off * 1e9 / PAIRS / 2);
	EXPECT_LT(on / PAIRS / 2, 20e-6);
}

TEST_HARNESS_MAIN
