// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the operator engine beside plain loops in C and, if they can be loaded,
 * OpenBLAS, ATen and oneDNN:
 *
 *	bench [-2] [PATTERN]
 *
 * -2 limits the engine and the peers to AVX2.
 *
 * Prints a table: the time of the engine, of each peer, and the peer's time
 * divided by that of the engine. All take turns, and the best of several rounds
 * counts, so that a busy machine disturbs the ratio less than the times.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../lib/ops/ops.h"
#include "../../lib/ops/vec/vec.h"
#include "bench/peer.h"

#define ROUNDS	15

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

struct bench {
	const char *name;
	struct vnpu_op_launch l;
	/* The same by other means, or NULL. */
	void (*peer)(const struct vnpu_op_launch *l);
	double flops;
};

static struct vnpu_op_job job;
static struct vnpu_op_work work = { .parts = 1 };

static void engine(const struct vnpu_op_launch *l)
{
	if (vnpu_op_prepare(&job, l, l->size, NULL, NULL))
		abort();
	for (work.phase = 0; work.phase < job.phases; work.phase++)
		vnpu_op_run(&job, &work);
}

static double measure(void (*f)(const struct vnpu_op_launch *l),
		      const struct vnpu_op_launch *l, int repeats)
{
	double start = now();
	int i;

	for (i = 0; i < repeats; i++)
		f(l);
	return (now() - start) / repeats;
}

static const struct peer *peers;
static unsigned int peer_count;

static double measure_peer(const struct peer *peer, void *made, int repeats)
{
	double start = now();
	int i;

	for (i = 0; i < repeats; i++)
		peer->call(made);
	return (now() - start) / repeats;
}

static void report(const struct bench *b)
{
	double best = 1e9, peer = 1e9, once, other[2] = { 1e9, 1e9 };
	void *made[2] = { NULL };
	int round, repeats;
	unsigned int i;

	for (i = 0; i < peer_count; i++)
		made[i] = peers[i].make(&b->l);
	once = measure(engine, &b->l, 1);
	once = measure(engine, &b->l, 1);
	repeats = once < 1e-9 ? 10000 : 0.01 / once + 1;
	for (round = 0; round < ROUNDS; round++) {
		best = fmin(best, measure(engine, &b->l, repeats));
		if (b->peer)
			peer = fmin(peer, measure(b->peer, &b->l, repeats));
		for (i = 0; i < peer_count; i++)
			if (made[i])
				other[i] = fmin(other[i], measure_peer(
					&peers[i], made[i], repeats));
	}
	printf("%-34s %10.3f us", b->name, best * 1e6);
	if (b->peer)
		printf("  peer %10.3f us  ratio %5.2f", peer * 1e6, peer / best);
	if (b->flops)
		printf("  %6.1f GFLOP/s", b->flops / best * 1e-9);
	for (i = 0; i < peer_count; i++)
		if (made[i])
			printf("  %s %10.3f us  ratio %5.2f", peers[i].name,
			       other[i] * 1e6, other[i] / best);
	printf("\n");
}

static struct vnpu_tensor tensor(unsigned int dtype, unsigned int rank,
				 const int64_t *dims)
{
	struct vnpu_tensor t, f;
	struct vnpu_op_launch l;
	int64_t i;

	vnpu_tensor_init(&t, dtype, rank, dims, NULL);
	t.data = (uintptr_t)aligned_alloc(64, (t.bytes + 63) & ~63UL);
	if (dtype != VNPU_DT_F32) {
		f = tensor(VNPU_DT_F32, rank, dims);
		vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
		l.tensor[0] = f;
		l.tensor[1] = t;
		vnpu_op_compute(&l, NULL);
		free((void *)(uintptr_t)f.data);
		return t;
	}
	for (i = 0; i < vnpu_tensor_elements(&t); i++)
		((float *)(uintptr_t)t.data)[i] = (i * 7919 % 1000) / 250.0f - 2;
	return t;
}
#define TENSOR(dtype, ...)						\
	tensor(VNPU_DT_##dtype,						\
	       sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t),	\
	       (int64_t[]){ __VA_ARGS__ })

static float *data(const struct vnpu_op_launch *l, int number)
{
	return (float *)(uintptr_t)l->tensor[number].data;
}

static int64_t count(const struct vnpu_op_launch *l, int number)
{
	return vnpu_tensor_elements(&l->tensor[number]);
}

static void plain_add(const struct vnpu_op_launch *l)
{
	float *a = data(l, 0), *b = data(l, 1), *o = data(l, 2);
	int64_t i, n = count(l, 2);

	for (i = 0; i < n; i++)
		o[i] = a[i] + b[i];
}

static void plain_exp(const struct vnpu_op_launch *l)
{
	float *a = data(l, 0), *o = data(l, 1);
	int64_t i, n = count(l, 1);

	for (i = 0; i < n; i++)
		o[i] = expf(a[i]);
}

static void plain_copy(const struct vnpu_op_launch *l)
{
	memcpy(data(l, 1), data(l, 0), l->tensor[1].bytes);
}

static const char *pattern = "";

static bool wanted(const char *name)
{
	return strstr(name, pattern);
}

static void unary(const char *name, unsigned int op, struct vnpu_tensor a,
		  struct vnpu_tensor out,
		  void (*peer)(const struct vnpu_op_launch *l))
{
	struct bench b = { .name = name, .peer = peer };

	if (!wanted(name))
		return;
	vnpu_op_init(&b.l, op, 1, 1);
	b.l.tensor[0] = a;
	b.l.tensor[1] = out;
	report(&b);
}

static void binary(const char *name, unsigned int op, struct vnpu_tensor a,
		   struct vnpu_tensor other, struct vnpu_tensor out,
		   void (*peer)(const struct vnpu_op_launch *l))
{
	struct bench b = { .name = name, .peer = peer };

	if (!wanted(name))
		return;
	vnpu_op_init(&b.l, op, 2, 1);
	b.l.tensor[0] = a;
	b.l.tensor[1] = other;
	b.l.tensor[2] = out;
	report(&b);
}

static struct vnpu_tensor transposed(struct vnpu_tensor t)
{
	int64_t keep = t.strides[0];

	t.strides[0] = t.strides[1];
	t.strides[1] = keep;
	keep = t.dims[0];
	t.dims[0] = t.dims[1];
	t.dims[1] = keep;
	return t;
}

static void bench_map(void)
{
	struct vnpu_tensor a = TENSOR(F32, 1024, 1024), b = TENSOR(F32, 1024, 1024);
	struct vnpu_tensor o = TENSOR(F32, 1024, 1024), i = TENSOR(I32, 1024, 1024);
	struct vnpu_tensor ha = TENSOR(F16, 1024, 1024), hb = TENSOR(F16, 1024, 1024);
	struct vnpu_tensor ho = TENSOR(F16, 1024, 1024), row = TENSOR(F32, 1024);
	struct vnpu_tensor sa = TENSOR(F32, 16), sb = TENSOR(F32, 16);
	struct vnpu_tensor so = TENSOR(F32, 16), sh = TENSOR(F16, 16), scalar;

	vnpu_tensor_set_f64(&scalar, 2.5);
	binary("add f32 16", VNPU_OP_ADD, sa, sb, so, plain_add);
	binary("add f16 16", VNPU_OP_ADD, sh, sh, sh, NULL);
	binary("mul scalar f32 16", VNPU_OP_MUL, sa, scalar, so, NULL);
	binary("add f32 1M", VNPU_OP_ADD, a, b, o, plain_add);
	binary("add row f32 1M", VNPU_OP_ADD, a, row, o, NULL);
	binary("add scalar f32 1M", VNPU_OP_ADD, a, scalar, o, NULL);
	binary("add transposed f32 1M", VNPU_OP_ADD, a, transposed(b), o, NULL);
	binary("add f16 1M", VNPU_OP_ADD, ha, hb, ho, NULL);
	binary("add i32 1M", VNPU_OP_ADD, i, i, i, NULL);
	binary("gt f32 1M", VNPU_OP_GT, a, b, o, NULL);
	binary("pow f32 1M", VNPU_OP_POW, a, b, o, NULL);
	unary("exp f32 1M", VNPU_OP_EXP, a, o, plain_exp);
	unary("log f32 1M", VNPU_OP_LOG, a, o, NULL);
	unary("sin f32 1M", VNPU_OP_SIN, a, o, NULL);
	unary("tanh f32 1M", VNPU_OP_TANH, a, o, NULL);
	unary("gelu f32 1M", VNPU_OP_GELU, a, o, NULL);
	unary("silu f16 1M", VNPU_OP_SILU, ha, ho, NULL);
	unary("floor f32 1M", VNPU_OP_FLOOR, a, o, NULL);
	unary("copy f32 1M", VNPU_OP_COPY, a, o, plain_copy);
	unary("copy transposed f32 1M", VNPU_OP_COPY, transposed(a), o, NULL);
	unary("copy transposed f16 1M", VNPU_OP_COPY, transposed(ha), ho, NULL);
	unary("cast f16 f32 1M", VNPU_OP_COPY, ha, o, NULL);
	unary("cast f32 f16 1M", VNPU_OP_COPY, a, ho, NULL);
	unary("cast f32 i32 1M", VNPU_OP_COPY, a, i, NULL);
	unary("fill f32 1M", VNPU_OP_COPY, scalar, o, NULL);
}

static void bench_reduce(void)
{
	struct vnpu_tensor a = TENSOR(F32, 1024, 1024), h = TENSOR(F16, 1024, 1024);
	struct vnpu_tensor one = TENSOR(F32, 1), row = TENSOR(F32, 1024), i;
	unsigned int k;

	one.rank = 0;
	i = one;
	i.dtype = VNPU_DT_I32;
	unary("sum f32 1M", VNPU_OP_SUM, a, one, NULL);
	unary("sum f16 1M", VNPU_OP_SUM, h, one, NULL);
	unary("amax f32 1M", VNPU_OP_AMAX, a, one, NULL);
	unary("argmax f32 1M", VNPU_OP_ARGMAX, a, i, NULL);
	unary("var f32 1M", VNPU_OP_VAR, a, one, NULL);
	for (k = 0; k < 2; k++) {
		struct bench b = { .name = k ? "sum rows f32 1M" :
						"sum columns f32 1M" };

		vnpu_op_init(&b.l, VNPU_OP_SUM, 1, 1);
		vnpu_op_set_ints(&b.l, 0, (int64_t[]){ k }, 1);
		b.l.tensor[0] = a;
		b.l.tensor[1] = row;
		if (wanted(b.name))
			report(&b);
	}
}

/* cblas_sgemm() of OpenBLAS, or NULL. */
static void (*sgemm)(int order, int ta, int tb, int m, int n, int k,
		     float alpha, const float *a, int lda, const float *b,
		     int ldb, float beta, float *c, int ldc);

static void blas(const struct vnpu_op_launch *l)
{
	int m = l->tensor[0].dims[0], k = l->tensor[0].dims[1];
	int n = l->tensor[1].dims[1];

	sgemm(101, 111, 111, m, n, k, 1, data(l, 0), k, data(l, 1), n, 0,
	      data(l, 2), n);
}

static void product(const char *name, struct vnpu_tensor a,
		    struct vnpu_tensor other, struct vnpu_tensor out,
		    bool has_peer)
{
	struct bench b = { .name = name, .peer = has_peer && sgemm ? blas : NULL };

	if (!wanted(name))
		return;
	vnpu_op_init(&b.l, VNPU_OP_MATMUL, 2, 1);
	b.l.tensor[0] = a;
	b.l.tensor[1] = other;
	b.l.tensor[2] = out;
	b.flops = 2.0 * a.dims[0] * a.dims[1] * out.dims[1];
	report(&b);
}

/* One row times weights, as when a model generates text. */
static void bench_rows(void)
{
	static const struct {
		const char *name;
		unsigned int dtype;
	} types[] = {
		{ "f32", VNPU_DT_F32 }, { "f16", VNPU_DT_F16 },
		{ "bf16", VNPU_DT_BF16 }, { "i8", VNPU_DT_I8 },
	};
	struct vnpu_tensor a = TENSOR(F32, 1, 1024), o = TENSOR(F32, 1, 4096);
	struct vnpu_tensor scale = TENSOR(F32, 4096);
	struct bench b = { .flops = 2.0 * 1024 * 4096 };
	char name[40];
	unsigned int i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct vnpu_tensor w = tensor(types[i].dtype, 2,
					      (int64_t[]){ 4096, 1024 });
		struct vnpu_tensor v = tensor(types[i].dtype, 2,
					      (int64_t[]){ 1024, 4096 });

		snprintf(name, sizeof(name), "row %s 1x1024x4096, weight",
			 types[i].name);
		if (types[i].dtype != VNPU_DT_I8) {
			product(name, a, transposed(w), o, false);
			snprintf(name, sizeof(name), "row %s 1x1024x4096",
				 types[i].name);
			product(name, a, v, o, false);
			continue;
		}
		b.name = name;
		vnpu_op_init(&b.l, VNPU_OP_QUANT_MATMUL, 3, 1);
		b.l.tensor[0] = a;
		b.l.tensor[1] = transposed(w);
		b.l.tensor[2] = scale;
		b.l.tensor[3] = o;
		if (wanted(name))
			report(&b);
	}
}

static void bench_matmul(void)
{
	const char *path = getenv("OPENBLAS");
	void *library = dlopen(path ? path : "libopenblas.so.0", RTLD_NOW);
	static const int sizes[] = { 32, 128, 256, 512, 1024 };
	struct vnpu_tensor a, b, o;
	unsigned int i;

	if (library)
		sgemm = (void *)dlsym(library, "cblas_sgemm");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char name[40];

		snprintf(name, sizeof(name), "matmul f32 %d", sizes[i]);
		product(name, TENSOR(F32, sizes[i], sizes[i]),
			TENSOR(F32, sizes[i], sizes[i]),
			TENSOR(F32, sizes[i], sizes[i]), true);
	}
	product("matmul f16 512", TENSOR(F16, 512, 512), TENSOR(F16, 512, 512),
		TENSOR(F16, 512, 512), false);
	a = TENSOR(F32, 512, 512);
	b = TENSOR(F32, 512, 512);
	o = TENSOR(F32, 512, 512);
	product("matmul f32 512 transposed", a, transposed(b), o, false);
	product("matmul f32 512 both transposed", transposed(a), transposed(b),
		o, false);
	bench_rows();
}

static void attention(int rows, int features, int heads)
{
	struct bench b = { .name = "attention f32 1024x64x8",
			   .flops = 4.0 * rows * rows * features * heads };
	struct vnpu_tensor q = TENSOR(F32, 1, heads, rows, features);
	struct vnpu_tensor k = TENSOR(F32, 1, heads, rows, features);
	struct vnpu_tensor v = TENSOR(F32, 1, heads, rows, features);
	struct vnpu_tensor logits = TENSOR(F32, 1, heads, rows, rows), t;

	if (!wanted(b.name))
		return;
	vnpu_op_init(&b.l, VNPU_OP_ATTENTION, 3, 1);
	vnpu_op_set_float(&b.l, 0, 0.125);
	b.l.tensor[0] = q;
	b.l.tensor[1] = k;
	b.l.tensor[2] = v;
	b.l.tensor[3] = TENSOR(F32, 1, heads, rows, features);
	report(&b);

	/* The same in three operators. */
	t = k;
	t.dims[2] = features;
	t.dims[3] = rows;
	t.strides[2] = k.strides[3];
	t.strides[3] = k.strides[2];
	b.name = "attention: its first product";
	b.flops /= 2;
	vnpu_op_init(&b.l, VNPU_OP_MATMUL, 2, 1);
	b.l.tensor[0] = q;
	b.l.tensor[1] = t;
	b.l.tensor[2] = logits;
	report(&b);
	unary("attention: its softmax", VNPU_OP_SOFTMAX, logits, logits, NULL);
	b.name = "attention: its second product";
	b.l.tensor[0] = logits;
	b.l.tensor[1] = v;
	b.l.tensor[2] = TENSOR(F32, 1, heads, rows, features);
	report(&b);
}

static void convolution(const char *name, int channels, int made, int side,
			int kernel)
{
	struct bench b = { .name = name, .flops = 2.0 * channels * made * side *
						  side * kernel * kernel };

	if (!wanted(name))
		return;
	vnpu_op_init(&b.l, VNPU_OP_CONVOLUTION, 2, 1);
	vnpu_op_set_ints(&b.l, 1, (int64_t[]){ kernel / 2 }, 1);
	b.l.tensor[0] = TENSOR(F32, 1, channels, side, side);
	b.l.tensor[1] = TENSOR(F32, made, channels, kernel, kernel);
	b.l.tensor[2] = TENSOR(F32, 1, made, side, side);
	report(&b);
}

static void bench_nn(void)
{
	struct vnpu_tensor a = TENSOR(F32, 1024, 1024), o = TENSOR(F32, 1024, 1024);

	unary("softmax f32 1M", VNPU_OP_SOFTMAX, a, o, NULL);
	unary("layer_norm f32 1M", VNPU_OP_LAYER_NORM, a, o, NULL);
	unary("rms_norm f32 1M", VNPU_OP_RMS_NORM, a, o, NULL);
	attention(1024, 64, 8);
	convolution("convolution 64 -> 64, 56 x 56, 3 x 3", 64, 64, 56, 3);
	convolution("convolution 256 -> 64, 56 x 56, 1 x 1", 256, 64, 56, 1);
	convolution("convolution 512 -> 512, 7 x 7, 3 x 3", 512, 512, 7, 3);
}

/* Before the peers are loaded, as these choose their code then. */
static void limit_to_avx2(void)
{
	if (!ops_vec_variant(1)) {
		fprintf(stderr, "this processor lacks AVX2, FMA or F16C\n");
		exit(1);
	}
	ops_vec = ops_vec_variant(1);
	setenv("ATEN_CPU_CAPABILITY", "avx2", 1);
	setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
	setenv("OPENBLAS_CORETYPE", "Haswell", 1);
}

int main(int argc, char **argv)
{
	int at = 1;

	if (at < argc && !strcmp(argv[at], "-2")) {
		limit_to_avx2();
		at++;
	}
	if (at < argc)
		pattern = argv[at];
	peer_count = peers_load(argv[0], &peers);
	work.scratch = aligned_alloc(64, 16 << 20);
	work.shared = aligned_alloc(64, 256 << 20);
	bench_map();
	bench_reduce();
	bench_matmul();
	bench_nn();
	return 0;
}
