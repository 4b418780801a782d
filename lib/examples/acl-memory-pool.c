/* SPDX-License-Identifier: MIT */
/*
 * A memory pool like those of frameworks, on AscendCL alone: it allocates device
 * memory in large chunks and divides them into blocks.  An operator reuses the
 * blocks that earlier operators have freed.
 *
 * The program runs some rounds of a small network with the pool, and checks all
 * results on the host.  Then it requests more memory than the device has, and
 * prints the explanation.  With --wait it pauses after each step, so that the
 * user can run vnpu-smi, and continues when it reads a line from stdin.
 *
 * The same source builds against CANN.
 */
#include "acl/acl.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "try.h"

#define MIB		((size_t)1 << 20)

#define CHUNK_SIZE	(8 * MIB)
#define MAX_CHUNKS	16
#define MIN_SHIFT	16	/* 64 KiB, the smallest block */
#define MAX_SHIFT	23	/* CHUNK_SIZE, the largest */
#define CLASSES		(MAX_SHIFT - MIN_SHIFT + 1)
#define MAX_BLOCKS	(MAX_CHUNKS << (MAX_SHIFT - MIN_SHIFT))

/* A piece of a chunk; each class has a list of its free blocks. */
struct block {
	uint8_t *address;
	int shift;
	struct block *next;
};

struct pool {
	struct block blocks[MAX_BLOCKS];
	struct block *free[CLASSES];
	struct block *unused;		/* descriptors without memory */
	void *chunks[MAX_CHUNKS];
	int chunk_count;
	size_t used, used_peak;
	unsigned int requests, reused;
};

static void pool_init(struct pool *p)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < MAX_BLOCKS; i++) {
		p->blocks[i].next = p->unused;
		p->unused = &p->blocks[i];
	}
}

static struct block *list_pop(struct block **list)
{
	struct block *b = *list;

	if (b)
		*list = b->next;
	return b;
}

static void list_push(struct block **list, struct block *b)
{
	b->next = *list;
	*list = b;
}

/* Allocate one more chunk from the device: a block of the largest class. */
static aclError pool_grow(struct pool *p)
{
	struct block *b;
	aclError err;
	void *chunk;

	if (p->chunk_count == MAX_CHUNKS)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	err = aclrtMalloc(&chunk, CHUNK_SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
	if (err != ACL_SUCCESS)
		return err;
	p->chunks[p->chunk_count++] = chunk;
	b = list_pop(&p->unused);
	b->address = chunk;
	b->shift = MAX_SHIFT;
	list_push(&p->free[CLASSES - 1], b);
	return ACL_SUCCESS;
}

/* Get a block of at least @size bytes; cut it from a larger one if necessary. */
static struct block *pool_take(struct pool *p, size_t size)
{
	struct block *b, *half;
	int shift = MIN_SHIFT;
	int class;

	while (((size_t)1 << shift) < size)
		shift++;
	if (shift > MAX_SHIFT)
		return NULL;
	p->requests++;
	class = shift - MIN_SHIFT;
	if (p->free[class])
		p->reused++;
	while (class < CLASSES && !p->free[class])
		class++;
	if (class == CLASSES) {
		TRY(pool_grow(p));
		class--;
	}
	b = list_pop(&p->free[class]);
	while (b->shift > shift) {
		b->shift--;
		half = list_pop(&p->unused);
		half->shift = b->shift;
		half->address = b->address + ((size_t)1 << b->shift);
		list_push(&p->free[b->shift - MIN_SHIFT], half);
	}
	p->used += (size_t)1 << b->shift;
	if (p->used > p->used_peak)
		p->used_peak = p->used;
	return b;
}

static void pool_give(struct pool *p, struct block *b)
{
	p->used -= (size_t)1 << b->shift;
	list_push(&p->free[b->shift - MIN_SHIFT], b);
}

/* Return all chunks to the device; no block may be in use. */
static void pool_fini(struct pool *p)
{
	while (p->chunk_count > 0)
		TRY(aclrtFree(p->chunks[--p->chunk_count]));
}

/*
 * The operators.  A tensor is rows of bytes, so that a check of the result
 * needs no arithmetic on floats.
 */
struct tensor {
	struct block *block;
	size_t width, height;
};

static struct tensor tensor_make(struct pool *p, size_t width, size_t height)
{
	struct tensor t = { pool_take(p, width * height), width, height };

	if (!t.block)
		fail("pool_take", ACL_ERROR_RT_MEMORY_ALLOCATION);
	return t;
}

/* The host's rows, each beside itself. */
static struct tensor op_upload(struct pool *p, const uint8_t *rows,
			       size_t width, size_t height)
{
	struct tensor out = tensor_make(p, 2 * width, height);
	uint8_t *address = out.block->address;

	TRY(aclrtMemcpy2d(address, 2 * width, rows, width, width, height,
			  ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclrtMemcpy2d(address + width, 2 * width, rows, width, width,
			  height, ACL_MEMCPY_HOST_TO_DEVICE));
	return out;
}

/* Copy @a, and set @rows rows from @row on to @value. */
static struct tensor op_stamp(struct pool *p, struct tensor a, size_t row,
			      size_t rows, int value)
{
	struct tensor out = tensor_make(p, a.width, a.height);
	size_t size = a.width * a.height;

	TRY(aclrtMemcpy(out.block->address, size, a.block->address, size,
			ACL_MEMCPY_DEVICE_TO_DEVICE));
	TRY(aclrtMemset(out.block->address + row * a.width, rows * a.width,
			value, rows * a.width));
	return out;
}

#define WIDTH		1000	/* not a multiple of a block */
#define HEIGHT		700
#define LAYERS		12
#define ROWS		30	/* that each layer stamps */

/* Compute an element of the output on the host. */
static uint8_t expected(const uint8_t *input, size_t row, size_t column)
{
	if (row < LAYERS * ROWS)
		return (uint8_t)(row / ROWS + 1);
	return input[row * WIDTH + column % WIDTH];
}

/*
 * One pass: upload, stamp in each layer, download, compare.  As in training
 * the outputs of all layers are kept to the end.
 */
static bool round_trip(struct pool *p, uint8_t *input, uint8_t *output,
		       unsigned int seed)
{
	struct tensor t[LAYERS + 1];
	size_t row, column, i;
	bool same = true;

	srand(seed);
	for (i = 0; i < WIDTH * HEIGHT; i++)
		input[i] = (uint8_t)rand();
	t[0] = op_upload(p, input, WIDTH, HEIGHT);
	for (i = 0; i < LAYERS; i++)
		t[i + 1] = op_stamp(p, t[i], i * ROWS, ROWS, (int)i + 1);
	TRY(aclrtMemcpy(output, 2 * WIDTH * HEIGHT, t[LAYERS].block->address,
			2 * WIDTH * HEIGHT, ACL_MEMCPY_DEVICE_TO_HOST));
	for (i = 0; i <= LAYERS; i++)
		pool_give(p, t[i].block);

	for (row = 0; row < HEIGHT; row++)
		for (column = 0; column < 2 * WIDTH; column++)
			same = same && output[row * 2 * WIDTH + column] ==
				       expected(input, row, column);
	return same;
}

static void print_memory(const char *when)
{
	size_t free_bytes, total;

	TRY(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
	printf("      device memory %s: %zu of %zu MiB free\n", when,
	       free_bytes / MIB, total / MIB);
}

/* Print a marker for scripts, and continue at a line from stdin. */
static void pause_here(bool wait, const char *where)
{
	char line[80];

	if (!wait)
		return;
	printf("paused: %s\n", where);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/* Request more than the device has: the call must fail, with the reason. */
static void show_out_of_memory(void)
{
	size_t free_bytes, total;
	const char *why;
	aclError err;
	void *never;

	TRY(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
	err = aclrtMalloc(&never, free_bytes + 16 * MIB,
			  ACL_MEM_MALLOC_HUGE_FIRST);
	if (err != ACL_ERROR_RT_MEMORY_ALLOCATION)
		fail("the allocation that must fail", err);
	why = aclGetRecentErrMsg();
	if (!why)
		fail("aclGetRecentErrMsg", err);
	printf("      requested %zu MiB with %zu MiB free: error %d, because\n",
	       free_bytes / MIB + 16, free_bytes / MIB, err);
	printf("%s\n", why);
}

int main(int argc, char **argv)
{
	static uint8_t input[WIDTH * HEIGHT], output[2 * WIDTH * HEIGHT];
	static struct pool pool;
	bool wait = argc == 2 && !strcmp(argv[1], "--wait");
	unsigned int round;
	uint32_t count;

	if (argc > 1 && !wait) {
		fprintf(stderr, "usage: %s [--wait]\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);

	TRY(aclInit(NULL));
	TRY(aclrtGetDeviceCount(&count));
	TRY(aclrtSetDevice(0));
	printf("[1/6] %" PRIu32 " device(s); using device 0, %s\n", count,
	       aclrtGetSocName());
	print_memory("at the start");

	pool_init(&pool);
	if (!round_trip(&pool, input, output, 0)) {
		fprintf(stderr, "the results are wrong\n");
		return 1;
	}
	printf("[2/6] first round: the pool took %d chunks of %zu MiB\n",
	       pool.chunk_count, CHUNK_SIZE / MIB);
	print_memory("with the pool");
	pause_here(wait, "the pool holds memory");

	for (round = 1; round < 8; round++) {
		if (!round_trip(&pool, input, output, round)) {
			fprintf(stderr, "round %u: wrong data\n", round);
			return 1;
		}
	}
	printf("[3/6] 7 more rounds: all data verified, %u of %u blocks reused\n",
	       pool.reused, pool.requests);
	printf("[4/6] still %d chunks, peak %zu MiB: operators reuse freed blocks\n",
	       pool.chunk_count, pool.used_peak / MIB);
	printf("[5/6] an allocation that must fail\n");
	show_out_of_memory();
	pause_here(wait, "after the failed allocation");

	pool_fini(&pool);
	print_memory("after the pool is gone");
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	printf("[6/6] all memory is free again\n");
	return 0;
}
