/* SPDX-License-Identifier: MIT */
/*
 * A language model on two devices: one reads prompts (prefill), the other one
 * makes the tokens (decode), as they need different amounts of computation.
 *
 * The keys and values of all layers, the KV cache, move from the first device to
 * the second.  The copy of a layer begins when its keys and values are there, on a
 * stream of its own, while the next layers compute.  The second device meanwhile
 * makes the tokens of the request before.
 *
 * usage: prefill-decode [REQUESTS]
 *
 * For comparison, one device does both, and caches are copied after the prefill.
 * The model has random weights, and a token is a vector: its result is the input
 * of the next step.  All tokens are compared with the same model in C.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_tanh.h"

#define LAYERS		4
#define WIDTH		64
#define HIDDEN		(4 * WIDTH)
#define PROMPT		48
#define TOKENS		8
#define ROWS		(PROMPT + TOKENS)
#define SLOTS		2	/* requests on a device at a time */
#define REQUESTS	64	/* at most */
#define WORKSPACE	((uint64_t)1 << 20)
#define TOLERANCE	1e-3f

/* The matrices of a layer, of WIDTH rows each but for the last one. */
enum { QUERY, KEY, VALUE, OUT, UP, DOWN, MATRICES };

static const int columns[MATRICES] = {
	WIDTH, WIDTH, WIDTH, WIDTH, HIDDEN, WIDTH,
};
static float weights[LAYERS][MATRICES][HIDDEN * WIDTH];

/* Keys and values of a request, and a row for each token that follows. */
struct cache {
	float keys[LAYERS][ROWS][WIDTH];
	float values[LAYERS][ROWS][WIDTH];
	float next[WIDTH];		/* the input of the next step */
	float tokens[TOKENS][WIDTH];
};

/* Memory of a device, in one allocation. */
struct memory {
	float weights[LAYERS][MATRICES][HIDDEN * WIDTH];
	float mask[PROMPT][PROMPT];
	float x[PROMPT][WIDTH];		/* input and output of a layer */
	float query[PROMPT][WIDTH];
	float scores[PROMPT][ROWS];
	float shares[PROMPT][ROWS];
	float mixed[PROMPT][WIDTH];
	float change[PROMPT][WIDTH];
	float hidden[PROMPT][HIDDEN];
	struct cache slot[SLOTS];
};

struct device {
	int32_t number;
	struct memory *m;
	void *workspace;
	aclrtStream compute;
	aclrtStream copy;
	aclrtEvent ready[LAYERS];
};

enum mode { ONE_DEVICE, COPY_AFTERWARDS, COPY_BESIDE, MODES };

static const char *const names[MODES] = {
	"one device for both", "two, caches copied afterwards",
	"two, caches copied beside",
};
static struct device devices[2];
static struct cache results[REQUESTS];
static float prompts[REQUESTS][PROMPT][WIDTH];
static aclScalar *one;

static aclTensor *view(float *data, int64_t rows, int64_t width, int64_t row,
		       int64_t column)
{
	const int64_t dims[] = { rows, width }, strides[] = { row, column };
	aclTensor *t = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0,
				       ACL_FORMAT_ND, dims, 2, data);

	CHECK(!t);
	return t;
}

static aclTensor *matrix(float *data, int64_t rows, int64_t width)
{
	return view(data, rows, width, width, 1);
}

/*
 * Run an operator.  Operators of a stream follow each other, so all use the same
 * workspace.
 */
#define RUN(d, name, ...)						\
	do {								\
		aclOpExecutor *executor;				\
		uint64_t size;						\
									\
		CHECK(name##GetWorkspaceSize(__VA_ARGS__, &size,	\
					     &executor));		\
		CHECK(size > WORKSPACE);				\
		CHECK(name((d)->workspace, size, executor,		\
			   (d)->compute));				\
	} while (0)

/* Compute out = a * b, and destroy the descriptions. */
static void multiply(struct device *d, aclTensor *a, aclTensor *b,
		     aclTensor *out)
{
	RUN(d, aclnnMatmul, a, b, out, 0);
	CHECK(aclDestroyTensor(a));
	CHECK(aclDestroyTensor(b));
	CHECK(aclDestroyTensor(out));
}

/* Compute out = a + b, likewise. */
static void add(struct device *d, aclTensor *a, aclTensor *b, aclTensor *out)
{
	RUN(d, aclnnAdd, a, b, one, out);
	CHECK(aclDestroyTensor(a));
	CHECK(aclDestroyTensor(b));
	CHECK(aclDestroyTensor(out));
}

static void project(struct device *d, float *in, int layer, int which,
		    float *out, int rows)
{
	int depth = which == DOWN ? HIDDEN : WIDTH;

	multiply(d, matrix(in, rows, depth),
		 matrix(d->m->weights[layer][which], depth, columns[which]),
		 matrix(out, rows, columns[which]));
}

/* Mix the values of the rows up to @past + @rows; a row sees none behind it. */
static void attend(struct device *d, struct cache *c, int layer, int rows,
		   int past)
{
	struct memory *m = d->m;
	int all = past + rows;
	aclTensor *scores, *shares;

	multiply(d, matrix(m->query[0], rows, WIDTH),
		 view(c->keys[layer][0], WIDTH, all, 1, WIDTH),
		 matrix(m->scores[0], rows, all));
	if (rows > 1)
		add(d, matrix(m->scores[0], rows, all),
		    matrix(m->mask[0], rows, all),
		    matrix(m->scores[0], rows, all));
	scores = matrix(m->scores[0], rows, all);
	shares = matrix(m->shares[0], rows, all);
	RUN(d, aclnnSoftmax, scores, -1, shares);
	CHECK(aclDestroyTensor(scores));
	CHECK(aclDestroyTensor(shares));
	multiply(d, matrix(m->shares[0], rows, all),
		 matrix(c->values[layer][0], all, WIDTH),
		 matrix(m->mixed[0], rows, WIDTH));
}

static void add_change(struct device *d, int rows)
{
	add(d, matrix(d->m->x[0], rows, WIDTH),
	    matrix(d->m->change[0], rows, WIDTH),
	    matrix(d->m->x[0], rows, WIDTH));
}

/* Append the keys and values of @rows tokens, and signal that they are there. */
static void begin_layer(struct device *d, struct cache *c, int layer, int rows,
			int past)
{
	project(d, d->m->x[0], layer, KEY, c->keys[layer][past], rows);
	project(d, d->m->x[0], layer, VALUE, c->values[layer][past], rows);
	CHECK(aclrtRecordEvent(d->ready[layer], d->compute));
}

static void end_layer(struct device *d, struct cache *c, int layer, int rows,
		      int past)
{
	struct memory *m = d->m;
	aclTensor *hidden = matrix(m->hidden[0], rows, HIDDEN);

	project(d, m->x[0], layer, QUERY, m->query[0], rows);
	attend(d, c, layer, rows, past);
	project(d, m->mixed[0], layer, OUT, m->change[0], rows);
	add_change(d, rows);
	project(d, m->x[0], layer, UP, m->hidden[0], rows);
	RUN(d, aclnnRelu, hidden, hidden);
	CHECK(aclDestroyTensor(hidden));
	project(d, m->hidden[0], layer, DOWN, m->change[0], rows);
	add_change(d, rows);
}

/* The next token is made of row @row. */
static void end_step(struct device *d, int row, float *next)
{
	aclTensor *x = matrix(d->m->x[row], 1, WIDTH);
	aclTensor *token = matrix(next, 1, WIDTH);

	RUN(d, aclnnTanh, x, token);
	CHECK(aclDestroyTensor(x));
	CHECK(aclDestroyTensor(token));
}

static void copy(void *to, const void *from, size_t size, aclrtStream stream)
{
	CHECK(aclrtMemcpyAsync(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE,
			       stream));
}

/* Let the copy stream move the cache of a layer once it is there. */
static void move_layer(struct device *d, struct cache *to,
		       const struct cache *from, int layer)
{
	const size_t size = PROMPT * sizeof(from->keys[0][0]);

	CHECK(aclrtStreamWaitEvent(d->copy, d->ready[layer]));
	copy(to->keys[layer], from->keys[layer], size, d->copy);
	copy(to->values[layer], from->values[layer], size, d->copy);
}

/* Submit the prefill of a request, which fills a slot of device @to. */
static void prefill(int request, struct device *to, enum mode mode)
{
	struct device *d = &devices[0];
	struct cache *own = &d->m->slot[request % SLOTS];
	struct cache *moved = &to->m->slot[request % SLOTS];
	int layer;

	CHECK(aclrtSetDevice(d->number));
	CHECK(aclrtMemcpyAsync(d->m->x, sizeof(d->m->x), prompts[request],
			       sizeof(prompts[request]),
			       ACL_MEMCPY_HOST_TO_DEVICE, d->compute));
	for (layer = 0; layer < LAYERS; layer++) {
		begin_layer(d, own, layer, PROMPT, 0);
		if (mode == COPY_BESIDE)
			move_layer(d, moved, own, layer);
		end_layer(d, own, layer, PROMPT, 0);
	}
	end_step(d, PROMPT - 1, own->next);
	/* From here on, ready[0] is the end of the prefill. */
	CHECK(aclrtRecordEvent(d->ready[0], d->compute));
	CHECK(aclrtStreamWaitEvent(d->copy, d->ready[0]));
	if (mode == COPY_AFTERWARDS)
		for (layer = 0; layer < LAYERS; layer++)
			move_layer(d, moved, own, layer);
	if (mode != ONE_DEVICE)
		copy(moved->next, own->next, sizeof(own->next), d->copy);
}

/* Submit all steps of a request. A slot of the device has its cache. */
static void decode(struct device *d, int request)
{
	struct cache *c = &d->m->slot[request % SLOTS];

	CHECK(aclrtSetDevice(d->number));
	for (int i = 0; i < TOKENS; i++) {
		copy(d->m->x, i ? c->tokens[i - 1] : c->next, sizeof(c->next),
		     d->compute);
		for (int layer = 0; layer < LAYERS; layer++) {
			begin_layer(d, c, layer, 1, PROMPT + i);
			end_layer(d, c, layer, 1, PROMPT + i);
		}
		end_step(d, 0, c->tokens[i]);
	}
	CHECK(aclrtMemcpyAsync(results[request].tokens, sizeof(c->tokens),
			       c->tokens, sizeof(c->tokens),
			       ACL_MEMCPY_DEVICE_TO_HOST, d->compute));
}

static void wait_for(struct device *d)
{
	CHECK(aclrtSetDevice(d->number));
	CHECK(aclrtSynchronizeStream(d->compute));
	CHECK(aclrtSynchronizeStream(d->copy));
}

/* Serve all requests: while a device reads one, the other one writes the last. */
static void serve(int requests, enum mode mode)
{
	struct device *decoder = &devices[mode != ONE_DEVICE];

	prefill(0, decoder, mode);
	wait_for(&devices[0]);
	for (int i = 0; i < requests; i++) {
		if (i + 1 < requests)
			prefill(i + 1, decoder, mode);
		decode(decoder, i);
		wait_for(decoder);
		wait_for(&devices[0]);
	}
}

/*
 * The same on the host.
 */
static void host_project(const float *in, int layer, int which, float *out)
{
	int depth = which == DOWN ? HIDDEN : WIDTH;

	for (int i = 0; i < columns[which]; i++) {
		double sum = 0;

		for (int k = 0; k < depth; k++)
			sum += (double)in[k] *
			       weights[layer][which][k * columns[which] + i];
		out[i] = (float)sum;
	}
}

static void host_attend(const struct cache *c, int layer, const float *query,
			int rows, float *mixed)
{
	double shares[ROWS], total = 0;

	for (int i = 0; i < rows; i++) {
		double score = 0;

		for (int k = 0; k < WIDTH; k++)
			score += (double)query[k] * c->keys[layer][i][k];
		shares[i] = exp(score);
		total += shares[i];
	}
	for (int k = 0; k < WIDTH; k++) {
		double sum = 0;

		for (int i = 0; i < rows; i++)
			sum += shares[i] * c->values[layer][i][k];
		mixed[k] = (float)(sum / total);
	}
}

/* Run one token, which is row @row of the request. */
static void host_token(struct cache *c, const float *token, int row,
		       float *next)
{
	float x[WIDTH], query[WIDTH], mixed[WIDTH], change[WIDTH];
	float hidden[HIDDEN];

	memcpy(x, token, sizeof(x));
	for (int layer = 0; layer < LAYERS; layer++) {
		host_project(x, layer, QUERY, query);
		host_project(x, layer, KEY, c->keys[layer][row]);
		host_project(x, layer, VALUE, c->values[layer][row]);
		host_attend(c, layer, query, row + 1, mixed);
		host_project(mixed, layer, OUT, change);
		for (int k = 0; k < WIDTH; k++)
			x[k] += change[k];
		host_project(x, layer, UP, hidden);
		for (int k = 0; k < HIDDEN; k++)
			hidden[k] = fmaxf(hidden[k], 0);
		host_project(hidden, layer, DOWN, change);
		for (int k = 0; k < WIDTH; k++)
			x[k] += change[k];
	}
	for (int k = 0; k < WIDTH; k++)
		next[k] = tanhf(x[k]);
}

/* Compare a token with that of the host. */
static void compare(const float *got, const float *want, const char *mode,
		    int request, int token)
{
	for (int k = 0; k < WIDTH; k++) {
		if (fabsf(got[k] - want[k]) <= TOLERANCE)
			continue;
		fprintf(stderr, "%s, request %d, token %d: %f, expected %f\n",
			mode, request, token, (double)got[k], (double)want[k]);
		exit(1);
	}
}

static void check(int requests, const char *mode)
{
	static struct cache c;

	for (int request = 0; request < requests; request++) {
		for (int i = 0; i < PROMPT; i++)
			host_token(&c, prompts[request][i], i, c.next);
		for (int i = 0; i < TOKENS; i++) {
			host_token(&c, i ? c.tokens[i - 1] : c.next, PROMPT + i,
				   c.tokens[i]);
			compare(results[request].tokens[i], c.tokens[i], mode,
				request, i);
		}
	}
	memset(results, 0xff, sizeof(results));
}

/* Fill memory with numbers from -@scale to @scale. */
static void fill(float *to, size_t count, float scale)
{
	static uint32_t state = 7;

	for (size_t i = 0; i < count; i++) {
		state = state * 1664525 + 1013904223;
		to[i] = ((float)(state >> 8) / (1 << 23) - 1) * scale;
	}
}

static void begin(struct device *d, int32_t number)
{
	static float mask[PROMPT][PROMPT];

	d->number = number;
	for (int i = 0; i < PROMPT; i++)
		for (int k = i + 1; k < PROMPT; k++)
			mask[i][k] = -INFINITY;
	CHECK(aclrtSetDevice(number));
	CHECK(aclrtDeviceEnablePeerAccess(!number, 0));
	CHECK(aclrtMalloc((void **)&d->m, sizeof(*d->m),
			  ACL_MEM_MALLOC_NORMAL_ONLY));
	CHECK(aclrtMalloc(&d->workspace, WORKSPACE,
			  ACL_MEM_MALLOC_NORMAL_ONLY));
	CHECK(aclrtMemcpy(d->m->weights, sizeof(weights), weights,
			  sizeof(weights), ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtMemcpy(d->m->mask, sizeof(mask), mask, sizeof(mask),
			  ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtCreateStream(&d->compute));
	CHECK(aclrtCreateStream(&d->copy));
	for (int i = 0; i < LAYERS; i++)
		CHECK(aclrtCreateEventExWithFlag(&d->ready[i], ACL_EVENT_SYNC));
}

static void end(struct device *d)
{
	CHECK(aclrtSetDevice(d->number));
	for (int i = 0; i < LAYERS; i++)
		CHECK(aclrtDestroyEvent(d->ready[i]));
	CHECK(aclrtDestroyStream(d->compute));
	CHECK(aclrtDestroyStream(d->copy));
	CHECK(aclrtFree(d->workspace));
	CHECK(aclrtFree(d->m));
	CHECK(aclrtResetDevice(d->number));
}

int main(int argc, char **argv)
{
	int requests = argc > 1 ? atoi(argv[1]) : 4;
	const float unit = 1;
	uint32_t count;

	if (requests < 1 || requests > REQUESTS || argc > 2) {
		fprintf(stderr, "usage: prefill-decode [REQUESTS], 1 to %d\n",
			REQUESTS);
		return 1;
	}
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	if (count < 2) {
		fprintf(stderr, "there are %u devices; the example needs 2\n",
			count);
		return 1;
	}
	fill(&weights[0][0][0], sizeof(weights) / sizeof(float),
	     0.7f / sqrtf(WIDTH));
	fill(&prompts[0][0][0], sizeof(prompts) / sizeof(float), 1);
	one = aclCreateScalar((void *)&unit, ACL_FLOAT);
	CHECK(!one);
	begin(&devices[0], 0);
	begin(&devices[1], 1);

	printf("%d requests, prompts of %d tokens and %d more; %zu KiB of keys and values each\n",
	       requests, PROMPT, TOKENS,
	       (size_t)2 * LAYERS * PROMPT * WIDTH * sizeof(float) >> 10);
	for (int mode = 0; mode < MODES; mode++) {
		double start = now_us();

		serve(requests, mode);
		printf("%-32s %8.1f ms a request\n", names[mode],
		       (now_us() - start) / 1e3 / requests);
		fflush(stdout);
		check(requests, names[mode]);
	}
	printf("all tokens are those of the host\n");
	CHECK(aclDestroyScalar(one));
	end(&devices[0]);
	end(&devices[1]);
	return aclFinalize();
}
