// SPDX-License-Identifier: MIT
/* Products of packed matrices. See gemm.h. */
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <string.h>

#include "fma.h"
#include "vec.h"

/**
 * struct ahead - memory to fetch into the cache while a block is multiplied
 * @data: the first byte of the first panel
 * @step: bytes for each inner element
 */
struct ahead {
	const char *data;
	int64_t step;
};

#ifdef __AVX2__
/*
 * Variables with names: compilers keep elements of an array in memory. Three rows
 * share a pointer, which leaves enough registers for 12 rows.
 */
#define A(i)								\
	((i) < 3 ? a + (i) * row : (i) < 6 ? a3 + ((i) - 3) * row :	\
	 (i) < 9 ? a6 + ((i) - 6) * row : a9 + ((i) - 9) * row)

#ifdef __AVX512F__
/* Two panels of rows and, unless one is left, two panels of columns. */
#define MOST_ROWS	(2 * OPS_MR)
#define MOST_PANELS	2
#define EACH_ROW(DO)							\
	DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define NAME(f, c)	_mm512_##f##_##c
#define VECTOR(c)	__m512##c
#else
/* A panel of rows, and one of columns in two vectors. */
#define MOST_ROWS	OPS_MR
#define MOST_PANELS	1
#define EACH_ROW(DO)	DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define NAME(f, c)	_mm256_##f##_##c
#define VECTOR(c)	__m256##c
#endif
#define WIDTH		(sizeof(V) / sizeof(T))
/* Whether there is a second vector, @next elements after the first one. */
#define TWO		(panels == MOST_PANELS)
#define DEFINE_ROW(i)	V sum##i = { 0 }, more##i = { 0 };
#define LOAD_ROW(i)							\
	if (rows > (i)) {						\
		sum##i = LOAD(result + (i) * stride);			\
		if (TWO)						\
			more##i = LOAD(result + (i) * stride + WIDTH);	\
	}
#define ADD_ROW(i)							\
	if (rows > (i)) {						\
		V x = SPLAT(*A(i));					\
									\
		sum##i = FMA(x, b0, sum##i);				\
		if (TWO)						\
			more##i = FMA(x, b1, more##i);			\
	}
#define END(x, i)							\
	MIN(SPLAT(end->most), MAX(SPLAT(end->least), ADD(x, SPLAT(bias[i]))))
#define END_ROW(i)							\
	if (rows > (i)) {						\
		sum##i = END(sum##i, i);				\
		if (TWO)						\
			more##i = END(more##i, i);			\
	}
#define STORE_ROW(i)							\
	if (rows > (i)) {						\
		STORE(result + (i) * stride, sum##i);			\
		if (TWO)						\
			STORE(result + (i) * stride + WIDTH, more##i);	\
	}

#define KERNEL(c, T_, V_)						\
static inline __attribute__((always_inline)) void			\
kernel_##c##_rows(const struct ops_left *left, const T_ *a,		\
		  const T_ *b, const int64_t *at, int64_t next, T_ *result, \
		  int64_t stride, int64_t n, const struct ops_sums *end, \
		  const float *bias, const struct ahead *ahead,		\
		  unsigned int rows, unsigned int panels)		\
{									\
	typedef T_ T;							\
	typedef V_ V;							\
	const int64_t row = left->row, inner = left->inner;		\
	const T *a3 = a + 3 * row, *a6 = a + left->panel;		\
	const T *a9 = a6 + 3 * row;					\
	EACH_ROW(DEFINE_ROW)						\
	const char *fetch = ahead ? ahead->data : NULL;			\
	V b0, b1 = { 0 };						\
	int64_t k;							\
									\
	if (!end || !end->is_first) {					\
		EACH_ROW(LOAD_ROW)					\
	}								\
	for (k = 0; k < n; k++) {					\
		const T *line = at ? b + at[k] : b + k * OPS_NR_OF(T);	\
									\
		b0 = LOAD(line);					\
		if (TWO)						\
			b1 = LOAD(line + next);				\
		EACH_ROW(ADD_ROW)					\
		a += inner;						\
		a3 += inner;						\
		a6 += inner;						\
		a9 += inner;						\
		if (!ahead)						\
			continue;					\
		__builtin_prefetch(fetch, 0, 2);			\
		if (rows > OPS_MR)					\
			__builtin_prefetch(fetch + left->panel *	\
					   sizeof(T), 0, 2);		\
		fetch += ahead->step;					\
	}								\
	if (end && end->is_last) {					\
		EACH_ROW(END_ROW)					\
	}								\
	EACH_ROW(STORE_ROW)						\
}

#define LOAD(p)		NAME(loadu, ps)(p)
#define STORE(p, v)	NAME(storeu, ps)(p, v)
#define SPLAT(x)	NAME(set1, ps)(x)
#define FMA(x, y, z)	NAME(fmadd, ps)(x, y, z)
#define ADD(x, y)	NAME(add, ps)(x, y)
#define MIN(x, y)	NAME(min, ps)(x, y)
#define MAX(x, y)	NAME(max, ps)(x, y)
KERNEL(f, float, VECTOR())
#undef LOAD
#undef STORE
#undef SPLAT
#undef FMA
#undef ADD
#undef MIN
#undef MAX
#define LOAD(p)		NAME(loadu, pd)(p)
#define STORE(p, v)	NAME(storeu, pd)(p, v)
#define SPLAT(x)	NAME(set1, pd)(x)
#define FMA(x, y, z)	NAME(fmadd, pd)(x, y, z)
#define ADD(x, y)	NAME(add, pd)(x, y)
#define MIN(x, y)	NAME(min, pd)(x, y)
#define MAX(x, y)	NAME(max, pd)(x, y)
KERNEL(d, double, VECTOR(d))
#undef ADD
#else
#define MOST_ROWS	OPS_MR
#define MOST_PANELS	1
#define KERNEL(c, T, WIDE, FMA)						\
static inline __attribute__((always_inline)) void			\
kernel_##c##_rows(const struct ops_left *left, const T *a, const T *b,	\
		  const int64_t *list, int64_t next, T *result,		\
		  int64_t stride, int64_t n, const struct ops_sums *end, \
		  const float *bias, const struct ahead *ahead,		\
		  unsigned int rows, unsigned int panels)		\
{									\
	T sum[OPS_MR][WIDE];						\
	unsigned int i, k;						\
	int64_t at;							\
									\
	(void)next;							\
	(void)ahead;							\
	(void)panels;							\
	for (i = 0; i < rows; i++) {					\
		if (end && end->is_first)				\
			memset(sum[i], 0, sizeof(sum[i]));		\
		else							\
			memcpy(sum[i], result + i * stride, sizeof(sum[i])); \
	}								\
	for (at = 0; at < n; at++, a += left->inner) {			\
		const T *line = b + (list ? list[at] : at * WIDE);	\
									\
		for (i = 0; i < rows; i++)				\
			for (k = 0; k < WIDE; k++)			\
				sum[i][k] = FMA(a[i * left->row],	\
						line[k], sum[i][k]);	\
	}								\
	for (i = 0; end && end->is_last && i < rows; i++)		\
		for (k = 0; k < WIDE; k++)				\
			sum[i][k] = ops_sum_end(end, bias[i], sum[i][k]); \
	for (i = 0; i < rows; i++)					\
		memcpy(result + i * stride, sum[i], sizeof(sum[i]));	\
}
KERNEL(f, float, OPS_NR, ops_fmaf)
KERNEL(d, double, OPS_NR_OF(double), ops_fma)
#endif

/* With a constant number of rows, the sums stay in registers. */
#define ROWS(c, count)							\
	case count:							\
		kernel_##c##_rows(left, a, b, at, next, to, stride, n,	\
				  end, bias, ahead, count, panels);	\
		break;
#if defined(__AVX512F__)
#define FEWER_ROWS(c)							\
	ROWS(c, 1) ROWS(c, 2) ROWS(c, 3) ROWS(c, 4) ROWS(c, 5) ROWS(c, 6) \
	ROWS(c, 7) ROWS(c, 8) ROWS(c, 9) ROWS(c, 10) ROWS(c, 11)
#else
#define FEWER_ROWS(c)							\
	ROWS(c, 1) ROWS(c, 2) ROWS(c, 3) ROWS(c, 4) ROWS(c, 5)
#endif
#define KERNELS(c, T)							\
static inline __attribute__((always_inline)) void			\
kernel_##c##_panels(const struct ops_left *left, const T *b,		\
		    const int64_t *at, int64_t next, T *to, int64_t stride, \
		    int64_t n, const struct ops_sums *end,		\
		    struct ahead *ahead, unsigned int rows,		\
		    unsigned int panels)				\
{									\
	const float *bias = end ? end->bias : NULL;			\
	const T *a = left->data;					\
									\
	for (; rows >= MOST_ROWS; rows -= MOST_ROWS) {			\
		kernel_##c##_rows(left, a, b, at, next, to, stride, n,	\
				  end, bias, ahead, MOST_ROWS, panels);	\
		if (ahead && ahead->step)				\
			ahead->data += MOST_ROWS / OPS_MR * left->panel * \
				       sizeof(T);			\
		bias = end ? bias + MOST_ROWS : NULL;			\
		a += MOST_ROWS / OPS_MR * left->panel;			\
		to += MOST_ROWS * stride;				\
	}								\
	switch (rows) {							\
		FEWER_ROWS(c)						\
	}								\
}									\
									\
static void kernel_##c(const struct ops_left *left,			\
		       const struct ops_right *right, void *result,	\
		       int64_t stride, int64_t n, unsigned int rows)	\
{									\
	const int64_t next = MOST_PANELS == 2 ? right->panel :		\
						OPS_NR_OF(T) / 2;		\
	unsigned int panels = right->panels;				\
	const T *b = right->data;					\
	T *to = result;							\
									\
	for (; panels >= MOST_PANELS; panels -= MOST_PANELS) {		\
		kernel_##c##_panels(left, b, NULL, next, to, stride, n,	\
				    NULL, NULL, rows, MOST_PANELS);	\
		b += MOST_PANELS * right->panel;			\
		to += MOST_PANELS * OPS_NR_OF(T);				\
	}								\
	if (panels)							\
		kernel_##c##_panels(left, b, NULL, next, to, stride, n,	\
				    NULL, NULL, rows, 1);		\
}
KERNELS(f, float)
KERNELS(d, double)

#ifdef __AVX2__
/* The most columns that are multiplied one by one: a panel has OPS_NR. */
#define FEW_LINES	5
/* Panels of rows that are multiplied at once with a column. */
#define TALL	8

/*
 * Multiply up to TALL panels with one column: the vectors are inner elements of a
 * panel.
 */
static void tall_rows(const struct ops_left *left, const float *a,
		      const float *b, const int64_t *at, float *tile, int64_t n,
		      unsigned int panels)
{
	const __m256i use = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
	const float *row[TALL];
	__m256 sum[TALL];
	unsigned int i;
	int64_t k;

	for (i = 0; i < TALL; i++) {
		row[i] = a + (i < panels ? i : 0) * left->panel;
		sum[i] = _mm256_loadu_ps(tile + i * TALL);
	}
	for (k = 0; k < n; k++) {
		__m256 x = _mm256_set1_ps(b[at[k]]);

		for (i = 0; i < TALL; i++)
			sum[i] = _mm256_fmadd_ps(_mm256_maskload_ps(
				row[i] + k * OPS_MR, use), x, sum[i]);
	}
	for (i = 0; i < TALL; i++)
		_mm256_storeu_ps(tile + i * TALL, sum[i]);
}

static void tall_lines(const struct ops_left *left,
		       const struct ops_right *right, const float *b,
		       const struct ops_sums *sums, float *to, int64_t n,
		       unsigned int rows)
{
	const float *a = left->data, *bias = sums->bias;
	const int64_t stride = sums->stride;
	float tile[TALL * TALL] = { 0 }, *x;
	unsigned int now, i;

	for (; rows; rows -= now, to += now * stride, bias += now) {
		now = rows < TALL * OPS_MR ? rows : TALL * OPS_MR;
		for (i = 0; i < now; i++)
			tile[i / OPS_MR * TALL + i % OPS_MR] =
				sums->is_first ? 0 : to[i * stride];
		tall_rows(left, a, b, right->at, tile, n,
			  (now + OPS_MR - 1) / OPS_MR);
		for (i = 0; i < now; i++) {
			x = &tile[i / OPS_MR * TALL + i % OPS_MR];
			to[i * stride] = sums->is_last ?
				ops_sum_end(sums, bias[i], *x) : *x;
		}
		a += TALL * left->panel;
	}
}
#endif

/* Columns that are no panel: a copy of the sums has whole ones. */
static void last_lines(const struct ops_left *left,
		       const struct ops_right *right, const float *b,
		       const struct ops_sums *sums, float *to, int64_t n,
		       unsigned int rows, unsigned int columns)
{
	float tile[OPS_LINE_ROWS * OPS_NR];
	unsigned int i;

	for (i = 0; i < rows && !sums->is_first; i++)
		memcpy(tile + i * OPS_NR, to + i * sums->stride,
		       columns * sizeof(*to));
	kernel_f_panels(left, b, right->at, OPS_NR / 2, tile, OPS_NR, n, sums,
			NULL, rows, 1);
	for (i = 0; i < rows; i++)
		memcpy(to + i * sums->stride, tile + i * OPS_NR,
		       columns * sizeof(*to));
}

static void lines_f(const struct ops_left *left, const struct ops_right *right,
		    const struct ops_sums *sums, int64_t n, unsigned int rows,
		    int64_t columns)
{
	const int64_t next = MOST_PANELS == 2 ? OPS_NR : OPS_NR / 2;
	const int64_t all = columns / OPS_NR, size = OPS_MR * sizeof(float);
	const float *b = right->data;
	float *to = sums->data;
	int64_t done = 0;
	unsigned int panels;

	for (; columns >= OPS_NR; columns -= panels * OPS_NR) {
		/* Each pass fetches its part of what is read next. */
		struct ahead ahead = {
			left->next ? (const char *)left->next +
				     n * size * done / all : left->data, 0,
		};

		panels = columns < MOST_PANELS * OPS_NR ? 1 : MOST_PANELS;
		done += panels;
		if (left->next)
			ahead.step = (size * panels + all - 1) / all;
		if (panels == MOST_PANELS)
			kernel_f_panels(left, b, right->at, next, to,
					sums->stride, n, sums, &ahead, rows,
					MOST_PANELS);
		else
			kernel_f_panels(left, b, right->at, next, to,
					sums->stride, n, sums, &ahead, rows, 1);
		b += panels * OPS_NR;
		to += panels * OPS_NR;
	}
#ifdef __AVX2__
	for (; columns && columns <= FEW_LINES; columns--)
		tall_lines(left, right, b++, sums, to++, n, rows);
#endif
	if (columns)
		last_lines(left, right, b, sums, to, n, rows, columns);
}

#define DOT(name, T, FMA)						\
static void name(const void *left, const void *right, void *lanes,	\
		 int64_t n)						\
{									\
	const T *a = left, *b = right;					\
	T *sum = lanes;							\
	int64_t i, h;							\
									\
	for (i = 0; i < n; i += OPS_DOT)				\
		for (h = 0; h < OPS_DOT && i + h < n; h++)		\
			sum[h] = FMA(a[i + h], b[i + h], sum[h]);	\
}

DOT(dot_d, double, ops_fma)
#ifdef __AVX2__
static void dot_f(const void *left, const void *right, void *lanes, int64_t n)
{
	const float *a = left, *b = right;
	float *sum = lanes;
	__m256 s0 = _mm256_loadu_ps(sum), s1 = _mm256_loadu_ps(sum + 8);
	__m256 s2 = _mm256_loadu_ps(sum + 16), s3 = _mm256_loadu_ps(sum + 24);
	int64_t i, h;

	for (i = 0; i + OPS_DOT <= n; i += OPS_DOT) {
		s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i),
				     _mm256_loadu_ps(b + i), s0);
		s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8),
				     _mm256_loadu_ps(b + i + 8), s1);
		s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16),
				     _mm256_loadu_ps(b + i + 16), s2);
		s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24),
				     _mm256_loadu_ps(b + i + 24), s3);
	}
	_mm256_storeu_ps(sum, s0);
	_mm256_storeu_ps(sum + 8, s1);
	_mm256_storeu_ps(sum + 16, s2);
	_mm256_storeu_ps(sum + 24, s3);
	for (h = 0; i + h < n; h++)
		sum[h] = ops_fmaf(a[i + h], b[i + h], sum[h]);
}
#else
DOT(dot_f, float, ops_fmaf)
#endif

#define ADD(name, T, FMA)						\
static void name(const void *factors, const void *right, void *result,	\
		 int64_t stride, int64_t n, unsigned int rows)		\
{									\
	const T *a = factors, *b = right;				\
	T *sum = result;						\
	unsigned int r;							\
	int64_t i;							\
									\
	if (rows == OPS_ADD) {						\
		const T a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];	\
									\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			T s = FMA(a0, b[i], sum[i]);			\
									\
			s = FMA(a1, b[stride + i], s);			\
			s = FMA(a2, b[2 * stride + i], s);		\
			sum[i] = FMA(a3, b[3 * stride + i], s);		\
		}							\
		return;							\
	}								\
	for (r = 0; r < rows; r++)					\
		for (i = 0; i < n; i++)					\
			sum[i] = FMA(a[r], b[r * stride + i], sum[i]);	\
}

ADD(add_f, float, ops_fmaf)
ADD(add_d, double, ops_fma)

const struct ops_gemm V(ops_gemms)[2] = {
	[OPS_F] = {
		.size = sizeof(float),
		.columns = OPS_NR,
		.pack = &V(ops_packings)[OPS_F],
		.kernel = kernel_f,
		.lines = lines_f,
		.dot = dot_f,
		.add = add_f,
		.finish = V(ops_finish_f),
	},
	[OPS_D] = {
		.size = sizeof(double),
		.columns = OPS_NR_OF(double),
		.pack = &V(ops_packings)[OPS_D],
		.kernel = kernel_d,
		.dot = dot_d,
		.add = add_d,
		.finish = V(ops_finish_d),
	},
};
