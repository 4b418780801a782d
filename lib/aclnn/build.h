/* SPDX-License-Identifier: MIT */
/*
 * From the arguments of an operator to its call, in the first phase.
 *
 * A function build_NAME() gets the checked handles of its arguments.  It makes
 * views of tensors, and appends steps:
 *
 *	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
 *	aclnn_put(b, 0, &a);
 *	aclnn_put(b, 1, &c);
 *	aclnn_put(b, 2, &sum);
 *	return aclnn_end(b);
 *
 * The first error is reported; after it, these functions do nothing.
 */
#ifndef ACLNN_BUILD_H
#define ACLNN_BUILD_H

#include "aclnn.h"

/* Values of aclnn_view.arg beside numbers of arguments. */
#define ACLNN_NO_ARG		(-1)
#define ACLNN_WORKSPACE		(-2)

/**
 * struct aclnn_view - a view of an argument, for a step
 * @t: the view; its type is VNPU_DT_NONE if there is no argument
 * @arg: the argument that it belongs to, ACLNN_NO_ARG or ACLNN_WORKSPACE, where
 *	its address is an offset
 * @member: index in a list
 */
struct aclnn_view {
	struct vnpu_tensor t;
	int16_t arg;
	uint16_t member;
};

/**
 * struct aclnn_place - an address in a call
 * @at: where it is, in bytes
 * @arg: of the view
 * @member: of the view
 * @offset: in the workspace
 */
struct aclnn_place {
	uint32_t at;
	int16_t arg;
	uint16_t member;
	uint64_t offset;
};

/**
 * struct aclnn_reduction - the sum of an output over all ranks, behind the call
 * @comm: the communicator, or NULL for no reduction
 * @arg: the output, which is contiguous
 * @offset: of its first element from its address, in bytes
 * @count: number of elements
 * @type: HcclDataType
 * @op: HcclReduceOp
 */
struct aclnn_reduction {
	void *comm;
	int arg;
	uint64_t offset, count;
	int type, op;
};

/**
 * struct aclnn_build - an operator in the first phase
 * @op: the operator
 * @values: its arguments
 * @object: objects of their handles; NULL for those that are missing
 * @status: status of the first error
 * @call: the call so far
 * @room: bytes that are allocated for @call
 * @places: addresses in the call
 * @place_count: their number
 * @place_room: number of places that are allocated
 * @workspace: bytes of workspace so far
 * @counted: tensors; the device finds their first dimension; or NULL
 * @count_at: where that number is in the workspace, an i64
 * @parts: number of blocks of the step that can use the most
 * @reduction: what follows the call
 * @step: the step that is being made
 * @views: where its tensors come from
 */
struct aclnn_build {
	const struct aclnn_op *op;
	const union aclnn_value *values;
	void *object[ACLNN_ARGS];
	aclnnStatus status;
	struct vnpu_op_call *call;
	size_t room;
	struct aclnn_place *places;
	uint32_t place_count;
	uint32_t place_room;
	uint64_t workspace;
	const void *counted[2];
	uint64_t count_at;
	uint32_t parts;
	struct aclnn_reduction reduction;
	struct vnpu_op_launch step;
	struct aclnn_view views[VNPU_OP_TENSORS];
};

/* call.c */

/* The address of the workspace in the first phase; the engine refuses 0. */
#define ACLNN_WORKSPACE_BASE	4096U

/* Begin a step with an operator of lib/ops. */
void aclnn_begin(struct aclnn_build *b, unsigned int engine,
		 unsigned int inputs, unsigned int outputs);

/* Set a tensor of the step: inputs, then outputs. */
void aclnn_put(struct aclnn_build *b, unsigned int index,
	       const struct aclnn_view *view);

/* Set a parameter of the step by its name. */
void aclnn_set_int(struct aclnn_build *b, const char *name, int64_t value);
void aclnn_set_float(struct aclnn_build *b, const char *name, double value);
void aclnn_set_scalar(struct aclnn_build *b, const char *name,
		      const struct aclnn_scalar *scalar);
void aclnn_set_ints(struct aclnn_build *b, const char *name,
		    const int64_t *values, uint64_t count);

/* Check the step, and append it to the call. */
int aclnn_end(struct aclnn_build *b);

/* Get a contiguous tensor in the workspace. */
struct aclnn_view aclnn_temporary(struct aclnn_build *b, unsigned int dtype,
				  unsigned int rank, const int64_t *dims);

/* Infer the result of the step, and make it a temporary: f32 for f16 and bf16. */
struct aclnn_view aclnn_result(struct aclnn_build *b);

/* Report an error of an argument, or of the whole call: ACLNN_NO_ARG. */
int aclnn_fail(struct aclnn_build *b, int arg, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* build.c */

/* Make a view of an argument: a tensor or a scalar. */
struct aclnn_view aclnn_view(const struct aclnn_build *b, unsigned int arg);

/* Make a view of a member of a list; reports an error if it is not live. */
struct aclnn_view aclnn_member(struct aclnn_build *b, unsigned int arg,
			       uint64_t member);

/*
 * Check a tensor, so that numbers of its views cannot overflow; errors begin with
 * @prefix.  Its address is left for the engine, which gets odd ones as copies.
 */
int aclnn_check(struct aclnn_build *b, unsigned int arg, const char *prefix,
		const struct aclnn_tensor *tensor);

/*
 * Make a view of an input that can become part of the output, such as a limit or
 * a replacement.  A scalar then loses its fraction if the output has integers.
 */
struct aclnn_view aclnn_part(const struct aclnn_build *b, unsigned int arg,
			     const struct aclnn_view *out);

struct aclnn_view aclnn_number(double value);
struct aclnn_view aclnn_integer(int64_t value);

static inline bool aclnn_has(const struct aclnn_view *view)
{
	return view->t.dtype != VNPU_DT_NONE;
}

static inline int64_t aclnn_int(const struct aclnn_build *b, unsigned int arg)
{
	return b->values[arg].i;
}

static inline double aclnn_float(const struct aclnn_build *b, unsigned int arg)
{
	return b->values[arg].f;
}

static inline const struct aclnn_scalar *
aclnn_scalar(const struct aclnn_build *b, unsigned int arg)
{
	return b->object[arg];
}

static inline const struct aclnn_array *
aclnn_array(const struct aclnn_build *b, unsigned int arg)
{
	return b->object[arg];
}

/* Make a dimension non-negative; false after a report if there is none. */
bool aclnn_dim(struct aclnn_build *b, int arg, int64_t dim, unsigned int rank,
	       unsigned int *out);

/* Keep @count elements of a dimension from @start on, @step apart. */
void aclnn_narrow(struct aclnn_view *view, unsigned int dim, int64_t start,
		  int64_t count, int64_t step);

/* Exchange two dimensions. */
void aclnn_swap(struct aclnn_view *view, unsigned int a, unsigned int c);

/* Insert a dimension of size 1. */
void aclnn_insert(struct aclnn_view *view, unsigned int dim);

/* Give a view other dimensions with as many elements, if it is contiguous. */
void aclnn_reshape(struct aclnn_view *view, unsigned int rank,
		   const int64_t *dims);

/* Append a step: an operator with one input, or two, and one output. */
int aclnn_step1(struct aclnn_build *b, unsigned int engine,
		const struct aclnn_view *in, const struct aclnn_view *out);
int aclnn_step2(struct aclnn_build *b, unsigned int engine,
		const struct aclnn_view *first, const struct aclnn_view *second,
		const struct aclnn_view *out);

/* Append such a step; its output is a temporary that aclnn_result() makes. */
struct aclnn_view aclnn_result1(struct aclnn_build *b, unsigned int engine,
				const struct aclnn_view *in);
struct aclnn_view aclnn_result2(struct aclnn_build *b, unsigned int engine,
				const struct aclnn_view *first,
				const struct aclnn_view *second);

/* Compute a temporary: elements of @first where @condition, else of @second. */
struct aclnn_view aclnn_where(struct aclnn_build *b,
			      const struct aclnn_view *condition,
			      const struct aclnn_view *first,
			      const struct aclnn_view *second);

/*
 * Give a view other dimensions with as many elements.  One that is not contiguous
 * is copied to the workspace first.
 */
void aclnn_flatten(struct aclnn_build *b, struct aclnn_view *view,
		   unsigned int rank, const int64_t *dims);

/* Check that a tensor has the shape of a view; false after a report. */
bool aclnn_has_shape(struct aclnn_build *b, unsigned int arg,
		     const struct aclnn_view *want);

/* Check that a tensor can be expanded to the shape of a view; false after a report. */
bool aclnn_expands(struct aclnn_build *b, unsigned int arg,
		   const struct aclnn_view *want);

/* View a vector along dimension 1 of a tensor with @rank dimensions. */
void aclnn_channels(struct aclnn_view *view, unsigned int rank);

/* Begin a step with one input and one output that reduces all but dimension 1. */
void aclnn_begin_channels(struct aclnn_build *b, unsigned int engine,
			  const struct aclnn_view *in);

/*
 * View statistics, such as means, with the shape of the input and 1 for the
 * last @dims.
 */
void aclnn_lines(struct aclnn_view *view, const struct aclnn_view *self,
		 unsigned int dims);

/*
 * Update a running statistic, if argument @arg exists: arg = (1 - momentum) *
 * arg + momentum * value.
 */
int aclnn_move(struct aclnn_build *b, unsigned int arg,
	       const struct aclnn_view *value, double momentum);

/*
 * Check whether the caller wants an output: it is not NULL, and its mask not 0.
 */
bool aclnn_wants(const struct aclnn_build *b, unsigned int mask,
		 unsigned int index, unsigned int out);

/* build_quant.c: view scales that are kept in the lower half of i64 as f32. */
void aclnn_unpack_scale(struct aclnn_view *scale);

/* reduction.c */

/* Find the communicator of a name, or NULL after a report. */
void *aclnn_reduction_comm(struct aclnn_build *b, unsigned int arg);

/* Reduce an output at a known address; 0, or a status that was reported. */
aclnnStatus aclnn_reduction_run(const struct aclnn_reduction *reduction,
				const char *name, uint64_t address,
				aclrtStream stream);

/* The function of operators that have a recipe. */
int aclnn_build_recipe(struct aclnn_build *b);

/* Those of the others, in build_*.c. */
int build_adam_w(struct aclnn_build *b);
int build_adam_w_v2(struct aclnn_build *b);
int build_adaptive_avg_pool_3d(struct aclnn_build *b);
int build_adaptive_avg_pool_3d_backward(struct aclnn_build *b);
int build_adaptive_avg_pool_backward(struct aclnn_build *b);
int build_adaptive_max_pool_3d(struct aclnn_build *b);
int build_add_relu(struct aclnn_build *b);
int build_add_rms_norm(struct aclnn_build *b);
int build_addmv(struct aclnn_build *b);
int build_addr(struct aclnn_build *b);
int build_affine_grid(struct aclnn_build *b);
int build_aminmax(struct aclnn_build *b);
int build_aminmax_all(struct aclnn_build *b);
int build_aminmax_dim(struct aclnn_build *b);
int build_apply_rotary(struct aclnn_build *b);
int build_apply_top(struct aclnn_build *b);
int build_arange(struct aclnn_build *b);
int build_attention(struct aclnn_build *b);
int build_attention_increment(struct aclnn_build *b);
int build_attention_prompt(struct aclnn_build *b);
int build_attention_prompt_v2(struct aclnn_build *b);
int build_attention_v3(struct aclnn_build *b);
int build_attention_v4(struct aclnn_build *b);
int build_avg_pool_3d(struct aclnn_build *b);
int build_avg_pool_backward(struct aclnn_build *b);
int build_batch_matmul(struct aclnn_build *b);
int build_batch_norm(struct aclnn_build *b);
int build_batch_norm_backward(struct aclnn_build *b);
int build_batch_norm_elemt(struct aclnn_build *b);
int build_batch_norm_elemt_backward(struct aclnn_build *b);
int build_batch_norm_gather(struct aclnn_build *b);
int build_batch_norm_stats(struct aclnn_build *b);
int build_binary_cross_entropy(struct aclnn_build *b);
int build_binary_cross_entropy_backward(struct aclnn_build *b);
int build_bernoulli_like(struct aclnn_build *b);
int build_bincount(struct aclnn_build *b);
int build_cast(struct aclnn_build *b);
int build_cat(struct aclnn_build *b);
int build_channel_shuffle(struct aclnn_build *b);
int build_chunk_cat(struct aclnn_build *b);
int build_clamp(struct aclnn_build *b);
int build_conv_depthwise(struct aclnn_build *b);
int build_convolution(struct aclnn_build *b);
int build_convolution_backward(struct aclnn_build *b);
int build_cross(struct aclnn_build *b);
int build_cross_entropy(struct aclnn_build *b);
int build_cross_entropy_loss(struct aclnn_build *b);
int build_cross_entropy_loss_grad(struct aclnn_build *b);
int build_cross_entropy_with_logits(struct aclnn_build *b);
int build_cross_entropy_with_logits_backward(struct aclnn_build *b);
int build_ctc_loss(struct aclnn_build *b);
int build_ctc_loss_backward(struct aclnn_build *b);
int build_cumsum_v2(struct aclnn_build *b);
int build_deep_norm(struct aclnn_build *b);
int build_deep_norm_grad(struct aclnn_build *b);
int build_dequantise(struct aclnn_build *b);
int build_div_mode(struct aclnn_build *b);
int build_dot(struct aclnn_build *b);
int build_dropout_mask(struct aclnn_build *b);
int build_dynamic_quant(struct aclnn_build *b);
int build_einsum(struct aclnn_build *b);
int build_elu_backward(struct aclnn_build *b);
int build_embedding_renorm(struct aclnn_build *b);
int build_equal(struct aclnn_build *b);
int build_expand(struct aclnn_build *b);
int build_eye(struct aclnn_build *b);
int build_fill_diagonal(struct aclnn_build *b);
int build_flash_attention(struct aclnn_build *b);
int build_flash_attention_grad(struct aclnn_build *b);
int build_flash_attention_packed(struct aclnn_build *b);
int build_flash_attention_packed_grad(struct aclnn_build *b);
int build_flatten(struct aclnn_build *b);
int build_flip(struct aclnn_build *b);
int build_fused_matmul(struct aclnn_build *b);
int build_fused_sgd(struct aclnn_build *b);
int build_gather_nd(struct aclnn_build *b);
int build_geglu(struct aclnn_build *b);
int build_gelu_backward(struct aclnn_build *b);
int build_gemm(struct aclnn_build *b);
int build_ger(struct aclnn_build *b);
int build_glu(struct aclnn_build *b);
int build_glu_backward(struct aclnn_build *b);
int build_grid_sample_backward(struct aclnn_build *b);
int build_group_norm(struct aclnn_build *b);
int build_group_norm_backward(struct aclnn_build *b);
int build_grouped_matmul(struct aclnn_build *b);
int build_grouped_matmul_add(struct aclnn_build *b);
int build_grouped_matmul_type(struct aclnn_build *b);
int build_grouped_matmul_v4(struct aclnn_build *b);
int build_grouped_matmul_v5(struct aclnn_build *b);
int build_grouped_matmul_weight_nz(struct aclnn_build *b);
int build_histc(struct aclnn_build *b);
int build_im2col_backward(struct aclnn_build *b);
int build_index(struct aclnn_build *b);
int build_index_add(struct aclnn_build *b);
int build_index_add_v2(struct aclnn_build *b);
int build_index_copy(struct aclnn_build *b);
int build_index_copy_out(struct aclnn_build *b);
int build_index_fill(struct aclnn_build *b);
int build_index_fill_tensor(struct aclnn_build *b);
int build_index_put(struct aclnn_build *b);
int build_is_close(struct aclnn_build *b);
int build_is_negative_infinity(struct aclnn_build *b);
int build_is_positive_infinity(struct aclnn_build *b);
int build_kl_div(struct aclnn_build *b);
int build_kl_div_backward(struct aclnn_build *b);
int build_kthvalue(struct aclnn_build *b);
int build_l1_loss(struct aclnn_build *b);
int build_l1_loss_backward(struct aclnn_build *b);
int build_layer_norm(struct aclnn_build *b);
int build_layer_norm_backward(struct aclnn_build *b);
int build_linspace(struct aclnn_build *b);
int build_logaddexp2(struct aclnn_build *b);
int build_logit(struct aclnn_build *b);
int build_logit_backward(struct aclnn_build *b);
int build_masked_scatter(struct aclnn_build *b);
int build_masked_select(struct aclnn_build *b);
int build_masked_softmax(struct aclnn_build *b);
int build_masked_softmax_backward(struct aclnn_build *b);
int build_matmul(struct aclnn_build *b);
int build_matmul_all_reduce(struct aclnn_build *b);
int build_max_pool(struct aclnn_build *b);
int build_max_pool_3d(struct aclnn_build *b);
int build_max_pool_3d_backward(struct aclnn_build *b);
int build_max_pool_backward(struct aclnn_build *b);
int build_median(struct aclnn_build *b);
int build_median_dim(struct aclnn_build *b);
int build_mm(struct aclnn_build *b);
int build_moe_finalize_routing(struct aclnn_build *b);
int build_moe_gating(struct aclnn_build *b);
int build_moe_init_routing(struct aclnn_build *b);
int build_moe_permute(struct aclnn_build *b);
int build_moe_unpermute(struct aclnn_build *b);
int build_mse_loss(struct aclnn_build *b);
int build_mse_loss_backward(struct aclnn_build *b);
int build_multinomial(struct aclnn_build *b);
int build_mv(struct aclnn_build *b);
int build_nansum(struct aclnn_build *b);
int build_nll_loss(struct aclnn_build *b);
int build_nll_loss_backward(struct aclnn_build *b);
int build_nonzero(struct aclnn_build *b);
int build_normal_both(struct aclnn_build *b);
int build_normal_mean(struct aclnn_build *b);
int build_normal_std(struct aclnn_build *b);
int build_nothing(struct aclnn_build *b);
int build_one(struct aclnn_build *b);
int build_one_hot(struct aclnn_build *b);
int build_pad_constant(struct aclnn_build *b);
int build_pad_reflect(struct aclnn_build *b);
int build_pad_replicate(struct aclnn_build *b);
int build_permute(struct aclnn_build *b);
int build_prelu(struct aclnn_build *b);
int build_prelu_backward(struct aclnn_build *b);
int build_qr(struct aclnn_build *b);
int build_quant_matmul(struct aclnn_build *b);
int build_quant_matmul_rows(struct aclnn_build *b);
int build_quantise(struct aclnn_build *b);
int build_quantise_axis(struct aclnn_build *b);
int build_quantise_v3(struct aclnn_build *b);
int build_random(struct aclnn_build *b);
int build_range(struct aclnn_build *b);
int build_renorm(struct aclnn_build *b);
int build_repeat_interleave(struct aclnn_build *b);
int build_repeat_interleave_dim(struct aclnn_build *b);
int build_repeat_interleave_int(struct aclnn_build *b);
int build_rms_norm(struct aclnn_build *b);
int build_rms_norm_grad(struct aclnn_build *b);
int build_rotary_backward(struct aclnn_build *b);
int build_rrelu(struct aclnn_build *b);
int build_scatter(struct aclnn_build *b);
int build_scatter_add(struct aclnn_build *b);
int build_scatter_nd(struct aclnn_build *b);
int build_scatter_nd_update(struct aclnn_build *b);
int build_scatter_update(struct aclnn_build *b);
int build_scatter_value(struct aclnn_build *b);
int build_sinc(struct aclnn_build *b);
int build_slice(struct aclnn_build *b);
int build_slices(struct aclnn_build *b);
int build_smooth_l1_loss(struct aclnn_build *b);
int build_smooth_l1_loss_backward(struct aclnn_build *b);
int build_soft_margin_loss(struct aclnn_build *b);
int build_soft_margin_loss_backward(struct aclnn_build *b);
int build_split(struct aclnn_build *b);
int build_split_sizes(struct aclnn_build *b);
int build_stack(struct aclnn_build *b);
int build_sum_list(struct aclnn_build *b);
int build_swiglu(struct aclnn_build *b);
int build_swiglu_grad(struct aclnn_build *b);
int build_swish(struct aclnn_build *b);
int build_triangular_solve(struct aclnn_build *b);
int build_unique(struct aclnn_build *b);
int build_upsample_bicubic_backward(struct aclnn_build *b);
int build_upsample_bilinear_backward(struct aclnn_build *b);
int build_upsample_linear(struct aclnn_build *b);
int build_upsample_linear_backward(struct aclnn_build *b);
int build_upsample_nearest_1d_backward(struct aclnn_build *b);
int build_upsample_nearest_2d_backward(struct aclnn_build *b);
int build_upsample_nearest_3d_backward(struct aclnn_build *b);
int build_upsample_nearest_exact_1d_backward(struct aclnn_build *b);
int build_upsample_nearest_exact_2d_backward(struct aclnn_build *b);
int build_upsample_nearest_exact_3d_backward(struct aclnn_build *b);
int build_upsample_trilinear(struct aclnn_build *b);
int build_upsample_trilinear_backward(struct aclnn_build *b);
int build_variance(struct aclnn_build *b);
int build_variance_correction(struct aclnn_build *b);
int build_weight_quant(struct aclnn_build *b);
int build_zero(struct aclnn_build *b);

#endif /* ACLNN_BUILD_H */
