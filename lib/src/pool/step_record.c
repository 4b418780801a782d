// SPDX-License-Identifier: MIT
/*
 * The requests of a step, and the plan for them.  See steps.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "vnpu/plan.h"
#include "class.h"
#include "steps.h"

/* Limit on the recorded requests of a step; further ones are not recorded. */
#define REQUESTS_MOST	((size_t)1 << 20)
#define ROOM_LEAST	256

/* Effort of the planner: some hundredths of a second, once. */
#define EFFORT		10000

#define GRANULE		(1ULL << VNPU_PAGED_SHIFT)

static bool make_room(struct vnpu_record *record)
{
	size_t room = record->room ? record->room * 2 : ROOM_LEAST;
	struct vnpu_request *more = NULL;

	if (record->count < record->room)
		return true;
	if (room <= REQUESTS_MOST)
		more = reallocarray(record->request, room, sizeof(*more));
	if (!more)
		return false;
	record->request = more;
	record->room = room;
	return true;
}

bool vnpu_record_add(struct vnpu_record *record, uint64_t size, uint64_t align)
{
	if (record->is_broken || !make_room(record)) {
		record->is_broken = true;
		return false;
	}
	record->request[record->count++] = (struct vnpu_request){
		.size = size,
		.align = align,
		.end = VNPU_STEP_NEVER,
		.offset = VNPU_PLAN_NO_OFFSET,
	};
	return true;
}

bool vnpu_record_is_same(const struct vnpu_record *a,
			 const struct vnpu_record *b)
{
	if (a->is_broken || b->is_broken || a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->request[i].size != b->request[i].size ||
		    a->request[i].align != b->request[i].align)
			return false;
	return true;
}

void vnpu_record_merge(struct vnpu_record *record,
		       const struct vnpu_record *other)
{
	for (size_t i = 0; i < record->count; i++)
		if (record->request[i].end < other->request[i].end)
			record->request[i].end = other->request[i].end;
}

static int add_tensors(struct vnpu_plan *plan, const struct vnpu_record *record,
		       uint64_t *most)
{
	int ret = 0;

	for (size_t i = 0; i < record->count && !ret; i++) {
		const struct vnpu_request *request = &record->request[i];
		struct vnpu_plan_tensor tensor = {
			.size = request->size,
			.lower = i,
			.upper = request->end,
			.align = request->align,
		};

		if (request->end == VNPU_STEP_NEVER)
			continue;
		if (tensor.align < GRANULE)
			tensor.align = GRANULE;
		if (tensor.align > *most)
			*most = tensor.align;
		ret = vnpu_plan_add_tensor(plan, &tensor);
	}
	return ret;
}

static int take_offsets(const struct vnpu_plan *plan,
			struct vnpu_record *record)
{
	uint32_t tensor = 0;
	int ret = 0;

	for (size_t i = 0; i < record->count && !ret; i++) {
		struct vnpu_request *request = &record->request[i];

		request->offset = VNPU_PLAN_NO_OFFSET;
		if (request->end != VNPU_STEP_NEVER)
			ret = vnpu_plan_get_offset(plan, tensor++,
						   &request->offset);
	}
	return ret;
}

int vnpu_record_plan(struct vnpu_record *record, uint64_t *bytes,
		     uint64_t *align)
{
	const struct vnpu_plan_options options = { .effort = EFFORT };
	struct vnpu_plan_result result = { 0 };
	struct vnpu_plan *plan;
	int ret = vnpu_plan_create(&plan);

	if (ret)
		return ret;
	*align = GRANULE;
	ret = add_tensors(plan, record, align);
	if (!ret)
		ret = vnpu_plan_solve(plan, &options, &result);
	if (!ret)
		ret = take_offsets(plan, record);
	vnpu_plan_destroy(plan);
	*bytes = result.peak;
	return ret;
}
