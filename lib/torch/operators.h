/* SPDX-License-Identifier: MIT */
/*
 * Operators that are one call of aclnn. The includer defines OP(), NUM() and FN(),
 * which this file undefines.
 *
 *	OP(operator of PyTorch, operator of aclnn, arguments of aclnn's)
 *	NUM(operator, of aclnn, of aclnn where "other" is a number, arguments)
 *	FN(operator, a function that calls one of aclnn, arguments)
 *
 * The operator is that which returns its result. Its variants in place and with
 * out= are added, if their other arguments are the same. Arguments of aclnn's
 * operator in their order are
 *
 *	NAME		an argument of PyTorch's operator
 *	NAME?VALUE	VALUE, if it is None
 *	NAME/DIM	NAME without dimensions but one, if DIM is None
 *	out, out1	the results
 *	@out		the type of the first result
 *	VALUE		an integer, true, false, or [], an empty list
 *
 * NAME=VALUE is no argument, but the condition of the call. NAME=ratio, for a scale,
 * means None, or the ratio of the output's size to the input's.
 */
#define UN(name, function)	OP(name, function, "self out")
#define BIN(name, function)	OP(name, function, "self other out")
#define GRAD(name, function, of) \
	OP(name, function, "grad_output " of " out")

UN("abs", Abs)
UN("neg", Neg)
UN("sign", Sign)
UN("sgn", Sign)
UN("floor", Floor)
UN("ceil", Ceil)
UN("trunc", Trunc)
UN("round", Round)
UN("frac", Frac)
UN("sqrt", Sqrt)
UN("rsqrt", Rsqrt)
UN("reciprocal", Reciprocal)
UN("exp", Exp)
UN("exp2", Exp2)
UN("expm1", Expm1)
UN("log", Log)
UN("log2", Log2)
UN("log10", Log10)
UN("log1p", Log1p)
UN("sin", Sin)
UN("cos", Cos)
UN("tan", Tan)
UN("sinc", Sinc)
UN("tanh", Tanh)
UN("erf", Erf)
UN("erfc", Erfc)
UN("erfinv", Erfinv)
UN("asin", Asin)
UN("acos", Acos)
UN("atan", Atan)
UN("sinh", Sinh)
UN("cosh", Cosh)
UN("asinh", Asinh)
UN("acosh", Acosh)
UN("atanh", Atanh)
UN("lgamma", Lgamma)
UN("isinf", IsInf)
UN("isposinf", IsPosInf)
UN("isneginf", IsNegInf)
UN("signbit", Signbit)
UN("logical_not", LogicalNot)
FN("bitwise_not", bitwise_not, "self out")
UN("relu", Relu)
UN("sigmoid", Sigmoid)
UN("silu", Silu)
UN("mish", Mish)
UN("hardsigmoid", Hardsigmoid)
UN("hardswish", Hardswish)
OP("gelu", GeluV2, "self approximate out")
OP("softplus", Softplus, "self beta threshold out")
OP("hardtanh", Clamp, "self min_val max_val out")
OP("hardshrink", Hardshrink, "self lambd out")
OP("softshrink", Softshrink, "self lambd out")
OP("threshold", Threshold, "self threshold value out")
OP("leaky_relu", LeakyRelu, "self negative_slope out")
OP("elu", Elu, "self alpha scale input_scale out")
OP("glu", Glu, "self dim out")
OP("logit", Logit, "self eps?-1 out")
OP("logit_backward", LogitGrad, "self grad_output eps?-1 out")
FN("nan_to_num", compute_nan_to_num, "self nan?0 posinf neginf out")
OP("round.decimals", RoundDecimals, "self decimals out")
OP("clamp", Clamp, "self min max out")
FN("clamp.Tensor", compute_clamp, "self min max out")
OP("clamp_min", ClampMin, "self min out")
OP("clamp_max", ClampMax, "self max out")
OP("clamp_min.Tensor", ClampMinTensor, "self min out")
OP("clamp_max.Tensor", ClampMaxTensor, "self max out")

NUM("add.Tensor", Add, Adds, "self other alpha out")
NUM("sub.Tensor", Sub, Subs, "self other alpha out")
NUM("rsub.Tensor", Rsub, Rsubs, "self other alpha out")
NUM("mul.Tensor", Mul, Muls, "self other out")
NUM("div.Tensor", Div, Divs, "self other out")
NUM("div.Tensor_mode", DivMod, DivMods, "self other rounding_mode out")
NUM("floor_divide", FloorDivide, FloorDivides, "self other out")
NUM("remainder.Tensor", RemainderTensorTensor, RemainderTensorScalar,
    "self other out")
NUM("fmod.Tensor", FmodTensor, FmodScalar, "self other out")
OP("pow.Tensor_Tensor", PowTensorTensor, "self exponent out")
OP("pow.Tensor_Scalar", PowTensorScalar, "self exponent out")
OP("pow.Scalar", PowScalarTensor, "self exponent out")
BIN("maximum", Maximum)
BIN("minimum", Minimum)
BIN("atan2", Atan2)
BIN("logaddexp", LogAddExp)
BIN("logaddexp2", LogAddExp2)
FN("fmax", compute_fmax, "self other out")
FN("fmin", compute_fmin, "self other out")
FN("copysign.Tensor", compute_copysign, "self other out")
BIN("gcd", Gcd)
BIN("bitwise_left_shift.Tensor", LeftShift)
BIN("bitwise_right_shift.Tensor", RightShift)
OP("linalg_cross", LinalgCross, "self other dim out")
OP("heaviside", Heaviside, "self values out")
NUM("xlogy.Tensor", XLogYTensor, XLogYScalarOther, "self other out")
NUM("eq.Tensor", EqTensor, EqScalar, "self other out")
NUM("ne.Tensor", NeTensor, NeScalar, "self other out")
NUM("gt.Tensor", GtTensor, GtScalar, "self other out")
NUM("ge.Tensor", GeTensor, GeScalar, "self other out")
NUM("lt.Tensor", LtTensor, LtScalar, "self other out")
NUM("le.Tensor", LeTensor, LeScalar, "self other out")
BIN("eq.Scalar", EqScalar)
BIN("ne.Scalar", NeScalar)
BIN("gt.Scalar", GtScalar)
BIN("ge.Scalar", GeScalar)
BIN("lt.Scalar", LtScalar)
BIN("le.Scalar", LeScalar)
BIN("logical_and", LogicalAnd)
BIN("logical_or", LogicalOr)
BIN("logical_xor", LogicalXor)
NUM("bitwise_and.Tensor", BitwiseAndTensor, BitwiseAndScalar, "self other out")
NUM("bitwise_or.Tensor", BitwiseOrTensor, BitwiseOrScalar, "self other out")
NUM("bitwise_xor.Tensor", BitwiseXorTensor, BitwiseXorScalar, "self other out")
OP("where.self", SWhere, "condition self other out")
OP("addcmul", Addcmul, "self tensor1 tensor2 value out")
OP("addcdiv", Addcdiv, "self tensor1 tensor2 value out")
OP("lerp.Tensor", Lerp, "self end weight out")
OP("lerp.Scalar", Lerps, "self end weight out")
OP("masked_fill_.Scalar", InplaceMaskedFillScalar, "out mask value")
OP("masked_fill_.Tensor", InplaceMaskedFillTensor, "out mask value")
OP("masked_scatter_", InplaceMaskedScatter, "out mask source")
OP("index_fill_.int_Scalar", InplaceIndexFill, "out dim index value")
OP("fill_.Scalar", InplaceFillScalar, "out value")
OP("fill_.Tensor", InplaceFillTensor, "out value")
OP("zero_", InplaceZero, "out")

GRAD("threshold_backward", ThresholdBackward, "self threshold")
GRAD("silu_backward", SiluBackward, "self")
OP("gelu_backward", GeluBackwardV2, "grad_output self approximate out")
GRAD("sigmoid_backward", SigmoidBackward, "output")
GRAD("tanh_backward", TanhBackward, "output")
GRAD("hardswish_backward", HardswishBackward, "self")
GRAD("hardsigmoid_backward", HardsigmoidBackward, "self")
GRAD("hardtanh_backward", HardtanhBackward, "self min_val max_val")
GRAD("leaky_relu_backward", LeakyReluBackward, "self negative_slope self_is_result")
GRAD("softplus_backward", SoftplusBackward, "self beta threshold")
GRAD("mish_backward", MishBackward, "self")
GRAD("softshrink_backward", SoftshrinkBackward, "self lambd")
OP("hardshrink_backward", HardshrinkBackward, "grad_out self lambd out")
OP("elu_backward", EluBackward,
   "grad_output alpha scale input_scale is_result self_or_result out")
GRAD("_softmax_backward_data", SoftmaxBackward, "output dim")
GRAD("_log_softmax_backward_data", LogSoftmaxBackward, "output dim")

OP("_softmax", Softmax, "half_to_float=false self dim out")
OP("_log_softmax", LogSoftmax, "half_to_float=false self dim out")
OP("sum.dim_IntList", ReduceSum, "self dim keepdim @out out")
OP("nansum", ReduceNansum, "self dim keepdim @out out")
OP("mean.dim", Mean, "self dim keepdim @out out")
OP("prod", Prod, "self @out out")
OP("prod.dim_int", ProdDim, "self dim keepdim @out out")
OP("amax", Amax, "self dim keepdim out")
OP("amin", Amin, "self dim keepdim out")
OP("aminmax", Aminmax, "self dim keepdim out out1")
OP("all.dim", All, "self dim keepdim out")
OP("any.dim", Any, "self dim keepdim out")
OP("all", All, "self [] false out")
OP("any", Any, "self [] false out")
UN("max", Max)
UN("min", Min)
OP("max.dim", MaxDim, "self dim keepdim out out1")
OP("min.dim", MinDim, "self dim keepdim out out1")
OP("argmax", ArgMax, "self/dim dim?0 keepdim out")
OP("argmin", ArgMin, "self/dim dim?0 keepdim out")
OP("norm.ScalarOpt_dim", Norm, "self p?2 dim keepdim out")
OP("linalg_vector_norm", LinalgVectorNorm, "self ord dim keepdim @out out")
OP("cumsum", Cumsum, "self dim @out out")
OP("cumprod", Cumprod, "self dim @out out")
OP("sort.stable", Sort, "self stable?false dim descending out out1")
OP("topk", Topk, "self k dim largest sorted out out1")

OP("mm", Mm, "self mat2 out 0")
OP("bmm", BatchMatMul, "self mat2 out 0")
OP("mv", Mv, "self vec out 0")
OP("dot", Dot, "self tensor out")
OP("addmm", Addmm, "self mat1 mat2 beta alpha out 0")
FN("addmv", compute_addmv, "self mat vec beta alpha out")
OP("baddbmm", Baddbmm, "self batch1 batch2 beta alpha out 0")
OP("max_pool2d_with_indices", MaxPool2dWithIndices,
   "self kernel_size stride padding dilation ceil_mode out out1")
OP("avg_pool2d", AvgPool2d,
   "self kernel_size stride padding ceil_mode count_include_pad "
   "divisor_override?0 0 out")
OP("_adaptive_avg_pool2d", AdaptiveAvgPool2d, "self output_size out")
OP("avg_pool2d_backward", AvgPool2dBackward,
   "grad_output self kernel_size stride padding ceil_mode count_include_pad "
   "divisor_override?0 0 out")
OP("avg_pool3d", AvgPool3d,
   "self kernel_size stride padding ceil_mode count_include_pad "
   "divisor_override?0 out")
OP("_adaptive_avg_pool3d", AdaptiveAvgPool3d, "self output_size out")
OP("adaptive_max_pool2d", AdaptiveMaxPool2d, "self output_size out out1")
OP("adaptive_max_pool3d", AdaptiveMaxPool3d, "self output_size out out1")
OP("adaptive_max_pool2d_backward", AdaptiveMaxPool2dBackward,
   "grad_output self indices out")
OP("adaptive_max_pool3d_backward", AdaptiveMaxPool3dBackward,
   "grad_output self indices out")
OP("im2col", Im2col, "self kernel_size dilation padding stride out")
OP("col2im", Im2colBackward,
   "self output_size kernel_size dilation padding stride out")
OP("grid_sampler_2d", GridSampler2D,
   "input grid interpolation_mode padding_mode align_corners out")
OP("_cdist_forward", Cdist, "x1 x2 p compute_mode?0 out")
OP("binary_cross_entropy", BinaryCrossEntropy, "self target weight reduction out")
OP("binary_cross_entropy_backward", BinaryCrossEntropyBackward,
   "grad_output self target weight reduction out")
OP("smooth_l1_loss", SmoothL1Loss, "self target reduction beta out")

OP("reflection_pad1d", ReflectionPad1d, "self padding out")
OP("reflection_pad2d", ReflectionPad2d, "self padding out")
OP("replication_pad1d", ReplicationPad1d, "self padding out")
OP("replication_pad2d", ReplicationPad2d, "self padding out")
/* aclnn resizes by the sizes. A program's scales must be their ratio. */
OP("upsample_nearest1d", UpsampleNearest1d, "scales=ratio self output_size out")
OP("upsample_nearest2d", UpsampleNearest2d,
   "scales_h=ratio scales_w=ratio self output_size out")
OP("upsample_nearest3d", UpsampleNearest3d,
   "scales_d=ratio scales_h=ratio scales_w=ratio self output_size 0 0 0 out")
OP("upsample_linear1d", UpsampleLinear1d,
   "scales=ratio self output_size align_corners 0 out")
OP("upsample_bilinear2d", UpsampleBilinear2d,
   "scales_h=ratio scales_w=ratio self output_size align_corners 0 0 out")
OP("upsample_bicubic2d", UpsampleBicubic2d,
   "scales_h=ratio scales_w=ratio self output_size align_corners 0 0 out")
OP("upsample_trilinear3d", UpsampleTrilinear3d,
   "scales_d=ratio scales_h=ratio scales_w=ratio self output_size align_corners "
   "0 0 0 out")
OP("_upsample_nearest_exact1d", UpsampleNearestExact1d,
   "scales=ratio self output_size 0 out")
OP("_upsample_nearest_exact2d", UpsampleNearestExact2d,
   "scales_h=ratio scales_w=ratio self output_size 0 0 out")
OP("_upsample_nearest_exact3d", UpsampleNearestExact3d,
   "scales_d=ratio scales_h=ratio scales_w=ratio self output_size 0 0 0 out")
OP("upsample_nearest1d_backward", UpsampleNearest1dBackward,
   "scales=ratio grad_output output_size input_size 0 out")
OP("upsample_nearest2d_backward", UpsampleNearest2dBackward,
   "scales_h=ratio scales_w=ratio grad_output output_size input_size 0 0 out")
OP("upsample_nearest3d_backward", UpsampleNearest3dBackward,
   "scales_d=ratio scales_h=ratio scales_w=ratio grad_output output_size input_size "
   "0 0 0 out")
OP("upsample_linear1d_backward", UpsampleLinear1dBackward,
   "scales=ratio grad_output output_size input_size align_corners 0 out")
OP("upsample_bilinear2d_backward", UpsampleBilinear2dBackward,
   "scales_h=ratio scales_w=ratio grad_output output_size input_size align_corners "
   "0 0 out")
OP("upsample_bicubic2d_backward", UpsampleBicubic2dBackward,
   "scales_h=ratio scales_w=ratio grad_output output_size input_size align_corners "
   "0 0 out")
OP("upsample_trilinear3d_backward", UpsampleTrilinear3dBackward,
   "scales_d=ratio scales_h=ratio scales_w=ratio grad_output output_size input_size "
   "align_corners 0 0 0 out")
OP("_upsample_nearest_exact1d_backward", UpsampleNearestExact1dBackward,
   "scales=ratio grad_output output_size input_size 0 out")
OP("_upsample_nearest_exact2d_backward", UpsampleNearestExact2dBackward,
   "scales_h=ratio scales_w=ratio grad_output output_size input_size 0 0 out")
OP("_upsample_nearest_exact3d_backward", UpsampleNearestExact3dBackward,
   "scales_d=ratio scales_h=ratio scales_w=ratio grad_output output_size input_size "
   "0 0 0 out")

OP("cat", Cat, "tensors dim out")
OP("flip", Flip, "self dims out")
OP("roll", Roll, "self shifts dims out")
OP("tril", Tril, "self diagonal out")
OP("triu", Triu, "self diagonal out")
OP("arange.start_out", Arange, "start end step out")
OP("eye.m_out", Eye, "n m out")
OP("index_select", IndexSelect, "self dim index out")
OP("gather", Gather, "self dim index out")
OP("scatter.src", Scatter, "self dim index src 0 out")
OP("scatter.reduce", Scatter, "self dim index src reduce out")
OP("scatter_add", ScatterAdd, "self dim index src out")
OP("index_add", IndexAdd, "self dim index source alpha out")
OP("triangular_solve", TriangularSolve,
   "self A upper transpose unitriangular out out1")
OP("index_copy", IndexCopy, "self dim index source out")

#undef GRAD
#undef BIN
#undef UN
#undef FN
#undef NUM
#undef OP
