// SPDX-License-Identifier: GPL-2.0-only
/* Launches: errors that a program can make, and those that an attacker does. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_test.h"
#include "../../lib/ops/op.h"

static bool fails(const struct vnpu_op_launch *l, int err, int argument,
		  const char *text)
{
	struct vnpu_op_error error = { .argument = -2 };

	if (vnpu_op_check(l, &error) == err && error.argument == argument &&
	    strstr(error.text, text))
		return true;
	note("expected %d about %d: %s; got %d: %s", err, argument, text,
	     error.argument, error.text);
	return false;
}

static bool test_errors(void)
{
	struct vnpu_tensor a = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 3), b, out = a;
	struct vnpu_op_launch l;

	b = VIEW(VNPU_DT_F32, CONTIGUOUS, 4);
	launch(&l, VNPU_OP_ADD, 2, 1, &a, &b, &out);
	EXPECT(fails(&l, -EINVAL, 1, "add: other: shape [4] cannot be broadcast with [2, 3]"));
	b = VIEW(VNPU_DT_F32, CONTIGUOUS, 3);
	launch(&l, VNPU_OP_ADD, 2, 1, &a, &b, &b);
	EXPECT(fails(&l, -EINVAL, 2, "add: out: expected shape [2, 3], given [3]"));
	out.dtype = VNPU_DT_I32;
	launch(&l, VNPU_OP_ADD, 2, 1, &a, &b, &out);
	EXPECT(fails(&l, -EINVAL, 2, "add: out: the result of type f32 cannot be cast to i32"));
	launch(&l, VNPU_OP_BITWISE_AND, 2, 1, &a, &b, &a);
	EXPECT(fails(&l, -EINVAL, 0, "bitwise_and: self: expected integers or bool, given f32"));
	launch(&l, VNPU_OP_ADD, 2, 1, &a, NULL, &a);
	EXPECT(fails(&l, -EINVAL, 1, "add: other: is missing"));
	launch(&l, VNPU_OP_ADD, 2, 1, &a, &b, NULL);
	EXPECT(fails(&l, -EINVAL, 2, "add: out: is missing"));
	launch(&l, VNPU_OP_ADD, 1, 1, &a, &a);
	EXPECT(fails(&l, -EINVAL, -1, "expects 2 to 2 inputs, but there are 1"));
	launch(&l, 9999, 1, 1, &a, &a);
	EXPECT(fails(&l, -ENOSYS, -1, "number 9999 does not exist"));
	launch(&l, VNPU_OP_SUM, 1, 1, &a, &a);
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 2 }, 1);
	EXPECT(fails(&l, -EINVAL, -1, "sum: dims: expected -2 to 1, given 2"));
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 1, -1 }, 2);
	EXPECT(fails(&l, -EINVAL, -1, "sum: dims: dimension 1 is given twice"));
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 }, 9);
	EXPECT(fails(&l, -EINVAL, -1, "dims: has 9 values"));
	out = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 3);
	out.strides[0] = 0;
	launch(&l, VNPU_OP_ADD, 2, 1, &a, &b, &out);
	EXPECT(fails(&l, -EINVAL, 2, "several times"));
	return true;
}

/* Views that leave their storage, by each field that can do that. */
static bool test_hostile(void)
{
	struct vnpu_tensor good = VIEW(VNPU_DT_F32, CONTIGUOUS, 4, 4), t;
	struct vnpu_op_launch l;
	struct vnpu_op_error error;
	unsigned int i;
	const struct {
		size_t at;
		int64_t value;
		int err;
	} attack[] = {
#define ATTACK(field, value, err)					\
		{ offsetof(struct vnpu_tensor, field), value, err }
		ATTACK(offset, 1, -EFAULT),
		ATTACK(offset, -1, -EFAULT),
		ATTACK(offset, INT64_MAX, -EOVERFLOW),
		ATTACK(offset, INT64_MIN, -EOVERFLOW),
		ATTACK(strides[0], 5, -EFAULT),
		ATTACK(strides[0], -4, -EFAULT),
		ATTACK(strides[1], 2, -EFAULT),
		ATTACK(strides[0], INT64_MAX, -EOVERFLOW),
		ATTACK(strides[0], INT64_MIN, -EOVERFLOW),
		ATTACK(strides[0], (int64_t)1 << 62, -EOVERFLOW),
		ATTACK(strides[0], VNPU_TENSOR_MAX, -EOVERFLOW),
		ATTACK(dims[0], 5, -EFAULT),
		ATTACK(dims[0], -1, -EINVAL),
		ATTACK(dims[0], INT64_MAX, -EOVERFLOW),
		ATTACK(dims[0], INT64_MIN, -EINVAL),
		ATTACK(dims[0], VNPU_TENSOR_MAX, -EOVERFLOW),
		ATTACK(bytes, 63, -EFAULT),
		ATTACK(bytes, 0, -EFAULT),
		ATTACK(bytes, -1, -EFAULT),
		ATTACK(data, 0, -EFAULT),
	};

	for (i = 0; i < ARRAY_SIZE(attack); i++) {
		t = good;
		memcpy((char *)&t + attack[i].at, &attack[i].value, 8);
		vnpu_op_init(&l, VNPU_OP_NEG, 1, 1);
		l.tensor[0] = t;
		l.tensor[1] = good;
		if (vnpu_op_check(&l, &error) != attack[i].err ||
		    error.argument != 0) {
			note("attack %u passes: %s", i, error.text);
			return false;
		}
	}
	t = good;
	t.data += 2;
	launch(&l, VNPU_OP_NEG, 1, 1, &t, &good);
	EXPECT(fails(&l, -EINVAL, 0, "aligned"));
	t = good;
	t.rank = 9;
	launch(&l, VNPU_OP_NEG, 1, 1, &t, &good);
	EXPECT(fails(&l, -EINVAL, 0, "rank"));
	t = good;
	t.flags = 2;
	launch(&l, VNPU_OP_NEG, 1, 1, &t, &good);
	EXPECT(fails(&l, -EINVAL, 0, "flags"));
	t = good;
	t.reserved[4] = 1;
	launch(&l, VNPU_OP_NEG, 1, 1, &t, &good);
	EXPECT(fails(&l, -EINVAL, 0, "reserved"));
	return true;
}

/* The block as it comes from another process. */
static bool test_block(void)
{
	struct vnpu_tensor t = VIEW(VNPU_DT_F32, CONTIGUOUS, 4);
	struct vnpu_op_window window = { t.data, t.data + t.bytes };
	struct vnpu_op_job *job = malloc(sizeof(*job));
	struct vnpu_op_error error;
	struct vnpu_op_launch l;
	size_t size;

	launch(&l, VNPU_OP_NEG, 1, 1, &t, &t);
	EXPECT(!vnpu_op_prepare(job, &l, l.size, &window, &error));
	for (size = 0; size <= sizeof(l) + 8; size++)
		if (size != l.size)
			EXPECT(vnpu_op_prepare(job, &l, size, &window,
					       &error) == -EINVAL);
	l.inputs = 0;
	EXPECT(vnpu_op_prepare(job, &l, l.size, &window, &error) == -EINVAL);
	l.inputs = 1;
	window.start++;
	EXPECT(vnpu_op_prepare(job, &l, l.size, &window, &error) == -EFAULT);
	window.start--;
	window.end--;
	EXPECT(vnpu_op_prepare(job, &l, l.size, &window, &error) == -EFAULT);
	free(job);
	return true;
}

/* A field gets a value that is likely to be wrong in an interesting way. */
static int64_t odd_number(void)
{
	static const int64_t odd[] = {
		0, 1, -1, 2, 3, 8, 127, -128, INT32_MAX, INT64_MAX, INT64_MIN,
		VNPU_TENSOR_MAX, -VNPU_TENSOR_MAX, (int64_t)1 << 40,
	};

	return below(3) ? below(9) - 2 : odd[below(ARRAY_SIZE(odd))];
}

/* Most steps of a random chain are valid. */
static void random_steps(struct vnpu_op_launch *l)
{
	unsigned int count = below(VNPU_OP_LIST + 1), i, k;

	l->word[0].i = count;
	for (i = 0; i < count; i++) {
		unsigned int op = 1 + below(VNPU_OP_COPY);
		uint64_t step = op;

		for (k = 0; k < ops_get(op)->min_inputs && below(20); k++)
			step |= (i && below(2) ?
				 VNPU_OP_CHAIN_RESULT + below(i + !below(9)) :
				 1 + below(l->inputs + !below(9))) <<
				(16 + 8 * k);
		l->word[1 + i].i = step;
	}
}

/*
 * Launches of random operators whose fields are damaged: each is refused, or
 * runs within its storages, which the sanitizer watches.
 */
static bool test_fuzz(void)
{
	static char storage[4][4096] __attribute__((aligned(64)));
	struct vnpu_op_launch *l = malloc(sizeof(*l));
	struct vnpu_op_job *job = malloc(sizeof(*job));
	unsigned int accepted = 0, round, i, k;
	struct vnpu_op_error error;

	for (round = 0; round < 200000; round++) {
		unsigned int number = 1 + below(VNPU_OP_COUNT - 1);
		const struct ops_op *op = ops_get(number);
		unsigned int inputs = op->min_inputs +
			below(op->max_inputs - op->min_inputs + 1);
		unsigned int outputs = op->min_outputs +
			below(op->max_outputs - op->min_outputs + 1);
		unsigned int dtype = 1 + below(VNPU_DT_COUNT - 1);
		unsigned int rank = below(5);
		int64_t dims[8];

		for (k = 0; k < rank; k++)
			dims[k] = 1 + below(4);
		vnpu_op_init(l, number, inputs, outputs);
		if (number == VNPU_OP_CHAIN)
			random_steps(l);
		for (i = 0; i < inputs; i++) {
			if (!below(16))
				continue;
			if (!below(8))
				rank = below(5);
			for (k = 0; k < rank; k++)
				if (!below(4))
					dims[k] = 1 + below(4);
			vnpu_tensor_init(&l->tensor[i], below(4) ? dtype :
					 1 + below(VNPU_DT_COUNT - 1), rank,
					 dims, storage);
		}
		if (vnpu_op_infer(l, NULL) && below(4))
			continue;
		for (i = 0; i < inputs + outputs; i++) {
			struct vnpu_tensor *t = &l->tensor[i];
			uint64_t bytes = (t->bytes + 7) / 8 * 8;

			/* At the end, so that a step beyond is seen. */
			if (bytes > sizeof(storage[0]))
				t->dims[0] = bytes = 0;
			t->data = (uintptr_t)storage[below(4)] +
				  sizeof(storage[0]) - bytes;
			t->bytes = bytes;
		}
		for (k = below(4); k--;) {
			struct vnpu_tensor *t = &l->tensor[below(inputs + outputs)];

			switch (below(7)) {
			case 0:
				t->dims[below(8)] = odd_number();
				break;
			case 1:
				t->strides[below(8)] = odd_number();
				break;
			case 2:
				t->offset = odd_number();
				break;
			case 3:
				t->rank = odd_number();
				break;
			case 4:
				t->dtype = odd_number();
				break;
			case 5:
				l->word[below(VNPU_OP_WORDS)].i = odd_number();
				break;
			case 6:
				vnpu_tensor_set_i64(t, odd_number());
				break;
			}
		}
		if (vnpu_op_prepare(job, l, l->size, NULL, &error))
			continue;
		accepted++;
		/* Some are valid, but large: a storage that is repeated. */
		for (i = 0, k = 0; i < inputs + outputs; i++)
			if (l->tensor[i].dtype &&
			    vnpu_tensor_elements(&l->tensor[i]) > 100000)
				k = 1;
		if (!k && job->scratch + job->shared < 1 << 24)
			vnpu_op_compute(l, NULL);
	}
	free(job);
	free(l);
	note("%u of %u launches were valid", accepted, round);
	EXPECT(accepted > round / 10);
	return true;
}

/* The table, the names, and the defaults of parameters. */
static bool test_table(void)
{
	struct vnpu_op_launch l;
	enum vnpu_op_kind kind, found;
	unsigned int op, i;
	char name[40];

	for (op = 1; op < VNPU_OP_COUNT; op++) {
		EXPECT(vnpu_op_name(op));
		EXPECT(vnpu_op_find(vnpu_op_name(op)) == op);
		for (i = 0; vnpu_op_param(op, i, NULL); i++)
			EXPECT(vnpu_op_find_param(op, vnpu_op_param(op, i, &kind),
						  &found) == (int)i &&
			       found == kind);
		EXPECT(i < 12);
		EXPECT(vnpu_op_find_param(op, "no_such_parameter", NULL) ==
		       -ENOENT);
	}
	EXPECT(!vnpu_op_name(VNPU_OP_NONE) && !vnpu_op_name(VNPU_OP_COUNT));
	EXPECT(vnpu_op_find("no_such_operator") == VNPU_OP_NONE);
	vnpu_op_init(&l, VNPU_OP_ELU, 1, 1);
	EXPECT(l.word[0].f == 1 && l.word[2].f == 1);
	vnpu_op_argument(VNPU_OP_WHERE, 1, 3, name, sizeof(name));
	EXPECT(!strcmp(name, "self"));
	vnpu_op_argument(VNPU_OP_WHERE, 3, 3, name, sizeof(name));
	EXPECT(!strcmp(name, "out"));
	vnpu_op_argument(VNPU_OP_MAX_INDEX, 2, 1, name, sizeof(name));
	EXPECT(!strcmp(name, "indices"));
	return true;
}

const struct test launch_tests[] = {
	{ "errors", test_errors },
	{ "hostile_views", test_hostile },
	{ "launch_block", test_block },
	{ "table", test_table },
	{ "fuzz", test_fuzz },
	{ }
};
