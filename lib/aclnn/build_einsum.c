// SPDX-License-Identifier: MIT
/*
 * Sums of products in Einstein's notation, of one tensor or two.
 *
 * Each letter is a dimension.  Letters that the output lacks are summed: first
 * those of one tensor alone.  What is left is a product of matrices for floating-
 * point numbers, where letters of both tensors and the output are batches; and a
 * product of elements otherwise.
 */
#include <ctype.h>
#include <string.h>

#include "build.h"
#include "builders.h"

enum { TENSORS, EQUATION, OUT };

#define LETTERS		(3 * VNPU_TENSOR_DIMS + 1)

/**
 * struct operand - a tensor, and the letters of its dimensions
 * @view: the tensor
 * @letters: a letter for each dimension, and a 0
 */
struct operand {
	struct aclnn_view view;
	char letters[VNPU_TENSOR_DIMS + 1];
};

/* Read letters up to an end of the term; false after a report. */
static bool read_term(struct aclnn_build *b, const char **at, char *letters)
{
	unsigned int count = 0;

	for (; **at && **at != ',' && **at != '-'; (*at)++) {
		if (**at == ' ')
			continue;
		if (!isalpha((unsigned char)**at) || count == VNPU_TENSOR_DIMS) {
			aclnn_fail(b, EQUATION,
				   "expected up to %d letters in each term, given \"%.60s\"",
				   VNPU_TENSOR_DIMS,
				   (const char *)b->values[EQUATION].p);
			return false;
		}
		letters[count++] = **at;
	}
	letters[count] = 0;
	return true;
}

/* Read "ab,bc->ac"; false after a report. */
static bool read_equation(struct aclnn_build *b, struct operand *operand,
			  unsigned int count, char *letters)
{
	const char *text = b->values[EQUATION].p, *at = text;

	for (unsigned int i = 0; i < count; i++) {
		if (!read_term(b, &at, operand[i].letters))
			return false;
		if (i + 1 < count && *at++ != ',')
			goto unclear;
	}
	if (at[0] != '-' || at[1] != '>')
		goto unclear;
	at += 2;
	if (!read_term(b, &at, letters))
		return false;
	if (!*at)
		return true;
unclear:
	aclnn_fail(b, EQUATION, "expected %u terms, \"->\" and a term, given \"%.60s\"",
		   count, text);
	return false;
}

/* Drop dimension @dim, of which the first element stays. */
static void drop(struct operand *o, unsigned int dim)
{
	struct vnpu_tensor *t = &o->view.t;
	unsigned int rest = --t->rank - dim;

	memmove(t->dims + dim, t->dims + dim + 1, rest * sizeof(*t->dims));
	memmove(t->strides + dim, t->strides + dim + 1,
		rest * sizeof(*t->strides));
	memmove(o->letters + dim, o->letters + dim + 1, rest + 1);
}

/* A letter that is given twice is a diagonal; false after a report. */
static bool take_diagonals(struct aclnn_build *b, struct operand *o)
{
	struct vnpu_tensor *t = &o->view.t;

	if (strlen(o->letters) != t->rank) {
		aclnn_fail(b, EQUATION, "\"%s\" is for a tensor of %u dimensions",
			   o->letters, t->rank);
		return false;
	}
	for (unsigned int i = t->rank; i--;) {
		unsigned int first = strchr(o->letters, o->letters[i]) -
				     o->letters;

		if (first == i)
			continue;
		if (t->dims[first] != t->dims[i]) {
			aclnn_fail(b, EQUATION, "%c has the sizes %lld and %lld",
				   o->letters[i], (long long)t->dims[first],
				   (long long)t->dims[i]);
			return false;
		}
		t->strides[first] += t->strides[i];
		drop(o, i);
	}
	return true;
}

/* Check that letters have one size, apart from 1; false after a report. */
static bool check_sizes(struct aclnn_build *b, const struct operand *operand,
			unsigned int count, const struct operand *out)
{
	for (unsigned int i = 0; i < out->view.t.rank; i++) {
		char letter = out->letters[i];
		int64_t size = -1;

		if (strchr(out->letters, letter) != out->letters + i) {
			aclnn_fail(b, EQUATION, "the output has %c twice", letter);
			return false;
		}
		for (unsigned int k = 0; k < count; k++) {
			const char *at = strchr(operand[k].letters, letter);
			int64_t other = at ? operand[k].view.t.dims[
				at - operand[k].letters] : 1;

			if (at && (size < 0 || size == 1))
				size = other;
		}
		if (size < 0) {
			aclnn_fail(b, EQUATION, "no input has %c of the output",
				   letter);
			return false;
		}
		if (out->view.t.dims[i] != size) {
			aclnn_fail(b, OUT, "dimension %u: expected %lld, given %lld",
				   i, (long long)size,
				   (long long)out->view.t.dims[i]);
			return false;
		}
	}
	return true;
}

/* Sum over the letters that neither @first nor @second has. */
static void sum_others(struct aclnn_build *b, struct operand *o,
		       const char *first, const char *second)
{
	struct vnpu_tensor *t = &o->view.t;
	int64_t dims[VNPU_TENSOR_DIMS];
	unsigned int count = 0, i;
	struct aclnn_view sum;

	for (i = 0; i < t->rank; i++)
		if (!strchr(first, o->letters[i]) &&
		    !strchr(second, o->letters[i]))
			dims[count++] = i;
	if (!count)
		return;
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_ints(b, "dims", dims, count);
	aclnn_put(b, 0, &o->view);
	sum = aclnn_result(b);
	for (i = count; i--;)
		drop(o, dims[i]);
	if (!b->status)
		o->view = sum;
}

/* View a tensor with these letters; those that it lacks repeat its elements. */
static struct aclnn_view arrange(const struct operand *o, const char *letters)
{
	struct aclnn_view view = o->view;

	view.t.rank = strlen(letters);
	for (unsigned int i = 0; i < view.t.rank && i < VNPU_TENSOR_DIMS; i++) {
		const char *at = strchr(o->letters, letters[i]);

		view.t.dims[i] = at ? o->view.t.dims[at - o->letters] : 1;
		view.t.strides[i] = at ? o->view.t.strides[at - o->letters] : 0;
	}
	return view;
}

/* The letters of @from that are in @in, or not in it, behind those in @to. */
static void select_letters(char *to, const char *from, const char *in, bool has)
{
	size_t count = strlen(to);

	for (; *from; from++)
		if (!!strchr(in, *from) == has && count < VNPU_TENSOR_DIMS)
			to[count++] = *from;
	to[count] = 0;
}

/* Join letters; @to has room for three times as many as a tensor has. */
static void join(char *to, const char *first, const char *second,
		 const char *third)
{
	strcpy(to, first);
	strcat(to, second);
	strcat(to, third);
}

/* Make @count dimensions from @first on a single one. */
static void fold(struct aclnn_build *b, struct aclnn_view *view,
		 unsigned int first, unsigned int count)
{
	int64_t dims[VNPU_TENSOR_DIMS], size = 1;
	unsigned int rank = view->t.rank, i;

	if (!count) {
		aclnn_insert(view, first);
		return;
	}
	if (count == 1)
		return;
	for (i = 0; i < count; i++)
		size *= view->t.dims[first + i];
	memcpy(dims, view->t.dims, sizeof(dims));
	dims[first] = size;
	memmove(dims + first + 1, dims + first + count,
		(rank - first - count) * sizeof(*dims));
	aclnn_flatten(b, view, rank - count + 1, dims);
}

/* Give a letter the size that it has in the other tensor, if it is 1 in this one. */
static void spread(struct operand *o, const struct operand *other)
{
	for (unsigned int i = 0; i < o->view.t.rank; i++) {
		const char *at = strchr(other->letters, o->letters[i]);

		if (!at || o->view.t.dims[i] != 1)
			continue;
		o->view.t.dims[i] = other->view.t.dims[at - other->letters];
		o->view.t.strides[i] = 0;
	}
}

/* Check whether batches leave room for the two dimensions of a matrix. */
static bool fits_matrices(const struct operand *x, const struct operand *y,
			  const struct operand *out)
{
	unsigned int batches = 0;

	for (const char *at = out->letters; *at; at++)
		batches += strchr(x->letters, *at) && strchr(y->letters, *at);
	return batches + 2 <= VNPU_TENSOR_DIMS;
}

/* The product as one of matrices: batches, then rows, and columns. */
static int multiply_matrices(struct aclnn_build *b, struct operand *x,
			     struct operand *y, const struct operand *out)
{
	char shared[VNPU_TENSOR_DIMS + 1] = "", batch[VNPU_TENSOR_DIMS + 1] = "";
	char rows[VNPU_TENSOR_DIMS + 1] = "", inner[VNPU_TENSOR_DIMS + 1] = "";
	char columns[VNPU_TENSOR_DIMS + 1] = "";
	char left[LETTERS], right[LETTERS], made[LETTERS];
	struct aclnn_view first, second, product, target;
	unsigned int count;

	select_letters(inner, x->letters, out->letters, false);
	select_letters(rows, x->letters, y->letters, false);
	select_letters(columns, y->letters, x->letters, false);
	select_letters(shared, out->letters, x->letters, true);
	select_letters(batch, shared, y->letters, true);
	join(left, batch, rows, inner);
	join(right, batch, inner, columns);
	join(made, batch, rows, columns);
	count = strlen(batch);
	first = arrange(x, left);
	second = arrange(y, right);
	fold(b, &first, count + strlen(rows), strlen(inner));
	fold(b, &first, count, strlen(rows));
	fold(b, &second, count + strlen(inner), strlen(columns));
	fold(b, &second, count, strlen(inner));
	product = aclnn_result2(b, VNPU_OP_MATMUL, &first, &second);
	if (b->status)
		return b->status;
	target = arrange(out, made);
	aclnn_reshape(&product, target.t.rank, target.t.dims);
	return aclnn_step1(b, VNPU_OP_COPY, &product, &target);
}

/* The product of elements, for all letters, and its sum. */
static int multiply_elements(struct aclnn_build *b, struct operand *x,
			     struct operand *y, const struct operand *out)
{
	char inner[VNPU_TENSOR_DIMS + 1] = "", all[LETTERS];
	struct aclnn_view first, second, product;
	int64_t dims[VNPU_TENSOR_DIMS];
	unsigned int rank = out->view.t.rank, i;

	select_letters(inner, x->letters, out->letters, false);
	join(all, out->letters, inner, "");
	first = arrange(x, all);
	second = arrange(y, all);
	if (!*inner)
		return aclnn_step2(b, VNPU_OP_MUL, &first, &second, &out->view);
	product = aclnn_result2(b, VNPU_OP_MUL, &first, &second);
	for (i = 0; inner[i]; i++)
		dims[i] = rank + i;
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_ints(b, "dims", dims, i);
	aclnn_put(b, 0, &product);
	aclnn_put(b, 1, &out->view);
	return aclnn_end(b);
}

/* Read the arguments; false after a report. */
static bool read_operands(struct aclnn_build *b, struct operand *operand,
			  struct operand *out)
{
	const struct aclnn_array *list = aclnn_array(b, TENSORS);
	unsigned int count = list->size;

	if (count != 1 && count != 2) {
		aclnn_fail(b, TENSORS, "expected 1 or 2 tensors, given %llu",
			   (unsigned long long)list->size);
		return false;
	}
	out->view = aclnn_view(b, OUT);
	if (!read_equation(b, operand, count, out->letters))
		return false;
	for (unsigned int i = 0; i < count; i++) {
		operand[i].view = aclnn_member(b, TENSORS, i);
		if (b->status || !take_diagonals(b, &operand[i]))
			return false;
	}
	if (strlen(out->letters) != out->view.t.rank) {
		aclnn_fail(b, OUT, "expected %u dimensions, given %u",
			   (unsigned int)strlen(out->letters), out->view.t.rank);
		return false;
	}
	return check_sizes(b, operand, count, out);
}

int build_einsum(struct aclnn_build *b)
{
	struct operand operand[2] = { 0 }, out = { 0 }, *x = operand;
	struct operand *y = operand + 1;
	unsigned int letters;
	struct aclnn_view from;

	if (!read_operands(b, operand, &out))
		return b->status;
	if (aclnn_array(b, TENSORS)->size == 1) {
		sum_others(b, x, out.letters, "");
		from = arrange(x, out.letters);
		return b->status ? b->status :
				   aclnn_step1(b, VNPU_OP_COPY, &from, &out.view);
	}
	sum_others(b, x, out.letters, y->letters);
	sum_others(b, y, out.letters, x->letters);
	if (b->status)
		return b->status;
	spread(x, y);
	spread(y, x);
	letters = strlen(out.letters);
	for (const char *at = x->letters; *at; at++)
		letters += !strchr(out.letters, *at);
	if (letters > VNPU_TENSOR_DIMS)
		return aclnn_fail(b, EQUATION, "expected up to %d letters, given %u",
				  VNPU_TENSOR_DIMS, letters);
	if (letters == strlen(out.letters) || !fits_matrices(x, y, &out) ||
	    !vnpu_dtype_is_float(vnpu_dtype_promote(x->view.t.dtype,
						    y->view.t.dtype)))
		return multiply_elements(b, x, y, &out);
	return multiply_matrices(b, x, y, &out);
}
