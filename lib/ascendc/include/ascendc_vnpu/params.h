/* SPDX-License-Identifier: MIT */
/*
 * Structures of parameters of instructions.
 */
#ifndef ASCENDC_VNPU_PARAMS_H
#define ASCENDC_VNPU_PARAMS_H

#include "types.h"

namespace AscendC {

/*
 * Vector instructions: strides are in data blocks of 32 bytes.
 */
struct UnaryRepeatParams {
	UnaryRepeatParams() = default;

	UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep,
			  uint8_t srcRep)
		: dstBlkStride(dstBlk), srcBlkStride(srcBlk),
		  dstRepStride(dstRep), srcRepStride(srcRep)
	{
	}

	UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep,
			  uint8_t srcRep, bool halfBlock)
		: dstBlkStride(dstBlk), srcBlkStride(srcBlk),
		  dstRepStride(dstRep), srcRepStride(srcRep),
		  halfBlock(halfBlock)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
	uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
	bool repeatStrideMode = false;
	bool strideSizeMode = false;
	bool halfBlock = false;
};

struct BinaryRepeatParams {
	BinaryRepeatParams() = default;

	BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk,
			   uint8_t dstRep, uint8_t src0Rep, uint8_t src1Rep)
		: dstBlkStride(dstBlk), src0BlkStride(src0Blk),
		  src1BlkStride(src1Blk), dstRepStride(dstRep),
		  src0RepStride(src0Rep), src1RepStride(src1Rep)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
	uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
	uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
	uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
	bool repeatStrideMode = false;
	bool strideSizeMode = false;
};

struct CopyRepeatParams {
	CopyRepeatParams() = default;

	CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dstRepeat,
			 uint16_t srcRepeat)
		: dstStride(dst), srcStride(src), dstRepeatSize(dstRepeat),
		  srcRepeatSize(srcRepeat)
	{
	}

	uint16_t dstStride = DEFAULT_BLK_STRIDE;
	uint16_t srcStride = DEFAULT_BLK_STRIDE;
	uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
	uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

struct BrcbRepeatParams {
	BrcbRepeatParams() = default;

	BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep)
		: dstBlkStride(dstBlk), dstRepStride(dstRep)
	{
	}

	uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
};

struct GatherMaskParams {
	GatherMaskParams() = default;

	GatherMaskParams(uint8_t src0Blk, uint16_t repeat, uint16_t src0Rep,
			 uint8_t src1Rep)
		: src0BlockStride(src0Blk), repeatTimes(repeat),
		  src0RepeatStride(src0Rep), src1RepeatStride(src1Rep)
	{
	}

	uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
	uint16_t repeatTimes = 0;
	uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
	uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

struct GatherRepeatParams {
	GatherRepeatParams() = default;

	GatherRepeatParams(uint8_t dstBlk, uint8_t dstRep)
		: dstBlkStride(dstBlk), dstRepStride(dstRep)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	bool repeatStrideMode = false;
	bool strideSizeMode = false;
};

struct TransDataTo5HDParams {
	TransDataTo5HDParams() = default;

	TransDataTo5HDParams(bool dstHighHalf, bool srcHighHalf,
			     uint8_t repeatTimes, uint16_t dstRepStride,
			     uint16_t srcRepStride)
		: dstHighHalf(dstHighHalf), srcHighHalf(srcHighHalf),
		  repeatTimes(repeatTimes), dstRepStride(dstRepStride),
		  srcRepStride(srcRepStride)
	{
	}

	bool dstHighHalf = false;
	bool srcHighHalf = false;
	uint8_t repeatTimes = 1;
	uint16_t dstRepStride = 0;
	uint16_t srcRepStride = 0;
};

/*
 * Copies
 */

/* In data blocks of 32 bytes. */
struct DataCopyParams {
	DataCopyParams() = default;

	DataCopyParams(uint16_t count, uint16_t len, uint16_t src, uint16_t dst)
		: blockCount(count), blockLen(len), srcStride(src),
		  dstStride(dst)
	{
	}

	uint16_t blockCount = 1;
	uint16_t blockLen = 0;
	union {
		uint16_t srcGap;
		uint16_t srcStride = 0;
	};
	union {
		uint16_t dstGap;
		uint16_t dstStride = 0;
	};
};

/* In bytes, but strides on the core's side in data blocks. */
struct DataCopyExtParams {
	DataCopyExtParams() = default;

	DataCopyExtParams(uint16_t count, uint32_t len, int64_t src,
			  int64_t dst, uint32_t rsv)
		: blockCount(count), blockLen(len), srcStride(src),
		  dstStride(dst), rsv(rsv)
	{
	}

	uint16_t blockCount = 1;
	uint32_t blockLen = 0;
	int64_t srcStride = 0;
	int64_t dstStride = 0;
	uint32_t rsv = 0;
};

struct DataCopyPadParams {
	DataCopyPadParams() = default;

	DataCopyPadParams(bool isPad, uint8_t left, uint8_t right,
			  uint64_t value)
		: isPad(isPad), leftPadding(left), rightPadding(right),
		  paddingValue(value)
	{
	}

	bool isPad = false;
	uint8_t leftPadding = 0;
	uint8_t rightPadding = 0;
	uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
	using TYPE = T;

	DataCopyPadExtParams() = default;

	template <typename U>
	DataCopyPadExtParams(bool isPad, uint8_t left, uint8_t right, U value)
		: isPad(isPad), leftPadding(left), rightPadding(right),
		  paddingValue(static_cast<T>(value))
	{
	}

	bool isPad = false;
	uint8_t leftPadding = 0;
	uint8_t rightPadding = 0;
	T paddingValue = T(0);
};

struct DataCopyEnhancedParams {
	DataCopyEnhancedParams() = default;

	BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
	DeqScale deqScale = DeqScale::DEQ_NONE;
	uint64_t deqValue = 0;
	uint8_t sidStoreMode = 0;
	bool isRelu = false;
};

struct SliceInfo {
	SliceInfo() = default;

	SliceInfo(uint32_t start, uint32_t end, uint32_t stride, uint32_t burst,
		  uint32_t shape = 0)
		: startIndex(start), endIndex(end), stride(stride),
		  burstLen(burst), shapeValue(shape)
	{
	}

	uint32_t startIndex = 0;
	uint32_t endIndex = ONE_BLK_SIZE - 1;
	uint32_t stride = 0;
	uint32_t burstLen = ONE_BLK_SIZE;
	uint32_t shapeValue = 0;
};

struct Nd2NzParams {
	Nd2NzParams() = default;

	Nd2NzParams(uint16_t ndNum, uint16_t nValue, uint16_t dValue,
		    uint64_t srcNdMatrixStride, uint64_t srcDValue,
		    uint16_t dstNzC0Stride, uint16_t dstNzNStride,
		    uint64_t dstNzMatrixStride)
		: ndNum(ndNum), nValue(nValue), dValue(dValue),
		  srcNdMatrixStride(srcNdMatrixStride), srcDValue(srcDValue),
		  dstNzC0Stride(dstNzC0Stride), dstNzNStride(dstNzNStride),
		  dstNzMatrixStride(dstNzMatrixStride)
	{
	}

	uint16_t ndNum = 0;
	uint16_t nValue = 0;
	uint32_t dValue = 0;
	uint64_t srcNdMatrixStride = 0;
	uint64_t srcDValue = 0;
	uint16_t dstNzC0Stride = 0;
	uint16_t dstNzNStride = 0;
	uint64_t dstNzMatrixStride = 0;
};

struct Nz2NdParamsFull {
	Nz2NdParamsFull() = default;

	Nz2NdParamsFull(uint16_t ndNum, uint16_t nValue, uint16_t dValue,
			uint16_t srcNdMatrixStride, uint16_t srcNStride,
			uint16_t dstDStride, uint64_t dstNdMatrixStride)
		: ndNum(ndNum), nValue(nValue), dValue(dValue),
		  srcNdMatrixStride(srcNdMatrixStride), srcNStride(srcNStride),
		  dstDStride(dstDStride), dstNdMatrixStride(dstNdMatrixStride)
	{
	}

	uint16_t ndNum = 1;
	uint16_t nValue = 0;
	uint16_t dValue = 0;
	uint16_t srcNdMatrixStride = 1;
	uint16_t srcNStride = 0;
	uint16_t dstDStride = 0;
	uint64_t dstNdMatrixStride = 1;
};

/*
 * Shapes
 */
enum class DataFormat : uint8_t {
	ND, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D,
};

constexpr uint32_t K_MAX_SHAPE_DIM = 8;

struct ShapeInfo {
	ShapeInfo() = default;

	ShapeInfo(uint8_t dims, const uint32_t *from, DataFormat format)
		: ShapeInfo(dims, from, dims, from, format)
	{
	}

	ShapeInfo(uint8_t dims, const uint32_t *from, uint8_t originalDims,
		  const uint32_t *original, DataFormat format)
		: shapeDim(dims), originalShapeDim(originalDims),
		  dataFormat(format)
	{
		for (uint8_t i = 0; i < dims && i < K_MAX_SHAPE_DIM; i++)
			shape[i] = from[i];
		for (uint8_t i = 0; i < originalDims && i < K_MAX_SHAPE_DIM;
		     i++)
			originalShape[i] = original[i];
	}

	uint8_t shapeDim = 0;
	uint8_t originalShapeDim = 0;
	uint32_t shape[K_MAX_SHAPE_DIM] = {};
	uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
	DataFormat dataFormat = DataFormat::ND;
};

inline int GetShapeSize(const ShapeInfo &info)
{
	int size = 1;

	for (uint8_t i = 0; i < info.shapeDim && i < K_MAX_SHAPE_DIM; i++)
		size *= info.shape[i];
	return size;
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_PARAMS_H */
