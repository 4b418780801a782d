// SPDX-License-Identifier: MIT
/* Checks of models. See om.h. */
#include <errno.h>

#include "om/om.h"

_Static_assert(offsetof(struct om_head, version) ==
	       offsetof(struct program_head, version) &&
	       offsetof(struct om_head, size) ==
	       offsetof(struct program_head, size) &&
	       offsetof(struct om_head, checksum) ==
	       offsetof(struct program_head, checksum),
	       "program_check_start() reads both heads");

/* Check whether the weights lie in the model, behind the head. */
static bool has_weights(const struct om_head *h)
{
	return h->weights_at >= sizeof(*h) && h->weights_at <= h->size &&
	       h->weights_size <= h->size - h->weights_at &&
	       h->weights_at % PROGRAM_PAGE == 0;
}

/*
 * Check whether a part lies between the head and the weights.  Readers drop the
 * weights when they have a copy, and keep the rest.
 */
static bool has_part(const struct om_head *h, uint64_t at, uint64_t size,
		     uint64_t align)
{
	return at >= sizeof(*h) && at <= h->weights_at &&
	       size <= h->weights_at - at && at % align == 0;
}

static int check_head(const struct om_head *h, size_t size,
		      struct program_error *error)
{
	static const struct program_kind kind = {
		OM_MAGIC, OM_VERSION, sizeof(*h),
	};
	int ret = program_check_start(h, size, &kind, error);
	uint64_t io;

	if (ret)
		return ret;
	io = (uint64_t)h->inputs + h->outputs;
	if (io > PROGRAM_TENSORS || h->kind > OM_RANGE || h->reserved ||
	    !h->gears || h->gears > (h->kind == OM_STATIC ? 1 : OM_GEARS) ||
	    (h->kind != OM_STATIC && h->inputs > OM_VALUES) ||
	    !has_weights(h) ||
	    !has_part(h, h->tensors_at, io * sizeof(struct om_tensor), 8) ||
	    !has_part(h, h->gears_at, h->gears * sizeof(struct om_gear), 8) ||
	    !has_part(h, h->text_at, h->text_size, 1))
		return program_fail(error, -1, "the head of the model is not valid");
	if (!h->text_size ||
	    ((const char *)h)[h->text_at + h->text_size - 1] ||
	    h->name >= h->text_size || h->info >= h->text_size)
		return program_fail(error, -1, "the names of the model are not valid");
	return 0;
}

/* Check a tensor of a gear; add to its bytes the most of all gears. */
static int check_same(const struct om *om, uint32_t gear,
		      const struct program_tensor *t, uint32_t index,
		      uint64_t *most, struct program_error *error)
{
	const struct om_tensor *expected = &om->tensors[index];
	unsigned int i;

	for (i = 0; i < t->rank && t->rank == expected->rank; i++)
		if (expected->dims[i] != -1 && expected->dims[i] != t->dims[i])
			break;
	if (t->rank != expected->rank || t->dtype != expected->dtype ||
	    i < t->rank)
		return program_fail(error, -1, "gear %u of the model has another tensor %u",
				    gear, index);
	if (t->bytes > *most)
		*most = t->bytes;
	return 0;
}

static int check_tensor(const struct om *om, uint32_t index,
			struct program_error *error)
{
	const struct om_tensor *t = &om->tensors[index];
	uint64_t most = 0;
	struct program p;
	uint32_t gear;
	int err;

	if (t->name >= om->head->text_size || t->format >= OM_FORMATS ||
	    t->rank > VNPU_TENSOR_DIMS || t->reserved)
		return program_fail(error, -1, "tensor %u of the model is not valid",
				    index);
	for (gear = 0; gear < om->head->gears; gear++) {
		om_program(om, gear, &p);
		err = check_same(om, gear, &p.tensors[index], index, &most,
				 error);
		if (err)
			return err;
	}
	if (most != t->bytes)
		return program_fail(error, -1, "tensor %u of the model has %llu bytes, expected %llu",
				    index, (unsigned long long)t->bytes,
				    (unsigned long long)most);
	return 0;
}

static int check_gear(const struct om *om, uint32_t gear,
		      struct program_error *error)
{
	const struct om_head *h = om->head;
	const struct om_gear *g = &om->gears[gear];
	struct program p;
	int err;

	if (!has_part(h, g->at, g->size, PROGRAM_ALIGN))
		return program_fail(error, -1, "gear %u of the model is not between its head and its weights",
				    gear);
	err = program_open_part(&p, (const char *)h + g->at, g->size,
				om->weights, h->weights_size, error);
	if (err)
		return err;
	if (p.head->inputs != h->inputs || p.head->outputs != h->outputs)
		return program_fail(error, -1, "gear %u of the model has %u inputs and %u outputs, expected %u and %u",
				    gear, p.head->inputs, p.head->outputs,
				    h->inputs, h->outputs);
	return 0;
}

/* Count the sizes of an input that gears choose. */
static unsigned int count_dynamic(const struct om_tensor *t)
{
	unsigned int i, count = 0;

	for (i = 0; i < t->rank; i++)
		count += t->dims[i] == -1;
	return count;
}

/* Check that there is a gear for each size within the ranges. */
static int check_ranges(const struct om *om, struct program_error *error)
{
	int64_t least, most;
	uint64_t shapes = 1;
	uint32_t i;
	unsigned int k;

	/* No gear exists twice, so the count shows whether each shape has one. */
	for (i = 0; i < om->head->inputs; i++)
		for (k = 0; k < om->tensors[i].rank; k++) {
			om_range(om, i, k, &least, &most);
			if (__builtin_mul_overflow(shapes, most - least + 1,
						   &shapes))
				shapes = UINT64_MAX;
		}
	if (shapes == om->head->gears)
		return 0;
	return program_fail(error, -1, "the model has %u gears, expected one for each of the %llu shapes within its ranges",
			    om->head->gears, (unsigned long long)shapes);
}

static int check_kind(const struct om *om, struct program_error *error)
{
	static const unsigned int most[] = {
		[OM_STATIC] = 0, [OM_BATCH] = 1, [OM_IMAGE] = 2,
		[OM_DIMS] = VNPU_TENSOR_DIMS, [OM_RANGE] = VNPU_TENSOR_DIMS,
	};
	unsigned int kind = om->head->kind, inputs = 0, dims = 0, i;

	for (i = 0; i < om->head->inputs; i++) {
		unsigned int count = count_dynamic(&om->tensors[i]);

		if (count > most[kind] || (kind == OM_IMAGE && count == 1))
			goto wrong;
		inputs += count > 0;
		dims += om->tensors[i].rank;
	}
	if (kind == OM_STATIC ? inputs : !inputs)
		goto wrong;
	if ((kind == OM_IMAGE && inputs > 1) ||
	    ((kind == OM_DIMS || kind == OM_RANGE) && dims > OM_VALUES))
		goto wrong;
	return kind == OM_RANGE ? check_ranges(om, error) : 0;
wrong:
	return program_fail(error, -1, "the dynamic sizes of the model are not valid");
}

/* Check that each gear is found by its sizes. */
static int check_values(const struct om *om, struct program_error *error)
{
	int64_t values[OM_VALUES];
	unsigned int gear, count, i, k;

	for (gear = 0; gear < om->head->gears; gear++) {
		struct program p;

		count = om_values(om, gear, values);
		if (om_find(om, values, count) != (int)gear)
			return program_fail(error, -1, "gear %u of the model exists twice",
					    gear);
		om_program(om, gear, &p);
		for (i = 0; om->head->kind == OM_BATCH && i < om->head->inputs;
		     i++)
			for (k = 0; k < p.tensors[i].rank; k++)
				if (om->tensors[i].dims[k] == -1 &&
				    p.tensors[i].dims[k] != values[0])
					return program_fail(error, -1, "gear %u of the model has several batch sizes",
							    gear);
	}
	return 0;
}

int om_open(struct om *om, const void *data, size_t size,
	    struct program_error *error)
{
	const struct om_head *h = data;
	uint32_t i;
	int err;

	err = check_head(h, size, error);
	if (err)
		return err;
	om->head = h;
	om->tensors = (const void *)((const char *)data + h->tensors_at);
	om->gears = (const void *)((const char *)data + h->gears_at);
	om->text = (const char *)data + h->text_at;
	om->weights = (const char *)data + h->weights_at;
	for (i = 0; !err && i < h->gears; i++)
		err = check_gear(om, i, error);
	for (i = 0; !err && i < h->inputs + h->outputs; i++)
		err = check_tensor(om, i, error);
	if (!err)
		err = check_kind(om, error);
	return err ? err : check_values(om, error);
}
