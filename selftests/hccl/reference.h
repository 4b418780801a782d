/* SPDX-License-Identifier: GPL-2.0-only */
/* Elements of all types, and plain reductions of them. */
#ifndef SELFTESTS_HCCL_REFERENCE_H
#define SELFTESTS_HCCL_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/hccl_types.h"

static const HcclDataType reducible[] = {
	HCCL_DATA_TYPE_INT8, HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_INT32,
	HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_INT64,
	HCCL_DATA_TYPE_UINT64, HCCL_DATA_TYPE_UINT8, HCCL_DATA_TYPE_UINT16,
	HCCL_DATA_TYPE_UINT32, HCCL_DATA_TYPE_FP64, HCCL_DATA_TYPE_BFP16,
};

#define NR_REDUCIBLE	(sizeof(reducible) / sizeof(reducible[0]))

static inline size_t size_of(HcclDataType type)
{
	static const uint8_t sizes[] = {
		1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16, 0, 1, 1, 1, 1,
	};

	return sizes[type];
}

static inline float from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	float value = exponent ? ldexpf(1024 + fraction, exponent - 25) :
				 ldexpf(fraction, -24);

	return bits & 0x8000 ? -value : value;
}

/* Round to the nearest, ties to even, by the current mode of the machine. */
static inline uint16_t to_half(float value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	int exponent;
	float size = fabsf(value), scaled;

	if (size >= 65520)
		return sign | 0x7c00;
	frexpf(size, &exponent);
	if (!size || exponent < -13)
		return sign | (uint16_t)nearbyintf(ldexpf(size, 24));
	scaled = nearbyintf(ldexpf(size, 11 - exponent));
	return sign | (uint16_t)(((exponent + 13) << 10) + (int)scaled);
}

static inline float from_brain(uint16_t bits)
{
	uint32_t word = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &word, sizeof(value));
	return value;
}

static inline uint16_t to_brain(float value)
{
	uint32_t word;

	memcpy(&word, &value, sizeof(word));
	return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

#define REDUCE(x, y)							\
	(op == HCCL_REDUCE_SUM ? (x) + (y) :				\
	 op == HCCL_REDUCE_PROD ? (x) * (y) :				\
	 op == HCCL_REDUCE_MAX ? ((x) > (y) ? (x) : (y)) :		\
				 ((x) < (y) ? (x) : (y)))

#define REDUCE_AS(type, wide)						\
	do {								\
		const type *const *in = (const void *)src;		\
									\
		for (size_t i = 0; i < count; i++) {			\
			wide value = in[0][i];				\
									\
			for (unsigned int r = 1; r < ranks; r++)	\
				value = (type)REDUCE(value, (wide)in[r][i]); \
			((type *)dst)[i] = (type)value;			\
		}							\
	} while (0)

#define REDUCE_SHORT(from, to)						\
	do {								\
		const uint16_t *const *in = (const void *)src;		\
									\
		for (size_t i = 0; i < count; i++) {			\
			float value = from(in[0][i]);			\
									\
			for (unsigned int r = 1; r < ranks; r++)	\
				value = REDUCE(value, from(in[r][i]));	\
			((uint16_t *)dst)[i] = to(value);		\
		}							\
	} while (0)

/* Reduce the arrays of all ranks in their order. */
static inline void reduce_plain(void *dst, void *const src[],
				unsigned int ranks, size_t count,
				HcclDataType type, HcclReduceOp op)
{
	switch (type) {
	case HCCL_DATA_TYPE_INT8:
		REDUCE_AS(int8_t, int64_t);
		break;
	case HCCL_DATA_TYPE_INT16:
		REDUCE_AS(int16_t, int64_t);
		break;
	case HCCL_DATA_TYPE_INT32:
		REDUCE_AS(int32_t, int64_t);
		break;
	case HCCL_DATA_TYPE_INT64:
		if (op == HCCL_REDUCE_MAX || op == HCCL_REDUCE_MIN)
			REDUCE_AS(int64_t, int64_t);
		else
			REDUCE_AS(uint64_t, uint64_t);
		break;
	case HCCL_DATA_TYPE_UINT8:
		REDUCE_AS(uint8_t, uint64_t);
		break;
	case HCCL_DATA_TYPE_UINT16:
		REDUCE_AS(uint16_t, uint64_t);
		break;
	case HCCL_DATA_TYPE_UINT32:
		REDUCE_AS(uint32_t, uint64_t);
		break;
	case HCCL_DATA_TYPE_UINT64:
		REDUCE_AS(uint64_t, uint64_t);
		break;
	case HCCL_DATA_TYPE_FP32:
		REDUCE_AS(float, float);
		break;
	case HCCL_DATA_TYPE_FP64:
		REDUCE_AS(double, double);
		break;
	case HCCL_DATA_TYPE_FP16:
		REDUCE_SHORT(from_half, to_half);
		break;
	case HCCL_DATA_TYPE_BFP16:
		REDUCE_SHORT(from_brain, to_brain);
		break;
	default:
		abort();
	}
}

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Fill an array with elements that depend on @seed; floats are near 1. */
static inline void fill(void *to, size_t count, HcclDataType type,
			uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = mix(seed * 1000003 + i);
		double value = (bits & 0xffffff) / 8388608.0 - 0.9;
		float single = (float)value;
		uint16_t half = to_half(single), brain = to_brain(single);

		switch (type) {
		case HCCL_DATA_TYPE_FP32:
			memcpy((char *)to + i * 4, &single, 4);
			break;
		case HCCL_DATA_TYPE_FP64:
			memcpy((char *)to + i * 8, &value, 8);
			break;
		case HCCL_DATA_TYPE_FP16:
			memcpy((char *)to + i * 2, &half, 2);
			break;
		case HCCL_DATA_TYPE_BFP16:
			memcpy((char *)to + i * 2, &brain, 2);
			break;
		default:
			memset((char *)to + i * size_of(type), (int)(bits >> 9),
			       size_of(type));
			memcpy((char *)to + i * size_of(type), &bits,
			       size_of(type) < 8 ? size_of(type) : 8);
			break;
		}
	}
}

#endif /* SELFTESTS_HCCL_REFERENCE_H */
