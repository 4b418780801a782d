/* SPDX-License-Identifier: MIT */
/* LoadData of an image: its windows become the rows of a matrix in L0A or L0B. */
#ifndef ASCENDC_VNPU_LOAD_IMAGE_H
#define ASCENDC_VNPU_LOAD_IMAGE_H

#include "load.h"

namespace vnpu {

/* An image of the layout NC1HWC0 as a matrix of windows. */
template <typename T>
struct image {
	const T *at;
	struct image_size size;
	uint32_t channels;
	uint32_t out_width;
	uint32_t filter_width, filter_height;
	AscendC::LoadData3DParamsV2<T> p;
	T padding;

	/* 32 bytes of channels, for row @m and column block @k; NULL for padding. */
	VNPU_ALWAYS_INLINE const T *find(uint32_t m, uint32_t k) const
	{
		uint32_t window = filter_width * filter_height;
		uint32_t block = k / window, in_window = k % window;
		int64_t y = int64_t(m / out_width) * p.strideH -
			size.pads[2] +
			in_window / filter_width * p.dilationFilterH;
		int64_t x = int64_t(m % out_width) * p.strideW -
			size.pads[0] +
			in_window % filter_width * p.dilationFilterW;
		bool is_inside = y >= 0 && y < size.height && x >= 0 &&
			x < size.width;

		return is_inside ? at + ((uint64_t(block) * size.height + y) *
					 size.width + x) * fractal_columns<T> :
			nullptr;
	}

	VNPU_ALWAYS_INLINE void get(T *to, uint32_t m, uint32_t k) const
	{
		constexpr uint32_t c0 = fractal_columns<T>;
		uint32_t first = k / (filter_width * filter_height) * c0;
		const T *from = find(m, k);

		for (uint32_t i = 0; i < c0; i++)
			to[i] = first + i >= channels ? T(0) :
				from ? from[i] : padding;
	}
};

/* Where the number (@m, @k) of an @height times @width matrix is in ZZ. */
template <typename T>
VNPU_ALWAYS_INLINE uint64_t zz_index(uint32_t m, uint32_t k, uint32_t blocks)
{
	constexpr uint32_t c0 = fractal_columns<T>;

	return (uint64_t(m / FRACTAL_ROWS) * blocks + k / c0) *
		fractal_size<T> + m % FRACTAL_ROWS * c0 + k % c0;
}

/* ... and where the number (@k, @n) is in ZN. */
template <typename T>
VNPU_ALWAYS_INLINE uint64_t zn_index(uint32_t k, uint32_t n, uint32_t blocks)
{
	return zz_index<T>(n % FRACTAL_ROWS, k % fractal_columns<T>, 1) +
		(uint64_t(k / fractal_columns<T>) * blocks +
		 n / FRACTAL_ROWS) * fractal_size<T>;
}

/* For the checkers: the parts of an image that a matrix has. */
template <typename T>
inline void check_image(const AscendC::LocalTensor<T> &dst,
			const AscendC::LocalTensor<T> &src, const image<T> &im)
{
	constexpr uint32_t c0 = fractal_columns<T>;
	const AscendC::LoadData3DParamsV2<T> &p = im.p;
	uint32_t rows = round_up(p.mExtension, FRACTAL_ROWS);
	uint32_t columns = round_up(p.kExtension, c0);

	check_any_written({ "LoadData", "src", CHECK_MTE1, false, 0,
			    local_of(src.position_), im.at,
			    uint64_t(im.channels) * im.size.height *
			    im.size.width * sizeof(T) });
	for (uint32_t m = 0; m < rows; m++)
		for (uint32_t k = 0; k < columns; k += c0) {
			const T *from = im.find(p.mStartPt + m,
						(p.kStartPt + k) / c0);

			if (from)
				check_row("LoadData", CHECK_MTE1, false, from,
					  32, src.position_, 0);
		}
	check_row("LoadData", CHECK_MTE1, true, dst.address_,
		  uint64_t(rows) * columns * sizeof(T), dst.position_);
}

template <typename T>
inline void load_image(T *to, bool is_right, const image<T> &im)
{
	constexpr uint32_t c0 = fractal_columns<T>;
	const AscendC::LoadData3DParamsV2<T> &p = im.p;
	uint32_t rows = round_up(p.mExtension, FRACTAL_ROWS);
	uint32_t columns = round_up(p.kExtension, c0);
	bool is_turned = p.enTranspose && !is_right;

	for (uint32_t m = 0; m < rows; m++)
		for (uint32_t k = 0; k < columns; k += c0) {
			T line[c0];

			im.get(line, p.mStartPt + m, (p.kStartPt + k) / c0);
			for (uint32_t i = 0; i < c0; i++) {
				uint64_t at = is_right ?
					zn_index<T>(m, k + i, round_up(
						columns, FRACTAL_ROWS) /
						FRACTAL_ROWS) :
					is_turned ?
					zz_index<T>(k + i, m, rows / c0) :
					zz_index<T>(m, k + i, columns / c0);

				to[at] = line[i];
			}
		}
}

} /* namespace vnpu */

namespace AscendC {

/* An image in L1 as a matrix. */
template <typename T,
	  const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		     const LoadData3DParamsV2<NoDeduce<T>> &p)
{
	constexpr uint32_t c0 = vnpu::fractal_columns<T>;
	struct vnpu::cube_state *s = &vnpu::state()->cube;
	struct vnpu::image_size *size = &s->image[p.fMatrixCtrl];
	uint32_t fw = p.filterW + 256 * p.filterSizeW;
	uint32_t fh = p.filterH + 256 * p.filterSizeH;
	int64_t across, blocks;

	if (config.isSetFMatrix) {
		size->height = p.l1H;
		size->width = p.l1W;
		__builtin_memcpy(size->pads, p.padList, sizeof(size->pads));
	}
	if (config.isSetPadding)
		__builtin_memcpy(&s->padding, &p.padValue, sizeof(T));
	if (!size->height || !size->width || !fw || !fh || !p.strideW ||
	    !p.strideH)
		vnpu::fault(VNPU_FAULT_ARGUMENT,
			    "LoadData: an image of %u times %u, a filter of %u times %u or a stride of %u and %u is empty",
			    size->height, size->width, fh, fw, p.strideH,
			    p.strideW);
	across = size->width + size->pads[0] + size->pads[1] -
		(int64_t(fw) - 1) * p.dilationFilterW - 1;
	if (across < 0)
		vnpu::fault(VNPU_FAULT_ARGUMENT,
			    "LoadData: the filter is wider than the image of %u",
			    size->width);
	if (p.kStartPt % c0)
		vnpu::fault(VNPU_FAULT_ALIGN,
			    "LoadData: kStartPt of %u is no multiple of %u",
			    p.kStartPt, c0);

	blocks = DivCeil<uint32_t>(p.channelSize, c0);
	vnpu::check_to_l0("LoadData", dst,
			  vnpu::round_up(p.mExtension, vnpu::FRACTAL_ROWS) *
			  vnpu::round_up(p.kExtension, c0) * sizeof(T));
	vnpu::check_from_l1("LoadData", src, src.address_,
			    uint64_t(blocks) * size->height * size->width *
			    32);
	vnpu::image<T> image = { src.data(), *size, uint32_t(blocks * c0),
		uint32_t(across / p.strideW + 1), fw, fh, p, T(0) };

	__builtin_memcpy(&image.padding, &s->padding, sizeof(T));
	if (VNPU_CHECK)
		vnpu::check_image(dst, src, image);
	vnpu::late_issue(vnpu::CHECK_MTE1, [=, to = dst.data(), is_right =
			 vnpu::local_of(dst.position_) == VNPU_LOCAL_L0B] {
		vnpu::load_image(to, is_right, image);
	});
}

/* Registers of LoadData, for calls that do not set them. */
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
		       const FmatrixMode &mode = FmatrixMode::FMATRIX_LEFT)
{
	struct vnpu::image_size *size = &vnpu::state()->cube.image[
		mode == FmatrixMode::FMATRIX_RIGHT];

	size->height = l1H;
	size->width = l1W;
	__builtin_memcpy(size->pads, padList, sizeof(size->pads));
}

template <typename T>
inline void SetLoadDataPaddingValue(const T padValue)
{
	__builtin_memcpy(&vnpu::state()->cube.padding, &padValue, sizeof(T));
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_LOAD_IMAGE_H */
