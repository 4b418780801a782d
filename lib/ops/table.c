// SPDX-License-Identifier: MIT
/* The table of operators, and the composition of launches. See ops.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "op.h"

#define PARAM(name, kind, otherwise) { name, kind, otherwise }
#define FLOAT(name, otherwise)	PARAM(name, VNPU_OP_FLOAT, otherwise)
#define INT(name, otherwise)	PARAM(name, VNPU_OP_INT, otherwise)
#define INTS(name, count)	PARAM(name, VNPU_OP_INTS, count)
#define NO_PARAMS		{ }

#define CLASSES_FD	(1 << OPS_F | 1 << OPS_D)
#define CLASSES_IL	(1 << OPS_I | 1 << OPS_L)
#define CLASSES_FDIL	(CLASSES_FD | CLASSES_IL)
#define CLASSES_F	(1 << OPS_F)

/* Parameters are lists in braces, hence variable arguments. */
#define ELEM(upper, sname, min_in, max_in, in, nout, outs, srule, sclasses, ...) \
	[VNPU_OP_##upper] = {						\
		.name = #sname,						\
		.inputs = in,						\
		.outputs = outs,					\
		.min_inputs = min_in,					\
		.max_inputs = max_in,					\
		.min_outputs = nout,					\
		.max_outputs = nout,					\
		.rule = OPS_##srule,					\
		.classes = CLASSES_##sclasses,				\
		.scalars = true,					\
		.params = __VA_ARGS__,					\
		.infer = ops_map_infer,					\
		.plan = ops_map_plan,					\
		.run = ops_map_run,					\
	},
#define OP(upper, sname, min_in, max_in, in, min_out, max_out, outs, family, ...) \
	[VNPU_OP_##upper] = {						\
		.name = #sname,						\
		.inputs = in,						\
		.outputs = outs,					\
		.min_inputs = min_in,					\
		.max_inputs = max_in,					\
		.min_outputs = min_out,					\
		.max_outputs = max_out,					\
		.scalars = VNPU_OP_##upper == VNPU_OP_COPY ||		\
			   VNPU_OP_##upper == VNPU_OP_CHAIN ||		\
			   VNPU_OP_##upper == VNPU_OP_SEARCH_SORTED,	\
		.params = __VA_ARGS__,					\
		.infer = ops_##family##_infer,				\
		.plan = ops_##family##_plan,				\
		.run = ops_##family##_run,				\
	},

static const struct ops_op table[VNPU_OP_COUNT] = {
#include "op_list.h"
};

const struct ops_op *ops_get(unsigned int op)
{
	return op < VNPU_OP_COUNT && table[op].name ? &table[op] : NULL;
}

const char *vnpu_op_name(unsigned int op)
{
	return ops_get(op) ? table[op].name : NULL;
}

unsigned int vnpu_op_find(const char *name)
{
	unsigned int op;

	for (op = 0; op < VNPU_OP_COUNT; op++)
		if (table[op].name && !strcmp(table[op].name, name))
			return op;
	return VNPU_OP_NONE;
}

const char *vnpu_op_param(unsigned int op, unsigned int param,
			  enum vnpu_op_kind *kind)
{
	const struct ops_op *o = ops_get(op);

	if (!o || param >= OPS_PARAMS || !o->params[param].name)
		return NULL;
	if (kind)
		*kind = o->params[param].kind;
	return o->params[param].name;
}

int vnpu_op_find_param(unsigned int op, const char *name,
		       enum vnpu_op_kind *kind)
{
	const char *found;
	unsigned int i;

	for (i = 0; (found = vnpu_op_param(op, i, kind)); i++)
		if (!strcmp(found, name))
			return (int)i;
	return -ENOENT;
}

/* Copy the word of @names with this number; the last one may be a list. */
static void find_name(const char *names, unsigned int number, char *name,
		      size_t size)
{
	unsigned int at = 0;
	size_t length;

	for (;;) {
		length = strcspn(names, " ");
		if (at == number || !names[length])
			break;
		names += length + 1;
		at++;
	}
	if (length > 3 && !strncmp(names + length - 3, "...", 3))
		snprintf(name, size, "%.*s[%u]", (int)length - 3, names,
			 number - at);
	else if (*names == '[')
		snprintf(name, size, "%.*s", (int)length - 2, names + 1);
	else
		snprintf(name, size, "%.*s", (int)length, names);
}

void vnpu_op_argument(unsigned int op, unsigned int argument,
		      unsigned int inputs, char *name, size_t size)
{
	const struct ops_op *o = ops_get(op);

	if (!o)
		snprintf(name, size, "?");
	else if (argument < inputs)
		find_name(o->inputs, argument, name, size);
	else
		find_name(o->outputs, argument - inputs, name, size);
}

/* Number of words of a parameter. */
static unsigned int width(const struct ops_param *p)
{
	return p->kind == VNPU_OP_INTS ? 1 + VNPU_OP_LIST : 1;
}

const union vnpu_op_word *ops_words(const struct ops_op *op,
				    const struct vnpu_op_launch *l,
				    unsigned int param)
{
	unsigned int i, at = 0;

	for (i = 0; i < param; i++)
		at += width(&op->params[i]);
	return &l->word[at];
}

void vnpu_op_init(struct vnpu_op_launch *l, unsigned int op,
		  unsigned int inputs, unsigned int outputs)
{
	const struct ops_op *o = ops_get(op);
	const struct ops_param *p;
	unsigned int tensors = inputs + outputs, at = 0;

	if (tensors > VNPU_OP_TENSORS)
		tensors = VNPU_OP_TENSORS;
	memset(l, 0, offsetof(struct vnpu_op_launch, tensor[tensors]));
	l->size = offsetof(struct vnpu_op_launch, tensor[tensors]);
	l->version = VNPU_OP_VERSION;
	l->op = op;
	l->inputs = inputs;
	l->outputs = outputs;
	if (!o)
		return;
	for (p = o->params; p->name; p++) {
		if (p->kind == VNPU_OP_FLOAT)
			l->word[at].f = p->otherwise;
		else
			l->word[at].i = p->otherwise;
		at += width(p);
	}
}

/* Return the words of a parameter that the operator has, or NULL. */
static union vnpu_op_word *find_words(struct vnpu_op_launch *l,
				      unsigned int param,
				      enum vnpu_op_kind kind)
{
	const struct ops_op *o = ops_get(l->op);

	if (!o || param >= OPS_PARAMS || o->params[param].kind != kind)
		return NULL;
	return (union vnpu_op_word *)ops_words(o, l, param);
}

void vnpu_op_set_float(struct vnpu_op_launch *l, unsigned int param,
		       double value)
{
	union vnpu_op_word *word = find_words(l, param, VNPU_OP_FLOAT);

	if (word)
		word->f = value;
}

void vnpu_op_set_int(struct vnpu_op_launch *l, unsigned int param,
		     int64_t value)
{
	union vnpu_op_word *word = find_words(l, param, VNPU_OP_INT);

	if (word)
		word->i = value;
}

void vnpu_op_set_ints(struct vnpu_op_launch *l, unsigned int param,
		      const int64_t *value, unsigned int count)
{
	union vnpu_op_word *word = find_words(l, param, VNPU_OP_INTS);
	unsigned int i;

	if (!word)
		return;
	word->i = count;
	for (i = 0; i < count && i < VNPU_OP_LIST; i++)
		word[1 + i].i = value[i];
}
