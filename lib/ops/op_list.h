/* SPDX-License-Identifier: MIT */
/*
 * The operators. Includers define ELEM() and OP(), which this file undefines.
 *
 *	ELEM(UPPER, name, inputs that are needed, most inputs, their names,
 *	     outputs, their names, enum ops_rule, classes, parameters)
 *	OP(UPPER, name, inputs that are needed, most inputs, their names,
 *	   outputs that are needed, most outputs, their names, family,
 *	   parameters)
 *
 * ELEM() are the elementwise operators; vec/rows_*.h compute their rows. The
 * family of the other ones names their functions, see families.h. All of ELEM()
 * come before OP().
 *
 * "libm" marks operators with results that depend on the C library in the last
 * bit, in f32. In f64, this is so for all operators but simple arithmetic.
 */
#define UN(upper, name, rule, classes, ...)				\
	ELEM(upper, name, 1, 1, "self", 1, "out", rule, classes, __VA_ARGS__)
#define BIN(upper, name, rule, classes, ...)				\
	ELEM(upper, name, 2, 2, "self other", 1, "out", rule, classes,	\
	     __VA_ARGS__)
/* Backward: of the input, or of the output. */
#define GRAD(upper, name, of, ...)					\
	ELEM(upper, name, 2, 2, "grad " of, 1, "out", SAME, FD, __VA_ARGS__)

UN(ABS, abs, SAME, FDIL, NO_PARAMS)
UN(NEG, neg, SAME, FDIL, NO_PARAMS)
UN(SIGN, sign, SAME, FDIL, NO_PARAMS)
UN(SQUARE, square, SAME, FDIL, NO_PARAMS)
UN(FLOOR, floor, SAME, FDIL, NO_PARAMS)
UN(CEIL, ceil, SAME, FDIL, NO_PARAMS)
UN(TRUNC, trunc, SAME, FDIL, NO_PARAMS)
/* With decimals, integers stay. */
UN(ROUND, round, SAME, FDIL, { INT("decimals", 0) })
UN(FRAC, frac, SAME, FD, NO_PARAMS)
UN(SQRT, sqrt, FLOAT, FD, NO_PARAMS)
UN(RSQRT, rsqrt, FLOAT, FD, NO_PARAMS)
UN(RECIPROCAL, reciprocal, FLOAT, FD, NO_PARAMS)
UN(EXP, exp, FLOAT, FD, NO_PARAMS)
UN(EXP2, exp2, FLOAT, FD, NO_PARAMS)
UN(EXPM1, expm1, FLOAT, FD, NO_PARAMS)
UN(LOG, log, FLOAT, FD, NO_PARAMS)
UN(LOG2, log2, FLOAT, FD, NO_PARAMS)
UN(LOG10, log10, FLOAT, FD, NO_PARAMS)
UN(LOG1P, log1p, FLOAT, FD, NO_PARAMS)
UN(SIN, sin, FLOAT, FD, NO_PARAMS)
UN(COS, cos, FLOAT, FD, NO_PARAMS)
UN(TANH, tanh, FLOAT, FD, NO_PARAMS)
UN(ERF, erf, FLOAT, FD, NO_PARAMS)
/* libm: from here to LGAMMA. */
UN(ERFC, erfc, FLOAT, FD, NO_PARAMS)
UN(TAN, tan, FLOAT, FD, NO_PARAMS)
UN(ASIN, asin, FLOAT, FD, NO_PARAMS)
UN(ACOS, acos, FLOAT, FD, NO_PARAMS)
UN(ATAN, atan, FLOAT, FD, NO_PARAMS)
UN(SINH, sinh, FLOAT, FD, NO_PARAMS)
UN(COSH, cosh, FLOAT, FD, NO_PARAMS)
UN(ASINH, asinh, FLOAT, FD, NO_PARAMS)
UN(ACOSH, acosh, FLOAT, FD, NO_PARAMS)
UN(ATANH, atanh, FLOAT, FD, NO_PARAMS)
UN(ERFINV, erfinv, FLOAT, FD, NO_PARAMS)
UN(LGAMMA, lgamma, FLOAT, FD, NO_PARAMS)

UN(ISNAN, isnan, BOOLEAN, FDIL, NO_PARAMS)
UN(ISINF, isinf, BOOLEAN, FDIL, NO_PARAMS)
UN(ISFINITE, isfinite, BOOLEAN, FDIL, NO_PARAMS)
UN(SIGNBIT, signbit, BOOLEAN, FDIL, NO_PARAMS)
UN(LOGICAL_NOT, logical_not, BOOLEAN, FDIL, NO_PARAMS)
UN(BITWISE_NOT, bitwise_not, INTEGER, IL, NO_PARAMS)
UN(NAN_TO_NUM, nan_to_num, SAME, FDIL, {
	FLOAT("nan", 0), FLOAT("posinf", __builtin_inf()),
	FLOAT("neginf", -__builtin_inf()) })

UN(RELU, relu, SAME, FDIL, NO_PARAMS)
UN(RELU6, relu6, SAME, FDIL, NO_PARAMS)
UN(THRESHOLD, threshold, SAME, FDIL, {
	FLOAT("threshold", 0), FLOAT("value", 0) })
UN(LEAKY_RELU, leaky_relu, SAME, FD, { FLOAT("negative_slope", 0.01) })
UN(ELU, elu, SAME, FD, {
	FLOAT("alpha", 1), FLOAT("scale", 1), FLOAT("input_scale", 1) })
UN(CELU, celu, SAME, FD, { FLOAT("alpha", 1) })
UN(SELU, selu, SAME, FD, NO_PARAMS)
UN(SIGMOID, sigmoid, FLOAT, FD, NO_PARAMS)
UN(LOGSIGMOID, logsigmoid, FLOAT, FD, NO_PARAMS)
UN(SILU, silu, FLOAT, FD, NO_PARAMS)
UN(SWISH, swish, FLOAT, FD, { FLOAT("beta", 1) })
/* approximate: 0 is erf, 1 is tanh, and 2 is the sigmoid of 1.702 x. */
UN(GELU, gelu, FLOAT, FD, { INT("approximate", 0) })
UN(SOFTPLUS, softplus, FLOAT, FD, {
	FLOAT("beta", 1), FLOAT("threshold", 20) })
UN(MISH, mish, FLOAT, FD, NO_PARAMS)
UN(HARDSIGMOID, hardsigmoid, SAME, FD, NO_PARAMS)
UN(HARDSWISH, hardswish, SAME, FD, NO_PARAMS)
UN(HARDTANH, hardtanh, SAME, FD, { FLOAT("min", -1), FLOAT("max", 1) })
UN(HARDSHRINK, hardshrink, SAME, FD, { FLOAT("lambda", 0.5) })
UN(SOFTSHRINK, softshrink, SAME, FD, { FLOAT("lambda", 0.5) })
UN(SOFTSIGN, softsign, FLOAT, FD, NO_PARAMS)
UN(TANHSHRINK, tanhshrink, FLOAT, FD, NO_PARAMS)

BIN(ADD, add, SAME, FDIL, { FLOAT("alpha", 1) })
BIN(SUB, sub, SAME, FDIL, { FLOAT("alpha", 1) })
BIN(RSUB, rsub, SAME, FDIL, { FLOAT("alpha", 1) })
BIN(MUL, mul, SAME, FDIL, NO_PARAMS)
BIN(DIV, div, FLOAT, FD, NO_PARAMS)
/* Integers divided by 0 are 0. */
BIN(DIV_TRUNC, div_trunc, SAME, FDIL, NO_PARAMS)
BIN(DIV_FLOOR, div_floor, SAME, FDIL, NO_PARAMS)
BIN(REMAINDER, remainder, SAME, FDIL, NO_PARAMS)
BIN(FMOD, fmod, SAME, FDIL, NO_PARAMS)
BIN(POW, pow, SAME, FDIL, NO_PARAMS)
BIN(MAXIMUM, maximum, SAME, FDIL, NO_PARAMS)
BIN(MINIMUM, minimum, SAME, FDIL, NO_PARAMS)
BIN(ATAN2, atan2, FLOAT, FD, NO_PARAMS) /* libm */
BIN(HYPOT, hypot, FLOAT, FD, NO_PARAMS)
BIN(COPYSIGN, copysign, FLOAT, FD, NO_PARAMS)
BIN(LOGADDEXP, logaddexp, FLOAT, FD, NO_PARAMS)
BIN(XLOGY, xlogy, FLOAT, FD, NO_PARAMS)
BIN(HEAVISIDE, heaviside, SAME, FDIL, NO_PARAMS)
BIN(SQUARED_DIFFERENCE, squared_difference, SAME, FDIL, NO_PARAMS)
BIN(PRELU, prelu, SAME, FD, NO_PARAMS)
BIN(EQ, eq, BOOLEAN, FDIL, NO_PARAMS)
BIN(NE, ne, BOOLEAN, FDIL, NO_PARAMS)
BIN(GT, gt, BOOLEAN, FDIL, NO_PARAMS)
BIN(GE, ge, BOOLEAN, FDIL, NO_PARAMS)
BIN(LT, lt, BOOLEAN, FDIL, NO_PARAMS)
BIN(LE, le, BOOLEAN, FDIL, NO_PARAMS)
BIN(LOGICAL_AND, logical_and, BOOLEAN, FDIL, NO_PARAMS)
BIN(LOGICAL_OR, logical_or, BOOLEAN, FDIL, NO_PARAMS)
BIN(LOGICAL_XOR, logical_xor, BOOLEAN, FDIL, NO_PARAMS)
BIN(BITWISE_AND, bitwise_and, INTEGER, IL, NO_PARAMS)
BIN(BITWISE_OR, bitwise_or, INTEGER, IL, NO_PARAMS)
BIN(BITWISE_XOR, bitwise_xor, INTEGER, IL, NO_PARAMS)
/* Of magnitudes; that of 0 and x is x. */
BIN(GCD, gcd, INTEGER, IL, NO_PARAMS)
/* Shifts by the width of the computation or more, or by less than 0, give 0. */
BIN(SHIFT_LEFT, shift_left, INTEGER, IL, NO_PARAMS)
BIN(SHIFT_RIGHT, shift_right, INTEGER, IL, NO_PARAMS)

/* Gated units: f(self) * other. */
BIN(SILU_MUL, silu_mul, FLOAT, FD, NO_PARAMS)
BIN(GELU_MUL, gelu_mul, FLOAT, FD, { INT("approximate", 0) })
BIN(SIGMOID_MUL, sigmoid_mul, FLOAT, FD, NO_PARAMS)
BIN(RELU_MUL, relu_mul, FLOAT, FD, NO_PARAMS)

GRAD(THRESHOLD_BACKWARD, threshold_backward, "self", { FLOAT("threshold", 0) })
GRAD(LEAKY_RELU_BACKWARD, leaky_relu_backward, "self", {
	FLOAT("negative_slope", 0.01) })
GRAD(ELU_BACKWARD, elu_backward, "self", {
	FLOAT("alpha", 1), FLOAT("scale", 1), FLOAT("input_scale", 1) })
GRAD(SIGMOID_BACKWARD, sigmoid_backward, "output", NO_PARAMS)
GRAD(TANH_BACKWARD, tanh_backward, "output", NO_PARAMS)
GRAD(SILU_BACKWARD, silu_backward, "self", NO_PARAMS)
GRAD(GELU_BACKWARD, gelu_backward, "self", { INT("approximate", 0) })
GRAD(SOFTPLUS_BACKWARD, softplus_backward, "self", {
	FLOAT("beta", 1), FLOAT("threshold", 20) })
GRAD(HARDSIGMOID_BACKWARD, hardsigmoid_backward, "self", NO_PARAMS)
GRAD(HARDSWISH_BACKWARD, hardswish_backward, "self", NO_PARAMS)
GRAD(HARDTANH_BACKWARD, hardtanh_backward, "self", {
	FLOAT("min", -1), FLOAT("max", 1) })
GRAD(HARDSHRINK_BACKWARD, hardshrink_backward, "self", { FLOAT("lambda", 0.5) })
GRAD(SOFTSHRINK_BACKWARD, softshrink_backward, "self", { FLOAT("lambda", 0.5) })
GRAD(SWISH_BACKWARD, swish_backward, "self", { FLOAT("beta", 1) })
GRAD(LOGSIGMOID_BACKWARD, logsigmoid_backward, "self", NO_PARAMS)
GRAD(MISH_BACKWARD, mish_backward, "self", NO_PARAMS)

ELEM(WHERE, where, 3, 3, "condition self other", 1, "out", SELECT, FDIL,
     NO_PARAMS)
ELEM(CLAMP, clamp, 3, 3, "self min max", 1, "out", SAME, FDIL, NO_PARAMS)
ELEM(ADDCMUL, addcmul, 3, 3, "self tensor1 tensor2", 1, "out", SAME, FDIL, {
	FLOAT("value", 1) })
ELEM(ADDCDIV, addcdiv, 3, 3, "self tensor1 tensor2", 1, "out", FLOAT, FD, {
	FLOAT("value", 1) })
ELEM(LERP, lerp, 3, 3, "self end weight", 1, "out", SAME, FD, NO_PARAMS)
ELEM(SGD, sgd, 3, 3, "param grad momentum", 2, "param_out momentum_out", FIRST,
     FD, {
	FLOAT("lr", 0.001), FLOAT("momentum", 0), FLOAT("dampening", 0),
	FLOAT("weight_decay", 0), INT("nesterov", 0) })
/* decoupled: 1 is AdamW. The step is counted from 1. */
ELEM(ADAM, adam, 4, 4, "param grad exp_avg exp_avg_sq", 3,
     "param_out exp_avg_out exp_avg_sq_out", FIRST, FD, {
	FLOAT("lr", 0.001), FLOAT("beta1", 0.9), FLOAT("beta2", 0.999),
	FLOAT("eps", 1e-8), FLOAT("weight_decay", 0), INT("decoupled", 0),
	INT("step", 1) })

/* Copies and conversions; an immediate fills the output. */
OP(COPY, copy, 1, 1, "self", 1, 1, "out", copy, NO_PARAMS)

/*
 * Reductions over the dimensions in a list; an empty list means all. The last
 * parameter, where there is one: the correction of the number of elements, or
 * the exponent of the norm.
 */
#define REDUCE(upper, name, outs, names, ...)				\
	OP(upper, name, 1, 1, "self", 1, outs, names, reduce, __VA_ARGS__)
#define DIMS	INTS("dims", 0), INT("keepdim", 0)
REDUCE(SUM, sum, 1, "out", { DIMS })
REDUCE(MEAN, mean, 1, "out", { DIMS })
REDUCE(PROD, prod, 1, "out", { DIMS })
REDUCE(AMAX, amax, 1, "out", { DIMS })
REDUCE(AMIN, amin, 1, "out", { DIMS })
REDUCE(ALL, all, 1, "out", { DIMS })
REDUCE(ANY, any, 1, "out", { DIMS })
REDUCE(COUNT_NONZERO, count_nonzero, 1, "out", { DIMS })
REDUCE(ARGMAX, argmax, 1, "out", { DIMS })
REDUCE(ARGMIN, argmin, 1, "out", { DIMS })
REDUCE(MAX_INDEX, max_index, 2, "values [indices]", { DIMS })
REDUCE(MIN_INDEX, min_index, 2, "values [indices]", { DIMS })
REDUCE(VAR, var, 1, "out", { DIMS, INT("correction", 1) })
REDUCE(STD, std, 1, "out", { DIMS, INT("correction", 1) })
REDUCE(VAR_MEAN, var_mean, 2, "var [mean]", { DIMS, INT("correction", 1) })
REDUCE(NORM, norm, 1, "out", { DIMS, FLOAT("p", 2) })
REDUCE(LOGSUMEXP, logsumexp, 1, "out", { DIMS })
#undef DIMS
#undef REDUCE

/* Elements below "least" become "least", those above "most" become "most". */
#define CLAMP	FLOAT("least", -INFINITY), FLOAT("most", INFINITY)
/* alpha * self * other + beta * bias, of batches that broadcast. */
OP(MATMUL, matmul, 2, 3, "self other [bias]", 1, 1, "out", matmul, {
	FLOAT("alpha", 1), FLOAT("beta", 1), CLAMP })

OP(SOFTMAX, softmax, 1, 1, "self", 1, 1, "out", lines, { INT("dim", -1) })
OP(LOG_SOFTMAX, log_softmax, 1, 1, "self", 1, 1, "out", lines, {
	INT("dim", -1) })
OP(SOFTMAX_BACKWARD, softmax_backward, 2, 2, "grad output", 1, 1, "out", lines, {
	INT("dim", -1) })
OP(LOG_SOFTMAX_BACKWARD, log_softmax_backward, 2, 2, "grad output", 1, 1, "out",
   lines, { INT("dim", -1) })
/* The last "dims" dimensions are normalised. */
OP(LAYER_NORM, layer_norm, 1, 3, "self [weight] [bias]", 1, 3,
   "out [mean] [rstd]", lines, { FLOAT("eps", 1e-5), INT("dims", 1) })
OP(GROUP_NORM, group_norm, 1, 3, "self [weight] [bias]", 1, 3,
   "out [mean] [rstd]", lines, { FLOAT("eps", 1e-5), INT("groups", 1) })
/* Of all elements of a channel, dimension 1: the batch norm of training. */
OP(BATCH_NORM, batch_norm, 1, 3, "self [weight] [bias]", 1, 3,
   "out [mean] [rstd]", lines, { FLOAT("eps", 1e-5) })
OP(RMS_NORM, rms_norm, 1, 2, "self [weight]", 1, 2, "out [rstd]", lines, {
	FLOAT("eps", 1e-6), INT("dims", 1) })
OP(ADD_RMS_NORM, add_rms_norm, 2, 3, "self other [weight]", 1, 3,
   "out [rstd] [sum]", lines, { FLOAT("eps", 1e-6), INT("dims", 1) })
OP(LAYER_NORM_BACKWARD, layer_norm_backward, 4, 5,
   "grad self mean rstd [weight]", 1, 1, "out", lines, {
	FLOAT("eps", 0), INT("dims", 1) })
OP(RMS_NORM_BACKWARD, rms_norm_backward, 3, 4, "grad self rstd [weight]", 1, 1,
   "out", lines, { FLOAT("eps", 0), INT("dims", 1) })
OP(GROUP_NORM_BACKWARD, group_norm_backward, 4, 5,
   "grad self mean rstd [weight]", 1, 1, "out", lines, {
	FLOAT("eps", 0), INT("groups", 1) })
OP(BATCH_NORM_BACKWARD, batch_norm_backward, 4, 5,
   "grad self mean rstd [weight]", 1, 1, "out", lines, { FLOAT("eps", 0) })
/*
 * The sums of grad * (self - mean) * rstd and of grad over the dimensions that
 * the outputs lack, or where they have a size of 1. Mean and rstd expand to self,
 * so one operator serves all norms, by views.
 */
OP(NORM_WEIGHT_BACKWARD, norm_weight_backward, 3, 4, "grad self rstd [mean]", 1,
   2, "weight [bias]", norm_weight, NO_PARAMS)
/* Labels are probabilities. */
OP(CROSS_ENTROPY, cross_entropy, 2, 2, "self labels", 1, 2, "loss [grad]", lines,
   NO_PARAMS)

/*
 * Labels are classes, dimension 1 of self, which has logarithms of
 * probabilities. reduction: 0 is none, 1 divides by the sum of the weights, 2
 * sums.
 */
OP(NLL_LOSS, nll_loss, 2, 3, "self target [weight]", 1, 2,
   "out [total_weight]", nll, { INT("reduction", 1), INT("ignore", -100) })
OP(NLL_LOSS_BACKWARD, nll_loss_backward, 3, 5,
   "grad self target [weight] [total_weight]", 1, 1, "out", nll, {
	INT("reduction", 1), INT("ignore", -100) })

/* Rows of self along a dimension, for each index. */
OP(TAKE, take, 2, 2, "self index", 1, 1, "out", take, { INT("dim", 0) })
/* The reverse, in place; accumulate: 1 adds; wrap: 0 refuses negative indices. */
OP(PUT, put, 2, 2, "index source", 1, 1, "out", put, {
	INT("dim", 0), INT("accumulate", 0), INT("wrap", 1) })
/* The gradient of rows that TAKE has read. Row "padding" gets none. */
OP(EMBEDDING_BACKWARD, embedding_backward, 2, 2, "grad index", 1, 1, "out",
   embedding, { INT("rows", 0), INT("padding", -1), INT("by_frequency", 0) })
OP(GATHER, gather, 2, 2, "self index", 1, 1, "out", gather, { INT("dim", 0) })
/* In place; reduce: 1 adds, 2 multiplies. */
OP(SCATTER, scatter, 2, 2, "index source", 1, 1, "out", scatter, {
	INT("dim", 0), INT("reduce", 0) })
OP(TRIL, tril, 1, 1, "self", 1, 1, "out", tri, { INT("diagonal", 0) })
OP(TRIU, triu, 1, 1, "self", 1, 1, "out", tri, { INT("diagonal", 0) })
OP(ARANGE, arange, 0, 0, "", 1, 1, "out", arange, {
	FLOAT("start", 0), FLOAT("step", 1) })
/* mode: 0 is a constant, 1 reflects, 2 replicates, 3 is circular. */
OP(PAD, pad, 1, 1, "self", 1, 1, "out", remap, {
	INTS("before", 0), INTS("after", 0), INT("mode", 0), FLOAT("value", 0) })
OP(REPEAT, repeat, 1, 1, "self", 1, 1, "out", remap, { INTS("repeats", 0) })
OP(REPEAT_INTERLEAVE, repeat_interleave, 1, 1, "self", 1, 1, "out", remap, {
	INT("dim", 0), INT("repeats", 1) })
OP(ROLL, roll, 1, 1, "self", 1, 1, "out", remap, {
	INTS("shifts", 0), INTS("dims", 0) })
/* The sizes of the last dimensions; exact: 1 compares the middles of elements. */
OP(UPSAMPLE_NEAREST, upsample_nearest, 1, 1, "self", 1, 1, "out", remap, {
	INTS("sizes", 0), INT("exact", 0) })

OP(ROPE, rope, 3, 3, "self cos sin", 1, 1, "out", rope, { INT("mode", 0) })
OP(CUMSUM, cumsum, 1, 1, "self", 1, 1, "out", scan, { INT("dim", 0) })
OP(CUMPROD, cumprod, 1, 1, "self", 1, 1, "out", scan, { INT("dim", 0) })
OP(CUMMAX, cummax, 1, 1, "self", 1, 2, "values [indices]", scan, {
	INT("dim", 0) })
OP(CUMMIN, cummin, 1, 1, "self", 1, 2, "values [indices]", scan, {
	INT("dim", 0) })
OP(LOGCUMSUMEXP, logcumsumexp, 1, 1, "self", 1, 1, "out", scan, {
	INT("dim", 0) })
OP(SORT, sort, 1, 1, "self", 1, 2, "values [indices]", sort, {
	INT("dim", -1), INT("descending", 0) })
OP(ARGSORT, argsort, 1, 1, "self", 1, 1, "indices", sort, {
	INT("dim", -1), INT("descending", 0) })
/* descending: 1 selects the largest; the result is sorted. */
OP(TOPK, topk, 1, 1, "self", 1, 2, "values [indices]", sort, {
	INT("dim", -1), INT("descending", 1), INT("k", 1) })

#define WINDOW	INTS("stride", 0), INTS("padding", 0), INTS("dilation", 0)
/*
 * In one to three dimensions; the weight of a transposed one is [in, out, ...]. If
 * "packed" is not 0, it is the number of output channels, and the weight has the
 * order in which products read it; see VNPU_OP_PANEL.
 */
OP(CONVOLUTION, convolution, 2, 3, "self weight [bias]", 1, 1, "out", conv, {
	WINDOW, INT("transposed", 0), INTS("output_padding", 0),
	INT("groups", 1), CLAMP, INT("packed", 0) })
#undef CLAMP
/*
 * The gradient of the weight of a convolution that is not transposed; for a
 * transposed one, self and grad change places. That of the input is the
 * convolution of grad with the other value of "transposed".
 */
OP(CONVOLUTION_WEIGHT_BACKWARD, convolution_weight_backward, 2, 2, "grad self",
   1, 1, "out", conv_weight, { WINDOW, INTS("kernel", 0), INT("groups", 1) })
OP(IM2COL, im2col, 1, 1, "self", 1, 1, "out", im2col, {
	WINDOW, INTS("kernel", 0) })
/* Its gradient: the sizes are those of the planes that were read. */
OP(COL2IM, col2im, 1, 1, "grad", 1, 1, "out", col2im, {
	WINDOW, INTS("kernel", 0), INTS("sizes", 0) })
#undef WINDOW
/*
 * [batch, head, row, feature]; the mask forbids keys where it is not 0. "max" is
 * the largest logit of a row, and "sum" that of exp(logit - max).
 */
OP(ATTENTION, attention, 3, 5, "query key value [bias] [mask]", 1, 3,
   "out [max] [sum]", attention, { FLOAT("scale", 1), INT("causal", 0) })
OP(ATTENTION_BACKWARD, attention_backward, 7, 9,
   "grad query key value out max sum [bias] [mask]", 1, 3,
   "of_query [of_key] [of_value]", attention_backward, {
	FLOAT("scale", 1), INT("causal", 0) })

/* self * ((weight + offset) * scale) + bias; group 0 is a whole column. */
OP(QUANT_MATMUL, quant_matmul, 3, 5, "self weight scale [offset] [bias]", 1, 1,
   "out", quant, { INT("group", 0) })
#define POOL(upper, name, outs, names)					\
	OP(upper, name, 1, 1, "self", 1, outs, names, plane, { POOLING })
#define POOLING								\
	INTS("kernel", 0), INTS("stride", 0), INTS("padding", 0),	\
	INTS("dilation", 0), INT("ceil", 0), INT("count_include_pad", 1), \
	INT("divisor", 0)
POOL(MAX_POOL2D, max_pool2d, 2, "out [indices]")
POOL(AVG_POOL2D, avg_pool2d, 1, "out")
OP(AVG_POOL2D_BACKWARD, avg_pool2d_backward, 1, 1, "grad", 1, 1, "out",
   plane_backward, { POOLING, INTS("sizes", 0) })
#undef POOLING
#undef POOL
OP(ADAPTIVE_AVG_POOL2D, adaptive_avg_pool2d, 1, 1, "self", 1, 1, "out", plane, {
	INTS("sizes", 0) })
OP(ADAPTIVE_MAX_POOL2D, adaptive_max_pool2d, 1, 1, "self", 1, 2,
   "out [indices]", plane, { INTS("sizes", 0) })
/* Gradients: the sizes are those of the planes that were read. */
OP(MAX_POOL2D_BACKWARD, max_pool2d_backward, 2, 2, "grad indices", 1, 1, "out",
   plane_backward, { INTS("sizes", 0) })
OP(ADAPTIVE_AVG_POOL2D_BACKWARD, adaptive_avg_pool2d_backward, 1, 1, "grad", 1,
   1, "out", plane_backward, { INTS("sizes", 0) })
OP(UPSAMPLE_BILINEAR_BACKWARD, upsample_bilinear_backward, 1, 1, "grad", 1, 1,
   "out", plane_backward, { INTS("sizes", 0), INT("align_corners", 0) })
OP(UPSAMPLE_BILINEAR, upsample_bilinear, 1, 1, "self", 1, 1, "out", plane, {
	INTS("sizes", 0), INT("align_corners", 0) })
OP(UPSAMPLE_BICUBIC, upsample_bicubic, 1, 1, "self", 1, 1, "out", plane, {
	INTS("sizes", 0), INT("align_corners", 0) })
OP(UPSAMPLE_BICUBIC_BACKWARD, upsample_bicubic_backward, 1, 1, "grad", 1, 1,
   "out", plane_backward, { INTS("sizes", 0), INT("align_corners", 0) })
OP(UPSAMPLE_NEAREST_BACKWARD, upsample_nearest_backward, 1, 1, "grad", 1, 1,
   "out", plane_backward, { INTS("sizes", 0), INT("exact", 0) })
/* mode: 0 is linear, 1 nearest, 2 cubic; padding: 0 is zeros, 1 the edge, 2 reflects. */
#define GRID	INT("mode", 0), INT("padding", 0), INT("align_corners", 0)
OP(GRID_SAMPLE, grid_sample, 2, 2, "self grid", 1, 1, "out", grid, { GRID })
OP(GRID_SAMPLE_BACKWARD, grid_sample_backward, 3, 3, "grad self grid", 1, 2,
   "of_self [of_grid]", grid_backward, { GRID })
#undef GRID
OP(UNIFORM, uniform, 0, 0, "", 1, 1, "out", random, {
	INT("seed", 0), INT("offset", 0), FLOAT("from", 0), FLOAT("to", 1) })
OP(NORMAL, normal, 0, 0, "", 1, 1, "out", random, { /* libm */
	INT("seed", 0), INT("offset", 0), FLOAT("mean", 0), FLOAT("std", 1) })
/* The probabilities of a tensor replace p. */
OP(BERNOULLI, bernoulli, 0, 1, "[probability]", 1, 1, "out", random, {
	INT("seed", 0), INT("offset", 0), FLOAT("p", 0.5) })
OP(DROPOUT, dropout, 1, 1, "self", 1, 2, "out [mask]", dropout, {
	INT("seed", 0), INT("offset", 0), FLOAT("p", 0.5) })
/* Masks of bits, for elements that stay. */
OP(DROPOUT_MASK, dropout_mask, 0, 0, "", 1, 1, "out", dropout, {
	INT("seed", 0), INT("offset", 0), FLOAT("p", 0.5) })
OP(DROPOUT_APPLY, dropout_apply, 2, 2, "self mask", 1, 1, "out", dropout, {
	FLOAT("p", 0.5) })

/*
 * Where each value would be inserted in a sorted sequence; right: 1 is behind
 * equal elements. The sorter has the order of a sequence that is not sorted.
 */
OP(SEARCH_SORTED, search_sorted, 2, 3, "sequence values [sorter]", 1, 1, "out",
   search, { INT("right", 0) })
/* Distances of all pairs of rows, by the norm with exponent p. */
OP(CDIST, cdist, 2, 2, "self other", 1, 1, "out", cdist, { /* libm */
	FLOAT("p", 2) })

/* The outputs have room for all elements, and "count" is how many there are. */
OP(NONZERO, nonzero, 1, 1, "self", 1, 2, "out [count]", nonzero, NO_PARAMS)
OP(MASKED_SELECT, masked_select, 2, 2, "self mask", 1, 2, "out [count]",
   masked_select, NO_PARAMS)
OP(UNIQUE, unique, 1, 1, "self", 1, 4, "values [inverse] [counts] [count]",
   unique, { INT("consecutive", 0) })
/* In place. */
OP(MASKED_SCATTER, masked_scatter, 2, 2, "mask source", 1, 1, "out",
   masked_scatter, NO_PARAMS)
OP(ONE_HOT, one_hot, 1, 1, "index", 1, 1, "out", one_hot, {
	INT("classes", 0), INT("dim", -1), FLOAT("on", 1), FLOAT("off", 0) })
OP(BINCOUNT, bincount, 1, 2, "self [weights]", 1, 1, "out", histogram, {
	INT("bins", 0) })
/* Equal limits stand for those of the elements. */
OP(HISTC, histc, 1, 1, "self", 1, 1, "out", histogram, {
	INT("bins", 100), FLOAT("min", 0), FLOAT("max", 0) })

OP(TRIANGULAR_SOLVE, triangular_solve, 2, 2, "self matrix", 1, 1, "out", solve, {
	INT("upper", 1), INT("transpose", 0), INT("unitriangular", 0) })

/* A singular matrix has an inverse of NaN, and a determinant of 0. */
OP(INVERSE, inverse, 1, 1, "self", 1, 1, "out", inverse, NO_PARAMS)
OP(SLOGDET, slogdet, 1, 1, "self", 2, 2, "sign log", inverse, NO_PARAMS) /* libm */
/* complete: 1 makes square factors, as large as self has rows. */
OP(QR, qr, 1, 1, "self", 1, 2, "r [q]", qr, { INT("complete", 0) })

/* Indices for the first dimensions. The second one works in place. */
OP(INDEX, index, 2, 9, "self index...", 1, 1, "out", index_list, NO_PARAMS)
OP(INDEX_PUT, index_put, 2, 9, "values index...", 1, 1, "out", index_list, {
	INT("accumulate", 0) })

/*
 * axis 0: rows of each group * a weight of [group, inner, column]; the weights
 * are those of group "first" and the next ones, and rows of other groups stay.
 * axis 1: inner elements of each group, with a result for each group. "groups"
 * are ends (kind 0), sizes (1), or pairs of index and size (2). Scale and offset
 * are those of QUANT_MATMUL, [group, part of the inner dimension, column].
 */
OP(GROUPED_MATMUL, grouped_matmul, 3, 6,
   "self weight groups [scale] [offset] [bias]", 1, 1, "out", grouped, {
	INT("axis", 0), INT("kind", 0), INT("first", 0) })

/* "alpha" is [sample, time, state], with "width" states. */
#define CTC	INT("blank", 0), INT("zero_infinity", 0) /* libm */
OP(CTC_LOSS, ctc_loss, 4, 4, "self target lengths target_lengths", 2, 2,
   "loss alpha", ctc, { CTC, INT("width", 1) })
OP(CTC_LOSS_BACKWARD, ctc_loss_backward, 7, 7,
   "grad self target lengths target_lengths loss alpha", 1, 1, "out", ctc, {
	CTC })
#undef CTC

/*
 * Elementwise operators one after the other, see VNPU_OP_CHAIN_RESULT. All inputs
 * and the output are f32, and each step has the shape of the output.
 */
OP(CHAIN, chain, 1, 6, "self...", 1, 1, "out", chain, {
	INTS("steps", 0), FLOAT("p0", 0), FLOAT("p1", 0), FLOAT("p2", 0),
	FLOAT("p3", 0), FLOAT("p4", 0), FLOAT("p5", 0), FLOAT("p6", 0),
	FLOAT("p7", 0), FLOAT("p8", 0), FLOAT("p9", 0) })

/*
 * Images, each with its parameters: see image.h. "sizes" are those of the result,
 * with the channels last if "last" is 1.
 */
OP(IMAGE, image, 2, 2, "self parameters", 1, 1, "out", image, {
	INTS("sizes", 0), INT("last", 0) })

#undef UN
#undef BIN
#undef GRAD
#undef ELEM
#undef OP
