/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The quantiles of the normal distribution, in integers: the same on every
 * machine.
 *
 * What is asked for is the distance from the mean beyond which a side of the
 * distribution has a probability p. It is smooth in the logarithm of p, so each
 * octave of p has 16 segments, each with a polynomial of degree 3, which is
 * within 2^-25 standard deviations of the truth.
 */
#ifndef VNPU_CORE_NORMAL_H
#define VNPU_CORE_NORMAL_H

#include "core_internal.h"

/* Bits of a quantile behind the point. */
#define VNPU_NORMAL_FRACTION	28

/* The probability, in 2^-64, of being below the mean by two deviations. */
#define VNPU_NORMAL_BELOW_2	0x05d2f3e0b27617e6ULL

/**
 * vnpu_normal_quantile() - where the tail with a given probability begins
 * @p: the probability of the tail, in 2^-64: from 2^31 to less than 2^63
 *
 * Return: how far from the mean it begins, in 2^-VNPU_NORMAL_FRACTION standard
 * deviations; not negative.
 */
u32 vnpu_normal_quantile(u64 p);

#endif
