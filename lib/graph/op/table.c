// SPDX-License-Identifier: MIT
/* The table of operators. See op.h. */
#include <string.h>

#include "op/op.h"

/* Operators with one input, each of which is one of the engine. */
#define UN(name, since, engine)						\
	{ name, since, GRAPH_OPSET, 1, 1, 1, 0, VNPU_OP_##engine, op_unary }
#define TEST(name, since, engine)					\
	{ name, since, GRAPH_OPSET, 1, 1, 1, 0, VNPU_OP_##engine, op_test }
#define ACT(name, since, engine)					\
	{ name, since, GRAPH_OPSET, 1, 1, 1, 0, VNPU_OP_##engine,	\
	  op_activation }
/* Operators with two inputs, each of which is one of the engine. */
#define BIN(name, since, engine)					\
	{ name, since, GRAPH_OPSET, 2, 2, 1, 0, VNPU_OP_##engine, op_binary }
#define CMP(name, since, engine)					\
	{ name, since, GRAPH_OPSET, 2, 2, 1, 0, VNPU_OP_##engine, op_compare }
/* Operators with any number of inputs. */
#define VAR(name, since, engine)					\
	{ name, since, GRAPH_OPSET, 1, OP_MANY, 1, 0, VNPU_OP_##engine,	\
	  op_variadic }
/* Reductions. */
#define RED(name, engine)						\
	{ name, 1, GRAPH_OPSET, 1, 2, 1, 0, VNPU_OP_##engine, op_reduce }
/* All other operators: name, opsets, tensors and function. */
#define OP(name, since, min, max, outs, function)			\
	{ name, since, GRAPH_OPSET, min, max, outs, 0, 0, function }
#define OPX(name, since, min, max, outs, flags, engine, function)	\
	{ name, since, GRAPH_OPSET, min, max, outs, flags,		\
	  VNPU_OP_##engine, function }

/* Rows are in the order of names. */
static const struct op_row rows[] = {
	UN("Abs", 1, ABS),
	UN("Acos", 7, ACOS),
	UN("Acosh", 9, ACOSH),
	BIN("Add", 1, ADD),
	CMP("And", 1, LOGICAL_AND),
	OPX("ArgMax", 1, 1, 1, 1, 0, ARGMAX, op_arg_max),
	OPX("ArgMin", 1, 1, 1, 1, 0, ARGMIN, op_arg_max),
	UN("Asin", 7, ASIN),
	UN("Asinh", 9, ASINH),
	UN("Atan", 7, ATAN),
	UN("Atanh", 9, ATANH),
	OPX("AveragePool", 1, 1, 1, 1, 0, AVG_POOL2D, op_pool),
	OP("BatchNormalization", 1, 5, 5, 5, op_batch_norm),
	OP("BitShift", 11, 2, 2, 1, op_bit_shift),
	OP("BlackmanWindow", 17, 1, 1, 1, op_window),
	OP("Cast", 6, 1, 1, 1, op_cast),
	OP("CastLike", 15, 2, 2, 1, op_cast_like),
	UN("Ceil", 1, CEIL),
	ACT("Celu", 12, CELU),
	OP("Clip", 1, 1, 3, 1, op_clip),
	OP("Compress", 9, 2, 2, 1, op_compress),
	OP("Concat", 1, 1, OP_MANY, 1, op_concat),
	OP("ConstantOfShape", 9, 1, 1, 1, op_constant_of_shape),
	OP("Conv", 1, 2, 3, 1, op_conv),
	OP("ConvInteger", 10, 2, 4, 1, op_conv_integer),
	OP("ConvTranspose", 1, 2, 3, 1, op_conv_transpose),
	UN("Cos", 7, COS),
	UN("Cosh", 9, COSH),
	OP("CumSum", 11, 2, 2, 1, op_cumsum),
	OP("DFT", 17, 1, 2, 1, op_dft),
	OP("DepthToSpace", 1, 1, 1, 1, op_depth_to_space),
	OP("DequantizeLinear", 10, 2, 3, 1, op_dequantize),
	OP("Det", 11, 1, 1, 1, op_det),
	OP("Div", 1, 2, 2, 1, op_div),
	OP("Dropout", 1, 1, 3, 2, op_dropout),
	OP("DynamicQuantizeLinear", 11, 1, 1, 3, op_dynamic_quantize),
	OP("Einsum", 12, 1, OP_MANY, 1, op_einsum),
	ACT("Elu", 1, ELU),
	CMP("Equal", 1, EQ),
	UN("Erf", 9, ERF),
	UN("Exp", 1, EXP),
	OP("Expand", 8, 2, 2, 1, op_expand),
	OPX("EyeLike", 9, 1, 1, 1, OP_SHAPE, NONE, op_eye_like),
	OP("Flatten", 1, 1, 1, 1, op_flatten),
	UN("Floor", 1, FLOOR),
	OP("GRU", 7, 3, 6, 2, op_gru),
	OP("Gather", 1, 2, 2, 1, op_gather),
	OP("GatherElements", 11, 2, 2, 1, op_gather_elements),
	OP("GatherND", 11, 2, 2, 1, op_gather_nd),
	OP("Gemm", 1, 2, 3, 1, op_gemm),
	OPX("GlobalAveragePool", 1, 1, 1, 1, 0, MEAN, op_global_pool),
	OPX("GlobalMaxPool", 1, 1, 1, 1, 0, AMAX, op_global_pool),
	CMP("Greater", 1, GT),
	CMP("GreaterOrEqual", 12, GE),
	OP("GridSample", 16, 2, 2, 1, op_grid_sample),
	OP("HammingWindow", 17, 1, 1, 1, op_window),
	OP("HannWindow", 17, 1, 1, 1, op_window),
	OP("HardSigmoid", 1, 1, 1, 1, op_hard_sigmoid),
	UN("HardSwish", 14, HARDSWISH),
	OP("Hardmax", 1, 1, 1, 1, op_hardmax),
	OP("Identity", 1, 1, 1, 1, op_identity),
	OP("InstanceNormalization", 6, 3, 3, 1, op_instance_norm),
	OP("IsInf", 10, 1, 1, 1, op_is_inf),
	TEST("IsNaN", 9, ISNAN),
	OP("LRN", 1, 1, 1, 1, op_lrn),
	OP("LSTM", 7, 3, 8, 3, op_lstm),
	OP("LayerNormalization", 17, 2, 3, 3, op_layer_norm),
	ACT("LeakyRelu", 1, LEAKY_RELU),
	CMP("Less", 1, LT),
	CMP("LessOrEqual", 12, LE),
	UN("Log", 1, LOG),
	OPX("LogSoftmax", 1, 1, 1, 1, 0, LOG_SOFTMAX, op_softmax),
	OP("LpNormalization", 1, 1, 1, 1, op_lp_norm),
	OP("MatMul", 1, 2, 2, 1, op_matmul),
	OP("MatMulInteger", 10, 2, 4, 1, op_matmul_integer),
	VAR("Max", 1, MAXIMUM),
	OPX("MaxPool", 1, 1, 1, 2, 0, MAX_POOL2D, op_pool),
	OP("MaxUnpool", 9, 2, 3, 1, op_max_unpool),
	VAR("Mean", 1, MEAN),
	OP("MeanVarianceNormalization", 9, 1, 1, 1, op_mean_variance),
	OP("MelWeightMatrix", 17, 5, 5, 1, op_mel_weights),
	VAR("Min", 1, MINIMUM),
	OP("Mod", 10, 2, 2, 1, op_mod),
	BIN("Mul", 1, MUL),
	UN("Neg", 1, NEG),
	OP("NegativeLogLikelihoodLoss", 12, 2, 3, 1, op_nll_loss),
	OP("NonZero", 9, 1, 1, 1, op_nonzero),
	TEST("Not", 1, LOGICAL_NOT),
	OP("OneHot", 9, 3, 3, 1, op_one_hot),
	CMP("Or", 1, LOGICAL_OR),
	OP("PRelu", 1, 2, 2, 1, op_prelu),
	OP("Pad", 1, 1, 3, 1, op_pad),
	OP("Pow", 1, 2, 2, 1, op_pow),
	OP("QLinearConv", 10, 8, 9, 1, op_qlinear_conv),
	OP("QLinearMatMul", 10, 8, 8, 1, op_qlinear_matmul),
	OP("QuantizeLinear", 10, 2, 3, 1, op_quantize),
	OP("RNN", 7, 3, 6, 2, op_rnn),
	OP("Range", 11, 3, 3, 1, op_range),
	UN("Reciprocal", 1, RECIPROCAL),
	RED("ReduceL1", NORM),
	RED("ReduceL2", NORM),
	OP("ReduceLogSum", 1, 1, 1, 1, op_reduce_log),
	RED("ReduceLogSumExp", LOGSUMEXP),
	RED("ReduceMax", AMAX),
	RED("ReduceMean", MEAN),
	RED("ReduceMin", AMIN),
	RED("ReduceProd", PROD),
	RED("ReduceSum", SUM),
	OP("ReduceSumSquare", 1, 1, 1, 1, op_reduce_square),
	UN("Relu", 1, RELU),
	OP("Reshape", 1, 1, 2, 1, op_reshape),
	OP("Resize", 10, 1, 4, 1, op_resize),
	OP("ReverseSequence", 10, 2, 2, 1, op_reverse_sequence),
	UN("Round", 11, ROUND),
	OP("STFT", 17, 2, 4, 1, op_stft),
	OP("Scatter", 9, 3, 3, 1, op_scatter_elements),
	OP("ScatterElements", 11, 3, 3, 1, op_scatter_elements),
	OP("ScatterND", 11, 3, 3, 1, op_scatter_nd),
	ACT("Selu", 1, ELU),
	OPX("Shape", 1, 1, 1, 1, OP_SHAPE, NONE, op_shape),
	OP("Shrink", 9, 1, 1, 1, op_shrink),
	UN("Sigmoid", 1, SIGMOID),
	UN("Sign", 9, SIGN),
	UN("Sin", 7, SIN),
	UN("Sinh", 9, SINH),
	OPX("Size", 1, 1, 1, 1, OP_SHAPE, NONE, op_size),
	OP("Slice", 1, 1, 5, 1, op_slice),
	OPX("Softmax", 1, 1, 1, 1, 0, SOFTMAX, op_softmax),
	OP("SoftmaxCrossEntropyLoss", 12, 2, 3, 2, op_cross_entropy),
	UN("Softplus", 1, SOFTPLUS),
	UN("Softsign", 1, SOFTSIGN),
	OP("SpaceToDepth", 1, 1, 1, 1, op_space_to_depth),
	OP("Split", 2, 1, 2, OP_MANY, op_split),
	UN("Sqrt", 1, SQRT),
	OP("Squeeze", 1, 1, 2, 1, op_squeeze),
	BIN("Sub", 1, SUB),
	VAR("Sum", 1, ADD),
	UN("Tan", 7, TAN),
	UN("Tanh", 1, TANH),
	OP("TfIdfVectorizer", 9, 1, 1, 1, op_ngrams),
	ACT("ThresholdedRelu", 10, THRESHOLD),
	OP("Tile", 6, 2, 2, 1, op_tile),
	OP("TopK", 1, 1, 2, 2, op_topk),
	OP("Transpose", 1, 1, 1, 1, op_transpose),
	OP("Trilu", 14, 1, 2, 1, op_trilu),
	OP("Unsqueeze", 1, 1, 2, 1, op_unsqueeze),
	OP("Upsample", 7, 1, 2, 1, op_upsample),
	OP("Where", 9, 3, 3, 1, op_where),
	CMP("Xor", 1, LOGICAL_XOR),
};
#define ROWS (sizeof(rows) / sizeof(*rows))

/* Operators that passes and edits make, of the domain OP_OWN. */
static const struct op_row own[] = {
	UN("Gelu", 1, GELU),
	UN("HardSwish", 1, HARDSWISH),
	OP("Image", 1, 2, 2, 1, op_image),
	OP("LayerNorm", 1, 2, 3, 1, op_layer_norm),
	OP("MatMulBias", 1, 3, 3, 1, op_matmul_bias),
	OP("MultiplyAdd", 1, 3, 3, 1, op_multiply_add),
	OPX("SigmoidMul", 1, 2, 2, 1, 0, SIGMOID_MUL, op_gate),
	UN("Silu", 1, SILU),
};
#define OWN (sizeof(own) / sizeof(*own))

const struct op_row *op_at(unsigned int index)
{
	return index < ROWS ? &rows[index] : NULL;
}

static const struct op_row *search(const struct op_row *list,
				   unsigned int count, const char *name)
{
	unsigned int low = 0, high = count;

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		int order = strcmp(list[middle].name, name);

		if (!order)
			return &list[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct op_row *op_find(const char *domain, const char *name,
			     int64_t opset)
{
	const struct op_row *row = NULL;

	if (!*domain)
		row = search(rows, ROWS, name);
	else if (!strcmp(domain, OP_OWN))
		row = search(own, OWN, name);
	return row && opset >= row->since && opset <= row->until ? row : NULL;
}
