/* SPDX-License-Identifier: MIT */
/* The class Matmul, under the name that sources include it by. */
#include "../kernel_operator.h"
