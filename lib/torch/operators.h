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
 * NAME=VALUE is no argument, but the condition of the call.
 */
#define UN(name, function)	OP(name, function, "self out")
#define BIN(name, function)	OP(name, function, "self other out")
/* aclnn's tensors have a dimension at least: numbers become vectors. */
#define DIMS(name, function, arguments) \
	FN(name, with_dims<NPU_INVOKE(function)>, arguments)
#define GRAD(name, function, of) \
	OP(name, function, "grad_output " of " out")

UN("abs", Abs)
UN("neg", Neg)
FN("sign", sign, "self out")
FN("sgn", sign, "self out")
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
/* Of special.h: of self, of x, of two arguments, and of a degree. */
#define SPECIAL(name, function, arguments) \
	FN(name, special::function, arguments " out")
#define OF_SELF(name, function)	SPECIAL(name, one<special::function>, "self")
#define OF_X(name, function)	SPECIAL(name, one<special::function>, "x")
#define OF_TWO(name, function)	SPECIAL(name, two<special::function>, "self other")
#define OF_N(name, function) \
	SPECIAL("special_" name, two<special::function>, "x n")
OF_SELF("angle", angle)
OF_SELF("digamma", digamma)
OF_SELF("special_entr", entr)
OF_SELF("special_erfcx", erfcx)
OF_SELF("special_log_ndtr", log_ndtr)
OF_SELF("special_ndtri", ndtri)
OF_TWO("hypot", hypot)
OF_TWO("special_xlog1py", xlog1py)
OF_TWO("special_zeta", zeta)
SPECIAL("polygamma", polygamma, "n self")
SPECIAL("nextafter", nextafter, "self other")
OF_SELF("i0", i0)
OF_SELF("special_i0e", i0e)
OF_SELF("special_i1", i1)
OF_SELF("special_i1e", i1e)
OF_SELF("special_modified_bessel_i0", i0)
OF_SELF("special_modified_bessel_i1", i1)
OF_SELF("special_modified_bessel_k0", k0)
OF_SELF("special_modified_bessel_k1", k1)
OF_X("special_scaled_modified_bessel_k0", k0e)
OF_X("special_scaled_modified_bessel_k1", k1e)
OF_SELF("special_bessel_j0", j0)
OF_SELF("special_bessel_j1", j1)
OF_SELF("special_bessel_y0", y0)
OF_SELF("special_bessel_y1", y1)
OF_X("special_spherical_bessel_j0", spherical_j0)
OF_N("chebyshev_polynomial_t", chebyshev_t)
OF_N("chebyshev_polynomial_u", chebyshev_u)
OF_N("chebyshev_polynomial_v", chebyshev_v)
OF_N("chebyshev_polynomial_w", chebyshev_w)
OF_N("shifted_chebyshev_polynomial_t", shifted_chebyshev_t)
OF_N("shifted_chebyshev_polynomial_u", shifted_chebyshev_u)
OF_N("shifted_chebyshev_polynomial_v", shifted_chebyshev_v)
OF_N("shifted_chebyshev_polynomial_w", shifted_chebyshev_w)
OF_N("hermite_polynomial_h", hermite_h)
OF_N("hermite_polynomial_he", hermite_he)
OF_N("laguerre_polynomial_l", laguerre_l)
OF_N("legendre_polynomial_p", legendre_p)
#undef OF_N
#undef OF_TWO
#undef OF_X
#undef OF_SELF
#undef SPECIAL
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
FN("lcm", compute_lcm, "self other out")
FN("isin.Tensor_Tensor", compute_isin, "elements test_elements invert out")
FN("isin.Tensor_Scalar", compute_isin, "elements test_element invert out")
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
DIMS("index_fill_.int_Scalar", InplaceIndexFill, "out dim index value")
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
OP("renorm", Renorm, "self p dim maxnorm out")
OP("max_pool2d_with_indices", MaxPool2dWithIndices,
   "self kernel_size stride padding dilation ceil_mode out out1")
FN("avg_pool2d", avg_pool<NPU_INVOKE(AvgPool2d)>,
   "self kernel_size stride padding ceil_mode count_include_pad "
   "divisor_override?0 0 out")
OP("_adaptive_avg_pool2d", AdaptiveAvgPool2d, "self output_size out")
OP("avg_pool2d_backward", AvgPool2dBackward,
   "grad_output self kernel_size stride padding ceil_mode count_include_pad "
   "divisor_override?0 0 out")
FN("avg_pool3d", avg_pool<NPU_INVOKE(AvgPool3d)>,
   "self kernel_size stride padding ceil_mode count_include_pad "
   "divisor_override?0 out")
FN("avg_pool3d_backward", compute_avg_pool_backward,
   "grad_output self kernel_size stride padding ceil_mode count_include_pad "
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
OP("binary_cross_entropy", BinaryCrossEntropy, "self target weight reduction out")
OP("binary_cross_entropy_backward", BinaryCrossEntropyBackward,
   "grad_output self target weight reduction out")
OP("smooth_l1_loss", SmoothL1Loss, "self target reduction beta out")

OP("reflection_pad1d", ReflectionPad1d, "self padding out")
OP("reflection_pad2d", ReflectionPad2d, "self padding out")
OP("replication_pad1d", ReplicationPad1d, "self padding out")
OP("replication_pad2d", ReplicationPad2d, "self padding out")
/* aclnn resizes by the sizes. The scales before its arguments are for resize.h. */
#define SIZE(name, function, kind, arguments) \
	FN(name, (resize_with<NPU_INVOKE(function), Resize::kind, false>), \
	   arguments " out")
#define SIZE_GRAD(name, function, kind, arguments) \
	FN(name, (resize_with<NPU_INVOKE(function), Resize::kind, true>), \
	   arguments " out")
#define SCALES2	"scales_h scales_w "
#define SCALES3	"scales_d scales_h scales_w "
SIZE("upsample_nearest1d", UpsampleNearest1d, NEAREST, "scales self output_size")
SIZE("upsample_nearest2d", UpsampleNearest2d, NEAREST, SCALES2 "self output_size")
SIZE("upsample_nearest3d", UpsampleNearest3d, NEAREST,
     SCALES3 "self output_size 0 0 0")
SIZE("_upsample_nearest_exact1d", UpsampleNearestExact1d, NEAREST_EXACT,
     "scales self output_size 0")
SIZE("_upsample_nearest_exact2d", UpsampleNearestExact2d, NEAREST_EXACT,
     SCALES2 "self output_size 0 0")
SIZE("_upsample_nearest_exact3d", UpsampleNearestExact3d, NEAREST_EXACT,
     SCALES3 "self output_size 0 0 0")
SIZE("upsample_linear1d", UpsampleLinear1d, LINEAR,
     "scales self output_size align_corners 0")
SIZE("upsample_bilinear2d", UpsampleBilinear2d, LINEAR,
     SCALES2 "self output_size align_corners 0 0")
SIZE("upsample_trilinear3d", UpsampleTrilinear3d, LINEAR,
     SCALES3 "self output_size align_corners 0 0 0")
SIZE("upsample_bicubic2d", UpsampleBicubic2d, CUBIC,
     SCALES2 "self output_size align_corners 0 0")
SIZE_GRAD("upsample_nearest1d_backward", UpsampleNearest1dBackward, NEAREST,
	  "scales grad_output output_size input_size 0")
SIZE_GRAD("upsample_nearest2d_backward", UpsampleNearest2dBackward, NEAREST,
	  SCALES2 "grad_output output_size input_size 0 0")
SIZE_GRAD("upsample_nearest3d_backward", UpsampleNearest3dBackward, NEAREST,
	  SCALES3 "grad_output output_size input_size 0 0 0")
SIZE_GRAD("_upsample_nearest_exact1d_backward", UpsampleNearestExact1dBackward,
	  NEAREST_EXACT, "scales grad_output output_size input_size 0")
SIZE_GRAD("_upsample_nearest_exact2d_backward", UpsampleNearestExact2dBackward,
	  NEAREST_EXACT, SCALES2 "grad_output output_size input_size 0 0")
SIZE_GRAD("_upsample_nearest_exact3d_backward", UpsampleNearestExact3dBackward,
	  NEAREST_EXACT, SCALES3 "grad_output output_size input_size 0 0 0")
SIZE_GRAD("upsample_linear1d_backward", UpsampleLinear1dBackward, LINEAR,
	  "scales grad_output output_size input_size align_corners 0")
SIZE_GRAD("upsample_bilinear2d_backward", UpsampleBilinear2dBackward, LINEAR,
	  SCALES2 "grad_output output_size input_size align_corners 0 0")
SIZE_GRAD("upsample_trilinear3d_backward", UpsampleTrilinear3dBackward, LINEAR,
	  SCALES3 "grad_output output_size input_size align_corners 0 0 0")
SIZE_GRAD("upsample_bicubic2d_backward", UpsampleBicubic2dBackward, CUBIC,
	  SCALES2 "grad_output output_size input_size align_corners 0 0")
#undef SCALES3
#undef SCALES2
#undef SIZE_GRAD
#undef SIZE

OP("cat", Cat, "tensors dim out")
OP("flip", Flip, "self dims out")
OP("roll", Roll, "self shifts dims out")
OP("tril", Tril, "self diagonal out")
OP("triu", Triu, "self diagonal out")
OP("arange.start_out", Arange, "start end step out")
OP("eye.m_out", Eye, "n m out")
DIMS("index_select", IndexSelect, "self dim index out")
DIMS("gather", Gather, "self dim index out")
OP("scatter.src", Scatter, "self dim index src 0 out")
OP("scatter.reduce", Scatter, "self dim index src reduce out")
OP("scatter_add", ScatterAdd, "self dim index src out")
FN("scatter_reduce.two", compute_scatter_reduce,
   "self dim index src reduce include_self out")
FN("index_reduce", compute_index_reduce,
   "self dim index source reduce include_self out")
DIMS("index_add", IndexAdd, "self dim index source alpha out")
OP("triangular_solve", TriangularSolve,
   "self A upper transpose unitriangular out out1")
DIMS("index_copy", IndexCopy, "self dim index source out")

#undef GRAD
#undef DIMS
#undef BIN
#undef UN
#undef FN
#undef NUM
#undef OP
