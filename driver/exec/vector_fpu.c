// SPDX-License-Identifier: GPL-2.0-only
/* Sums and copies by vectors of 16 bytes, which each machine with an FPU has. */
#define VECTOR_WORDS	4
#define VECTOR(name)	vnpu_fpu_##name

#include "vector_tmpl.h"
