// SPDX-License-Identifier: GPL-2.0-only
/* Chains of elementwise operators: the same bits as their steps one by one. */
#include <string.h>

#include "ops_test.h"

/* Operators of f32, with 1, 2 and 3 inputs. */
static const unsigned int ops[][4] = {
	{ VNPU_OP_RELU, VNPU_OP_TANH, VNPU_OP_ELU, VNPU_OP_SQRT },
	{ VNPU_OP_ADD, VNPU_OP_MUL, VNPU_OP_MAXIMUM, VNPU_OP_DIV },
	{ VNPU_OP_ADDCMUL, VNPU_OP_CLAMP, VNPU_OP_ADDCMUL, VNPU_OP_LERP },
};

static int64_t step(unsigned int op, unsigned int a, unsigned int b,
		    unsigned int c)
{
	return op | (int64_t)a << 16 | (int64_t)b << 24 | (int64_t)c << 32;
}

/* Run the steps of a chain one by one, each into memory of its own. */
static bool run_steps(const struct vnpu_op_launch *chain,
		      struct vnpu_tensor *result)
{
	struct vnpu_tensor results[VNPU_OP_LIST];
	unsigned int i, k, in, param = 0;

	for (i = 0; i < chain->word[0].i; i++) {
		int64_t s = chain->word[1 + i].i;
		struct vnpu_op_launch l;

		vnpu_op_init(&l, s & 0xffff, 0, 1);
		for (k = 0; vnpu_op_param(l.op, k, NULL); k++)
			vnpu_op_set_float(&l, k,
					  chain->word[1 + VNPU_OP_LIST +
						      param++].f);
		for (k = 0; (in = VNPU_OP_CHAIN_INPUT(s, k)); k++)
			l.tensor[k] = in & VNPU_OP_CHAIN_RESULT ?
				results[in & ~VNPU_OP_CHAIN_RESULT] :
				chain->tensor[in - 1];
		l.inputs = k;
		results[i] = view(VNPU_DT_F32, CONTIGUOUS, result->rank,
				  result->dims);
		l.tensor[k] = results[i];
		l.size = offsetof(struct vnpu_op_launch, tensor[k + 1]);
		EXPECT(!vnpu_op_compute(&l, NULL));
	}
	*result = results[i - 1];
	return true;
}

static bool is_same(const struct vnpu_tensor *a, const struct vnpu_tensor *b)
{
	int64_t i;

	for (i = 0; i < vnpu_tensor_elements(a); i++)
		if (memcmp(element(a, i), element(b, i), sizeof(float))) {
			note("element %lld is %g, expected %g", (long long)i,
			     get(a, i), get(b, i));
			return false;
		}
	return true;
}

/* Make an input that expands to @dims, or a number. */
static struct vnpu_tensor make_input(unsigned int rank, const int64_t *dims)
{
	int64_t some[VNPU_TENSOR_DIMS];
	unsigned int k, skip = below(3) ? 0 : below(rank + 1);
	struct vnpu_tensor t;

	if (!below(6)) {
		vnpu_tensor_set_f64(&t, uniform(-2, 2));
		return t;
	}
	for (k = skip; k < rank; k++)
		some[k - skip] = below(5) ? dims[k] : 1;
	t = view(VNPU_DT_F32, below(LAYOUTS), rank - skip, some);
	fill(&t, -2, 2);
	return t;
}

/* Compose a chain of random steps: each may use all that is there before. */
static void make_chain(struct vnpu_op_launch *l, unsigned int inputs)
{
	unsigned int count = 1 + below(VNPU_OP_LIST), params = 0, i, k;
	int64_t steps[VNPU_OP_LIST];

	for (i = 0; i < count; i++) {
		unsigned int arity = below(3), op = ops[arity][below(4)];
		unsigned int own = 0;

		while (vnpu_op_param(op, own, NULL))
			own++;
		if (params + own > VNPU_OP_CHAIN_PARAMS)
			break;
		steps[i] = op;
		for (k = 0; k <= arity; k++) {
			/* The first input of a step is never an immediate. */
			unsigned int in = !k ? 1 : 1 + below(inputs);

			if (i && below(3))
				in = VNPU_OP_CHAIN_RESULT + below(i);
			steps[i] |= (int64_t)in << (16 + 8 * k);
		}
		for (k = 0; k < own; k++)
			vnpu_op_set_float(l, 1 + params++, uniform(-1, 2));
	}
	vnpu_op_set_ints(l, 0, steps, i);
}

static bool test_same_bits(void)
{
	unsigned int round, i;

	for (round = 0; round < 200; round++) {
		unsigned int inputs = 1 + below(6), rank = 1 + below(3);
		int64_t dims[] = { 1 + below(5), 1 + below(7), 1 + below(700) };
		struct vnpu_tensor want = { .rank = rank };
		struct vnpu_op_launch l;

		memcpy(want.dims, dims + 3 - rank, rank * sizeof(*dims));
		vnpu_op_init(&l, VNPU_OP_CHAIN, inputs, 1);
		/* One input has all elements; it gives the chain its shape. */
		l.tensor[0] = view(VNPU_DT_F32, below(LAYOUTS), rank, want.dims);
		fill(&l.tensor[0], -2, 2);
		for (i = 1; i < inputs; i++)
			l.tensor[i] = make_input(rank, want.dims);
		make_chain(&l, inputs);
		l.tensor[inputs] = view(VNPU_DT_F32, below(OUT_LAYOUTS), rank,
					want.dims);
		EXPECT(run_steps(&l, &want));
		EXPECT(run(&l));
		EXPECT(is_same(&l.tensor[inputs], &want));
		free_views();
	}
	return true;
}

/* The output may be an input that a step reads after the first one. */
static bool test_in_place(void)
{
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 3, 1000), want = x;
	struct vnpu_op_launch l;
	const int64_t steps[] = {
		step(VNPU_OP_TANH, 1, 0, 0),
		step(VNPU_OP_MUL, VNPU_OP_CHAIN_RESULT, 1, 0),
		step(VNPU_OP_ADD, 1, VNPU_OP_CHAIN_RESULT + 1, 0),
	};

	fill(&x, -3, 3);
	launch(&l, VNPU_OP_CHAIN, 1, 1, &x, &x);
	vnpu_op_set_ints(&l, 0, steps, 3);
	vnpu_op_set_float(&l, 1, 0.5);
	EXPECT(run_steps(&l, &want));
	EXPECT(run(&l));
	return is_same(&x, &want);
}

static bool test_refused(void)
{
	static const struct {
		int64_t steps[2];
		unsigned int count;
		const char *why;
	} bad[] = {
		{ { 0 }, 0, "no steps" },
		{ { VNPU_OP_COUNT | 1 << 16 }, 1, "cannot be in a chain" },
		{ { VNPU_OP_SOFTMAX | 1 << 16 }, 1, "cannot be in a chain" },
		{ { VNPU_OP_CHAIN | 1 << 16 }, 1, "cannot be in a chain" },
		{ { VNPU_OP_ISNAN | 1 << 16 }, 1, "cannot be in a chain" },
		{ { VNPU_OP_ADAM | 1 << 16 }, 1, "cannot be in a chain" },
		{ { VNPU_OP_RELU }, 1, "expects 1 inputs" },
		{ { VNPU_OP_RELU | 0x101 << 16 }, 1, "expects 1 inputs" },
		{ { VNPU_OP_RELU | 3 << 16 }, 1, "does not exist" },
		{ { VNPU_OP_RELU | 0x80 << 16 }, 1, "does not exist" },
		{ { VNPU_OP_RELU | 1 << 16, VNPU_OP_RELU | 0x81 << 16 }, 2,
		  "step 1: its input 0 does not exist" },
		{ { VNPU_OP_RELU | 2 << 16 }, 1, "immediates" },
	};
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 4), two, out;
	struct vnpu_op_error error;
	struct vnpu_op_launch l;
	unsigned int i;

	out = VIEW(VNPU_DT_F32, CONTIGUOUS, 4);
	vnpu_tensor_set_f64(&two, 2);
	launch(&l, VNPU_OP_CHAIN, 2, 1, &x, &two, &out);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		vnpu_op_set_ints(&l, 0, bad[i].steps, bad[i].count);
		EXPECT(vnpu_op_check(&l, &error));
		if (!strstr(error.text, bad[i].why)) {
			note("%s: expected '%s'", error.text, bad[i].why);
			return false;
		}
	}
	l.tensor[1] = (struct vnpu_tensor){
		.flags = VNPU_TENSOR_F_IMMEDIATE, .rank = 255,
	};
	vnpu_op_set_ints(&l, 0, bad[6].steps, 0);
	EXPECT(vnpu_op_check(&l, &error) && strstr(error.text, "is missing"));
	l.tensor[1] = two;
	/* Three parameters each. */
	for (i = 0; i < 4; i++)
		l.word[1 + i].i = step(VNPU_OP_ELU, 1, 0, 0);
	l.word[0].i = 4;
	EXPECT(vnpu_op_check(&l, &error) && strstr(error.text, "12 parameters"));
	l.word[0].i = 3;
	EXPECT(!vnpu_op_check(&l, &error));
	l.tensor[0].dtype = VNPU_DT_F16;
	EXPECT(vnpu_op_check(&l, &error) &&
	       strstr(error.text, "expected type f32, given f16"));
	return true;
}

const struct test chain_tests[] = {
	{ "chains have the bits of their steps", test_same_bits },
	{ "chains work in place", test_in_place },
	{ "chains that are refused", test_refused },
	{ }
};
