// SPDX-License-Identifier: GPL-2.0-only
/* Compiling and running models. See test.h. */
#include <math.h>

#include "test.h"

bool bytes_read(struct bytes *b, const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;

	*b = (struct bytes){ 0 };
	if (!f)
		return false;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0) {
		rewind(f);
		b->data = malloc(size + 1);
		if (b->data)
			b->size = fread(b->data, 1, size, f);
	}
	fclose(f);
	return b->data;
}

/* Names of inputs in their order, which the compiler's caller does not know. */
static bool name_inputs(struct graph *g, struct run *r, const void *data,
			size_t size)
{
	if (onnx_read_model(g, data, size)) {
		snprintf(r->error, sizeof(r->error), "%s", g->error);
		return false;
	}
	if (g->input_count == r->input_count)
		return true;
	snprintf(r->error, sizeof(r->error), "the model has %u inputs, given %u",
		 g->input_count, r->input_count);
	return false;
}

static bool compile(struct run *r, const void *data, size_t size)
{
	struct compile_frozen frozen[RUN_TENSORS];
	struct compile_options options = r->options;
	struct graph g = { 0 };
	unsigned int i;
	bool found = name_inputs(&g, r, data, size);

	options.frozen = frozen;
	while (found) {
		if (!compile_model(data, size, &options, &r->result))
			break;
		snprintf(r->error, sizeof(r->error), "%s", r->result.error);
		found = false;
		for (i = 0; *r->result.needs && i < g.input_count; i++) {
			if (strcmp(g.inputs[i]->name, r->result.needs))
				continue;
			frozen[options.frozen_count++] = (struct compile_frozen){
				.name = g.inputs[i]->name,
				.data = r->inputs[i].data,
				.size = r->inputs[i].size,
			};
			found = options.frozen_count < RUN_TENSORS;
			break;
		}
		compile_free(&r->result);
	}
	graph_free(&g);
	return found;
}

static bool execute(struct run *r)
{
	const struct program_head *h = r->program.head;
	void *io[2 * RUN_TENSORS], *work;
	struct program_error error = { 0 };
	struct graph g = { 0 };
	uint32_t i;
	int err = 0;

	work = aligned_alloc(64, h->work + 64);
	/* No step may depend on what the memory had before. */
	memset(work, 0xa5, h->work);
	for (i = 0; i < h->inputs; i++) {
		const struct graph_value *v;

		v = onnx_read_tensor(&g, r->inputs[i].data, r->inputs[i].size);
		if (!v || graph_bytes(v) != r->program.tensors[i].bytes) {
			snprintf(r->error, sizeof(r->error), "input %u: %.400s", i,
				 v ? GRAPH_DESCRIBE(v) : g.error);
			err = -EINVAL;
			break;
		}
		io[i] = (void *)v->data;
	}
	for (i = 0; i < h->outputs; i++) {
		uint64_t bytes = r->program.tensors[h->inputs + i].bytes;

		r->outputs[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
		memset(r->outputs[i], 0x5a, bytes);
		io[h->inputs + i] = r->outputs[i];
	}
	if (!err)
		err = program_run(&r->program, work, io, &error);
	if (err && *error.text)
		snprintf(r->error, sizeof(r->error), "%s", error.text);
	for (i = 0; !err && i < h->outputs; i++) {
		program_dims(&r->program, i, work, r->dims[i]);
		program_pack(&r->program, i, r->outputs[i], r->dims[i]);
	}
	free(work);
	graph_free(&g);
	return !err;
}

bool run_model(struct run *r, const void *data, size_t size)
{
	struct program_error error;

	*r->error = 0;
	if (!compile(r, data, size))
		return false;
	if (program_open(&r->program, r->result.program, r->result.size,
			 &error) || program_verify(&r->program, &error)) {
		snprintf(r->error, sizeof(r->error), "%s", error.text);
		return false;
	}
	if (r->program.head->outputs > RUN_TENSORS)
		return false;
	return execute(r);
}

static double number_at(const void *data, unsigned int dtype, int64_t i)
{
	struct vnpu_op_launch l;
	int64_t one = 1;
	double value = NAN;

	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	vnpu_tensor_init(&l.tensor[0], dtype, 1, &one,
			 (char *)data + i * (vnpu_dtype_bits(dtype) / 8));
	vnpu_tensor_init(&l.tensor[1], VNPU_DT_F64, 1, &one, &value);
	if (vnpu_op_compute(&l, NULL))
		abort();
	return value;
}

static bool is_close(double a, double b, double relative, double absolute)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return a == b || fabs(a - b) <= absolute + relative * fabs(b);
}

bool run_compare(struct run *r, unsigned int output, const struct bytes *expected,
		 double relative, double absolute)
{
	const struct program_tensor *t;
	struct graph g = { 0 };
	const struct graph_value *v;
	bool same = false;
	int64_t i, n;

	t = &r->program.tensors[r->program.head->inputs + output];
	v = onnx_read_tensor(&g, expected->data, expected->size);
	if (!v) {
		snprintf(r->error, sizeof(r->error), "%s", g.error);
	} else if (v->dtype != t->dtype || v->rank != t->rank ||
		   memcmp(v->dims, r->dims[output],
			  v->rank * sizeof(*v->dims))) {
		snprintf(r->error, sizeof(r->error),
			 "output %u has another type or shape than %s", output,
			 GRAPH_DESCRIBE(v));
	} else {
		n = graph_elements(v);
		same = true;
		for (i = 0; same && i < n; i++) {
			double a = number_at(r->outputs[output], t->dtype, i);
			double b = number_at(v->data, t->dtype, i);

			same = is_close(a, b, relative, absolute);
			if (!same)
				snprintf(r->error, sizeof(r->error),
					 "element %lld of output %u is %.9g, expected %.9g",
					 (long long)i, output, a, b);
		}
	}
	graph_free(&g);
	return same;
}

void run_free(struct run *r)
{
	unsigned int i;

	for (i = 0; i < RUN_TENSORS; i++) {
		free(r->outputs[i]);
		r->outputs[i] = NULL;
	}
	compile_free(&r->result);
}
