/* SPDX-License-Identifier: MIT */
/*
 * Ascend C: number types, enumerations and constants.  Names and meanings follow
 * the Ascend C API reference (hiascend.com, "Ascend C operator development
 * interfaces").
 */
#ifndef ASCENDC_VNPU_TYPES_H
#define ASCENDC_VNPU_TYPES_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

/*
 * Numbers
 */

/* IEEE binary16.  The compiler rounds each result to nearest, ties to even. */
using half = _Float16;

/*
 * bfloat16: storage of the upper half of a float.  Cores convert it and compute
 * in float.
 */
class bfloat16_t {
public:
	bfloat16_t() = default;

	bfloat16_t(float value)
	{
		uint32_t bits;

		__builtin_memcpy(&bits, &value, sizeof(bits));
		if ((bits & 0x7fffffff) > 0x7f800000)
			bits |= 0x00400000;	/* a NaN stays one */
		else
			bits += 0x7fff + (bits >> 16 & 1);
		this->bits = static_cast<uint16_t>(bits >> 16);
	}

	operator float() const
	{
		uint32_t wide = static_cast<uint32_t>(bits) << 16;
		float value;

		__builtin_memcpy(&value, &wide, sizeof(value));
		return value;
	}

	uint16_t bits;
};

/* Two numbers of four bits in a byte; a count of them is even. */
struct int4b_t {
	uint8_t bits;
};

/*
 * Pipes
 */
typedef enum {
	PIPE_S = 0,
	PIPE_V = 1,
	PIPE_M = 2,
	PIPE_MTE1 = 3,
	PIPE_MTE2 = 4,
	PIPE_MTE3 = 5,
	PIPE_ALL = 6,
	PIPE_MTE4 = 7,
	PIPE_MTE5 = 8,
	PIPE_V2 = 9,
	PIPE_FIX = 10,
} pipe_t;

typedef enum {
	EVENT_ID0 = 0,
	EVENT_ID1,
	EVENT_ID2,
	EVENT_ID3,
	EVENT_ID4,
	EVENT_ID5,
	EVENT_ID6,
	EVENT_ID7,
} event_t;

/* Cache lines that dcci() handles. */
typedef enum {
	SINGLE_CACHE_LINE = 0,
	ENTIRE_DATA_CACHE = 1,
} cache_line_t;

typedef enum {
	CACHELINE_ALL = 0,
	CACHELINE_UB = 1,
	CACHELINE_OUT = 2,
	CACHELINE_ATOMIC = 3,
} dcci_dst_t;

typedef enum {
	DSB_ALL = 0,
	DSB_DDR = 1,
	DSB_UB = 2,
	DSB_SEQ = 3,
} mem_dsb_t;

namespace AscendC {

using ::bfloat16_t;
using ::half;
using ::int4b_t;

using TEventID = int8_t;
using TBufId = uint8_t;
using TBufHandle = uint8_t *;

constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t ONE_BLK_FLOAT_NUM = 8;
constexpr uint32_t ONE_BLK_HALF_NUM = 16;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t DEFAULT_BLK_NUM = 8;
constexpr uint32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t MAX_REPEAT_TIMES = 255;
constexpr uint32_t BLOCK_CUBE = 16;
/* For instructions that take the mask of SetVectorMask(). */
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = { 0, 0 };
constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;
#if __NPU_ARCH__ == 2201
constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;
#elif __NPU_ARCH__ == 3510
constexpr uint32_t TOTAL_UB_SIZE = 248 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = 256 * 1024;
#else
constexpr uint32_t TOTAL_UB_SIZE = 256 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = 1024 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = 256 * 1024;
#endif

enum class TPosition : uint8_t {
	GM,
	A1,
	A2,
	B1,
	B2,
	C1,
	C2,
	CO1,
	CO2,
	VECIN,
	VECOUT,
	VECCALC,
	LCM = VECCALC,
	SPM,
	SHM = SPM,
	TSCM,
	C2PIPE2GM,
	C2PIPE2LOCAL,
	MAX,
};

using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

/* The source pipe in the upper four bits, the destination in the lower. */
enum class HardEvent : uint8_t {
#define VNPU_EVENT(from, to) from##_##to = PIPE_##from << 4 | PIPE_##to
	VNPU_EVENT(MTE2, MTE1), VNPU_EVENT(MTE1, MTE2), VNPU_EVENT(MTE1, M),
	VNPU_EVENT(M, MTE1), VNPU_EVENT(MTE2, V), VNPU_EVENT(V, MTE2),
	VNPU_EVENT(MTE3, V), VNPU_EVENT(V, MTE3), VNPU_EVENT(M, V),
	VNPU_EVENT(V, M), VNPU_EVENT(V, V), VNPU_EVENT(MTE3, MTE1),
	VNPU_EVENT(MTE1, MTE3), VNPU_EVENT(MTE1, V), VNPU_EVENT(MTE2, M),
	VNPU_EVENT(M, MTE2), VNPU_EVENT(V, MTE1), VNPU_EVENT(M, FIX),
	VNPU_EVENT(FIX, M), VNPU_EVENT(MTE3, MTE2), VNPU_EVENT(MTE2, MTE3),
	VNPU_EVENT(S, V), VNPU_EVENT(V, S), VNPU_EVENT(S, MTE2),
	VNPU_EVENT(MTE2, S), VNPU_EVENT(S, MTE3), VNPU_EVENT(MTE3, S),
	VNPU_EVENT(MTE2, FIX), VNPU_EVENT(FIX, MTE2), VNPU_EVENT(FIX, S),
	VNPU_EVENT(M, S), VNPU_EVENT(FIX, MTE3), VNPU_EVENT(MTE1, FIX),
	VNPU_EVENT(FIX, MTE1), VNPU_EVENT(FIX, FIX), VNPU_EVENT(S, M),
	VNPU_EVENT(S, MTE1), VNPU_EVENT(MTE1, S), VNPU_EVENT(S, FIX),
	VNPU_EVENT(V, FIX), VNPU_EVENT(FIX, V), VNPU_EVENT(MTE3, M),
	VNPU_EVENT(M, MTE3), VNPU_EVENT(MTE3, MTE3),
#undef VNPU_EVENT
	MAX = 0xff,
};

enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };

/*
 * Vector instructions
 */
enum class RoundMode : uint8_t {
	CAST_NONE,	/* as CAST_RINT where something has to be rounded */
	CAST_RINT,	/* to nearest, ties to even */
	CAST_FLOOR,
	CAST_CEIL,
	CAST_ROUND,	/* to nearest, ties away from zero */
	CAST_TRUNC,
	CAST_ODD,	/* to odd: the last bit is set if anything is lost */
};

enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t {
	VSEL_CMPMASK_SPR,		/* the same bits in each repeat */
	VSEL_TENSOR_SCALAR_MODE,
	VSEL_TENSOR_TENSOR_MODE,
};

enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

enum class ReduceOrder : uint8_t {
	ORDER_VALUE_INDEX,
	ORDER_INDEX_VALUE,
	ORDER_ONLY_VALUE,
	ORDER_ONLY_INDEX,
};

enum class ReduceType : int8_t { NONE = -1, SUM, MAX, MIN };

enum class MaskMode : uint8_t { NORMAL, COUNTER };

enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };

constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

enum class BlockMode : uint8_t { BLOCK_MODE_NORMAL, BLOCK_MODE_MATRIX,
				 BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL,
				 BLOCK_MODE_DEPTHWISE };

enum class CacheMode : uint8_t {
	CACHE_MODE_DISABLE,
	CACHE_MODE_NORMAL,
	CACHE_MODE_LAST,
	CACHE_MODE_PERSISTENT,
};

enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };

enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT,
				CACHELINE_ATOMIC };

enum class AtomicDtype : uint8_t {
	ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8,
	ATOMIC_BF16,
};

enum class AtomicOp : uint8_t { ATOMIC_SUM };

/* A parameter that does not take part in deduction. */
template <typename T>
struct Plain {
	using type = T;
};

template <typename T>
using NoDeduce = typename Plain<T>::type;

template <typename T>
constexpr T AlignUp(T value, T to)
{
	return (value + to - 1) / to * to;
}

template <typename T, typename U>
constexpr T DivCeil(T value, U by)
{
	return (value + by - 1) / by;
}

constexpr uint32_t GetDataBlockSizeInBytes()
{
	return ONE_BLK_SIZE;
}

/* Conversions of scalars. */
inline float ToFloat(const bfloat16_t &value)
{
	return value;
}

inline bfloat16_t ToBfloat16(const float &value)
{
	return bfloat16_t(value);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_TYPES_H */
