// SPDX-License-Identifier: MIT
/* Pooling of volumes by windows, and where maxima are. See build_volume.c. */
#include "build.h"
#include "builders.h"
#include "build_volume.h"

/* Arguments of pooling by windows. */
enum { SELF, KERNEL, STRIDE, PADDING };

/**
 * struct pool - a pooling operator
 * @engine: the operator for planes
 * @lists: number of lists of the window, from KERNEL on; 0 for adaptive windows
 * @ceil: the argument that rounds sizes up
 * @sizes: of an adaptive output
 */
struct pool {
	unsigned int engine, lists, ceil;
	const int64_t *sizes;
};

static bool check_lists(struct aclnn_build *b, const struct pool *pool)
{
	for (unsigned int i = 0; i < pool->lists; i++) {
		uint64_t size = aclnn_array(b, KERNEL + i)->size;

		/* Without strides, they are those of the windows. */
		if (size == 1 || size == 3 || (!size && KERNEL + i == STRIDE))
			continue;
		aclnn_fail(b, KERNEL + i, "expected 1 or 3 values, given %llu",
			   (unsigned long long)size);
		return false;
	}
	return true;
}

/* Value @i of a list: of depth, rows and columns. */
static int64_t value_of(const struct aclnn_build *b, unsigned int arg,
			unsigned int i)
{
	const struct aclnn_array *list = aclnn_array(b, arg);

	if (!list->size)
		list = aclnn_array(b, KERNEL);
	return list->i[list->size == 1 ? 0 : i];
}

/*
 * Begin a step for planes of rows and columns, or of depth and @pixels.  Windows have
 * one pixel there.
 */
static void begin(struct aclnn_build *b, const struct pool *pool,
		  unsigned int outputs, bool is_depth, int64_t pixels)
{
	static const char *const names[] = {
		"kernel", "stride", "padding", "dilation",
	};
	int64_t values[2];

	aclnn_begin(b, pool->engine, 1, outputs);
	if (pool->sizes) {
		values[0] = pool->sizes[!is_depth];
		values[1] = is_depth ? pixels : pool->sizes[2];
		aclnn_set_ints(b, "sizes", values, 2);
		return;
	}
	for (unsigned int i = 0; i < pool->lists; i++) {
		values[0] = value_of(b, KERNEL + i, !is_depth);
		values[1] = is_depth ? KERNEL + i != PADDING :
				       value_of(b, KERNEL + i, 2);
		aclnn_set_ints(b, names[i], values, 2);
	}
	aclnn_set_int(b, "ceil", aclnn_int(b, pool->ceil));
}

/*
 * The index of a maximum in the volume, from that among depth and pixels and those
 * among rows and columns: both are gathered from flat volumes.
 */
static int put_indices(struct aclnn_build *b, const struct aclnn_view *where,
		       const struct aclnn_view *in_plane, int64_t plane,
		       const struct aclnn_view *out)
{
	int64_t pixels = where->t.dims[where->t.rank - 1];
	struct aclnn_view depth = *where, place = *where, flat = *in_plane, made;
	struct aclnn_view divisor = aclnn_integer(pixels ? pixels : 1);
	struct aclnn_view size = aclnn_integer(plane);

	aclnn_merge(&place, 2);
	aclnn_merge(&flat, 3);
	aclnn_begin(b, VNPU_OP_GATHER, 2, 1);
	aclnn_set_int(b, "dim", -1);
	aclnn_put(b, 0, &flat);
	aclnn_put(b, 1, &place);
	place = aclnn_result(b);
	depth = aclnn_result2(b, VNPU_OP_DIV_FLOOR, &depth, &divisor);
	depth = aclnn_result2(b, VNPU_OP_MUL, &depth, &size);
	if (b->status)
		return b->status;
	aclnn_reshape(&place, depth.t.rank, depth.t.dims);
	made = aclnn_result2(b, VNPU_OP_ADD, &depth, &place);
	if (b->status)
		return b->status;
	aclnn_reshape(&made, out->t.rank, out->t.dims);
	return aclnn_step1(b, VNPU_OP_COPY, &made, out);
}

static int max_pool(struct aclnn_build *b, const struct pool *pool,
		    unsigned int values_arg)
{
	struct aclnn_view self = aclnn_view(b, SELF), planes, where;
	struct aclnn_view values = aclnn_view(b, values_arg), in_plane, made;
	struct aclnn_view indices = aclnn_view(b, values_arg + 1);
	const int64_t *size = self.t.dims + self.t.rank - 3;
	unsigned int rank = self.t.rank;
	int64_t dims[VNPU_TENSOR_DIMS];

	if (!check_lists(b, pool) ||
	    !aclnn_is_volume(b, values_arg, &values) ||
	    !aclnn_has_volume(b, values_arg, &self,
			      values.t.dims + values.t.rank - 3) ||
	    !aclnn_has_volume(b, values_arg + 1, &self,
			      values.t.dims + rank - 3))
		return b->status;
	for (unsigned int i = 0; i < rank; i++)
		dims[i] = i == rank - 3 ? size[0] : values.t.dims[i];
	planes = aclnn_temporary(b, self.t.dtype, rank, dims);
	in_plane = aclnn_temporary(b, VNPU_DT_I64, rank, dims);
	begin(b, pool, 2, false, 0);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &planes);
	aclnn_put(b, 2, &in_plane);
	if (aclnn_end(b))
		return b->status;
	made = aclnn_solid(b, &values);
	where = aclnn_temporary(b, VNPU_DT_I64, rank, values.t.dims);
	aclnn_merge(&planes, 2);
	aclnn_merge(&made, 2);
	aclnn_merge(&where, 2);
	begin(b, pool, 2, true, planes.t.dims[rank - 2]);
	aclnn_put(b, 0, &planes);
	aclnn_put(b, 1, &made);
	aclnn_put(b, 2, &where);
	if (aclnn_end(b) || aclnn_solid_end(b, &made, &values))
		return b->status;
	return put_indices(b, &where, &in_plane, size[1] * size[2], &indices);
}

int build_max_pool_3d(struct aclnn_build *b)
{
	enum { DILATION = PADDING + 1, CEIL, OUT };
	struct pool pool = { .engine = VNPU_OP_MAX_POOL2D, .lists = 4,
			     .ceil = CEIL };
	struct aclnn_view self = aclnn_view(b, SELF);

	return aclnn_is_volume(b, SELF, &self) ? max_pool(b, &pool, OUT) :
						 b->status;
}

int build_adaptive_max_pool_3d(struct aclnn_build *b)
{
	enum { SIZE = 1, OUT };
	const struct aclnn_array *sizes = aclnn_array(b, SIZE);
	struct pool pool = { .engine = VNPU_OP_ADAPTIVE_MAX_POOL2D,
			     .sizes = sizes->i };
	struct aclnn_view self = aclnn_view(b, SELF);

	if (!aclnn_is_volume(b, SELF, &self))
		return b->status;
	if (sizes->size != 3)
		return aclnn_fail(b, SIZE, "expected 3 values, given %llu",
				  (unsigned long long)sizes->size);
	if (!aclnn_has_volume(b, OUT, &self, sizes->i))
		return b->status;
	return max_pool(b, &pool, OUT);
}

/* A mean is a sum of sums, if the caller gives the divisor, or a mean of means. */
int build_avg_pool_3d(struct aclnn_build *b)
{
	enum { CEIL = PADDING + 1, COUNT_PADDING, DIVISOR, OUT };
	struct pool pool = { .engine = VNPU_OP_AVG_POOL2D, .lists = 3,
			     .ceil = CEIL };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t divisor = aclnn_int(b, DIVISOR);
	struct aclnn_view planes, made;

	if (!aclnn_is_volume(b, SELF, &self) || !check_lists(b, &pool) ||
	    !aclnn_is_volume(b, OUT, &out) ||
	    !aclnn_has_volume(b, OUT, &self, out.t.dims + out.t.rank - 3))
		return b->status;
	begin(b, &pool, 1, false, 0);
	aclnn_set_int(b, "count_include_pad", aclnn_int(b, COUNT_PADDING));
	aclnn_set_int(b, "divisor", !!divisor);
	aclnn_put(b, 0, &self);
	planes = aclnn_result(b);
	if (b->status)
		return b->status;
	if (!aclnn_has_volume(b, OUT, &planes,
			      (int64_t[]){ out.t.dims[out.t.rank - 3],
					   planes.t.dims[out.t.rank - 2],
					   planes.t.dims[out.t.rank - 1] }))
		return b->status;
	made = aclnn_solid(b, &out);
	aclnn_merge(&planes, 2);
	aclnn_merge(&made, 2);
	begin(b, &pool, 1, true, 0);
	aclnn_set_int(b, "count_include_pad", aclnn_int(b, COUNT_PADDING));
	aclnn_set_int(b, "divisor", divisor);
	aclnn_put(b, 0, &planes);
	aclnn_put(b, 1, &made);
	aclnn_end(b);
	return aclnn_solid_end(b, &made, &out);
}

/* The indices say where gradients go: a volume is a plane of depth and pixels. */
int build_max_pool_3d_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF_3D, INDICES };
	unsigned int out_arg = b->op->count - 1;
	struct aclnn_view grad = aclnn_view(b, GRAD), out, made;
	struct aclnn_view self = aclnn_view(b, SELF_3D);
	struct aclnn_view indices = aclnn_view(b, INDICES);
	const int64_t *size = self.t.dims + self.t.rank - 3;

	if (!aclnn_is_volume(b, SELF_3D, &self) ||
	    !aclnn_is_volume(b, GRAD, &grad) ||
	    !aclnn_has_volume(b, GRAD, &self, grad.t.dims + grad.t.rank - 3) ||
	    !aclnn_has_volume(b, INDICES, &self, grad.t.dims + self.t.rank - 3) ||
	    !aclnn_has_volume(b, out_arg, &self, size))
		return b->status;
	out = aclnn_view(b, out_arg);
	made = aclnn_solid(b, &out);
	aclnn_flatten(b, &grad, grad.t.rank, grad.t.dims);
	aclnn_flatten(b, &indices, indices.t.rank, indices.t.dims);
	aclnn_merge(&grad, 2);
	aclnn_merge(&indices, 2);
	aclnn_merge(&made, 2);
	aclnn_begin(b, VNPU_OP_MAX_POOL2D_BACKWARD, 2, 1);
	aclnn_set_ints(b, "sizes", (int64_t[]){ size[0], size[1] * size[2] }, 2);
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &indices);
	aclnn_put(b, 2, &made);
	aclnn_end(b);
	return aclnn_solid_end(b, &made, &out);
}
