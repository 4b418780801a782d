// SPDX-License-Identifier: MIT
/* Computing nodes with constant inputs. See build.h. */
#include <errno.h>
#include <string.h>

#include "build/build.h"

static int run_step(struct build *b, const struct build_step *s, void **memory)
{
	struct vnpu_op_launch *l = s->launch;
	struct vnpu_op_error error;
	unsigned int i;
	int err;

	for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++)
		if (s->buffers[i] != BUILD_NONE)
			l->tensor[i].data = (uintptr_t)memory[s->buffers[i]];
	err = vnpu_op_compute(l, &error);
	if (err == -ERANGE)
		return build_fail(b, "an index is out of range");
	return err ? build_fail(b, "%s", error.text) : 0;
}

/* Give each output a contiguous view. */
static void make_contiguous(struct build *b, struct graph_value *v)
{
	struct build_view *view = &b->views[v->index], copy;

	if (view->buffer == BUILD_NONE ||
	    (!view->t.offset && vnpu_tensor_is_contiguous(&view->t)))
		return;
	copy = build_temp_like(b, view);
	build_copy(b, view, &copy);
	*view = copy;
}

static void **allocate(struct build *b)
{
	void **memory = store_alloc(&b->store, b->buffer_count, sizeof(*memory));
	uint32_t i;

	for (i = 0; memory && i < b->buffer_count; i++) {
		struct build_buffer *buffer = &b->buffers[i];

		memory[i] = buffer->kind == BUILD_CONST ? (void *)buffer->data :
			store_alloc(&b->store, buffer->bytes, 1);
		if (!memory[i])
			return NULL;
	}
	return memory;
}

/* Keep the elements that the counted dimension has. */
static void cut(struct build *b, struct graph_value *v, void **memory)
{
	struct build_view from = b->views[v->index], count, to;
	const int64_t *n;
	struct vnpu_op_launch l;

	count = b->views[v->count->index];
	n = memory[count.buffer];
	if (*n < 0 || *n > v->dims[v->count_dim])
		return;
	view_slice(&from, v->count_dim, 0, *n, 1);
	v->dims[v->count_dim] = *n;
	v->count = NULL;
	v->data = store_alloc(&b->g->store, graph_bytes(v), 1);
	if (!v->data)
		return;
	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	vnpu_tensor_init(&to.t, v->dtype, v->rank, v->dims, (void *)v->data);
	from.t.data = (uintptr_t)memory[from.buffer];
	from.t.bytes = b->buffers[from.buffer].bytes;
	l.tensor[0] = from.t;
	l.tensor[1] = to.t;
	if (vnpu_op_compute(&l, NULL))
		v->data = NULL;
}

static int keep(struct build *b, const struct graph_node *n, void **memory)
{
	unsigned int i;
	void *data;

	for (i = 0; i < n->outs; i++) {
		struct graph_value *v = n->out[i];

		if (!v || b->views[v->index].buffer == BUILD_NONE)
			continue;
		if (v->count) {
			cut(b, v, memory);
			continue;
		}
		data = store_alloc(&b->g->store, graph_bytes(v), 1);
		if (!data)
			return graph_status(b->g);
		memcpy(data, memory[b->views[v->index].buffer], graph_bytes(v));
		v->data = data;
	}
	return graph_status(b->g);
}

int build_evaluate(struct graph *g, struct graph_node *n,
		   int (*lower)(struct build *b), uint64_t limit)
{
	uint64_t bytes = 0;
	struct build b;
	void **memory;
	uint32_t i;
	int err;

	for (i = 0; i < n->outs; i++)
		bytes += n->out[i] ? graph_bytes(n->out[i]) : 0;
	if (bytes > limit || build_init(&b, g, false))
		return g->err;
	b.node = n;
	err = lower(&b);
	for (i = 0; !err && i < n->outs; i++)
		if (n->out[i] && !n->out[i]->count)
			make_contiguous(&b, n->out[i]);
	for (i = 0, bytes = 0; i < b.buffer_count; i++)
		if (b.buffers[i].kind != BUILD_CONST)
			bytes += b.buffers[i].bytes;
	/* Intermediate results may be far larger; then the node stays. */
	if (!g->err && bytes <= 16 * limit) {
		memory = allocate(&b);
		if (!memory)
			graph_fail(g, -ENOMEM, "there is no memory to fold constants");
		for (i = 0; !g->err && i < b.step_count; i++)
			run_step(&b, &b.steps[i], memory);
		if (!g->err)
			keep(&b, n, memory);
	}
	build_fini(&b);
	return g->err;
}
