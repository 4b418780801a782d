// SPDX-License-Identifier: GPL-2.0-only
/*
 * AllReduce of float32 by MPI, for comparison with "vnpu-bench hccl"; mpi.py runs
 * both.
 *
 * Prints for each size the bytes, and the median of the rounds in nanoseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS		5
#define ROUND_SECONDS	0.5
#define ROUND_LEAST	3	/* operations */

/* The seconds of each of a number of operations, one after the other. */
static double reduce(const float *send, float *recv, int length, int times)
{
	double begin;
	int i;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (i = 0; i < times; i++)
		MPI_Allreduce(send, recv, length, MPI_FLOAT, MPI_SUM,
			      MPI_COMM_WORLD);
	return (MPI_Wtime() - begin) / times;
}

/* The number of operations of a round. The first rank decides for all. */
static int operations(const float *send, float *recv, int length)
{
	double wanted;
	int times;

	/* The first operation begins with cold caches. */
	reduce(send, recv, length, 1);
	wanted = ROUND_SECONDS / reduce(send, recv, length, ROUND_LEAST);
	times = wanted > ROUND_LEAST ? (int)wanted : ROUND_LEAST;
	MPI_Bcast(&times, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return times;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void measure(int rank, size_t size)
{
	const int length = (int)(size / sizeof(float));
	float *send = malloc(size), *recv = malloc(size);
	double seconds[ROUNDS];
	int i, times;

	if (!send || !recv)
		MPI_Abort(MPI_COMM_WORLD, 1);
	memset(send, 0, size);
	memset(recv, 0, size);
	times = operations(send, recv, length);
	for (i = 0; i < ROUNDS; i++)
		seconds[i] = reduce(send, recv, length, times);
	qsort(seconds, ROUNDS, sizeof(*seconds), compare);
	if (!rank)
		printf("%zu %.0f\n", size, seconds[ROUNDS / 2] * 1e9);
	free(send);
	free(recv);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 8, 64 << 10, 1 << 20, 16 << 20 };
	size_t i;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(rank, sizes[i]);
	MPI_Finalize();
	return 0;
}
