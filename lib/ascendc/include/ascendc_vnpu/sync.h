/* SPDX-License-Identifier: MIT */
/*
 * Where a block is among the blocks of its launch, and how they wait for each
 * other.
 */
#ifndef ASCENDC_VNPU_SYNC_H
#define ASCENDC_VNPU_SYNC_H

#include "copy.h"
#include "pipe.h"

namespace vnpu {

/* In a mixed kernel blocks are counted by kind: each vector core is one. */
VNPU_ALWAYS_INLINE uint32_t block_index()
{
	const struct vnpu_block *b = block();

	return b->ratio && b->kind == VNPU_CORE_VECTOR ?
		b->index * b->ratio + b->sub_index : b->index;
}

VNPU_ALWAYS_INLINE void check_flag(const char *what, uint32_t mode,
				   uint32_t id)
{
	if (mode > VNPU_FLAG_CROSS || id >= VNPU_FLAG_COUNT)
		fault(VNPU_FAULT_ARGUMENT,
		      "%s: mode %u and id %u, where modes are from 0 to 2 and ids from 0 to 15",
		      what, mode, id);
}

inline void cross_set(const char *what, uint32_t mode, uint32_t pipe,
		      uint32_t id)
{
	check_flag(what, mode, id);
	check_cross_set(pipe);
	block()->ops->flag_set(block(), mode, pipe, id);
}

/* Wait until a flag in device memory is set, or is not, and change that. */
inline void flag_turn(int32_t *flag, bool is_set)
{
	late_drain_all();
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) == is_set)
		block()->ops->yield(block());
	check_access(flag, sizeof(*flag), VNPU_GM_ACQUIRE | VNPU_GM_RELEASE);
	__atomic_store_n(flag, !is_set, __ATOMIC_RELEASE);
}

} /* namespace vnpu */

namespace AscendC {

VNPU_ALWAYS_INLINE int64_t GetBlockIdx()
{
	return vnpu::block_index();
}

VNPU_ALWAYS_INLINE int64_t GetBlockNum()
{
	return vnpu::block()->count;
}

VNPU_ALWAYS_INLINE int64_t GetSubBlockIdx()
{
	return vnpu::block()->sub_index;
}

VNPU_ALWAYS_INLINE int64_t GetSubBlockNum()
{
	return vnpu::block()->sub_count;
}

VNPU_ALWAYS_INLINE int64_t GetTaskRation()
{
	return vnpu::block()->ratio ? vnpu::block()->ratio : 1;
}

/* The system counter, 50 in a microsecond. */
VNPU_ALWAYS_INLINE int64_t GetSystemCycle()
{
	struct vnpu_block *b = vnpu::block();

	return b->ops->ticks(b);
}

VNPU_ALWAYS_INLINE int64_t GetProgramCounter()
{
	return reinterpret_cast<int64_t>(__builtin_return_address(0));
}

VNPU_ALWAYS_INLINE uint64_t GetArchVersion()
{
	return __NPU_ARCH__;
}

/* Registers, at the beginning of a kernel without a TPipe. */
inline void InitSocState()
{
	SetMaskNorm();
	ResetMask();
	SetAtomicNone();
}

/* All vector cores, or with <false> all cores. */
template <bool isAIVOnly = true>
inline void SyncAll()
{
	struct vnpu_block *b = vnpu::block();

	vnpu::check_barrier();
	b->ops->barrier(b, isAIVOnly ? VNPU_SCOPE_KIND : VNPU_SCOPE_ALL);
}

/* ... by counters in device memory, which are not needed here. */
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t> &, const LocalTensor<int32_t> &,
		    const int32_t = 0)
{
	SyncAll<isAIVOnly>();
}

template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId)
{
	vnpu::cross_set("CrossCoreSetFlag", modeId, pipe, flagId);
}

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId)
{
	struct vnpu_block *b = vnpu::block();

	vnpu::check_flag("CrossCoreWaitFlag", modeId, flagId);
	b->ops->flag_wait(b, pipe, flagId);
	vnpu::check_cross_wait();
}

/*
 * Flags between two blocks, in device memory: block @blockIdx sets event
 * @eventID, the one that waits names the same pair.
 */
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t> &workspace,
		  const LocalTensor<int32_t> &, int32_t blockIdx,
		  int32_t eventID)
{
	int32_t *flag = workspace.address_ +
		(int64_t(blockIdx) * 8 +
		 GetBlockNum() * 8 * int64_t(eventID));

	vnpu::flag_turn(flag, false);
}

template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t> &workspace,
		   const LocalTensor<int32_t> &, int32_t blockIdx,
		   int32_t eventID)
{
	int32_t *flag = workspace.address_ +
		(int64_t(blockIdx) * 8 +
		 GetBlockNum() * 8 * int64_t(eventID));

	vnpu::flag_turn(flag, true);
}

/* Successive kernels of a stream are never overlapped here. */
inline void SetNextTaskStart()
{
}

inline void WaitPreTaskEnd()
{
}

/* Memory of the system, which a launch brings. */
inline __gm__ uint8_t *GetSysWorkSpacePtr()
{
	return static_cast<uint8_t *>(vnpu::block()->workspace);
}

inline __gm__ uint8_t *GetUserWorkspace(GM_ADDR workspace)
{
	return workspace;
}

inline void SetSysWorkspace(GM_ADDR)
{
}

inline void SetSysWorkspaceForce(GM_ADDR)
{
}

/* A field of the control register, and all of it. */
template <int8_t startBit, int8_t endBit>
inline void SetCtrlSpr(int64_t value)
{
	constexpr uint64_t bits = (~0ULL >> (63 - (endBit - startBit)))
		<< startBit;
	struct vnpu::core_state *s = vnpu::state();

	static_assert(0 <= startBit && startBit <= endBit && endBit < 64,
		      "a field of 64 bits");
	s->control = (s->control & ~bits) |
		(static_cast<uint64_t>(value) << startBit & bits);
}

template <int8_t startBit, int8_t endBit>
inline int64_t GetCtrlSpr()
{
	static_assert(0 <= startBit && startBit <= endBit && endBit < 64,
		      "a field of 64 bits");
	return vnpu::state()->control >> startBit &
		(~0ULL >> (63 - (endBit - startBit)));
}

/*
 * Scalar code
 */

/* The index of the first bit from the right that is @value; -1 if none is. */
template <int countValue>
inline int64_t ScalarGetSFFValue(uint64_t value)
{
	static_assert(countValue == 0 || countValue == 1, "a bit");
	if (!countValue)
		value = ~value;
	return value ? __builtin_ctzll(value) : -1;
}

template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t value)
{
	static_assert(countValue == 0 || countValue == 1, "a bit");
	return __builtin_popcountll(countValue ? value : ~value);
}

namespace Std {

template <typename T, typename U>
constexpr T max(const T a, const U b)
{
	return a > static_cast<T>(b) ? a : static_cast<T>(b);
}

template <typename T, typename U>
constexpr T min(const T a, const U b)
{
	return a < static_cast<T>(b) ? a : static_cast<T>(b);
}

} /* namespace Std */

inline int64_t ScalarCountLeadingZero(uint64_t value)
{
	return value ? __builtin_clzll(value) : 64;
}

inline int64_t CountBitsCntSameAsSignBit(int64_t value)
{
	return value == 0 || value == -1 ? -1 : __builtin_clrsbll(value);
}

} /* namespace AscendC */

/* The instructions themselves. */
VNPU_ALWAYS_INLINE int64_t get_block_idx()
{
	return vnpu::block()->index;
}

VNPU_ALWAYS_INLINE int64_t get_block_num()
{
	return vnpu::block()->count;
}

VNPU_ALWAYS_INLINE int64_t get_subblockid()
{
	return vnpu::block()->sub_index;
}

VNPU_ALWAYS_INLINE int64_t get_subblockdim()
{
	return vnpu::block()->sub_count;
}

VNPU_ALWAYS_INLINE int64_t get_imm(int64_t value)
{
	return value;
}

VNPU_ALWAYS_INLINE uint64_t get_ctrl()
{
	return vnpu::state()->control;
}

VNPU_ALWAYS_INLINE void set_ctrl(uint64_t value)
{
	vnpu::state()->control = value;
}

VNPU_ALWAYS_INLINE void icache_preload(int64_t)
{
}

/* @config has the mode from bit 4 on, and the flag from bit 8 on. */
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config)
{
	vnpu::cross_set("ffts_cross_core_sync", config >> 4 & 3, pipe,
			config >> 8 & 15);
}

inline void wait_flag_dev(int64_t flagId)
{
	AscendC::CrossCoreWaitFlag(static_cast<uint16_t>(flagId));
}

/* Variables of the language, which a kernel may shadow. */
static constexpr struct {
	VNPU_ALWAYS_INLINE operator int64_t() const
	{
		return get_block_idx();
	}
} block_idx = {};

static constexpr struct {
	VNPU_ALWAYS_INLINE operator int64_t() const
	{
		return get_block_num();
	}
} block_num = {};

#endif /* ASCENDC_VNPU_SYNC_H */
