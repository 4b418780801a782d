/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantiles of the normal distribution, in integers, so that they are the same
 * on every machine.
 *
 * A quantile is the distance from the mean beyond which one side of the
 * distribution has the probability p. It is a smooth function of the logarithm
 * of p. So each octave of p is cut into 16 segments, each with a polynomial of
 * degree 3. The error is at most 2^-25 standard deviations.
 */
#ifndef VNPU_CORE_NORMAL_H
#define VNPU_CORE_NORMAL_H

#include "core_internal.h"

/* Fractional bits of a quantile. */
#define VNPU_NORMAL_FRACTION	28

/*
 * Probability, in 2^-64, of a value below the mean by two deviations or more.
 */
#define VNPU_NORMAL_BELOW_2	0x05d2f3e0b27617e6ULL

/**
 * vnpu_normal_quantile() - find the quantile for a probability of the tail
 * @p: the probability of the tail, in 2^-64: from 2^31 to less than 2^63
 *
 * Return: the distance of the tail from the mean, in 2^-VNPU_NORMAL_FRACTION
 * standard deviations; not negative.
 */
u32 vnpu_normal_quantile(u64 p);

#endif
