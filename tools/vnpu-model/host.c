// SPDX-License-Identifier: GPL-2.0-only
/* Runs of a model in this process, and memory of runs. See run.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"

double run_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void *allocate(uint64_t bytes)
{
	uint64_t room = (bytes / PROGRAM_ALIGN + 1) * PROGRAM_ALIGN;
	void *data = aligned_alloc(PROGRAM_ALIGN, room);

	if (data)
		memset(data, 0, room);
	return data;
}

static uint32_t tensors_of(const struct run *r)
{
	return r->p->head->inputs + r->p->head->outputs;
}

char *run_prepare(struct run *r, const struct model *m, unsigned int gear,
		  unsigned int loop)
{
	uint32_t i;

	*r = (struct run){ .m = m, .gear = gear, .p = &m->gears[gear],
			   .loop = loop };
	r->io = calloc(tensors_of(r) + 1, sizeof(*r->io));
	r->dims = calloc(r->p->head->outputs + 1, sizeof(*r->dims));
	r->ms = calloc(loop, sizeof(*r->ms));
	if (!r->io || !r->dims || !r->ms)
		return tensor_message("out of memory");
	for (i = 0; i < tensors_of(r); i++) {
		r->io[i] = allocate(r->p->tensors[i].bytes);
		if (!r->io[i])
			return tensor_message("out of memory: tensor '%s' needs %llu bytes",
					      tensor_name(r->p, i),
					      (unsigned long long)
					      r->p->tensors[i].bytes);
	}
	return NULL;
}

void run_free(struct run *r)
{
	uint32_t i;

	for (i = 0; r->io && i < tensors_of(r); i++)
		free(r->io[i]);
	free(r->io);
	free(r->dims);
	free(r->ms);
}

struct tensor run_output(const struct run *r, unsigned int output)
{
	uint32_t at = r->p->head->inputs + output;
	const struct program_tensor *t = &r->p->tensors[at];
	struct tensor out = { .dtype = t->dtype, .rank = t->rank,
			      .data = r->io[at] };
	unsigned int i;

	out.bytes = vnpu_dtype_bits(t->dtype) / 8;
	for (i = 0; i < t->rank; i++) {
		out.dims[i] = r->dims[output][i];
		out.bytes *= out.dims[i];
	}
	return out;
}

char *run_on_host(struct run *r)
{
	double begin = run_now();
	void *work = allocate(r->p->head->work);
	struct program_error error = { 0 };
	unsigned int i, k;
	int err = 0;

	if (!work)
		return tensor_message("out of memory: the model needs %llu bytes of work memory",
				      (unsigned long long)r->p->head->work);
	if (program_verify(r->p, &error)) {
		free(work);
		return tensor_message("%s", error.text);
	}
	r->load_ms = run_now() - begin;
	for (i = 0; i < r->loop && !err; i++) {
		begin = run_now();
		err = program_run(r->p, work, r->io, &error);
		for (k = 0; !err && k < r->p->head->outputs; k++) {
			program_dims(r->p, k, work, r->dims[k]);
			program_pack(r->p, k, r->io[r->p->head->inputs + k],
				     r->dims[k]);
		}
		r->ms[i] = run_now() - begin;
	}
	free(work);
	return err ? tensor_message("%s", error.text) : NULL;
}
