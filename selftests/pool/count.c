// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count the instructions of a pool's allocations and frees: those of the
 * library and of functions that it calls, but not those of this program.
 *
 * The program makes the processor trap after each instruction.  So the counts
 * do not depend on the load of the machine, nor on counters of the processor,
 * which virtual machines often lack.  Prints a line per load:
 *
 *	NAME|for a block that is freed at once|for one of 1000 live blocks
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "host.h"
#include "vnpu.h"
#include "../../tools/vnpu-bench/random.h"

#define LIVE		1000
#define CHOICES		16384
#define WARM_UP		100000
#define PAIRS		100
#define MIX_PAIRS	5000	/* few of them miss */
#define LIMIT		(UINT64_C(1) << 38)

#ifdef __x86_64__

extern const char __executable_start, etext;

static uint64_t counted;

static void count(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	uint64_t pc = (uint64_t)at->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	counted += pc - (uintptr_t)&__executable_start >=
		   (uintptr_t)&etext - (uintptr_t)&__executable_start;
}

/* Set or clear the trap flag; beyond the red zone of the stack. */
static inline void trap(bool is_on)
{
	if (is_on)
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq;"
				 "orq $0x100, (%%rsp); popfq;"
				 "lea 128(%%rsp), %%rsp" : : : "memory", "cc");
	else
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq;"
				 "andq $~0x100, (%%rsp); popfq;"
				 "lea 128(%%rsp), %%rsp" : : : "memory", "cc");
}

static void prepare(void)
{
	struct sigaction action = {
		.sa_sigaction = count,
		.sa_flags = SA_SIGINFO,
	};

	if (sigaction(SIGTRAP, &action, NULL))
		exit(1);
}

#else

static uint64_t counted;

static void trap(bool is_on)
{
	(void)is_on;
}

static void prepare(void)
{
	puts("# SKIP the documented figures are for x86-64");
	exit(0);
}

#endif

static uint32_t sizes[CHOICES], slots[CHOICES];
static void *blocks[LIVE];

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, aclGetRecentErrMsg());
	exit(1);
}

/* Free and allocate pairs, from a choice on. */
static void pairs(vnpu_pool_t pool, uint32_t live, uint32_t from,
		  uint32_t nr_pairs)
{
	for (uint32_t i = from; i < from + nr_pairs; i++) {
		void **slot = &blocks[slots[i % CHOICES]];

		if (live && vnpu_pool_free(pool, *slot))
			fail("vnpu_pool_free");
		*slot = vnpu_pool_alloc(pool, sizes[i % CHOICES]);
		if (!*slot)
			fail("vnpu_pool_alloc");
		if (!live && vnpu_pool_free(pool, *slot))
			fail("vnpu_pool_free");
	}
}

/* Count the instructions of a pair; a size of 0 is the mix. */
static double measure(vnpu_pool_t pool, uint64_t size, uint32_t live)
{
	uint32_t nr_pairs = size || !live ? PAIRS : MIX_PAIRS;
	struct random random = { 1 };

	for (uint32_t i = 0; i < CHOICES; i++) {
		slots[i] = live ? random_below(&random, live) : 0;
		sizes[i] = size ? size : random_log_uniform(&random, 64,
							    2 << 20);
	}
	for (uint32_t i = 0; i < live; i++) {
		blocks[i] = vnpu_pool_alloc(pool, sizes[i]);
		if (!blocks[i])
			fail("vnpu_pool_alloc");
	}
	pairs(pool, live, 0, WARM_UP);
	counted = 0;
	trap(true);
	pairs(pool, live, WARM_UP, nr_pairs);
	trap(false);
	for (uint32_t i = 0; i < live; i++)
		if (vnpu_pool_free(pool, blocks[i]))
			fail("vnpu_pool_free");
	return (double)counted / nr_pairs;
}

int main(void)
{
	static const struct {
		const char *name;
		uint64_t size;
	} loads[] = {
		{ "64 B", 64 }, { "4 KiB", 4 << 10 }, { "64 KiB", 64 << 10 },
		{ "1 MiB", 1 << 20 }, { "64 B to 2 MiB", 0 },
	};
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;

	prepare();
	host_init(&host);
	vnpu_pool_config_init(&config);
	config.limit = LIMIT;
	config.provider = &host.provider;
	if (vnpu_pool_create(&pool, &config))
		fail("vnpu_pool_create");
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		double at_once = measure(pool, loads[i].size, 0);

		printf("%s|%.1f|%.1f\n", loads[i].name, at_once,
		       measure(pool, loads[i].size, LIVE));
	}
	if (vnpu_pool_destroy(pool))
		fail("vnpu_pool_destroy");
	return 0;
}
