// SPDX-License-Identifier: MIT
/*
 * The dump of an operator, see dump.h.
 *
 * Its inputs are the tensors that its steps read, unless an earlier step writes
 * them.  Its outputs are those that its steps write, unless a later step reads
 * them, or a step writes a larger tensor that contains them.
 */
#include <stdlib.h>
#include <string.h>

#include "ops/call.h"

#include "base/error.h"
#include "stream/stream.h"
#include "array.h"
#include "file.h"

/* A tensor of a step that has memory. */
struct place {
	const struct vnpu_op_launch *launch;
	unsigned int tensor;
	size_t next;		/* offset of the next step in the call */
	uint64_t start;		/* addresses */
	uint64_t end;
};

/**
 * struct writer - an operator that is dumped
 * @run: the run
 * @op: the operator
 * @path: of its files, without suffixes
 * @table: its statistics, if @table.f is set
 */
struct writer {
	struct vnpu_dump_run *run;
	const struct vnpu_dump_op *op;
	char *path;
	struct vnpu_dump_file table;
};

static const struct vnpu_tensor *view_of(const struct place *place)
{
	return &place->launch->tensor[place->tensor];
}

static bool is_written(const struct place *place)
{
	return place->tensor >= place->launch->inputs;
}

/* Go to the next tensor of any step; false behind the last one. */
static bool advance(const struct vnpu_op_call *call, struct place *place)
{
	const struct vnpu_op_launch *l = place->launch;
	size_t size;

	place->tensor++;
	while (!l || place->tensor >= (unsigned int)l->inputs + l->outputs) {
		l = vnpu_op_call_step(call, &place->next, &size);
		if (!l)
			return false;
		place->launch = l;
		place->tensor = 0;
	}
	return true;
}

/* Go to the next tensor that has memory. */
static bool next_place(const struct vnpu_op_call *call, struct place *place)
{
	struct vnpu_dump_span span = { 0 };
	const struct vnpu_tensor *view;

	do {
		if (!advance(call, place))
			return false;
		view = view_of(place);
	} while (view->dtype == VNPU_DT_NONE ||
		 view->flags & VNPU_TENSOR_F_IMMEDIATE);
	if (vnpu_tensor_elements(view))
		span = vnpu_dump_span(view);
	place->start = view->data + span.start;
	place->end = place->start + span.bytes;
	return true;
}

static bool overlap(const struct place *a, const struct place *b)
{
	return a->start < b->end && b->start < a->end;
}

static bool is_around(const struct place *a, const struct place *b)
{
	return a->start <= b->start && a->end >= b->end;
}

static bool is_before(const struct place *a, const struct place *b)
{
	return a->next < b->next ||
	       (a->next == b->next && a->tensor < b->tensor);
}

/* Check whether another place excludes this one from the inputs. */
static bool replaces_input(const struct place *other,
			   const struct place *place)
{
	if (!is_before(other, place))
		return false;
	if (is_written(other))
		return other->next < place->next && overlap(other, place);
	return !memcmp(view_of(other), view_of(place),
		       sizeof(struct vnpu_tensor));
}

/* Check whether another place excludes this one from the outputs. */
static bool replaces_output(const struct place *other,
			    const struct place *place)
{
	if (!is_written(other))
		return other->next > place->next && overlap(other, place);
	return is_around(other, place) &&
	       (!is_around(place, other) || is_before(other, place));
}

static bool is_wanted(const struct vnpu_op_call *call,
		      const struct place *place, bool output)
{
	struct place other = { 0 };

	if (is_written(place) != output)
		return false;
	while (next_place(call, &other))
		if (output ? replaces_output(&other, place) :
			     replaces_input(&other, place))
			return false;
	return true;
}

/* Write a tensor as a file, or as a line of the table. */
static aclError write_tensor(const struct writer *w, const struct place *place,
			     const char *direction, unsigned int index)
{
	struct vnpu_dump_array array;
	struct vnpu_dump_file file;
	char suffix[32];
	aclError ret = vnpu_dump_gather(view_of(place), &array);

	if (ret)
		return ret;
	if (w->table.f) {
		fprintf(w->table.f, "%s,%u,", direction, index);
		vnpu_dump_print_stats(&array, w->run->dump->columns,
				      w->table.f);
		/* A child of fork() must not write the buffer once more. */
		fflush(w->table.f);
	} else {
		snprintf(suffix, sizeof(suffix), ".%s.%u.npy", direction,
			 index);
		ret = vnpu_dump_create(w->run, w->path, suffix, &file);
		if (!ret) {
			vnpu_dump_print_npy(&array, file.f);
			ret = vnpu_dump_close(&file, ACL_SUCCESS);
		}
	}
	free(array.data);
	return ret;
}

static aclError write_tensors(const struct writer *w, bool output)
{
	const struct vnpu_op_call *call = w->op->call;
	struct place place = { 0 };
	unsigned int index = 0;
	aclError ret = ACL_SUCCESS;

	while (!ret && next_place(call, &place))
		if (is_wanted(call, &place, output))
			ret = write_tensor(w, &place,
					   output ? "output" : "input",
					   index++);
	return ret;
}

/* Begin the files of an operator. */
static aclError begin(struct writer *w)
{
	const struct vnpu_dump *dump = w->run->dump;
	aclError ret = vnpu_dump_path(w->run, w->op, &w->path);

	w->run->task++;
	if (ret || !dump->stats)
		return ret;
	ret = vnpu_dump_create(w->run, w->path, ".csv", &w->table);
	if (ret) {
		free(w->path);
		return ret;
	}
	vnpu_dump_print_columns(dump->columns, w->table.f);
	fflush(w->table.f);
	return ACL_SUCCESS;
}

static aclError run_op(const struct writer *w)
{
	const struct vnpu_dump *dump = w->run->dump;
	aclError ret = ACL_SUCCESS;

	if (dump->inputs)
		ret = write_tensors(w, false);
	if (!ret)
		ret = w->op->submit(w->op->from);
	if (ret || !dump->outputs)
		return ret;
	ret = vnpu_stream_wait(w->run->stream, w->run->timeout);
	return ret ? ret : write_tensors(w, true);
}

aclError vnpu_dump_op(struct vnpu_dump_run *run, const struct vnpu_dump_op *op)
{
	struct writer w = { .run = run, .op = op };
	aclError ret = vnpu_stream_wait(run->stream, run->timeout);

	if (!ret)
		ret = begin(&w);
	if (ret)
		return ret;
	ret = run_op(&w);
	if (w.table.f)
		ret = vnpu_dump_close(&w.table, ret);
	free(w.path);
	return ret;
}
