// SPDX-License-Identifier: MIT
/* Descriptions of operators as JSON; acl/acl_dump.h has the format. */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "dump/args.h"
#include "describe.h"

static const char *const types[] = {
	[ACL_FLOAT] = "FLOAT", [ACL_FLOAT16] = "FLOAT16",
	[ACL_INT8] = "INT8", [ACL_INT32] = "INT32", [ACL_UINT8] = "UINT8",
	[ACL_INT16] = "INT16", [ACL_UINT16] = "UINT16",
	[ACL_UINT32] = "UINT32", [ACL_INT64] = "INT64",
	[ACL_UINT64] = "UINT64", [ACL_DOUBLE] = "DOUBLE", [ACL_BOOL] = "BOOL",
	[ACL_COMPLEX64] = "COMPLEX64", [ACL_COMPLEX128] = "COMPLEX128",
	[ACL_BF16] = "BF16", [ACL_INT4] = "INT4", [ACL_COMPLEX32] = "COMPLEX32",
};

static const char *const formats[] = {
	[ACL_FORMAT_NCHW] = "NCHW", [ACL_FORMAT_NHWC] = "NHWC",
	[ACL_FORMAT_ND] = "ND", [ACL_FORMAT_NC1HWC0] = "NC1HWC0",
	[ACL_FORMAT_FRACTAL_Z] = "FRACTAL_Z", [ACL_FORMAT_HWCN] = "HWCN",
	[ACL_FORMAT_NDHWC] = "NDHWC", [ACL_FORMAT_FRACTAL_NZ] = "FRACTAL_NZ",
	[ACL_FORMAT_NCDHW] = "NCDHW", [ACL_FORMAT_NC] = "NC",
	[ACL_FORMAT_NCL] = "NCL",
};

#define COUNT(names)	(sizeof(names) / sizeof(*(names)))

static void print_name(FILE *f, const char *key, const char *const *names,
		       size_t count, int value)
{
	fprintf(f, ", \"%s\": ", key);
	if (value >= 0 && (size_t)value < count && names[value])
		fprintf(f, "\"%s\"", names[value]);
	else
		fprintf(f, "%d", value);
}

static void print_ints(FILE *f, const int64_t *values, uint64_t count)
{
	putc('[', f);
	for (uint64_t i = 0; i < count; i++)
		fprintf(f, "%s%" PRId64, i ? ", " : "", values[i]);
	putc(']', f);
}

static void print_bools(FILE *f, const bool *values, uint64_t count)
{
	putc('[', f);
	for (uint64_t i = 0; i < count; i++)
		fprintf(f, "%s%s", i ? ", " : "", values[i] ? "true" : "false");
	putc(']', f);
}

/* JSON has no other numbers than finite ones. */
static void print_float(FILE *f, double value)
{
	fprintf(f, isfinite(value) ? "%.17g" : "\"%g\"", value);
}

static void print_scalar(FILE *f, const struct aclnn_scalar *scalar)
{
	if (scalar->is_float)
		print_float(f, scalar->f);
	else
		fprintf(f, "%" PRId64, scalar->i);
}

static void print_tensor(FILE *f, const char *name,
			 const struct aclnn_tensor *tensor)
{
	fprintf(f, "{\"name\": \"%s\"", name);
	print_name(f, "type", types, COUNT(types), tensor->dtype);
	print_name(f, "format", formats, COUNT(formats), tensor->format);
	fprintf(f, ", \"shape\": ");
	print_ints(f, tensor->view.dims, tensor->view.rank);
	fprintf(f, ", \"strides\": ");
	print_ints(f, tensor->view.strides, tensor->view.rank);
	fprintf(f, ", \"offset\": %" PRId64 ", \"storage\": ",
		tensor->view.offset);
	print_ints(f, tensor->storage, tensor->storage_rank);
	putc('}', f);
}

/* Print the tensors of a list; it may have lost one since the operator was made. */
static void print_list(FILE *f, const char *name,
		       const struct aclnn_array *list, const char **comma)
{
	for (uint64_t i = 0; i < list->size; i++) {
		const struct aclnn_tensor *tensor =
			aclnn_handle_get(ACLNN_OBJECT_TENSOR, list->handle[i]);

		if (!tensor)
			continue;
		fputs(*comma, f);
		*comma = ", ";
		print_tensor(f, name, tensor);
	}
}

/* Print the arguments that are tensors of a kind, or lists of these. */
static void print_tensors(FILE *f, const struct aclnn_build *b,
			  const char *key, enum aclnn_kind one,
			  enum aclnn_kind list)
{
	const char *comma = "";

	fprintf(f, ", \"%s\": [", key);
	for (unsigned int i = 0; i < b->op->count; i++) {
		const struct aclnn_arg *arg = &b->op->args[i];

		if (!b->object[i])
			continue;
		if (arg->kind == one) {
			fputs(comma, f);
			comma = ", ";
			print_tensor(f, arg->name, b->object[i]);
		} else if (arg->kind == list) {
			print_list(f, arg->name, b->object[i], &comma);
		}
	}
	putc(']', f);
}

static void print_value(FILE *f, const struct aclnn_build *b, unsigned int i)
{
	const struct aclnn_array *array = b->object[i];

	switch (b->op->args[i].kind) {
	case ACLNN_INT:
		fprintf(f, "%" PRId64, b->values[i].i);
		return;
	case ACLNN_FLOAT:
		print_float(f, b->values[i].f);
		return;
	case ACLNN_TEXT:
		vnpu_json_print_string(f, b->values[i].p);
		return;
	default:
		break;
	}
	if (!array)
		fputs("null", f);
	else if (b->op->args[i].kind == ACLNN_SCALAR)
		print_scalar(f, b->object[i]);
	else if (b->op->args[i].kind == ACLNN_INTS)
		print_ints(f, array->i, array->size);
	else
		print_bools(f, array->b, array->size);
}

static bool is_attribute(const struct aclnn_arg *arg)
{
	return arg->kind > ACLNN_OUTPUTS;
}

static long print(const void *from, FILE *f)
{
	const struct aclnn_build *b = from;
	const char *comma = "";
	long shape;

	fprintf(f, "{\"op\": \"%s\"", b->op->name);
	print_tensors(f, b, "inputs", ACLNN_TENSOR, ACLNN_TENSORS);
	print_tensors(f, b, "outputs", ACLNN_OUTPUT, ACLNN_OUTPUTS);
	shape = ftell(f);
	fprintf(f, ", \"attributes\": {");
	for (unsigned int i = 0; i < b->op->count; i++) {
		if (!is_attribute(&b->op->args[i]))
			continue;
		fprintf(f, "%s\"%s\": ", comma, b->op->args[i].name);
		comma = ", ";
		print_value(f, b, i);
	}
	fprintf(f, "}}\n");
	return shape;
}

void aclnn_describe(const struct aclnn_build *b)
{
	vnpu_dump_args_write(b->op->name, print, b);
}
