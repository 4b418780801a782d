// SPDX-License-Identifier: MIT
/*
 * The checks that all operators have in common. See ops.h.
 *
 * The same code runs on the host, when a program calls an operator, and in the
 * process that executes it, which does not trust the host.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "op.h"

int ops_fail(struct ops_call *c, int argument, int err, const char *format, ...)
{
	char name[40] = "";
	va_list args;
	size_t used;

	if (!c->error)
		return err;
	c->error->argument = argument;
	if (argument >= 0)
		vnpu_op_argument(c->l->op, argument, c->l->inputs, name,
				 sizeof(name));
	snprintf(c->error->text, sizeof(c->error->text), "%s: %s%s",
		 c->op ? c->op->name : "operator", name, *name ? ": " : "");
	used = strlen(c->error->text);
	va_start(args, format);
	vsnprintf(c->error->text + used, sizeof(c->error->text) - used, format,
		  args);
	va_end(args);
	return err;
}

const char *ops_dims(char *text, size_t size, unsigned int rank,
		     const int64_t *dims)
{
	size_t used = 0;
	unsigned int i;

	text[used++] = '[';
	for (i = 0; i < rank && used + 24 < size; i++)
		used += snprintf(text + used, size - used, "%s%lld",
				 i ? ", " : "", (long long)dims[i]);
	snprintf(text + used, size - used, "]");
	return text;
}

static int check_counts(struct ops_call *c)
{
	const struct ops_op *op = c->op;

	if (c->l->inputs < op->min_inputs || c->l->inputs > op->max_inputs)
		return ops_fail(c, -1, -EINVAL,
				"expects %u to %u inputs, but there are %u",
				op->min_inputs, op->max_inputs, c->l->inputs);
	if (c->l->outputs < op->min_outputs || c->l->outputs > op->max_outputs)
		return ops_fail(c, -1, -EINVAL,
				"expects %u to %u outputs, but there are %u",
				op->min_outputs, op->max_outputs,
				c->l->outputs);
	return 0;
}

static int check_params(struct ops_call *c)
{
	const struct ops_param *p;
	unsigned int i;

	for (i = 0, p = c->op->params; i < OPS_PARAMS && p->name; i++, p++) {
		if (p->kind != VNPU_OP_INTS)
			continue;
		if ((uint64_t)CALL_INTS(c, i)->i > VNPU_OP_LIST)
			return ops_fail(c, -1, -EINVAL,
					"%s: has %lld values, at most %d are possible",
					p->name, (long long)CALL_INTS(c, i)->i,
					VNPU_OP_LIST);
	}
	return 0;
}

/* Check each tensor by itself; outputs may be left to vnpu_op_infer(). */
static int check_tensors(struct ops_call *c, bool infer)
{
	const struct vnpu_op_launch *l = c->l;
	const struct vnpu_tensor *t = l->tensor;
	unsigned int i, k;
	const char *why;
	int err;

	for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++, t++) {
		bool is_output = i >= l->inputs;

		if (t->dtype == VNPU_DT_NONE) {
			if (is_output ? i - l->inputs >= c->op->min_outputs ||
					infer :
					i >= c->op->min_inputs)
				continue;
			return ops_fail(c, i, -EINVAL, "is missing");
		}
		err = vnpu_tensor_check(t, &why);
		if (err)
			return ops_fail(c, i, err, "%s: shape %s", why,
					t->rank <= VNPU_TENSOR_DIMS ?
						OPS_TDIMS(t) : "?");
		if (t->dtype == VNPU_DT_I4 && l->op != VNPU_OP_QUANT_MATMUL &&
		    l->op != VNPU_OP_GROUPED_MATMUL)
			return ops_fail(c, i, -EINVAL,
					"type i4 is only possible for weights");
		if (t->flags & VNPU_TENSOR_F_IMMEDIATE && !c->op->scalars)
			return ops_fail(c, i, -EINVAL,
					"is an immediate, but must be memory");
		if (!is_output)
			continue;
		if (t->flags & VNPU_TENSOR_F_IMMEDIATE)
			return ops_fail(c, i, -EINVAL,
					"is an immediate, but must be memory");
		for (k = 0; k < t->rank; k++)
			if (!t->strides[k] && t->dims[k] > 1 &&
			    vnpu_tensor_elements(t))
				return ops_fail(c, i, -EINVAL,
						"contains its elements several times: stride 0 at size %lld",
						(long long)t->dims[k]);
	}
	return 0;
}

/* Check whether a result of type @from may be stored as type @to. */
static bool can_cast(unsigned int from, unsigned int to)
{
	if (to == VNPU_DT_I4)
		return false;
	return !vnpu_dtype_is_float(from) || vnpu_dtype_is_float(to);
}

static int check_output(struct ops_call *c, unsigned int number)
{
	const struct vnpu_tensor *t = ops_out(c->l, number);
	const struct ops_shape *s = &c->out[number];

	if (!t)
		return 0;
	number += c->l->inputs;
	if (t->rank != s->rank ||
	    memcmp(t->dims, s->dims, s->rank * sizeof(*s->dims)))
		return ops_fail(c, number, -EINVAL,
				"expected shape %s, given %s",
				OPS_DIMS(s->rank, s->dims), OPS_TDIMS(t));
	if (s->castable ? !can_cast(s->dtype, t->dtype) : t->dtype != s->dtype)
		return ops_fail(c, number, -EINVAL,
				s->castable ? "the result of type %s cannot be cast to %s" :
					      "expected type %s, given %s",
				vnpu_dtype_name(s->dtype),
				vnpu_dtype_name(t->dtype));
	return 0;
}

static int check(struct ops_call *c, bool infer)
{
	const struct vnpu_op_launch *l = c->l;
	unsigned int i;
	int err;

	if (l->version != VNPU_OP_VERSION)
		return ops_fail(c, -1, -EINVAL, "expected version %d, given %u",
				VNPU_OP_VERSION, l->version);
	c->op = ops_get(l->op);
	if (!c->op)
		return ops_fail(c, -1, -ENOSYS, "number %u does not exist",
				l->op);
	if ((unsigned int)l->inputs + l->outputs > VNPU_OP_TENSORS ||
	    l->outputs > OPS_OUTPUTS)
		return ops_fail(c, -1, -EINVAL, "has too many tensors");
	for (i = 0; i < sizeof(l->reserved); i++)
		if (l->reserved[i])
			return ops_fail(c, -1, -EINVAL,
					"a reserved field is not 0");
	err = check_counts(c);
	if (!err)
		err = check_params(c);
	if (!err)
		err = check_tensors(c, infer);
	if (!err)
		err = c->op->infer(c);
	for (i = 0; !err && i < l->outputs; i++)
		err = check_output(c, i);
	return err;
}

int vnpu_op_check(const struct vnpu_op_launch *l, struct vnpu_op_error *error)
{
	struct ops_call c;

	ops_call_init(&c, l, NULL, error);
	return check(&c, false);
}

int vnpu_op_infer(struct vnpu_op_launch *l, struct vnpu_op_error *error)
{
	struct ops_call c;
	unsigned int i;
	int err;

	ops_call_init(&c, l, NULL, error);
	err = check(&c, true);
	for (i = 0; !err && i < l->outputs; i++)
		if (!ops_out(l, i))
			vnpu_tensor_init(&l->tensor[l->inputs + i],
					 c.out[i].dtype, c.out[i].rank,
					 c.out[i].dims, NULL);
	return err;
}
