// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operators as text; see graph.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

enum word {
	WORD_ALIGN,
	WORD_AT,
	WORD_VIEW,
	WORD_INPLACE,
	WORD_APART,
	WORD_ON_CHIP,
	WORD_KEEP,
	WORD_PINNED,
	WORD_IN,
	WORD_OUT,
	WORD_WAIT,
	WORD_STREAM,
	WORD_COST,
	WORDS,
};

/* Those of struct vnpu_plan_op. */
#define MAX_STREAMS	64U

#define OF_TENSORS	((1U << WORD_IN) - 1)
#define OF_OPS		((1U << WORDS) - 1 - OF_TENSORS)
/* Words without a value. */
#define PLAIN		(1U << WORD_ON_CHIP | 1U << WORD_KEEP | 1U << WORD_PINNED)

static const char *const words[WORDS] = {
	"align", "at", "view", "inplace", "apart", "on-chip", "keep", "pinned",
	"in", "out", "wait", "stream", "cost",
};

struct line {
	struct field value[WORDS];
	uint32_t has;		/* bits, by word */
};

static int __attribute__((format(printf, 2, 3)))
refuse(struct graph *g, const char *fmt, ...)
{
	int used = snprintf(g->fault, sizeof(g->fault), "line %u: ", g->line);
	va_list args;

	va_start(args, fmt);
	vsnprintf(g->fault + used, sizeof(g->fault) - (size_t)used, fmt, args);
	va_end(args);
	text_clean(g->fault);
	return -EINVAL;
}

static int refuse_for_plan(struct graph *g, int err)
{
	return err == -ENOMEM ? err :
	       refuse(g, "%s", vnpu_plan_fault(g->plan));
}

/* Take the text up to @c, or all of it; the rest stays. */
static struct field take_until(struct field *rest, char c)
{
	const char *stop = rest->length ?
			   memchr(rest->start, c, rest->length) : NULL;
	struct field f = *rest;

	if (stop)
		f.length = (uint32_t)(stop - f.start);
	rest->start += f.length;
	rest->length -= f.length;
	return f;
}

static int take_name(struct graph *g, struct field *line, struct field *name,
		     struct names *names, const char *what)
{
	*name = field_take_word(line);
	if (!name->length)
		return refuse(g, "the name of the %s is missing", what);
	if (memchr(name->start, ',', name->length) ||
	    memchr(name->start, '=', name->length))
		return refuse(g, "'%.*s' is not a name: it has a ',' or '='",
			      field_shown(name), name->start);
	if (field_has_control(name))
		return refuse(g, "'%.*s' is not a name: it has a control character",
			      field_shown(name), name->start);
	if (names_find(names, name) != NAMES_NONE)
		return refuse(g, "%s '%.*s' exists already", what,
			      field_shown(name), name->start);
	return names_add(names, name) ? 0 : -ENOMEM;
}

static int read_words(struct graph *g, struct field rest, uint32_t allowed,
		      struct line *line)
{
	uint32_t w;

	line->has = 0;
	for (;;) {
		struct field value = field_take_word(&rest), f;
		bool has_value;

		if (!value.length)
			return 0;
		f = take_until(&value, '=');
		has_value = field_take_char(&value, '=');
		for (w = 0; w < WORDS; w++)
			if (allowed & 1U << w && field_is(&f, words[w]))
				break;
		if (w == WORDS)
			return refuse(g, "unknown word '%.*s'", field_shown(&f),
				      f.start);
		if (line->has & 1U << w)
			return refuse(g, "word '%s' twice", words[w]);
		if (has_value == !!(PLAIN & 1U << w))
			return refuse(g, "word '%s' %s a value", words[w],
				      has_value ? "has" : "without");
		line->has |= 1U << w;
		line->value[w] = value;
	}
}

static int read_number(struct graph *g, const char *what, struct field f,
		       uint64_t *value)
{
	struct field rest = f;

	if (field_take_number(&rest, value) && !rest.length)
		return 0;
	return refuse(g, "%s '%.*s' is not a number from 0 to 2^64 - 1", what,
		      field_shown(&f), f.start);
}

/* Parse the value of a word; unchanged without the word. */
static int read_value(struct graph *g, const struct line *line, enum word w,
		      uint64_t *value)
{
	return line->has & 1U << w ?
	       read_number(g, words[w], line->value[w], value) : 0;
}

static int read_of(struct graph *g, const struct line *line, enum word w,
		   uint32_t flag, struct vnpu_plan_tensor *t)
{
	const struct field *f = &line->value[w];

	if (!(line->has & 1U << w))
		return 0;
	t->flags |= flag;
	t->of = names_find(&g->tensors, f);
	return t->of < g->tensors.count - 1 ? 0 :
	       refuse(g, "%s: no earlier line has tensor '%.*s'",
		      words[w], field_shown(f), f->start);
}

/* Separate the last tensor from those of a list. */
static int read_apart(struct graph *g, struct field list)
{
	uint32_t last = g->tensors.count - 1;

	/* Without the word there is no start. */
	while (list.start) {
		struct field f = take_until(&list, ',');
		uint32_t other = names_find(&g->tensors, &f);
		int err;

		if (other >= last)
			return refuse(g, "%s: no earlier line has tensor '%.*s'",
				      words[WORD_APART], field_shown(&f), f.start);
		err = vnpu_plan_add_separation(g->plan, last, other);
		if (err)
			return refuse_for_plan(g, err);
		if (!field_take_char(&list, ','))
			break;
	}
	return 0;
}

static uint32_t flags_of(const struct line *line)
{
	static const struct {
		enum word word;
		uint32_t flag;
	} flags[] = {
		{ WORD_ON_CHIP, VNPU_PLAN_ON_CHIP },
		{ WORD_KEEP, VNPU_PLAN_KEEP },
		{ WORD_PINNED, VNPU_PLAN_PINNED },
	};
	uint32_t all = VNPU_PLAN_OF_OPS, i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (line->has & 1U << flags[i].word)
			all |= flags[i].flag;
	/* For a view, it is the offset in the other tensor. */
	if (line->has & 1U << WORD_AT && !(line->has & 1U << WORD_VIEW))
		all |= VNPU_PLAN_FIXED;
	return all;
}

static bool make_room(void *array, uint32_t *room, uint32_t count,
		      size_t element)
{
	uint32_t more = *room ? 2 * *room : 256;
	void *old, *new;

	if (count < *room)
		return true;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, more * element);
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	*room = more;
	return true;
}

static int read_tensor(struct graph *g, struct field rest)
{
	struct vnpu_plan_tensor t = { 0 };
	struct line line = { 0 };
	struct field name;
	int err;

	if (!make_room(&g->tensor, &g->tensor_room, g->tensors.count,
		       sizeof(*g->tensor)))
		return -ENOMEM;
	err = take_name(g, &rest, &name, &g->tensors, "tensor");
	err = err ? err : read_number(g, "size", field_take_word(&rest), &t.size);
	err = err ? err : read_words(g, rest, OF_TENSORS, &line);
	if (err)
		return err;
	t.flags = flags_of(&line);
	err = read_value(g, &line, WORD_ALIGN, &t.align);
	err = err ? err : read_value(g, &line, WORD_AT, &t.offset);
	err = err ? err : read_of(g, &line, WORD_VIEW, VNPU_PLAN_VIEW, &t);
	err = err ? err : read_of(g, &line, WORD_INPLACE, VNPU_PLAN_INPLACE,
				  &t);
	if (err)
		return err;
	g->tensor[g->tensors.count - 1] = (struct graph_tensor){
		.size = t.size, .line = g->line,
	};
	err = vnpu_plan_add_tensor(g->plan, &t);
	return err ? refuse_for_plan(g, err) :
		     read_apart(g, line.value[WORD_APART]);
}

static int read_op(struct graph *g, struct field rest)
{
	uint64_t stream = 0, cost = 0;
	struct graph_op *op;
	struct field name;
	struct line line;
	int err;

	if (g->ops.count == VNPU_PLAN_MAX_TENSORS)
		return refuse(g, "more than %u operators",
			      VNPU_PLAN_MAX_TENSORS);
	if (!make_room(&g->op, &g->op_room, g->ops.count, sizeof(*g->op)))
		return -ENOMEM;
	err = take_name(g, &rest, &name, &g->ops, "operator");
	memset(&line, 0, sizeof(line));
	err = err ? err : read_words(g, rest, OF_OPS, &line);
	err = err ? err : read_value(g, &line, WORD_STREAM, &stream);
	err = err ? err : read_value(g, &line, WORD_COST, &cost);
	if (err)
		return err;
	if (stream >= MAX_STREAMS)
		return refuse(g, "stream %" PRIu64 " is not below %u", stream,
			      MAX_STREAMS);
	op = &g->op[g->ops.count - 1];
	*op = (struct graph_op){
		.in = line.value[WORD_IN], .out = line.value[WORD_OUT],
		.wait = line.value[WORD_WAIT], .line = g->line, .cost = cost,
		.stream = (uint32_t)stream,
	};
	return 0;
}

static int read_line(struct graph *g, struct field line)
{
	struct field rest = take_until(&line, '#'), f = field_take_word(&rest);

	if (rest.length && memchr(rest.start, '\0', rest.length))
		return refuse(g, "the line has a byte that is 0");
	if (!f.length)
		return 0;
	if (field_is(&f, "tensor"))
		return read_tensor(g, rest);
	if (field_is(&f, "op"))
		return read_op(g, rest);
	return refuse(g, "'%.*s' is neither 'tensor' nor 'op'", field_shown(&f),
		      f.start);
}

/* Append to the list of the graph, after @used other entries. */
static int read_list(struct graph *g, enum word w, struct field f,
		     const struct names *names, uint32_t used, uint32_t *count)
{
	*count = 0;
	/* Without the word there is no start. */
	while (f.start) {
		struct field name = take_until(&f, ',');
		uint32_t found = names_find(names, &name);

		if (found == NAMES_NONE)
			return refuse(g, "%s: %s '%.*s' does not exist", words[w],
				      w == WORD_WAIT ? "operator" : "tensor",
				      field_shown(&name), name.start);
		if (!make_room(&g->list, &g->list_room, used + *count,
			       sizeof(*g->list)))
			return -ENOMEM;
		g->list[used + (*count)++] = found;
		if (!field_take_char(&f, ','))
			break;
	}
	return 0;
}

static int add_op(struct graph *g, const struct graph_op *op)
{
	struct vnpu_plan_op o = { .stream = op->stream, .cost = op->cost };
	int err;

	g->line = op->line;
	err = read_list(g, WORD_IN, op->in, &g->tensors, 0, &o.num_inputs);
	err = err ? err : read_list(g, WORD_OUT, op->out, &g->tensors,
				    o.num_inputs, &o.num_outputs);
	err = err ? err : read_list(g, WORD_WAIT, op->wait, &g->ops,
				    o.num_inputs + o.num_outputs,
				    &o.num_waits);
	if (err)
		return err;
	if (g->list) {
		o.inputs = g->list;
		o.outputs = o.inputs + o.num_inputs;
		o.waits = o.outputs + o.num_outputs;
	}
	err = vnpu_plan_add_op(g->plan, &o);
	return err ? refuse_for_plan(g, err) : 0;
}

int graph_read(struct graph *g, const char *text, size_t size)
{
	const char *end = text + size;
	struct field line;
	uint32_t i;
	int err;

	*g = (struct graph){ .line = 1 };
	err = vnpu_plan_create(&g->plan);
	if (!err && text_is_utf16(text, end))
		return refuse(g, "the text is in UTF-16; UTF-8 is expected");
	text_skip_mark(&text, end);
	for (; !err && text < end; g->line++) {
		if (!text_take_line(&text, end, &line))
			return refuse(g, "too long");
		err = read_line(g, line);
		if (err)
			return err;
	}
	if (!err && !g->ops.count)
		return refuse(g, "the file has no operators");
	for (i = 0; !err && i < g->ops.count; i++)
		err = add_op(g, &g->op[i]);
	return err;
}

void graph_free(struct graph *g)
{
	vnpu_plan_destroy(g->plan);
	names_free(&g->tensors);
	names_free(&g->ops);
	free(g->tensor);
	free(g->op);
	free(g->list);
}

const char *graph_explain(struct graph *g)
{
	const char *fault = vnpu_plan_fault(g->plan);
	uint32_t i;

	if (sscanf(fault, "operator %u:", &i) == 1 && i < g->ops.count)
		g->line = g->op[i].line;
	else if (sscanf(fault, "tensor %u:", &i) == 1 && i < g->tensors.count)
		g->line = g->tensor[i].line;
	else
		return fault;
	refuse(g, "%s", fault);
	return g->fault;
}
