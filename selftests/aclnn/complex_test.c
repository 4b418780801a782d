// SPDX-License-Identifier: GPL-2.0-only
/* Complex numbers, in views of any layout. */
#include "aclnnop/aclnn_complex.h"
#include "aclnnop/aclnn_polar.h"
#include "aclnnop/aclnn_real.h"
#include "aclnnop/aclnn_relu.h"
#include "typed.h"

enum { ROWS = 3, WIDTH = 4, COUNT = ROWS * WIDTH };

/* The types of parts, and the complex ones. */
static const struct {
	aclDataType part, whole;
} pairs[] = {
	{ ACL_FLOAT16, ACL_COMPLEX32 }, { ACL_FLOAT, ACL_COMPLEX64 },
	{ ACL_DOUBLE, ACL_COMPLEX128 },
};

static float a[64], c[64], out[128];

/*
 * Make a complex tensor [ROWS, WIDTH] of the memory of a tensor of parts [ROWS,
 * WIDTH, 2], with rows or columns next to each other.
 */
static aclTensor *complex_view(aclDataType dtype, const struct typed *parts,
			       bool is_transposed)
{
	const int64_t strides[] = {
		is_transposed ? 1 : WIDTH, is_transposed ? ROWS : 1,
	};

	return strided(dtype, parts->data, SHAPE(ROWS, WIDTH), strides, 0, COUNT);
}

/* Get the number of a part of an element in the memory. */
static unsigned int place(unsigned int i, bool is_transposed, unsigned int part)
{
	unsigned int at = is_transposed ? i % WIDTH * ROWS + i / WIDTH : i;

	return 2 * at + part;
}

static bool check_real(unsigned int pair, bool is_transposed,
		       enum layout layout)
{
	struct typed x = TYPED(pairs[pair].part, CONTIGUOUS, 2 * COUNT);
	struct typed y = TYPED(pairs[pair].part, layout, ROWS, WIDTH);

	fill(&x, 3);
	EXPECT(!RUN(aclnnReal,
		    complex_view(pairs[pair].whole, &x, is_transposed),
		    y.tensor));
	for (unsigned int i = 0; i < COUNT; i++)
		EXPECT(get(&y, i) == get(&x, place(i, is_transposed, 0)));
	return true;
}

static bool check_made(unsigned int pair, bool is_transposed,
		       enum layout layout)
{
	struct typed real = TYPED(pairs[pair].part, layout, ROWS, WIDTH);
	struct typed row = TYPED(pairs[pair].part, layout % OUT_LAYOUTS, WIDTH);
	struct typed y = TYPED(pairs[pair].part, CONTIGUOUS, 2 * COUNT);

	fill(&real, 4);
	fill(&row, 5);
	set(&row, 1, NAN);
	EXPECT(!RUN(aclnnComplex, real.tensor, row.tensor,
		    complex_view(pairs[pair].whole, &y, is_transposed)));
	for (unsigned int i = 0; i < COUNT; i++) {
		double imaginary = get(&y, place(i, is_transposed, 1));

		EXPECT(get(&y, place(i, is_transposed, 0)) == get(&real, i));
		EXPECT(i % WIDTH == 1 ? isnan(imaginary) :
					imaginary == get(&row, i % WIDTH));
	}
	return true;
}

static bool parts(void)
{
	for (unsigned int pair = 0; pair < ARRAY_SIZE(pairs); pair++)
		for (unsigned int way = 0; way < 2 * OUT_LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_real(pair, way % 2, way / 2));
			EXPECT(check_made(pair, way % 2, way / 2));
		}
	forget_typed();
	/* Real types stay. */
	numbers(a, 4, 1);
	EXPECT(!RUN(aclnnReal, F32(a, 4), F32(out, 4)));
	EXPECT(!memcmp(a, out, 4 * sizeof(*a)));
	return true;
}

/* Views of a storage: reversed, with an offset, at an odd address, and empty. */
static bool views(void)
{
	const int64_t back[] = { -2 };
	char odd[4 * 8 + 1];

	numbers(c, 16, 2);
	EXPECT(!RUN(aclnnReal, strided(ACL_COMPLEX64, c, SHAPE(3), back, 6, 8),
		    F32(out, 3)));
	EXPECT(out[0] == c[12] && out[1] == c[8] && out[2] == c[4]);
	memcpy(odd + 1, c, 4 * 8);
	EXPECT(!RUN(aclnnReal, tensor(ACL_COMPLEX64, odd + 1, SHAPE(4)),
		    F32(out, 4)));
	EXPECT(out[0] == c[0] && out[3] == c[6]);
	EXPECT(!RUN(aclnnComplex, F32(a, 4), F32(a + 4, 4),
		    tensor(ACL_COMPLEX64, odd + 1, SHAPE(4))));
	memcpy(out, odd + 1, 4 * 8);
	for (unsigned int i = 0; i < 8; i++)
		EXPECT(out[i] == a[i / 2 + i % 2 * 4]);
	/* A storage that leaves out the offset. */
	EXPECT(!RUN(aclnnReal, strided(ACL_COMPLEX64, c, SHAPE(2), NULL, 2, 2),
		    F32(out, 2)));
	EXPECT(out[0] == c[4] && out[1] == c[6]);
	EXPECT(!RUN(aclnnReal, tensor(ACL_COMPLEX64, c, SHAPE(2, 0)),
		    F32(out, 2, 0)));
	EXPECT(!RUN(aclnnPolar, F32(a, 0), F32(a, 0),
		    tensor(ACL_COMPLEX64, c, SHAPE(0))));
	return true;
}

static bool polar(void)
{
	numbers(a, 20, 6);
	numbers(c, 20, 7);
	EXPECT(!RUN(aclnnPolar, F32(a, 4, 5), F32(c, 4, 5),
		    tensor(ACL_COMPLEX64, out, SHAPE(4, 5))));
	for (unsigned int i = 0; i < 20; i++) {
		EXPECT(near(out[2 * i], a[i] * cos(c[i])));
		EXPECT(near(out[2 * i + 1], a[i] * sin(c[i])));
	}
	EXPECT(RUN(aclnnPolar, F32(a, 4, 5), F32(c, 20),
		   tensor(ACL_COMPLEX64, out, SHAPE(4, 5))));
	TEXT("angle: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnPolar, F16(a, 4), F32(c, 4),
		   tensor(ACL_COMPLEX64, out, SHAPE(4))));
	TEXT("input: expected type f32, given f16");
	EXPECT(RUN(aclnnPolar, F32(a, 4), F32(c, 4), F32(out, 4)));
	TEXT("out: expected type 16, complex with parts of f32, given 0");
	EXPECT(RUN(aclnnPolar, F32(a, 4), F32(c, 4),
		   tensor(ACL_COMPLEX64, out, SHAPE(5))));
	TEXT("out: expected shape [4], given [5]");
	return true;
}

static bool complex_errors(void)
{
	const int64_t far[] = { INT64_MAX }, near_limit[] = { 1LL << 46 };

	EXPECT(RUN(aclnnReal, I64(a, 2), F32(out, 2)));
	TEXT("self: expected f16, f32, f64 or a complex type with parts of these, given type 9");
	EXPECT(RUN(aclnnReal, tensor(ACL_UINT64, a, SHAPE(2)), F32(out, 2)));
	EXPECT(RUN(aclnnReal, tensor(ACL_STRING, a, SHAPE(2)), F32(out, 2)));
	EXPECT(RUN(aclnnReal, tensor(ACL_COMPLEX64, a, SHAPE(2)), F16(out, 2)));
	TEXT("out: expected type f32, given f16");
	EXPECT(RUN(aclnnReal, tensor(ACL_COMPLEX64, a, SHAPE(2)), F32(out, 3)));
	TEXT("out: expected 2 in dimension 0, given 3");
	EXPECT(RUN(aclnnComplex, F32(a, 2), F16(a, 2),
		   tensor(ACL_COMPLEX64, out, SHAPE(2))));
	TEXT("imag: expected type f32, given f16");
	EXPECT(RUN(aclnnComplex, F32(a, 2), F32(a, 3),
		   tensor(ACL_COMPLEX64, out, SHAPE(3))));
	EXPECT(RUN(aclnnComplex, F32(a, 2), F32(a, 2),
		   tensor(ACL_COMPLEX32, out, SHAPE(2))));
	TEXT("out: expected type 16, complex with parts of f32, given 33");
	EXPECT(RUN(aclnnComplex, I32(a, 2), I32(a, 2),
		   tensor(ACL_COMPLEX64, out, SHAPE(2))));
	TEXT("real: expected type f16, f32 or f64, given i32");
	/* Views that leave the storage, and distances that cannot be doubled. */
	EXPECT(RUN(aclnnReal, strided(ACL_COMPLEX64, a, SHAPE(3), NULL, 0, 2),
		   F32(out, 3)));
	EXPECT(RUN(aclnnReal, strided(ACL_COMPLEX64, a, SHAPE(2), far, 0, 2),
		   F32(out, 2)));
	EXPECT(RUN(aclnnReal, strided(ACL_COMPLEX64, a, SHAPE(2), near_limit, 0,
				      2), F32(out, 2)));
	EXPECT(RUN(aclnnReal, strided(ACL_COMPLEX64, a, SHAPE(2), NULL,
				      INT64_MIN, 2), F32(out, 2)));
	EXPECT(RUN(aclnnReal, strided(ACL_COMPLEX64, a, SHAPE(2), NULL,
				      INT64_MAX, 2), F32(out, 2)));
	/* Other operators refuse complex numbers. */
	EXPECT(RUN(aclnnRelu, tensor(ACL_COMPLEX64, a, SHAPE(2)), F32(out, 2)));
	TEXT("self: type 16 is not supported");
	return true;
}

const struct test complex_tests[] = {
	{ "complex numbers are made of parts, and taken apart", parts },
	{ "complex numbers in views", views },
	{ "complex numbers of a magnitude and an angle", polar },
	{ "errors of complex numbers", complex_errors },
	{ 0 }
};
