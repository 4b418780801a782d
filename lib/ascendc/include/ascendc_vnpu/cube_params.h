/* SPDX-License-Identifier: MIT */
/*
 * Structures of parameters of the instructions of cube cores.
 *
 * A fractal is 512 bytes: 16 rows of 32 bytes.  L0A holds fractals row by row,
 * each of them by rows (ZZ); L0B row by row, each of them by columns (ZN); L0C
 * column by column, 16 by 16 numbers each (NZ), as L1 usually does.
 */
#ifndef ASCENDC_VNPU_CUBE_PARAMS_H
#define ASCENDC_VNPU_CUBE_PARAMS_H

#include "params.h"

/* Conversions of Fixpipe; V means a scale for each column. */
typedef enum {
	NoQuant = 0,
	F322F16 = 1,
	VQF322HIF8_PRE = 2,
	QF322HIF8_PRE = 3,
	VREQ8 = 8,
	REQ8 = 9,
	VDEQF16 = 10,
	DEQF16 = 11,
	QF322FP8_PRE = 12,
	VQF322FP8_PRE = 13,
	F322BF16 = 16,
	QF162B8_PRE = 20,
	VQF162B8_PRE = 21,
	VQF322B8_PRE = 23,
	QF322B8_PRE = 24,
} QuantMode_t;

namespace AscendC {

using ::QuantMode_t;

/*
 * LoadData: fractals are the unit
 */
struct LoadData2DParams {
	LoadData2DParams() = default;

	LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t src,
			 uint8_t sid, uint16_t gap, bool transpose,
			 uint8_t mode)
		: startIndex(start), dstGap(gap), srcStride(src),
		  ifTranspose(transpose), repeatTimes(repeats), sid(sid),
		  addrMode(mode)
	{
	}

	uint16_t startIndex = 0;
	uint16_t dstGap = 0;
	uint16_t srcStride = 0;
	bool ifTranspose = false;
	uint8_t repeatTimes = 0;
	uint8_t sid = 0;
	uint8_t addrMode = 0;
};

using LoadData2dParams = LoadData2DParams;

/* A box of a matrix of fractals, which are column by column in the source. */
struct LoadData2DParamsV2 {
	LoadData2DParamsV2() = default;

	LoadData2DParamsV2(uint32_t mStart, uint32_t kStart, uint16_t mStep,
			   uint16_t kStep, int32_t src, uint16_t dst,
			   bool transpose, uint8_t sid)
		: mStartPosition(mStart), kStartPosition(kStart),
		  mStep(mStep), kStep(kStep), srcStride(src), dstStride(dst),
		  ifTranspose(transpose), sid(sid)
	{
	}

	uint32_t mStartPosition = 0;
	uint32_t kStartPosition = 0;
	uint16_t mStep = 0;
	uint16_t kStep = 0;
	int32_t srcStride = 0;
	uint16_t dstStride = 0;
	bool ifTranspose = false;
	uint8_t sid = 0;
};

/* Squares of one fractal of 16-bit numbers, else two. */
struct LoadData2dTransposeParams {
	LoadData2dTransposeParams() = default;

	LoadData2dTransposeParams(uint16_t start, uint8_t repeats,
				  uint16_t src, uint16_t gap,
				  uint16_t fracGap)
		: startIndex(start), repeatTimes(repeats), srcStride(src),
		  dstGap(gap), dstFracGap(fracGap)
	{
	}

	LoadData2dTransposeParams(uint16_t start, uint8_t repeats,
				  uint16_t src, uint16_t gap,
				  uint16_t fracGap, uint8_t mode)
		: LoadData2dTransposeParams(start, repeats, src, gap, fracGap)
	{
		addrMode = mode;
	}

	uint16_t startIndex = 0;
	uint8_t repeatTimes = 0;
	uint16_t srcStride = 0;
	uint16_t dstGap = 0;
	uint16_t dstFracGap = 0;
	uint8_t addrMode = 0;
};

/*
 * The columns of an image: row m of the matrix is the window of a filter at the
 * m-th place of the image, with k going over channel block, row, column and channel.
 */
template <typename TYPE>
struct LoadData3DParamsV2 {
	using T = TYPE;

	LoadData3DParamsV2() = default;

	LoadData3DParamsV2(const uint8_t pads[4], uint16_t h, uint16_t w,
			   uint16_t channels, uint16_t k, uint16_t m,
			   uint16_t kStart, uint16_t mStart, uint8_t stepW,
			   uint8_t stepH, uint8_t filterW, uint8_t filterH,
			   uint8_t dilationW, uint8_t dilationH,
			   bool transpose, bool smallK, T pad)
		: l1H(h), l1W(w), channelSize(channels), kExtension(k),
		  mExtension(m), kStartPt(kStart), mStartPt(mStart),
		  strideW(stepW), strideH(stepH), filterW(filterW),
		  filterH(filterH), dilationFilterW(dilationW),
		  dilationFilterH(dilationH), enTranspose(transpose),
		  enSmallK(smallK), padValue(pad)
	{
		for (uint32_t i = 0; i < 4; i++)
			padList[i] = pads[i];
	}

	uint8_t padList[4] = {};	/* left, right, top, bottom */
	uint16_t l1H = 0;
	uint16_t l1W = 0;
	uint16_t channelSize = 0;
	uint16_t kExtension = 0;
	uint16_t mExtension = 0;
	uint16_t kStartPt = 0;
	uint16_t mStartPt = 0;
	uint8_t strideW = 1;
	uint8_t strideH = 1;
	uint8_t filterW = 1;
	uint8_t filterH = 1;
	uint8_t dilationFilterW = 1;
	uint8_t dilationFilterH = 1;
	bool enTranspose = false;
	bool enSmallK = false;
	T padValue = T(0);
	bool filterSizeW = false;	/* 256 more */
	bool filterSizeH = false;
	bool fMatrixCtrl = false;
};

/* The registers that LoadData with LoadData3DParamsV2 sets. */
struct IsResetLoad3dConfig {
	bool isSetFMatrix = true;
	bool isSetPadding = true;
};

constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = { true, true };

enum class FmatrixMode : uint8_t { FMATRIX_LEFT, FMATRIX_RIGHT };

template <typename T>
struct InitConstValueParams {
	InitConstValueParams() = default;

	InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap,
			     T value)
		: repeatTimes(repeats), blockNum(blocks), dstGap(gap),
		  initValue(value)
	{
	}

	InitConstValueParams(uint16_t repeats, T value)
		: repeatTimes(repeats), initValue(value)
	{
	}

	uint16_t repeatTimes = 0;
	uint16_t blockNum = 0;
	uint16_t dstGap = 0;
	T initValue = T(0);
};

/*
 * Mmad
 */
struct MmadParams {
	MmadParams() = default;

	MmadParams(uint16_t m, uint16_t n, uint16_t k, bool isBias,
		   int32_t fmOffset, bool sparse, bool winogradA,
		   bool winogradB)
		: m(m), n(n), k(k), isBias(isBias), fmOffset(fmOffset),
		  enSsparse(sparse), enWinogradA(winogradA),
		  enWinogradB(winogradB)
	{
	}

	MmadParams(uint16_t m, uint16_t n, uint16_t k, uint8_t unitFlag,
		   bool source, bool init)
		: m(m), n(n), k(k), unitFlag(unitFlag), cmatrixSource(source),
		  cmatrixInitVal(init)
	{
	}

	uint16_t m = 0;
	uint16_t n = 0;
	uint16_t k = 0;
	bool isBias = false;		/* add to L0C */
	int32_t fmOffset = 0;
	bool enSsparse = false;
	bool enWinogradA = false;
	bool enWinogradB = false;
	int8_t unitFlag = 0;
	bool kDirectionAlign = false;	/* floats: k is a multiple of 16 */
	bool cmatrixSource = false;
	bool cmatrixInitVal = true;	/* begin with 0 */
};

/*
 * Fixpipe
 */
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };

struct FixpipeConfig {
	CO2Layout format = CO2Layout::ROW_MAJOR;
	bool isToUB = false;
};

constexpr FixpipeConfig CFG_NZ = { CO2Layout::NZ, false };
constexpr FixpipeConfig CFG_ROW_MAJOR = { CO2Layout::ROW_MAJOR, false };

/*
 * srcStride is from one 16 columns to the next in L0C, in rows.  dstStride is a
 * row of the result in numbers, or for NZ from one 32 bytes wide column to the
 * next in blocks of 32 bytes.
 */
struct FixpipeParamsV220 {
	FixpipeParamsV220() = default;

	FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst,
			  bool relu)
		: nSize(n), mSize(m), srcStride(src), dstStride(dst),
		  reluEn(relu)
	{
	}

	FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst,
			  bool relu, QuantMode_t quant, int64_t scalar,
			  uint16_t nds, uint16_t srcNd, uint16_t dstNd,
			  uint8_t flag)
		: nSize(n), mSize(m), srcStride(src), dstStride(dst),
		  quantPre(quant), deqScalar(scalar), ndNum(nds),
		  srcNdStride(srcNd), dstNdStride(dstNd), reluEn(relu),
		  unitFlag(flag)
	{
	}

	uint16_t nSize = 0;
	uint16_t mSize = 0;
	uint16_t srcStride = 0;
	uint32_t dstStride = 0;
	QuantMode_t quantPre = QuantMode_t::NoQuant;
	uint64_t deqScalar = 0;
	uint16_t ndNum = 1;
	uint16_t srcNdStride = 0;	/* in fractals of 16 by 16 */
	uint16_t dstNdStride = 0;	/* in numbers */
	bool reluEn = false;
	uint8_t unitFlag = 0;
	bool isChannelSplit = false;	/* floats: columns are 8 wide */
};

/* The same for DataCopy, which also uses the registers of SetFixpipe*(). */
struct DataCopyCO12DstParams {
	DataCopyCO12DstParams() = default;

	DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst,
			      uint16_t src, QuantMode_t quant, uint8_t relu,
			      bool split, bool nd)
		: nSize(n), mSize(m), dstStride(dst), srcStride(src),
		  quantPre(quant), reluPre(relu), channelSplit(split),
		  nz2ndEn(nd)
	{
	}

	uint8_t sid = 0;
	uint16_t nSize = 0;
	uint16_t mSize = 0;
	uint32_t dstStride = 0;
	uint16_t srcStride = 0;
	uint8_t unitFlag = 0;
	uint8_t clipReluPre = 0;
	uint8_t eltWiseOp = 0;
	QuantMode_t quantPre = QuantMode_t::NoQuant;
	uint8_t reluPre = 0;
	bool channelSplit = false;
	bool nz2ndEn = false;
};

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_CUBE_PARAMS_H */
