// SPDX-License-Identifier: MIT
/* The types of single operators, see single.h. */
#include <string.h>

#include "single.h"

#define UNARY(type, op)							\
	{ type, "aclnn" op, "x0 y0", SINGLE_SAME },
#define BINARY(type, op)						\
	{ type, "aclnn" op, "x0 x1 y0", SINGLE_BROADCAST },
#define REDUCE(type, op)						\
	{ type, "aclnn" op, "x0 @axes= @keep_dims=0 y0", SINGLE_REDUCE },

const struct aclnn_single_type aclnn_single_types[] = {
	UNARY("Abs", "Abs") UNARY("Acos", "Acos") UNARY("Acosh", "Acosh")
	UNARY("Asin", "Asin") UNARY("Asinh", "Asinh") UNARY("Atan", "Atan")
	UNARY("Atanh", "Atanh") UNARY("Ceil", "Ceil") UNARY("Cos", "Cos")
	UNARY("Cosh", "Cosh") UNARY("Erf", "Erf") UNARY("Erfc", "Erfc")
	UNARY("Exp", "Exp") UNARY("Expm1", "Expm1") UNARY("Floor", "Floor")
	UNARY("Gelu", "Gelu") UNARY("HardSwish", "Hardswish")
	UNARY("IsFinite", "IsFinite") UNARY("IsInf", "IsInf")
	UNARY("Log", "Log") UNARY("Log1p", "Log1p")
	UNARY("LogicalNot", "LogicalNot") UNARY("Mish", "Mish")
	UNARY("Neg", "Neg") UNARY("Reciprocal", "Reciprocal")
	UNARY("Relu", "Relu") UNARY("Relu6", "Relu6") UNARY("Rint", "Round")
	UNARY("Round", "Round") UNARY("Rsqrt", "Rsqrt")
	UNARY("Sigmoid", "Sigmoid") UNARY("Sign", "Sign") UNARY("Sin", "Sin")
	UNARY("Sinh", "Sinh") UNARY("Softsign", "Softsign")
	UNARY("Sqrt", "Sqrt") UNARY("Square", "Square") UNARY("Tan", "Tan")
	UNARY("Tanh", "Tanh") UNARY("Trunc", "Trunc")
	UNARY("Invert", "BitwiseNot")
	BINARY("Mul", "Mul") BINARY("Div", "Div") BINARY("RealDiv", "Div")
	BINARY("FloorDiv", "FloorDivide")
	BINARY("FloorMod", "RemainderTensorTensor") BINARY("Mod", "FmodTensor")
	BINARY("Maximum", "Maximum") BINARY("Minimum", "Minimum")
	BINARY("Pow", "PowTensorTensor") BINARY("Atan2", "Atan2")
	BINARY("Equal", "EqTensor") BINARY("NotEqual", "NeTensor")
	BINARY("Greater", "GtTensor") BINARY("GreaterEqual", "GeTensor")
	BINARY("Less", "LtTensor") BINARY("LessEqual", "LeTensor")
	BINARY("LogicalAnd", "LogicalAnd") BINARY("LogicalOr", "LogicalOr")
	BINARY("BitwiseAnd", "BitwiseAndTensor")
	BINARY("BitwiseOr", "BitwiseOrTensor")
	BINARY("BitwiseXor", "BitwiseXorTensor")
	BINARY("LeftShift", "LeftShift") BINARY("RightShift", "RightShift")
	BINARY("Xlogy", "XLogYTensor") BINARY("SigmoidGrad", "SigmoidBackward")
	BINARY("TanhGrad", "TanhBackward") BINARY("GeluGrad", "GeluBackward")
	{ "Add", "aclnnAdd", "x0 x1 =1 y0", SINGLE_BROADCAST },
	{ "Sub", "aclnnSub", "x0 x1 =1 y0", SINGLE_BROADCAST },
	{ "Axpy", "aclnnAdd", "x0 x1 @alpha y0", SINGLE_BROADCAST },
	{ "Adds", "aclnnAdds", "x0 @value =1 y0", SINGLE_SAME },
	{ "Muls", "aclnnMuls", "x0 @value y0", SINGLE_SAME },
	{ "AddN", "aclnnSum", "x* y0", SINGLE_BROADCAST },
	{ "Addcmul", "aclnnAddcmul", "x0 x1 x2 =1 y0", SINGLE_BROADCAST },
	{ "Fills", "aclnnInplaceFillScalar", "y0 @value", SINGLE_SAME },
	{ "ZerosLike", "aclnnInplaceZero", "y0", SINGLE_SAME },
	{ "OnesLike", "aclnnInplaceOne", "y0", SINGLE_SAME },
	{ "Identity", "aclnnInplaceCopy", "y0 x0", SINGLE_SAME },
	{ "TensorMove", "aclnnInplaceCopy", "y0 x0", SINGLE_SAME },
	{ "Cast", "aclnnCast", "x0 :y0 y0", SINGLE_SAME },
	{ "LeakyRelu", "aclnnLeakyRelu", "x0 @negative_slope=0 y0",
	  SINGLE_SAME },
	{ "Elu", "aclnnElu", "x0 @alpha=1 @scale=1 @input_scale=1 y0",
	  SINGLE_SAME },
	{ "SoftplusV2", "aclnnSoftplus", "x0 @beta=1 @threshold=20 y0",
	  SINGLE_SAME },
	{ "ClipByValue", "aclnnClampTensor", "x0 x1 x2 y0", SINGLE_SAME },
	{ "Select", "aclnnSWhere", "x0 x1 x2 y0", SINGLE_BROADCAST },
	{ "SelectV2", "aclnnSWhere", "x0 x1 x2 y0", SINGLE_BROADCAST },
	{ "Lerp", "aclnnLerp", "x0 x1 x2 y0", SINGLE_BROADCAST },
	{ "MatMul", "aclnnMm", "x0~transpose_x1 x1~transpose_x2 y0 =0",
	  SINGLE_MATMUL },
	{ "MatMulV2", "aclnnMm", "x0~transpose_x1 x1~transpose_x2 y0 =0",
	  SINGLE_MATMUL },
	{ "BatchMatMul", "aclnnMatmul", "x0~adj_x1 x1~adj_x2 y0 =0",
	  SINGLE_MATMUL },
	{ "BatchMatMulV2", "aclnnMatmul", "x0~adj_x1 x1~adj_x2 y0 =0",
	  SINGLE_MATMUL },
	{ "GEMM", "GEMM", "x0~transpose_a x1~transpose_b x2 x3 x4 y0",
	  SINGLE_MATMUL },
	{ "SoftmaxV2", "aclnnSoftmax", "x0 @axes=-1 y0", SINGLE_SAME },
	{ "LogSoftmaxV2", "aclnnLogSoftmax", "x0 @axes=-1 y0", SINGLE_SAME },
	{ "RmsNorm", "aclnnRmsNorm", "x0 x1 @epsilon=1e-6 y0 y1?",
	  SINGLE_LINES },
	REDUCE("ReduceMaxD", "Amax") REDUCE("ReduceMinD", "Amin")
	REDUCE("ReduceAllD", "All") REDUCE("ReduceAnyD", "Any")
	{ "ReduceSumD", "aclnnReduceSum", "x0 @axes= @keep_dims=0 :y0 y0",
	  SINGLE_REDUCE },
	{ "ReduceMeanD", "aclnnMean", "x0 @axes= @keep_dims=0 :y0 y0",
	  SINGLE_REDUCE },
	{ "ArgMaxD", "aclnnArgMax", "x0 @dimension =0 y0", SINGLE_ARG },
	{ "ArgMinD", "aclnnArgMin", "x0 @dimension =0 y0", SINGLE_ARG },
	{ "TransposeD", "aclnnPermute", "x0 @perm y0", SINGLE_PERMUTE },
	{ "ConcatD", "aclnnCat", "x* @concat_dim y0", SINGLE_CONCAT },
	{ "Pack", "aclnnStack", "x* @axis=0 y0", SINGLE_STACK },
	{ "SplitVD", "aclnnSplitWithSize", "x0 @size_splits @split_dim y*",
	  SINGLE_SPLIT },
	{ "Gather", "aclnnGatherV2", "x0 =0 x1 y0", SINGLE_GATHER },
	{ "GatherV2D", "aclnnGatherV2", "x0 @axis x1 y0", SINGLE_GATHER },
	{ "GatherElements", "aclnnGather", "x0 @dim=0 x1 y0", SINGLE_INDEX },
	{ "BroadcastToD", "aclnnExpand", "x0 @shape y0", SINGLE_SHAPE },
	{ "ExpandD", "aclnnExpand", "x0 @shape y0", SINGLE_SHAPE },
	{ "TileD", "aclnnRepeat", "x0 @multiples y0", SINGLE_TILE },
	{ "CumsumD", "aclnnCumsum", "x0 @axis :y0 y0", SINGLE_SAME },
	{ "ReverseV2D", "aclnnFlip", "x0 @axis y0", SINGLE_SAME },
	{ "Tril", "aclnnTril", "x0 @diagonal=0 y0", SINGLE_SAME },
	{ "Triu", "aclnnTriu", "x0 @diagonal=0 y0", SINGLE_SAME },
};

const unsigned int aclnn_single_count =
	sizeof(aclnn_single_types) / sizeof(*aclnn_single_types);

const struct aclnn_op *aclnn_single_op(const struct aclnn_single_type *type)
{
	if (!strcmp(type->op, aclnn_single_gemm.name))
		return &aclnn_single_gemm;
	for (unsigned int i = 0; i < aclnn_op_count; i++)
		if (!strcmp(aclnn_ops[i]->name, type->op))
			return aclnn_ops[i];
	return NULL;
}

const struct aclnn_single_type *aclnn_single_find(const char *type)
{
	for (unsigned int i = 0; i < aclnn_single_count; i++)
		if (!strcmp(aclnn_single_types[i].type, type))
			return &aclnn_single_types[i];
	return NULL;
}
