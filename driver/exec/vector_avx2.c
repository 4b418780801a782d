// SPDX-License-Identifier: GPL-2.0-only
/* Sums and copies by vectors of 32 bytes. */
#define VECTOR_WORDS	8
#define VECTOR(name)	vnpu_avx2_##name

#include "vector_tmpl.h"
