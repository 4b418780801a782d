// SPDX-License-Identifier: MIT
/* Outputs with sizes that are known only after a run. See program.h. */
#include <string.h>

#include "program/program.h"

void program_count(const struct program *p, unsigned int output, int64_t count,
		   int64_t *dims)
{
	const struct program_tensor *t = &p->tensors[p->head->inputs + output];

	memcpy(dims, t->dims, sizeof(t->dims));
	if (t->count_at != PROGRAM_NONE && count >= 0 &&
	    count <= t->dims[t->count_dim])
		dims[t->count_dim] = count;
}

void program_dims(const struct program *p, unsigned int output,
		  const void *work, int64_t *dims)
{
	const struct program_tensor *t = &p->tensors[p->head->inputs + output];
	int64_t count = -1;

	if (t->count_at != PROGRAM_NONE)
		memcpy(&count, (const char *)work + t->count_at, sizeof(count));
	program_count(p, output, count, dims);
}

void program_pack(const struct program *p, unsigned int output, void *data,
		  const int64_t *dims)
{
	const struct program_tensor *t = &p->tensors[p->head->inputs + output];
	size_t inner = vnpu_dtype_bits(t->dtype) / 8, outer = 1, i, all;
	char *bytes = data;
	unsigned int k;

	for (k = 0; k < t->rank; k++) {
		if (k < t->count_dim)
			outer *= t->dims[k];
		else if (k > t->count_dim)
			inner *= t->dims[k];
	}
	all = inner * t->dims[t->count_dim];
	inner *= dims[t->count_dim];
	for (i = 1; i < outer && inner < all; i++)
		memmove(bytes + i * inner, bytes + i * all, inner);
}
