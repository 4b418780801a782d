/* SPDX-License-Identifier: MIT */
/*
 * Register objects of the class Matmul in a kernel.
 *
 * On a card, the cube core of a group multiplies for the vector cores.  Here the
 * calling core multiplies, and the cube core returns from the kernel at the
 * registration.
 */
#ifndef ASCENDC_VNPU_MATMUL_OBJECT_H
#define ASCENDC_VNPU_MATMUL_OBJECT_H

#include "debug.h"
#include "matmul.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
	  const auto &MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<>,
	  class... POLICY>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB,
			  POLICY...>;

} /* namespace AscendC */

namespace vnpu {

/* Objects, each with its tiling or without. */
inline void regist_matmul()
{
}

template <typename M>
inline void regist_matmul(M &)
{
}

template <typename M, typename... Rest>
inline void regist_matmul(M &matmul, const TCubeTiling *tiling, Rest &&...rest)
{
	matmul.Init(tiling);
	regist_matmul(rest...);
}

template <typename M, typename M2, typename... Rest>
inline std::enable_if_t<std::is_class<std::remove_pointer_t<M2>>::value &&
			!std::is_pointer<M2>::value>
regist_matmul(M &, M2 &second, Rest &&...rest)
{
	regist_matmul(second, rest...);
}

} /* namespace vnpu */

/*
 * Objects are registered in the kernel itself or in a function that it calls.
 * With ASCENDC_CUBE_ONLY the kernel is one of cube cores, else it is mixed.
 */
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(pipe, workspace, ...) \
	do { \
		__asm__ volatile("#vnpu-needs cube"); \
		(void)(pipe); \
		(void)(workspace); \
		vnpu::regist_matmul(__VA_ARGS__); \
	} while (0)
#else
#define REGIST_MATMUL_OBJ(pipe, workspace, ...) \
	do { \
		__asm__ volatile("#vnpu-needs matmul"); \
		if (ASCEND_IS_AIC) \
			return; \
		(void)(pipe); \
		(void)(workspace); \
		vnpu::regist_matmul(__VA_ARGS__); \
	} while (0)
#endif

#endif /* ASCENDC_VNPU_MATMUL_OBJECT_H */
