// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the operator engine in user space, under sanitizers. Prints TAP;
 * SEED= repeats a run. See ops_test.h.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ops_test.h"
#include "../../lib/ops/vec/vec.h"

const unsigned int float_types[4] = {
	VNPU_DT_F16, VNPU_DT_BF16, VNPU_DT_F32, VNPU_DT_F64,
};
const unsigned int int_types[5] = {
	VNPU_DT_I8, VNPU_DT_I16, VNPU_DT_I32, VNPU_DT_I64, VNPU_DT_U8,
};
const unsigned int all_types[12] = {
	VNPU_DT_F16, VNPU_DT_BF16, VNPU_DT_F32, VNPU_DT_F64, VNPU_DT_I8,
	VNPU_DT_I16, VNPU_DT_I32, VNPU_DT_I64, VNPU_DT_U8, VNPU_DT_BOOL,
	VNPU_DT_U16, VNPU_DT_U32,
};

static uint64_t state = 1;

uint64_t rnd(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

int64_t below(int64_t bound)
{
	return rnd() % bound;
}

double uniform(double low, double high)
{
	return low + (high - low) * (rnd() >> 11) * 0x1p-53;
}

void launch(struct vnpu_op_launch *l, unsigned int op, unsigned int inputs,
	    unsigned int outputs, ...)
{
	unsigned int i;
	va_list args;

	vnpu_op_init(l, op, inputs, outputs);
	va_start(args, outputs);
	for (i = 0; i < inputs + outputs; i++) {
		const struct vnpu_tensor *t = va_arg(args, void *);

		if (t)
			l->tensor[i] = *t;
	}
	va_end(args);
}

/* Keep the storages of outputs, to compare and to restore them. */
struct kept {
	char *bytes[VNPU_OP_TENSORS];
};

static void keep(const struct vnpu_op_launch *l, struct kept *k)
{
	unsigned int i;

	for (i = 0; i < l->outputs; i++) {
		const struct vnpu_tensor *t = &l->tensor[l->inputs + i];

		k->bytes[i] = malloc(t->bytes + 1);
		if (t->dtype)
			memcpy(k->bytes[i], (void *)(uintptr_t)t->data,
			       t->bytes);
	}
}

static void restore(const struct vnpu_op_launch *l, const struct kept *k)
{
	unsigned int i;

	for (i = 0; i < l->outputs; i++) {
		const struct vnpu_tensor *t = &l->tensor[l->inputs + i];

		if (t->dtype)
			memcpy((void *)(uintptr_t)t->data, k->bytes[i],
			       t->bytes);
	}
}

static bool is_kept(const struct vnpu_op_launch *l, const struct kept *k)
{
	unsigned int i;

	for (i = 0; i < l->outputs; i++) {
		const struct vnpu_tensor *t = &l->tensor[l->inputs + i];

		if (t->dtype && memcmp((void *)(uintptr_t)t->data, k->bytes[i],
				       t->bytes))
			return false;
	}
	return true;
}

static void forget(const struct vnpu_op_launch *l, struct kept *k)
{
	unsigned int i;

	for (i = 0; i < l->outputs; i++)
		free(k->bytes[i]);
}

static bool run_parts(const struct vnpu_op_launch *l, uint32_t parts)
{
	struct vnpu_op_work w = { .parts = parts };
	struct vnpu_op_error error;
	struct vnpu_op_job *job = malloc(sizeof(*job));
	uint32_t part;
	int err;

	err = vnpu_op_prepare(job, l, l->size, NULL, &error);
	if (err) {
		note("error %d: %s", err, error.text);
		free(job);
		return false;
	}
	w.shared = job->shared ? aligned_alloc(64, (job->shared + 63) & ~63UL) :
				 NULL;
	for (w.phase = 0; w.phase < job->phases; w.phase++)
		for (part = parts; part--;) {
			w.part = part;
			w.scratch = job->scratch ?
				aligned_alloc(64, (job->scratch + 63) & ~63UL) :
				NULL;
			if (job->scratch)
				memset(w.scratch, 0xff, job->scratch);
			err |= vnpu_op_run(job, &w);
			free(w.scratch);
		}
	free(w.shared);
	free(job);
	if (err)
		note("%s: error %d", vnpu_op_name(l->op), err);
	return !err;
}

/* By operator: whether run() compared its outputs. */
static bool has_run[VNPU_OP_COUNT];

bool run(const struct vnpu_op_launch *l)
{
	static const uint32_t parts[] = { 1, 2, 7 };
	const struct ops_vec *best = ops_vec;
	struct kept before, first;
	unsigned int variant, i;
	bool ok = true;

	keep(l, &before);
	ok = run_parts(l, 1);
	keep(l, &first);
	for (variant = 0; ok && ops_vec_variant(variant); variant++)
		for (i = 0; ok && i < ARRAY_SIZE(parts); i++) {
			ops_vec = ops_vec_variant(variant);
			restore(l, &before);
			ok = run_parts(l, parts[i]);
			if (ok && !is_kept(l, &first)) {
				note("%s: %u parts and variant %s differ",
				     vnpu_op_name(l->op), parts[i],
				     ops_vec->name);
				ok = false;
			}
		}
	ops_vec = best;
	has_run[l->op] |= ok;
	forget(l, &before);
	forget(l, &first);
	return ok;
}

/* The last test: the ones before have run all operators. */
static bool test_complete(void)
{
	unsigned int op;

	if (getenv("ONLY"))
		return true;
	for (op = 1; op < VNPU_OP_COUNT; op++)
		if (!has_run[op]) {
			note("no test runs %s", vnpu_op_name(op));
			return false;
		}
	return true;
}

static const struct test complete_tests[] = {
	{ "complete", test_complete },
	{ }
};

static const struct test *const lists[] = {
	map_tests, special_tests, copy_tests, reduce_tests, index_tests,
	order_tests, matmul_tests, norm_tests, window_tests, conv_tests,
	attention_tests, random_tests, select_tests, gradient_tests,
	matrix_tests, sample_tests, grouped_tests, ctc_tests, chain_tests,
	search_tests, image_tests, plain_tests, launch_tests, complete_tests,
};

int main(void)
{
	const char *env = getenv("SEED"), *only = getenv("ONLY");
	uint64_t seed = env && *env ? strtoull(env, NULL, 0) :
				      (uint64_t)time(NULL);
	unsigned int i, number = 0, count = 0;
	const struct test *t;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (t = lists[i]; t->name; t++)
			count++;
	printf("TAP version 13\n1..%u\n# SEED=%llu\n", count,
	       (unsigned long long)seed);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (t = lists[i]; t->name; t++) {
			bool passed;

			number++;
			state = (seed + number) * 0x9e3779b97f4a7c15ULL | 1;
			if (only && !strstr(t->name, only)) {
				printf("ok %u - %s # SKIP\n", number, t->name);
				continue;
			}
			passed = t->run();
			free_views();
			printf("%sok %u - %s\n", passed ? "" : "not ", number,
			       t->name);
			fflush(stdout);
			ok &= passed;
		}
	return !ok;
}
