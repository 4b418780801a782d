// SPDX-License-Identifier: MIT
/*
 * Resizing by scales that are not the ratio of the sizes, which aclnn cannot do. Each
 * element of a dimension is a sum of few elements, its taps, multiplied by weights.
 */
#include "resize.h"

#include <cmath>

#include <ATen/OpMathType.h>

namespace npu {

namespace {

/* One tap of each element of the result: its index, and its weight. */
struct Tap {
	std::vector<int64_t> index;
	std::vector<float> weight;
};

/* A dimension that is resized; the step is in elements of the input. */
struct Line {
	int64_t in, out;
	float step;
};

int64_t inside(const Line &line, float at)
{
	return std::min(std::max((int64_t)std::floor(at), (int64_t)0), line.in - 1);
}

std::vector<Tap> nearest(const Line &line, float middle)
{
	Tap tap;

	for (int64_t i = 0; i < line.out; i++)
		tap.index.push_back(inside(line, ((float)i + middle) * line.step));
	return { tap };
}

/* Return the place of an element of the result in the input. */
float place(const Line &line, int64_t i, bool align_corners)
{
	if (!align_corners)
		return line.step * ((float)i + 0.5f) - 0.5f;
	return line.out > 1 ? (float)i * (float)(line.in - 1) / (float)(line.out - 1) :
			      0;
}

std::vector<Tap> linear(const Line &line, bool align_corners)
{
	std::vector<Tap> taps(2);

	for (int64_t i = 0; i < line.out; i++) {
		float at = std::max(place(line, i, align_corners), 0.f);
		int64_t first = inside(line, at);
		float part = at - (float)first;

		taps[0].index.push_back(first);
		taps[1].index.push_back(std::min(first + 1, line.in - 1));
		taps[0].weight.push_back(1 - part);
		taps[1].weight.push_back(part);
	}
	return taps;
}

/* The weight of an element at a distance, of the cubic convolution of a = -0.75. */
float cubic_weight(float distance)
{
	constexpr float A = -0.75f;
	float x = std::fabs(distance);

	if (x <= 1)
		return ((A + 2) * x - (A + 3)) * x * x + 1;
	return x < 2 ? ((x - 5) * x + 8) * x * A - 4 * A : 0;
}

std::vector<Tap> cubic(const Line &line, bool align_corners)
{
	std::vector<Tap> taps(4);

	for (int64_t i = 0; i < line.out; i++) {
		float at = place(line, i, align_corners);
		float first = std::floor(at) - 1;

		for (int k = 0; k < 4; k++) {
			taps[k].index.push_back(inside(line, first + (float)k));
			taps[k].weight.push_back(
				cubic_weight(at - first - (float)k));
		}
	}
	return taps;
}

std::vector<Tap> taps_of(Resize kind, const Line &line, bool align_corners)
{
	switch (kind) {
	case Resize::NEAREST:
		return nearest(line, 0);
	case Resize::NEAREST_EXACT:
		return nearest(line, 0.5f);
	case Resize::LINEAR:
		return linear(line, align_corners);
	default:
		return cubic(line, align_corners);
	}
}

/* Multiply slices of a dimension by the weights of a tap. */
at::Tensor weighted(const at::Tensor &x, int64_t dim, const Tap &tap)
{
	std::vector<int64_t> shape(x.dim(), 1);

	if (tap.weight.empty())
		return x;
	shape[dim] = -1;
	return x.mul(at::tensor(tap.weight).to(x.device(), x.scalar_type())
		     .view(shape));
}

at::Tensor resize_line(const at::Tensor &x, int64_t dim, const std::vector<Tap> &taps,
		       const Line &line, bool is_backward)
{
	std::vector<int64_t> size = x.sizes().vec();
	at::Tensor out;

	size[dim] = is_backward ? line.in : line.out;
	out = at::zeros(size, x.options());
	for (const Tap &tap : taps) {
		at::Tensor index = at::tensor(tap.index).to(x.device());

		if (is_backward)
			out.index_add_(dim, index, weighted(x, dim, tap));
		else
			out.add_(weighted(x.index_select(dim, index), dim, tap));
	}
	return out;
}

/*
 * Return whether a scale changes nothing that the sizes say. As in PyTorch's kernels of
 * the CPU, linear resizing to the same size does nothing.
 */
bool is_ratio(Resize kind, const c10::IValue &scale, int64_t in, int64_t out)
{
	if (scale.isNone() || scale.toDouble() * (double)in == (double)out)
		return true;
	return kind == Resize::LINEAR && out == in;
}

} /* namespace */

/*
 * The values are a scale for each dimension, or None, the arguments of the operator of
 * aclnn, and the result.
 */
void resize(const Values &values, Invoke invoke, Resize kind, bool is_backward)
{
	const at::Tensor &out = values.back().toTensor();
	int64_t dims = out.dim() - 2;
	Values rest(values.begin() + dims, values.end());
	const at::Tensor &self = rest[0].toTensor();
	at::Tensor x = self.to(at::toOpMathType(self.scalar_type()));
	at::IntArrayRef in = (is_backward ? out : self).sizes();
	at::IntArrayRef sizes = (is_backward ? self : out).sizes();
	const c10::IValue &corners = rest[is_backward ? 3 : 2];
	bool align_corners = corners.isBool() && corners.toBool();
	bool by_sizes = true;

	for (int64_t i = 0; i < dims; i++)
		by_sizes = by_sizes && is_ratio(kind, values[i], in[i + 2],
						sizes[i + 2]);
	if (by_sizes)
		return invoke(rest);
	for (int64_t i = 0; i < dims; i++) {
		Line line = { in[i + 2], sizes[i + 2], 0 };

		line.step = is_ratio(kind, values[i], line.in, line.out) ?
			    (float)line.in / (float)line.out :
			    (float)(1 / values[i].toDouble());

		x = resize_line(x, i + 2, taps_of(kind, line, align_corners), line,
				is_backward);
	}
	out.copy_(x);
}

} /* namespace npu */
