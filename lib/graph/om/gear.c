// SPDX-License-Identifier: MIT
/* The gears of checked models. See om.h. */
#include <string.h>

#include "om/om.h"

void om_program(const struct om *om, unsigned int gear, struct program *p)
{
	const char *data = (const char *)om->head + om->gears[gear].at;

	p->head = (const void *)data;
	p->tensors = (const void *)(data + p->head->tensors_at);
	p->text = data + p->head->text_at;
	p->weights = om->weights;
}

unsigned int om_values(const struct om *om, unsigned int gear, int64_t *values)
{
	unsigned int most = om->head->kind == OM_BATCH ? 1 : OM_VALUES;
	unsigned int count = 0, i, k;
	struct program p;

	om_program(om, gear, &p);
	for (i = 0; i < om->head->inputs; i++)
		for (k = 0; k < om->tensors[i].rank && count < most; k++)
			if (om->tensors[i].dims[k] == -1)
				values[count++] = p.tensors[i].dims[k];
	return count;
}

int om_find(const struct om *om, const int64_t *values, unsigned int count)
{
	int64_t own[OM_VALUES];
	uint32_t gear;

	for (gear = 0; gear < om->head->gears; gear++)
		if (om_values(om, gear, own) == count &&
		    !memcmp(own, values, count * sizeof(*own)))
			return gear;
	return -1;
}

void om_range(const struct om *om, uint32_t input, unsigned int dim,
	      int64_t *least, int64_t *most)
{
	unsigned int gear;

	*least = INT64_MAX;
	*most = 0;
	for (gear = 0; gear < om->head->gears; gear++) {
		struct program p;
		int64_t size;

		om_program(om, gear, &p);
		size = p.tensors[input].dims[dim];
		*least = size < *least ? size : *least;
		*most = size > *most ? size : *most;
	}
}

unsigned int om_largest(const struct om *om)
{
	unsigned int gear, i, largest = 0;
	double most = -1;

	for (gear = 0; gear < om->head->gears; gear++) {
		struct program p;
		double bytes = 0;

		om_program(om, gear, &p);
		for (i = 0; i < om->head->inputs; i++)
			bytes += p.tensors[i].bytes;
		if (bytes > most) {
			most = bytes;
			largest = gear;
		}
	}
	return largest;
}

uint64_t om_work(const struct om *om)
{
	uint64_t most = 0;
	unsigned int gear;

	for (gear = 0; gear < om->head->gears; gear++) {
		struct program p;

		om_program(om, gear, &p);
		if (p.head->work > most)
			most = p.head->work;
	}
	return most;
}
