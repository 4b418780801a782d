// SPDX-License-Identifier: MIT
/* The critical path. See path.h. */
#include <errno.h>

#include "build/path.h"

static uint64_t bytes_of(const struct vnpu_tensor *t)
{
	return vnpu_tensor_elements(t) * (vnpu_dtype_bits(t->dtype) / 8);
}

static void take_longer(struct build_path *path, const struct build_path *other)
{
	if (other->bytes > path->bytes)
		*path = *other;
}

/* Add a step to the longest path to the buffers that it reads. */
static struct build_path path_to(const struct build_step *s,
				 const struct build_path *buffers)
{
	unsigned int count = s->launch->inputs + s->launch->outputs, i;
	struct build_path path = { 0 };

	for (i = 0; i < s->launch->inputs; i++)
		if (s->buffers[i] != BUILD_NONE)
			take_longer(&path, &buffers[s->buffers[i]]);
	path.steps++;
	for (i = 0; i < count; i++)
		if (s->buffers[i] != BUILD_NONE)
			path.bytes += bytes_of(&s->launch->tensor[i]);
	return path;
}

int build_critical_path(struct build *b, struct build_path *path)
{
	struct build_path *buffers;
	uint32_t i, k;

	*path = (struct build_path){ 0 };
	if (b->g->err)
		return b->g->err;
	/* Buffers have one tensor each; several steps may write its parts. */
	buffers = store_alloc(&b->store, b->buffer_count + 1,
			      sizeof(*buffers));
	if (!buffers)
		return graph_fail(b->g, -ENOMEM,
				  "there is no memory for the critical path");
	for (i = 0; i < b->step_count; i++) {
		const struct build_step *s = &b->steps[i];
		struct build_path here = path_to(s, buffers);

		take_longer(path, &here);
		for (k = s->launch->inputs;
		     k < (unsigned int)s->launch->inputs + s->launch->outputs;
		     k++)
			if (s->buffers[k] != BUILD_NONE)
				take_longer(&buffers[s->buffers[k]], &here);
	}
	return 0;
}
