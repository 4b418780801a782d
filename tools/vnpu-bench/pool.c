// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench pool: pools of memory, compared with other implementations of
 * malloc().  Needs no device: the memory of the pool is addresses that are
 * never accessed.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "measure.h"
#include "pool.h"
#include "report.h"

/* Effectively no limit, with addresses for all of it. */
#define LIMIT	(262144 * MIB)
#define CHUNK	(2 * MIB)

static int reserve(void *user, uint64_t length, uint64_t *base)
{
	uint64_t before, addr;
	char *p = mmap(NULL, length + CHUNK, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)user;
	if (p == MAP_FAILED)
		return -errno;
	addr = (uintptr_t)p;
	before = -addr & (CHUNK - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + length, CHUNK - before);
	*base = addr + before;
	return 0;
}

static void release(void *user, uint64_t base, uint64_t length)
{
	(void)user;
	munmap((void *)(uintptr_t)base, length);
}

static int map(void *user, uint64_t addr, uint64_t length)
{
	(void)user;
	(void)addr;
	(void)length;
	return 0;
}

static int move(void *user, uint64_t from, uint64_t to, uint64_t length)
{
	(void)to;
	return map(user, from, length);
}

static void unmap(void *user, uint64_t addr, uint64_t length)
{
	map(user, addr, length);
}

vnpu_pool_t pool_open(enum vnpu_pool_type type, uint64_t limit, uint32_t remap)
{
	static const struct vnpu_pool_provider provider = {
		.reserve = reserve,
		.release = release,
		.map = map,
		.unmap = unmap,
		.move = move,
	};
	struct vnpu_pool_config config;
	vnpu_pool_t pool;

	vnpu_pool_config_init(&config);
	config.type = type;
	config.limit = limit ? limit : LIMIT;
	config.remap = remap;
	if (remap)
		config.defrag_threshold = 1;
	config.provider = &provider;
	if (vnpu_pool_create(&pool, &config))
		die(BENCH_FAILED, "a pool: %s", aclGetRecentErrMsg());
	return pool;
}

struct subject_arg {
	const struct pool_load *load;
	vnpu_pool_t pool;
	struct pool_peer *peer;
};

static int run(void *arg, uint64_t *ns)
{
	const struct subject_arg *a = arg;

	return a->peer ? pool_peer_run(a->peer, a->load, ns) :
			 pool_run(a->load, a->pool, ns);
}

static void set_title(char *title, size_t size, const struct pool_load *load)
{
	char how[40] = "at once";

	if (load->live)
		snprintf(how, sizeof(how), "one of %u alive", load->live);
	if (!load->threads)
		snprintf(title, size, "%u pairs, freed by another thread",
			 POOL_TOLD);
	else
		snprintf(title, size, "%u pairs, %s, %u thread%s%s", POOL_TOLD,
			 how, load->threads, load->threads > 1 ? "s" : "",
			 load->size ? "" : ", 64 B to 2 MiB");
}

static void measure(const struct options *opt, struct report *report,
		    vnpu_pool_t pool, const struct pool_load *load)
{
	struct subject_arg args[CONTEST_SUBJECTS];
	struct contest contest = { .size = load->size };
	char title[100];
	size_t i;

	set_title(title, sizeof(title), load);
	contest.title = title;
	args[0] = (struct subject_arg){ load, pool, NULL };
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = run, .arg = &args[0],
	};
	for (i = 0; i < pool_peer_count; i++) {
		args[i + 1] = (struct subject_arg){ load, NULL, &pool_peers[i] };
		*contest_add(&contest) = (struct subject){
			.name = pool_peers[i].name, .run = run, .arg = &args[i + 1],
		};
	}
	contest_run(&contest, opt);
	report_contest(report, &contest);
}

static void measure_sizes(const struct options *opt, struct report *report,
			  vnpu_pool_t pool, uint32_t threads)
{
	static const uint64_t sizes[] = { 64, 4 * KIB, 64 * KIB, MIB, 0 };
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		struct pool_load load = {
			.size = sizes[i / 2],
			.live = i % 2 ? 1000 : 0,
			.threads = threads,
			.seed = opt->seed,
		};

		measure(opt, report, pool, &load);
	}
}

static void measure_many_live(const struct options *opt,
			      struct report *report, vnpu_pool_t pool)
{
	static const uint64_t sizes[] = { 64, 4 * KIB };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pool_load load = {
			.size = sizes[i],
			.live = POOL_LIVE_MOST,
			.threads = 1,
			.seed = opt->seed,
		};

		measure(opt, report, pool, &load);
	}
}

static void measure_remote(const struct options *opt, struct report *report,
			   vnpu_pool_t pool)
{
	static const uint64_t sizes[] = { 64, 4 * KIB, 64 * KIB };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pool_load load = {
			.size = sizes[i],
			.seed = opt->seed,
		};

		measure(opt, report, pool, &load);
	}
}

static void measure_pairs(const struct options *opt, struct report *report)
{
	vnpu_pool_t pool = pool_open(VNPU_POOL_THREADED, 0, 0);
	uint32_t threads;
	size_t i;

	for (i = 0; i < pool_peer_count; i++)
		pool_peer_start(&pool_peers[i], "pool-peer");
	if (opt->test != BENCH_CONCURRENT) {
		measure_sizes(opt, report, pool, 1);
		measure_many_live(opt, report, pool);
	}
	if (opt->test != BENCH_LATENCY) {
		measure_remote(opt, report, pool);
		for (threads = 2; threads <= opt->threads; threads *= 2)
			measure_sizes(opt, report, pool, threads);
	}
	for (i = 0; i < pool_peer_count; i++)
		pool_peer_stop(&pool_peers[i]);
	vnpu_pool_destroy(pool);
}

void bench_pool(const struct options *opt, struct report *report)
{
	if (opt->trace)
		pool_measure_trace(opt, report);
	else if (opt->test == BENCH_TAIL)
		pool_measure_tail(opt, report);
	else
		measure_pairs(opt, report);
}
