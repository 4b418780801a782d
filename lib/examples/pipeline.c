/* SPDX-License-Identifier: MIT */
/*
 * A pipeline over three streams: one stream processes a piece of the data, while
 * another copies the next piece to the device, and a third copies the previous
 * one to the host.  There are two buffers on the device; events signal when a
 * buffer is full, done and free.  For comparison, the program first does the same
 * on one stream.
 *
 *	cc pipeline.c -Ibuild/cann/include -Lbuild/cann/lib64 -lascendcl
 *	./a.out [RUNS]
 *
 * The work is two copies on the device.
 *
 * Buffers at a distance of a power of two share lines of caches, above all in an
 * emulated processor, so that a copy between them evicts its own data.  The
 * buffers here therefore have odd distances.
 */
#define _POSIX_C_SOURCE 199309L
#include "acl/acl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "try.h"

#define PIECE	((size_t)4 << 20)
#define PIECES	16
#define RUNS	5		/* the fastest one counts */
#define BUFFERS	2
#define SKEW	((size_t)84 << 10)	/* from one buffer's place to the next's */

struct buffer {
	char *data;
	char *scratch;
	aclrtEvent full;	/* the piece is there */
	aclrtEvent done;	/* the work on it is done */
	aclrtEvent free;	/* it is copied out */
};

static struct buffer buffers[BUFFERS];
static char *input, *output;	/* PIECES each, pinned */
static int runs = RUNS;

/* Each begins further from the start of its memory than the one before. */
static char *device_buffer(void)
{
	static size_t skew;
	void *memory;

	skew += SKEW;
	TRY(aclrtMalloc(&memory, skew + PIECE, ACL_MEM_MALLOC_HUGE_FIRST));
	return (char *)memory + skew;
}

static void setup(void)
{
	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMallocHost((void **)&input, PIECES * PIECE));
	TRY(aclrtMallocHost((void **)&output, PIECES * PIECE));
	for (size_t i = 0; i < PIECES * PIECE; i++)
		input[i] = (char)(i / 64 + i / PIECE);

	for (int i = 0; i < BUFFERS; i++) {
		struct buffer *b = &buffers[i];

		b->data = device_buffer();
		b->scratch = device_buffer();
		TRY(aclrtCreateEventExWithFlag(&b->full, ACL_EVENT_SYNC));
		TRY(aclrtCreateEventExWithFlag(&b->done, ACL_EVENT_SYNC));
		TRY(aclrtCreateEventExWithFlag(&b->free, ACL_EVENT_SYNC));
	}
}

static void work(const struct buffer *b, aclrtStream stream)
{
	const aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_DEVICE;

	TRY(aclrtMemcpyAsync(b->scratch, PIECE, b->data, PIECE, kind, stream));
	TRY(aclrtMemcpyAsync(b->data, PIECE, b->scratch, PIECE, kind, stream));
}

/* The three may be the same stream: then the events cost nothing. */
static void run(aclrtStream in, aclrtStream mid, aclrtStream out)
{
	for (size_t i = 0; i < PIECES; i++) {
		struct buffer *b = &buffers[i % BUFFERS];

		/* In the first round the event is not recorded, so this does not wait. */
		TRY(aclrtStreamWaitEvent(in, b->free));
		TRY(aclrtMemcpyAsync(b->data, PIECE, input + i * PIECE, PIECE,
				     ACL_MEMCPY_HOST_TO_DEVICE, in));
		TRY(aclrtRecordEvent(b->full, in));

		TRY(aclrtStreamWaitEvent(mid, b->full));
		work(b, mid);
		TRY(aclrtRecordEvent(b->done, mid));

		TRY(aclrtStreamWaitEvent(out, b->done));
		TRY(aclrtMemcpyAsync(output + i * PIECE, PIECE, b->data, PIECE,
				     ACL_MEMCPY_DEVICE_TO_HOST, out));
		TRY(aclrtRecordEvent(b->free, out));
	}
	TRY(aclrtSynchronizeStream(out));
}

static double timed_run(aclrtStream in, aclrtStream mid, aclrtStream out)
{
	struct timespec start, end;

	memset(output, 0, PIECES * PIECE);
	clock_gettime(CLOCK_MONOTONIC, &start);
	run(in, mid, out);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (memcmp(input, output, PIECES * PIECE)) {
		fprintf(stderr, "the copied data differ\n");
		exit(1);
	}
	return (end.tv_sec - start.tv_sec) * 1e3 +
	       (end.tv_nsec - start.tv_nsec) / 1e6;
}

static double fastest_run(aclrtStream in, aclrtStream mid, aclrtStream out)
{
	double best = timed_run(in, mid, out);

	for (int i = 1; i < runs; i++) {
		double ms = timed_run(in, mid, out);

		if (ms < best)
			best = ms;
	}
	return best;
}

int main(int argc, char **argv)
{
	aclrtStream s[3];
	double one, three;

	if (argc > 1)
		runs = atoi(argv[1]);
	setup();
	for (int i = 0; i < 3; i++)
		TRY(aclrtCreateStream(&s[i]));
	printf("%d pieces of %zu KiB\n", PIECES, PIECE >> 10);
	one = fastest_run(s[0], s[0], s[0]);
	printf("one stream:    %8.2f ms\n", one);
	fflush(stdout);
	three = fastest_run(s[0], s[1], s[2]);
	printf("three streams: %8.2f ms, %.2f times as fast\n", three,
	       one / three);

	TRY(aclrtFreeHost(input));
	TRY(aclrtFreeHost(output));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return 0;
}
