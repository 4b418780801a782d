// SPDX-License-Identifier: MIT
/* The choice of a variant. See vec/vec.h. */
#include "vec/vec.h"

extern const struct ops_vec ops_vec_base;
#ifdef __x86_64__
extern const struct ops_vec ops_vec_avx2, ops_vec_avx512;
#endif

const struct ops_vec *ops_vec = &ops_vec_base;

const struct ops_vec *ops_vec_variant(unsigned int number)
{
	if (number == 0)
		return &ops_vec_base;
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
	    !__builtin_cpu_supports("f16c"))
		return NULL;
	if (number == 1)
		return &ops_vec_avx2;
	if (number == 2 && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		return &ops_vec_avx512;
#endif
	return NULL;
}

static void __attribute__((constructor)) choose(void)
{
	unsigned int number;

	for (number = 0; ops_vec_variant(number); number++)
		ops_vec = ops_vec_variant(number);
}
