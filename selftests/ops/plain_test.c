// SPDX-License-Identifier: GPL-2.0-only
/* The short way of plain launches, compared with the general one. See plain.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_test.h"
#include "../../lib/ops/families.h"

static const float odd_floats[] = {
	0, -0.0f, 1, -1, 0.5f, -3, 100, 0x1p-149f, -0x1p-130f, 3.4e38f, -3.4e38f,
	INFINITY, -INFINITY,
};

static float *floats(const struct vnpu_tensor *t)
{
	return (float *)(uintptr_t)t->data + t->offset;
}

static void fill_odd(const struct vnpu_tensor *t)
{
	int64_t i, count = vnpu_tensor_elements(t);

	fill(t, -5, 5);
	for (i = 0; i < count; i++)
		if (!below(8))
			floats(t)[i] = odd_floats[below(ARRAY_SIZE(odd_floats))];
}

/* A plain launch of an operator, or one that differs by @gap elements in front. */
static void make_launch(struct vnpu_op_launch *l, unsigned int op,
			unsigned int rank, const int64_t *dims, int64_t gap)
{
	const struct ops_op *o = ops_get(op);
	unsigned int i;

	vnpu_op_init(l, op, o->max_inputs, o->max_outputs);
	for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++) {
		struct vnpu_tensor *t = &l->tensor[i];

		*t = view(VNPU_DT_F32, CONTIGUOUS, rank, dims);
		if (!gap)
			continue;
		*t = VIEW(VNPU_DT_F32, CONTIGUOUS,
			  gap + vnpu_tensor_elements(t));
		vnpu_tensor_init(t, VNPU_DT_F32, rank, dims,
				 (void *)(uintptr_t)t->data);
		t->offset = gap;
		t->bytes += gap * sizeof(float);
	}
}

static bool takes_f32(unsigned int op)
{
	const struct ops_op *o = ops_get(op);

	return o->classes & 1U << OPS_F && o->rule != OPS_SELECT &&
	       o->rule != OPS_INTEGER;
}

/* Each operator stores the same bits on both ways. */
static bool test_same(void)
{
	struct vnpu_op_launch plain, general;
	unsigned int op, i, rank, tensors;
	int64_t dims[4], count;

	for (op = 1; op < VNPU_OP_COPY; op++) {
		if (!takes_f32(op))
			continue;
		rank = below(5);
		for (i = 0; i < rank; i++)
			dims[i] = 1 + below(5);
		make_launch(&plain, op, rank, dims, 0);
		make_launch(&general, op, rank, dims, 1 + below(3));
		count = vnpu_tensor_elements(&plain.tensor[0]);
		for (i = 0; i < plain.inputs; i++) {
			fill_odd(&plain.tensor[i]);
			memcpy(floats(&general.tensor[i]),
			       floats(&plain.tensor[i]), count * sizeof(float));
		}
		EXPECT(run(&plain) && run(&general));
		tensors = (unsigned int)plain.inputs + plain.outputs;
		for (; i < tensors; i++)
			if (memcmp(floats(&plain.tensor[i]),
				   floats(&general.tensor[i]),
				   count * sizeof(float))) {
				note("%s differs", vnpu_op_name(op));
				return false;
			}
		free_views();
	}
	return true;
}

/* Damage a field of a launch, or a byte of it. */
static void damage(struct vnpu_op_launch *l)
{
	static const int64_t odd[] = {
		0, 1, -1, 2, 4, 5, 64, INT32_MAX, INT64_MAX, INT64_MIN,
		VNPU_TENSOR_MAX, (int64_t)1 << 62, 16384, 16385,
	};
	struct vnpu_tensor *t = &l->tensor[below(l->inputs + l->outputs)];
	int64_t value = odd[below(ARRAY_SIZE(odd))];
	size_t head = offsetof(struct vnpu_op_launch, word);

	switch (below(8)) {
	case 0:
		t->dims[below(3)] = value;
		break;
	case 1:
		t->strides[below(3)] = value;
		break;
	case 2:
		t->offset = value;
		break;
	case 3:
		t->bytes = value;
		break;
	case 4:
		t->data += below(2) ? (uint64_t)value : -(uint64_t)value;
		break;
	case 5:
		t->rank = below(10);
		break;
	case 6:
		((uint8_t *)&t->dtype)[below(8)] = below(16);
		break;
	case 7:
		/* All but the size. */
		((uint8_t *)l)[4 + below(head - 4)] = below(8);
		break;
	}
}

/* vnpu_op_prepare() accepts exactly what vnpu_op_check() accepts. */
static bool test_damage(void)
{
	struct vnpu_op_job *job = malloc(sizeof(*job));
	unsigned int round, valid = 0, op, k;
	struct vnpu_op_launch good, l;
	int err, expected;

	for (round = 0; round < 20000; round++) {
		if (round % 100 == 0) {
			free_views();
			do
				op = 1 + below(VNPU_OP_COPY - 1);
			while (!takes_f32(op));
			make_launch(&good, op, 2, (int64_t[]){ 2, 2 + below(3) },
				    0);
		}
		l = good;
		for (k = below(3); k--;)
			damage(&l);
		expected = vnpu_op_check(&l, NULL);
		/* The number of tensors must also match the size. */
		if (l.inputs != good.inputs || l.outputs != good.outputs)
			expected = l.inputs + l.outputs ==
				   good.inputs + good.outputs ? expected : -EINVAL;
		err = vnpu_op_prepare(job, &l, l.size, NULL, NULL);
		if (err != expected) {
			note("%s: round %u: %d, expected %d",
			     vnpu_op_name(good.op), round, err, expected);
			free(job);
			return false;
		}
		valid += !err;
	}
	free(job);
	note("%u of %u launches were valid", valid, round);
	EXPECT(valid > round / 4 && valid < round);
	return true;
}

/* Each tensor must be in the window, with all bytes of its storage. */
static bool test_window(void)
{
	struct vnpu_tensor t = VIEW(VNPU_DT_F32, CONTIGUOUS, 24);
	struct vnpu_op_job *job = malloc(sizeof(*job));
	struct vnpu_op_window window;
	struct vnpu_op_launch l;
	unsigned int i;
	int k, err;

	for (i = 0; i < 3; i++)
		for (k = -1; k < 3; k++) {
			struct vnpu_tensor part = t;

			part.dims[0] = 8;
			part.bytes = 8 * sizeof(float);
			part.data += 8 * sizeof(float);
			window.start = part.data;
			window.end = part.data + part.bytes;
			launch(&l, VNPU_OP_ADD, 2, 1, &part, &part, &part);
			l.tensor[i].data += k * 8 * (int)sizeof(float);
			err = vnpu_op_prepare(job, &l, l.size, &window, NULL);
			EXPECT(err == (k ? -EFAULT : 0));
			l.tensor[i] = part;
			l.tensor[i].bytes++;
			EXPECT(vnpu_op_prepare(job, &l, l.size, &window,
					       NULL) == -EFAULT);
		}
	free(job);
	return true;
}

const struct test plain_tests[] = {
	{ "plain_same", test_same },
	{ "plain_damage", test_damage },
	{ "plain_window", test_window },
	{ }
};
