// SPDX-License-Identifier: GPL-2.0-only
/* The benefit of steps: training a network, without and with them. */
#include <string.h>

#include "pool_test.h"

/*
 * Training a network: forward makes an activation for each layer, with
 * temporary memory, and backward needs them in reverse order.
 */
#define LAYERS	48

struct training {
	vnpu_pool_t pool;
	uint64_t live, peak;
	uint64_t at;			/* of all addresses of a step */
	size_t activation[LAYERS], work[LAYERS];
	void *p[LAYERS];
};

static void *take(struct training *t, size_t size)
{
	void *p = vnpu_pool_alloc(t->pool, size);

	t->live += size;
	if (t->live > t->peak)
		t->peak = t->live;
	t->at = (t->at ^ (uintptr_t)p) * UINT64_C(0x100000001b3);
	return p;
}

static bool give(struct training *t, void *p, size_t size)
{
	t->live -= size;
	return !vnpu_pool_free(t->pool, p);
}

static bool layer(struct training *t, size_t size)
{
	void *work = take(t, size);

	EXPECT(work);
	return give(t, work, size);
}

static bool train(struct training *t)
{
	void *gradient, *next;

	t->at = 1;
	for (int i = 0; i < LAYERS; i++) {
		t->p[i] = take(t, t->activation[i]);
		EXPECT(t->p[i] && layer(t, t->work[i]));
	}
	gradient = take(t, t->activation[LAYERS - 1]);
	for (int i = LAYERS - 1; i > 0; i--) {
		next = take(t, t->activation[i - 1]);
		EXPECT(gradient && next && layer(t, t->work[i]));
		EXPECT(give(t, gradient, t->activation[i]));
		EXPECT(give(t, t->p[i], t->activation[i]));
		gradient = next;
	}
	EXPECT(give(t, gradient, t->activation[0]));
	return give(t, t->p[0], t->activation[0]);
}

static void training_init(struct training *t, vnpu_pool_t pool)
{
	uint64_t random = 12345;

	memset(t, 0, sizeof(*t));
	t->pool = pool;
	for (int i = 0; i < LAYERS; i++) {
		t->activation[i] = 20 * MIB + next_random(&random) % (150 * MIB);
		t->work[i] = 1 * MIB + next_random(&random) % (300 * MIB);
	}
}

/*
 * Reserved memory over the peak of allocated memory, in per mille, without and
 * with steps.
 */
static bool test_training(void)
{
	struct vnpu_pool_config config;
	struct vnpu_pool_stats stats;
	uint64_t ratio[2], at = 0;
	struct training t;
	struct host host;
	vnpu_pool_t pool;
	void *weights;

	vnpu_pool_config_init(&config);
	config.limit = 24576 * MIB;
	for (int with = 0; with < 2; with++) {
		EXPECT(pool_open(&host, &config, 0, &pool));
		training_init(&t, pool);
		weights = take(&t, 700 * MIB);
		for (int step = 1; step <= 8; step++) {
			EXPECT(!with || !vnpu_pool_step(pool));
			if (step == 3)
				EXPECT(!vnpu_pool_reset_peaks(pool));
			EXPECT(train(&t));
			if (step == 3)
				at = t.at;
			if (with && step > 3)
				EXPECT(t.at == at);
		}
		stats = stats_of(pool);
		ratio[with] = stats.reserved_peak * 1000 / t.peak;
		if (with) {
			EXPECT(stats.steps == 7 && stats.steps_replayed == 5);
			EXPECT(stats.planned > 4096 * MIB);
			EXPECT(!vnpu_pool_step_end(pool));
		}
		EXPECT(!vnpu_pool_free(pool, weights));
		EXPECT(pool_close(&host, pool));
	}
	printf("# reserved over peak: %llu per mille without steps, %llu with\n",
	       (unsigned long long)ratio[0], (unsigned long long)ratio[1]);
	EXPECT(ratio[1] <= 1001);
	return true;
}

const struct test training_tests[] = {
	{ "a training, planned", test_training },
};

const size_t training_count = ARRAY_SIZE(training_tests);
