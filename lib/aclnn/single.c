// SPDX-License-Identifier: MIT
/*
 * Single operators: make the arguments of an operator of aclnn, and run both
 * phases of it, see single.h.
 *
 * The operator gets the name of the type, for messages and profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "launch/operators.h"
#include "single.h"

/* An address for checks, which read no memory. */
#define ANYWHERE	4096

/**
 * struct single - an operator while it is prepared
 * @from: what the program asks for
 * @type: its type
 * @op: the operator of aclnn, under the name of the type
 * @values: its arguments
 * @made: the objects that were made for @values, and their kinds
 * @count: their number
 * @is_check: nothing is launched
 */
struct single {
	const struct vnpu_single *from;
	const struct aclnn_single_type *type;
	struct aclnn_op op;
	union aclnn_value values[ACLNN_ARGS];
	struct {
		enum aclnn_object kind;
		const void *handle;
	} made[ACLNN_ARGS + 2 * VNPU_SINGLE_TENSORS];
	unsigned int count;
	bool is_check;
};

/* A word of the description of arguments. */
struct word {
	const char *text;
	size_t length;
};

static aclError fail(const struct single *s, aclError code, const char *text)
{
	vnpu_operator_error(s->from->type, code, text);
	return code;
}

/* Keep an object until the call ends; its errors were reported. */
static aclError keep(struct single *s, enum aclnn_object kind,
		     const void *handle, const void **out)
{
	if (!handle)
		return ACL_ERROR_INVALID_PARAM;
	s->made[s->count].kind = kind;
	s->made[s->count++].handle = handle;
	*out = handle;
	return ACL_SUCCESS;
}

static void forget(struct single *s)
{
	while (s->count) {
		const void *handle = s->made[--s->count].handle;

		free(aclnn_handle_remove(s->made[s->count].kind, handle));
	}
}

static const struct vnpu_attr *find_attr(const struct single *s,
					 const char *name, size_t length)
{
	const struct vnpu_attr *attr = s->from->attr;

	while (attr && (strlen(attr->name) != length ||
			memcmp(attr->name, name, length)))
		attr = attr->next;
	return attr;
}

/* Make a tensor; @swap exchanges its last two dimensions. */
static aclError make_tensor(struct single *s, const char *side, unsigned long n,
			    const struct vnpu_single_tensor *t, bool swap,
			    const void **out)
{
	int64_t dims[VNPU_SINGLE_DIMS], strides[VNPU_SINGLE_DIMS], bytes = 1;
	void *data = s->is_check ? (void *)(uintptr_t)ANYWHERE : t->data;
	char text[160];

	for (uint32_t i = t->rank; i--;) {
		dims[i] = t->dims[i];
		strides[i] = bytes;
		if (__builtin_mul_overflow(bytes, dims[i], &bytes))
			return fail(s, ACL_ERROR_INVALID_PARAM,
				    "a tensor has too many elements");
	}
	if (t->type != ACL_INT4 &&
	    __builtin_mul_overflow(bytes, aclDataTypeSize(t->type), &bytes))
		return fail(s, ACL_ERROR_INVALID_PARAM,
			    "a tensor has too many elements");
	if (t->type == ACL_INT4)
		bytes = (bytes + 1) / 2;
	if (!s->is_check && (uint64_t)bytes > t->size) {
		snprintf(text, sizeof(text),
			 "%s %lu: expected a buffer of at least %lld bytes, given %zu",
			 side, n, (long long)bytes, t->size);
		return fail(s, ACL_ERROR_INVALID_PARAM, text);
	}
	if (swap && t->rank >= 2) {
		uint32_t a = t->rank - 2, c = t->rank - 1;
		int64_t dim = dims[a], stride = strides[a];

		dims[a] = dims[c];
		strides[a] = strides[c];
		dims[c] = dim;
		strides[c] = stride;
	}
	return keep(s, ACLNN_OBJECT_TENSOR,
		    aclCreateTensor(dims, t->rank, t->type, strides, 0,
				    ACL_FORMAT_ND, t->dims, t->rank, data), out);
}

static aclError missing(const struct single *s, bool is_input, unsigned long n)
{
	char text[120];

	snprintf(text, sizeof(text), "%s %lu is missing: %u were given",
		 is_input ? "input" : "output", n,
		 is_input ? s->from->inputs : s->from->outputs);
	return fail(s, is_input ? ACL_ERROR_OP_INPUT_NOT_MATCH :
				  ACL_ERROR_OP_OUTPUT_NOT_MATCH, text);
}

/* Make the tensor that a word names: xN, xN?, xN~ATTR or yN. */
static aclError tensor_value(struct single *s, struct word word,
			     const void **out)
{
	bool is_input = *word.text == 'x', swap = false;
	uint32_t count = is_input ? s->from->inputs : s->from->outputs;
	const struct vnpu_attr *attr;
	char *end;
	unsigned long n = strtoul(word.text + 1, &end, 10);
	const struct vnpu_single_tensor *t;

	t = (is_input ? s->from->input : s->from->output) + n;
	if (n >= count || t->type == ACL_DT_UNDEFINED) {
		*out = NULL;
		return *end == '?' ? ACL_SUCCESS : missing(s, is_input, n);
	}
	if (*end == '~') {
		attr = find_attr(s, end + 1,
				 word.length - (end + 1 - word.text));
		swap = attr && attr->kind == VNPU_ATTR_INTS && attr->count &&
		       attr->i[0];
	}
	return make_tensor(s, is_input ? "input" : "output", n, t, swap, out);
}

/* Make a list of all inputs, or of all outputs. */
static aclError list_value(struct single *s, bool is_input, const void **out)
{
	uint32_t count = is_input ? s->from->inputs : s->from->outputs;
	const aclTensor *members[VNPU_SINGLE_TENSORS];
	const struct vnpu_single_tensor *t =
		is_input ? s->from->input : s->from->output;
	const void *made;
	aclError ret;

	for (uint32_t i = 0; i < count; i++) {
		if (t[i].type == ACL_DT_UNDEFINED)
			return missing(s, is_input, i);
		ret = make_tensor(s, is_input ? "input" : "output", i, &t[i],
				  false, &made);
		if (ret)
			return ret;
		members[i] = made;
	}
	return keep(s, ACLNN_OBJECT_TENSORS,
		    aclCreateTensorList(members, count), out);
}

/* Set an argument to an integer, of the kind that it has. */
static aclError integer_value(struct single *s, enum aclnn_kind kind,
			      int64_t value, union aclnn_value *out)
{
	switch (kind) {
	case ACLNN_SCALAR:
		return keep(s, ACLNN_OBJECT_SCALAR,
			    aclCreateScalar(&value, ACL_INT64), &out->p);
	case ACLNN_INTS:
		return keep(s, ACLNN_OBJECT_INTS, aclCreateIntArray(&value, 1),
			    &out->p);
	case ACLNN_FLOAT:
		out->f = value;
		return ACL_SUCCESS;
	default:
		out->i = value;
		return ACL_SUCCESS;
	}
}

/* Set an argument to a number; only scalars and numbers can have a fraction. */
static aclError number_value(struct single *s, enum aclnn_kind kind,
			     double value, union aclnn_value *out)
{
	/* Others are too large for an integer, infinite or NaN. */
	if (value >= -0x1p63 && value < 0x1p63 &&
	    value == (double)(int64_t)value)
		return integer_value(s, kind, value, out);
	if (kind == ACLNN_SCALAR)
		return keep(s, ACLNN_OBJECT_SCALAR,
			    aclCreateScalar(&value, ACL_DOUBLE), &out->p);
	out->f = value;
	return ACL_SUCCESS;
}

/* Set an argument to an attribute. */
static aclError attr_value(struct single *s, enum aclnn_kind kind,
			   const struct vnpu_attr *attr, union aclnn_value *out)
{
	char text[200];

	if (kind == ACLNN_INTS && attr->kind == VNPU_ATTR_INTS)
		return keep(s, ACLNN_OBJECT_INTS,
			    aclCreateIntArray(attr->i, attr->count), &out->p);
	if (attr->count == 1 && attr->kind == VNPU_ATTR_INTS)
		return integer_value(s, kind, attr->i[0], out);
	if (attr->count == 1 && attr->kind == VNPU_ATTR_FLOATS &&
	    (kind == ACLNN_SCALAR || kind == ACLNN_FLOAT))
		return number_value(s, kind, attr->f[0], out);
	snprintf(text, sizeof(text),
		 "attribute %.60s: expected %s, given %llu values of another type",
		 attr->name, kind == ACLNN_INTS ? "a list of integers" :
		 kind == ACLNN_SCALAR || kind == ACLNN_FLOAT ?
			"a number" : "an integer",
		 (unsigned long long)attr->count);
	return fail(s, ACL_ERROR_OP_ATTR_NOT_MATCH, text);
}

/* Set an argument to what "@ATTR=DEFAULT" says. */
static aclError named_value(struct single *s, enum aclnn_kind kind,
			    struct word word, union aclnn_value *out)
{
	const char *otherwise = memchr(word.text, '=', word.length);
	size_t length = otherwise ? (size_t)(otherwise - word.text) :
				    word.length;
	const struct vnpu_attr *attr = find_attr(s, word.text, length);
	char text[120];

	if (attr)
		return attr_value(s, kind, attr, out);
	if (!otherwise) {
		snprintf(text, sizeof(text), "attribute %.*s is missing",
			 (int)length, word.text);
		return fail(s, ACL_ERROR_OP_ATTR_NOT_MATCH, text);
	}
	if (kind == ACLNN_INTS && length + 1 == word.length)
		return keep(s, ACLNN_OBJECT_INTS,
			    aclCreateIntArray((int64_t[]){ 0 }, 0), &out->p);
	return number_value(s, kind, strtod(otherwise + 1, NULL), out);
}

static aclError type_value(struct single *s, struct word word,
			   union aclnn_value *out)
{
	unsigned long n = strtoul(word.text + 1, NULL, 10);

	if (n >= s->from->outputs)
		return fail(s, ACL_ERROR_OP_OUTPUT_NOT_MATCH,
			    "an output is missing");
	out->i = s->from->output[n].type;
	return ACL_SUCCESS;
}

/* Set an argument to what a word of its type says. */
static aclError value_of(struct single *s, enum aclnn_kind kind,
			 struct word word, union aclnn_value *out)
{
	struct word rest = { word.text + 1, word.length - 1 };

	switch (*word.text) {
	case 'x':
	case 'y':
		if (word.text[1] == '*')
			return list_value(s, *word.text == 'x', &out->p);
		return tensor_value(s, word, &out->p);
	case ':':
		return type_value(s, rest, out);
	case '@':
		return named_value(s, kind, rest, out);
	case '=':
		return number_value(s, kind, strtod(rest.text, NULL), out);
	default:
		out->p = NULL;
		return ACL_SUCCESS;
	}
}

static aclError find_type(struct single *s)
{
	const struct aclnn_op *op;

	s->type = aclnn_single_find(s->from->type);
	op = s->type ? aclnn_single_op(s->type) : NULL;
	if (!op)
		return fail(s, ACL_ERROR_OP_NOT_FOUND,
			    "there is no such operator; Documentation/aclnn.md lists them");
	s->op = *op;
	s->op.name = s->from->type;
	return ACL_SUCCESS;
}

static aclError make_values(struct single *s)
{
	const char *at = s->type->args;
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; i < s->op.count && !ret; i++) {
		struct word word = { at, strcspn(at, " ") };

		ret = value_of(s, s->op.args[i].kind, word, &s->values[i]);
		at += word.length;
		at += *at == ' ';
	}
	return ret;
}

/* Allocate memory for the steps, unless the stream would use it after its end. */
static aclError allocate(const struct single *s, uint64_t size,
			 aclrtStream stream, void **workspace)
{
	const uint32_t unwaited = ACL_STREAM_PERSISTENT |
				  ACL_STREAM_DEVICE_USE_ONLY |
				  ACL_STREAM_CPU_SCHEDULE;
	aclmdlRICaptureStatus status;
	uint32_t flags;
	aclmdlRI model;
	aclError ret = aclrtStreamGetFlags(stream, &flags);

	if (!ret && flags & unwaited)
		return fail(s, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			    "the host never waits for a stream with these flags, so it cannot free the memory of the steps; use the operator of aclnn");
	if (!ret)
		ret = aclmdlRICaptureGetInfo(stream, &status, &model);
	if (ret)
		return ret;
	if (status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return fail(s, ACL_ERROR_RT_STREAM_CAPTURED,
			    "the stream is being captured, and cannot be waited for to free the memory of the steps; use the operator of aclnn");
	return aclrtMalloc(workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

/* Launch what was prepared.  Memory of its steps is freed when they end. */
static aclError launch(struct single *s, aclOpExecutor *executor, uint64_t size,
		       aclrtStream stream)
{
	void *workspace = NULL;
	aclnnStatus status;
	aclError ret;

	if (size) {
		ret = allocate(s, size, stream, &workspace);
		if (ret) {
			aclDestroyAclOpExecutor(executor);
			return ret;
		}
	}
	status = aclnn_run(&s->op, workspace, size, executor, stream);
	/* The launch reported its error; aclnn has another number for it. */
	ret = status ? aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) : ACL_SUCCESS;
	if (status && !ret)
		ret = ACL_ERROR_FAILURE;
	if (!workspace)
		return ret;
	if (!ret)
		ret = aclrtSynchronizeStream(stream);
	aclrtFree(workspace);
	return ret;
}

static aclError run(const struct vnpu_single *op, bool is_check,
		    aclrtStream stream)
{
	struct single *s = malloc(sizeof(*s));
	aclOpExecutor *executor;
	uint64_t size;
	aclError ret;

	if (!s) {
		vnpu_operator_error(op->type, ACL_ERROR_BAD_ALLOC,
				    "no host memory for an operator");
		return ACL_ERROR_BAD_ALLOC;
	}
	s->from = op;
	s->count = 0;
	s->is_check = is_check;
	ret = find_type(s);
	if (!ret)
		ret = make_values(s);
	/* The messages of aclnn name operator and argument. */
	if (!ret && aclnn_prepare(&s->op, s->values, &size, &executor))
		ret = ACL_ERROR_INVALID_PARAM;
	else if (!ret && is_check)
		aclDestroyAclOpExecutor(executor);
	else if (!ret)
		ret = launch(s, executor, size, stream);
	forget(s);
	free(s);
	return ret;
}

aclError vnpu_single_execute(const struct vnpu_single *op, void *stream)
{
	return run(op, false, stream);
}

aclError vnpu_single_check(const struct vnpu_single *op, void *stream)
{
	return run(op, true, stream);
}
