// SPDX-License-Identifier: MIT
/* Running programs in this process. See program.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "program/program.h"

static int check_frozen(const struct program *p, void *const *io,
			struct program_error *error)
{
	const struct program_tensor *t = p->tensors;
	uint32_t i;

	for (i = 0; i < p->head->inputs; i++) {
		if (t[i].frozen_at == PROGRAM_NONE ||
		    !memcmp(io[i], (const char *)p->weights + t[i].frozen_at,
			    t[i].bytes))
			continue;
		error->step = -1;
		snprintf(error->text, sizeof(error->text),
			 "input '%.60s' has other elements than the model was compiled for",
			 p->text + t[i].name);
		return -ESTALE;
	}
	return 0;
}

static int run_step(const struct program *p, const struct program_step *s,
		    void *work, void *const *io, struct program_error *error)
{
	struct vnpu_op_error why = { 0 };
	struct vnpu_op_launch l;
	unsigned int i;
	int err;

	memcpy(&l, s + 1, s->size - sizeof(*s));
	for (i = 0; i < (unsigned int)l.inputs + l.outputs; i++) {
		unsigned int segment = s->segments[i];

		if (segment == PROGRAM_IMMEDIATE)
			continue;
		l.tensor[i].data += (uintptr_t)
			(segment == PROGRAM_WEIGHTS ? p->weights :
			 segment == PROGRAM_WORK ? work :
			 io[segment - PROGRAM_IO]);
	}
	err = vnpu_op_compute(&l, &why);
	if (err)
		snprintf(error->text, sizeof(error->text),
			 "node '%.60s' (%.40s): %s", p->text + s->name,
			 p->text + s->type, err == -ERANGE ?
				 "an index is out of range" :
				 err == -EBADMSG ?
				 "the parameters are not valid" :
				 err == -ENOMEM ? "there is no memory" :
				 why.text);
	return err;
}

int program_run(const struct program *p, void *work, void *const *io,
		struct program_error *error)
{
	const struct program_step *s = NULL;
	int err;

	err = check_frozen(p, io, error);
	for (error->step = 0; !err && (s = program_next(p, s)); error->step++)
		err = run_step(p, s, work, io, error);
	error->step--;
	return err;
}
