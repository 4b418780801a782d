// SPDX-License-Identifier: GPL-2.0-only
/*
 * Networks, which networks_make.c makes. Each gives the same result with and
 * without every pass, views, and reuse of memory.
 */
#include <math.h>

#include "networks.h"

/* Compile and run a network; compare with the elements of @want, if given. */
static bool check(const struct bytes *model, struct run *r, const struct run *want)
{
	int64_t i, n;

	if (!run_model(r, model->data, model->size)) {
		printf("# %s\n", r->error);
		return false;
	}
	if (!want)
		return true;
	n = r->program.tensors[1].bytes / sizeof(float);
	EXPECT(want->program.tensors[1].bytes == r->program.tensors[1].bytes);
	for (i = 0; i < n; i++) {
		double a = ((float *)r->outputs[0])[i];
		double b = ((float *)want->outputs[0])[i];

		if (!(fabs(a - b) <= 1e-6 + 1e-4 * fabs(b))) {
			printf("# element %lld is %g, expected %g\n",
			       (long long)i, a, b);
			return false;
		}
	}
	return true;
}

static struct bytes make_image(void)
{
	float values[3 * 32 * 32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = model_uniform() * 2 - 1;
	return model_tensor(4, network_image, values);
}

/* Run a network in one way, and compare. */
static bool variant(const struct bytes *model, const struct bytes *x,
		    const struct run *want, struct compile_options options)
{
	struct run r = { .input_count = 1, .options = options };
	bool same;

	r.inputs[0] = *x;
	same = check(model, &r, want);
	run_free(&r);
	return same;
}

static bool same_results(void)
{
	struct bytes x = make_image(), model;
	unsigned int i, pass;

	for (i = 0; i < NETWORKS; i++) {
		struct run plain = { .input_count = 1 };

		model = network_make(i);
		plain.inputs[0] = x;
		plain.options = (struct compile_options){
			.without = UINT64_MAX, .copies = true,
			.memory = MEMORY_NO_REUSE,
		};
		EXPECT(check(&model, &plain, NULL));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){ 0 }));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){
			.copies = true }));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){
			.memory = MEMORY_NO_REUSE }));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){
			.without = UINT64_MAX }));
		for (pass = 0; pass_at(pass); pass++)
			EXPECT(variant(&model, &x, &plain,
				       (struct compile_options){
				.without = UINT64_C(1) << pass }));
		run_free(&plain);
		free(model.data);
	}
	free(x.data);
	return true;
}

/* Chains of elementwise steps change no bit, and need no more memory. */
static bool chains(void)
{
	uint64_t bit = UINT64_C(1) << pass_find(PASS_CHAINS);
	struct bytes x = make_image(), model;
	unsigned int i, joined = 0;

	for (i = 0; i < NETWORKS; i++) {
		struct run apart = {
			.input_count = 1, .options.without = bit,
			.inputs[0] = x,
		}, together = { .input_count = 1, .inputs[0] = x };

		model = network_make(i);
		EXPECT(check(&model, &apart, NULL));
		EXPECT(check(&model, &together, NULL));
		EXPECT(!memcmp(apart.outputs[0], together.outputs[0],
			       apart.program.tensors[1].bytes));
		EXPECT(together.program.head->work <=
		       apart.program.head->work);
		joined += apart.program.head->steps -
			  together.program.head->steps;
		run_free(&apart);
		run_free(&together);
		free(model.data);
	}
	EXPECT(joined);
	free(x.data);
	return true;
}

/* Packed weights change no bit, and are at most 1/16 larger. */
static bool packed(void)
{
	uint64_t bit = UINT64_C(1) << pass_find(PASS_PACKED);
	struct bytes x = make_image(), model;
	unsigned int i, larger = 0;

	for (i = 0; i < NETWORKS; i++) {
		struct run plain = {
			.input_count = 1, .options.without = bit,
			.inputs[0] = x,
		}, fast = { .input_count = 1, .inputs[0] = x };
		uint64_t size, least;

		model = network_make(i);
		EXPECT(check(&model, &plain, NULL));
		EXPECT(check(&model, &fast, NULL));
		EXPECT(!memcmp(plain.outputs[0], fast.outputs[0],
			       plain.program.tensors[1].bytes));
		least = plain.program.head->weights_size;
		size = fast.program.head->weights_size;
		EXPECT(size >= least && size - least <= least / 16);
		larger += size > least;
		run_free(&plain);
		run_free(&fast);
		free(model.data);
	}
	EXPECT(larger);
	free(x.data);
	return true;
}

/* Passes leave few nodes, and memory is shared. */
static bool gains(void)
{
	struct compile_options options = { 0 };
	struct compile_result r;
	struct bytes model;
	unsigned int i, in_place = 0;

	for (i = 0; i < NETWORKS; i++) {
		model = network_make(i);
		EXPECT(!compile_model(model.data, model.size, &options, &r));
		printf("# %s: %u nodes of %u, %llu bytes of %llu\n",
		       networks[i].name, r.nodes_left, r.nodes_read,
		       (unsigned long long)r.memory.peak,
		       (unsigned long long)r.memory.plain);
		EXPECT(r.nodes_left <= networks[i].nodes);
		EXPECT(r.memory.peak < r.memory.plain);
		in_place += r.memory.in_place;
		compile_free(&r);
		free(model.data);
	}
	EXPECT(in_place);
	return true;
}

/* Each pass has something to do in one of the networks. */
static bool all_passes(void)
{
	struct compile_options options = { 0 };
	uint32_t changes[PASS_MAX] = { 0 };
	struct compile_result r;
	struct bytes model;
	unsigned int i, pass;

	for (i = 0; i < NETWORKS; i++) {
		model = network_make(i);
		EXPECT(!compile_model(model.data, model.size, &options, &r));
		for (pass = 0; pass_at(pass); pass++)
			changes[pass] += r.changes[pass];
		compile_free(&r);
		free(model.data);
	}
	for (pass = 0; pass_at(pass); pass++) {
		printf("# %s: %u\n", pass_at(pass)->name, changes[pass]);
		EXPECT(pass_find(pass_at(pass)->name) == (int)pass);
		EXPECT(changes[pass]);
	}
	EXPECT(pass_find("none") == -ENOENT);
	return true;
}

const struct test network_tests[] = {
	{ "networks: same results", same_results },
	{ "networks: chains", chains },
	{ "networks: packed weights", packed },
	{ "networks: gains", gains },
	{ "networks: passes", all_passes },
	{ 0 },
};
