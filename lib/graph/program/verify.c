// SPDX-License-Identifier: MIT
/* Checks of the operators of programs. See program.h. */
#include <string.h>

#include "program/program.h"

int program_verify(const struct program *p, struct program_error *error)
{
	const struct program_step *s = NULL;
	int64_t number;

	for (number = 0; (s = program_next(p, s)); number++) {
		struct vnpu_op_launch l = { 0 };
		struct vnpu_op_error why;
		unsigned int i;

		memcpy(&l, program_launch(s), s->size - sizeof(*s));
		/* Any address: program_open() has checked what is there. */
		for (i = 0; i < (unsigned int)l.inputs + l.outputs; i++)
			if (s->segments[i] != PROGRAM_IMMEDIATE)
				l.tensor[i].data = PROGRAM_PAGE;
		if (vnpu_op_check(&l, &why))
			return program_fail(error, number, "step %lld: %s",
					    (long long)number, why.text);
	}
	return 0;
}
