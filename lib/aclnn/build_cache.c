// SPDX-License-Identifier: MIT
/* Updates of caches, which have a place of their own in each row. */
#include "build.h"
#include "builders.h"

enum { DATA, INDICES, UPDATES, AXIS };

/* Check the numbers of dimensions of InplaceScatterUpdate, and find the axis. */
static bool check_update(struct aclnn_build *b, const struct aclnn_view *data,
			 unsigned int *axis)
{
	struct aclnn_view updates = aclnn_view(b, UPDATES);
	struct aclnn_view indices = aclnn_view(b, INDICES);

	if (data->t.rank < 2)
		aclnn_fail(b, DATA, "expected 2 dimensions or more, given %u",
			   data->t.rank);
	else if (indices.t.rank != 1)
		aclnn_fail(b, INDICES, "expected 1 dimension, given %u",
			   indices.t.rank);
	else if (updates.t.rank != data->t.rank)
		aclnn_fail(b, UPDATES, "expected %u dimensions, given %u",
			   data->t.rank, updates.t.rank);
	else if (aclnn_dim(b, AXIS, aclnn_int(b, AXIS), data->t.rank, axis) &&
		 !*axis)
		aclnn_fail(b, AXIS, "expected a dimension behind the first, given %lld",
			   (long long)aclnn_int(b, AXIS));
	return !b->status;
}

/* Check that the updates fit in the data, and have an index for each row. */
static bool check_sizes(struct aclnn_build *b, const struct aclnn_view *data,
			unsigned int axis)
{
	struct aclnn_view updates = aclnn_view(b, UPDATES);
	struct aclnn_view indices = aclnn_view(b, INDICES);

	for (unsigned int i = 0; i < data->t.rank; i++) {
		int64_t given = updates.t.dims[i], most = data->t.dims[i];
		bool may_be_less = !i || i == axis;

		if (given == most || (may_be_less && given < most))
			continue;
		aclnn_fail(b, UPDATES, "expected %s%lld in dimension %u, given %lld",
			   may_be_less ? "at most " : "", (long long)most, i,
			   (long long)given);
		return false;
	}
	if (indices.t.dims[0] == updates.t.dims[0])
		return true;
	aclnn_fail(b, INDICES, "expected %lld elements, given %lld",
		   (long long)updates.t.dims[0], (long long)indices.t.dims[0]);
	return false;
}

/* Make 0, 1, ... below a number. */
static struct aclnn_view count_up(struct aclnn_build *b, int64_t count)
{
	struct aclnn_view view = aclnn_temporary(b, VNPU_DT_I64, 1, &count);

	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_put(b, 0, &view);
	aclnn_end(b);
	return view;
}

/* In row i, the updates replace elements of an axis from the i-th index on. */
int build_scatter_update(struct aclnn_build *b)
{
	struct aclnn_view data = aclnn_view(b, DATA), rows, places;
	struct aclnn_view indices = aclnn_view(b, INDICES);
	struct aclnn_view updates = aclnn_view(b, UPDATES);
	unsigned int axis;

	if (!check_update(b, &data, &axis) || !check_sizes(b, &data, axis))
		return b->status;
	rows = count_up(b, updates.t.dims[0]);
	places = count_up(b, updates.t.dims[axis]);
	aclnn_insert(&rows, 1);
	aclnn_insert(&indices, 1);
	places = aclnn_result2(b, VNPU_OP_ADD, &indices, &places);
	for (; axis > 1; axis--) {
		aclnn_swap(&data, axis, axis - 1);
		aclnn_swap(&updates, axis, axis - 1);
	}
	aclnn_begin(b, VNPU_OP_INDEX_PUT, 3, 1);
	aclnn_put(b, 0, &updates);
	aclnn_put(b, 1, &rows);
	aclnn_put(b, 2, &places);
	aclnn_put(b, 3, &data);
	return aclnn_end(b);
}
