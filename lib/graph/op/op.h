/* SPDX-License-Identifier: MIT */
/*
 * The operators of ONNX. One table (table.c) has for each operator the opsets
 * it covers, how many tensors it takes and makes, and its function. The function
 * infers types and shapes, and lowers the operator to steps: see build/build.h.
 */
#ifndef GRAPH_OP_OP_H
#define GRAPH_OP_OP_H

#include "build/build.h"

/* Flags of a row. */
#define OP_SHAPE	0x1	/* its outputs follow from the shapes of inputs */

/* The domain of operators that only passes and edits make. */
#define OP_OWN		"vnpu"

/* Attributes by which a pass limits the results of convolutions and products. */
#define OP_LEAST	"vnpu.least"
#define OP_MOST		"vnpu.most"

/* Any number of inputs. */
#define OP_MANY		255

/**
 * struct op_row - a row of the table
 * @name: the name of the operator
 * @since: first opset that the row is for
 * @until: last opset
 * @min_in: inputs that are needed
 * @max_in: most inputs, or OP_MANY
 * @max_out: most outputs, or OP_MANY
 * @flags: OP_*
 * @arg: for the function: mostly an operator of the engine
 * @lower: the function
 */
struct op_row {
	const char *name;
	uint8_t since;
	uint8_t until;
	uint8_t min_in;
	uint8_t max_in;
	uint8_t max_out;
	uint8_t flags;
	uint16_t arg;
	int (*lower)(struct build *b);
};

/* Find the row of an operator, or return NULL. */
const struct op_row *op_find(const char *domain, const char *name,
			     int64_t opset);

/* Get the rows one by one, for lists: NULL after the last. */
const struct op_row *op_at(unsigned int index);

/**
 * op_infer() - give all values a type and a shape
 * @g: the graph; inputs have both
 *
 * Constants that are small are folded on the way, as shapes depend on them.
 *
 * Return: 0 or the error of the graph.
 */
int op_infer(struct graph *g);

/* Infer a single node, such as one that a pass has made. */
int op_infer_node(struct graph *g, struct graph_node *n);

/* Fold a node if all its inputs are constants and it has up to @limit bytes. */
int op_fold(struct graph *g, struct graph_node *n, uint64_t limit);

/*
 * Reserve parts of a Concat's output for its inputs, where that is possible.
 * Called for nodes in reverse order, before any is lowered.
 */
void op_reserve(struct build *b, const struct graph_node *n);

/*
 * Replace an If by the nodes of the branch that a constant selects. They are
 * inferred afterwards, like nodes of the file.
 */
int op_expand_if(struct graph *g, uint32_t at);

/* The argument of the row: mostly an operator of the engine. */
#define OP_ARG(b) ((b)->node->op->arg)

/*
 * Helpers for functions of operators: helpers.c
 */

/* Find the common shape of views; return the rank, or a negative errno. */
int op_broadcast(struct build *b, const struct build_view *const *views,
		 unsigned int count, int64_t *dims);

/* Translate a type that an attribute names; VNPU_DT_NONE after an error. */
unsigned int op_dtype(struct build *b, int64_t type);

/* Report inputs of different types; return 0 if they are the same. */
int op_same_type(struct build *b, const struct build_view *x,
		 const struct build_view *y);

/* Report that the rank of an input is not in a range. */
int op_need_rank(struct build *b, unsigned int in, const struct build_view *v,
		 unsigned int min, unsigned int max);

/* Declare an output with the elements of a view in other dimensions. */
int op_reshaped(struct build *b, unsigned int out, const struct build_view *v,
		unsigned int rank, const int64_t *dims);

/*
 * Get axes: the input if there is one, else the attribute. Return the number of
 * axes, now between 0 and @rank, or a negative errno.
 */
int op_axes(struct build *b, unsigned int in, const char *attr,
	    unsigned int rank, unsigned int *axes);

/* Make a temporary filled with a number. */
struct build_view op_filled(struct build *b, unsigned int dtype,
			    unsigned int rank, const int64_t *dims,
			    double value);

/* Add padding of a constant to a view, in memory of its own. */
struct build_view op_padded(struct build *b, const struct build_view *v,
			    const int64_t *before, const int64_t *after,
			    double value);

/* Pad into a view; modes are those of the engine: constant, reflect, edge. */
int op_pad_step(struct build *b, const struct build_view *in,
		const struct build_view *out, const int64_t *before,
		const int64_t *after, int mode, double value);

/* Make a constant of doubles, of any type. */
struct build_view op_const_floats(struct build *b, unsigned int dtype,
				  unsigned int rank, const int64_t *dims,
				  const double *values);

/* Apply the limits OP_LEAST and OP_MOST in the step, if the node has them. */
void op_set_limits(struct build *b);

/* Round, add a zero point if there is one, saturate to 8 bits, and store. */
int op_round_to(struct build *b, const struct build_view *x,
		const struct build_view *zero, const struct build_view *out);

/*
 * The functions of the table
 */
int op_unary(struct build *b);
int op_test(struct build *b);
int op_activation(struct build *b);
int op_hard_sigmoid(struct build *b);
int op_shrink(struct build *b);
int op_is_inf(struct build *b);
int op_clip(struct build *b);
int op_prelu(struct build *b);
int op_binary(struct build *b);
int op_compare(struct build *b);
int op_div(struct build *b);
int op_mod(struct build *b);
int op_pow(struct build *b);
int op_bit_shift(struct build *b);
int op_variadic(struct build *b);
int op_where(struct build *b);
int op_gate(struct build *b);
int op_multiply_add(struct build *b);
int op_cast(struct build *b);
int op_cast_like(struct build *b);

int op_identity(struct build *b);
int op_dropout(struct build *b);
int op_shape(struct build *b);
int op_size(struct build *b);
int op_reshape(struct build *b);
int op_flatten(struct build *b);
int op_squeeze(struct build *b);
int op_unsqueeze(struct build *b);
int op_transpose(struct build *b);
int op_expand(struct build *b);
int op_tile(struct build *b);
int op_slice(struct build *b);
int op_split(struct build *b);
int op_concat(struct build *b);
int op_pad(struct build *b);
int op_depth_to_space(struct build *b);
int op_space_to_depth(struct build *b);
int op_reverse_sequence(struct build *b);

int op_conv(struct build *b);
int op_conv_transpose(struct build *b);
int op_conv_integer(struct build *b);
int op_qlinear_conv(struct build *b);
int op_pool(struct build *b);
int op_global_pool(struct build *b);
int op_max_unpool(struct build *b);

int op_batch_norm(struct build *b);
int op_instance_norm(struct build *b);
int op_layer_norm(struct build *b);
int op_mean_variance(struct build *b);
int op_lrn(struct build *b);
int op_lp_norm(struct build *b);
int op_softmax(struct build *b);
int op_hardmax(struct build *b);

int op_matmul(struct build *b);
int op_matmul_bias(struct build *b);
int op_gemm(struct build *b);
int op_matmul_integer(struct build *b);
int op_qlinear_matmul(struct build *b);
int op_einsum(struct build *b);
int op_dft(struct build *b);
int op_stft(struct build *b);
int op_det(struct build *b);

int op_quantize(struct build *b);
int op_dequantize(struct build *b);
int op_dynamic_quantize(struct build *b);

int op_reduce(struct build *b);
int op_reduce_square(struct build *b);
int op_reduce_log(struct build *b);
int op_arg_max(struct build *b);
int op_cumsum(struct build *b);
int op_topk(struct build *b);

int op_gather(struct build *b);
int op_gather_elements(struct build *b);
int op_gather_nd(struct build *b);
int op_scatter_elements(struct build *b);
int op_scatter_nd(struct build *b);
int op_compress(struct build *b);
int op_nonzero(struct build *b);
int op_trilu(struct build *b);
int op_one_hot(struct build *b);

int op_rnn(struct build *b);
int op_gru(struct build *b);
int op_lstm(struct build *b);

int op_nll_loss(struct build *b);
int op_cross_entropy(struct build *b);

int op_resize(struct build *b);
int op_upsample(struct build *b);
int op_grid_sample(struct build *b);
int op_image(struct build *b);
int op_ngrams(struct build *b);

int op_constant_of_shape(struct build *b);
int op_eye_like(struct build *b);
int op_range(struct build *b);
int op_window(struct build *b);
int op_mel_weights(struct build *b);

#endif
