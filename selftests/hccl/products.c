// SPDX-License-Identifier: GPL-2.0-only
/* Products of libvnpu-op of which each rank computes a part, against plain loops. */
#include "ranks.h"

#include <math.h>

#include "aclnnop/aclnn_all_gather_matmul.h"
#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "aclnnop/aclnn_matmul_reduce_scatter.h"

enum { INNER = 24, WIDTH = 20, ROWS = 8, ROWS_MAX = ROWS * RANKS_MAX };

/* A number of a rank; those of x1 begin at 0. */
static float number(unsigned int rank, unsigned int i)
{
	return (int)((rank * 31 + i * 7) % 17 - 8) / 8.0f;
}

#define X2	10000U

/* Compute an element of a product of a rank's x1 and a rank's x2. */
static double product(unsigned int left, unsigned int right, unsigned int row,
		      unsigned int column)
{
	double sum = 0;

	for (unsigned int k = 0; k < INNER; k++)
		sum += (double)number(left, row * INNER + k) *
		       number(right, X2 + k * WIDTH + column);
	return sum;
}

/* The tensors of a rank: x1 and x2 are set. */
struct tensors {
	float *x1, *x2, *out;
	aclTensor *of_x1, *of_x2, *of_out;
	char name[128];
};

static aclTensor *matrix(float *data, int64_t rows, int64_t columns)
{
	const int64_t dims[] = { rows, columns };

	return aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2,
			       data);
}

static void make(struct rank *rank, struct tensors *t, unsigned int rows,
		 unsigned int out_rows)
{
	float *host = malloc(ROWS_MAX * INNER * sizeof(*host));

	NEED_OK(HcclGetCommName(rank->comm, t->name));
	NEED_OK(aclrtMalloc((void **)&t->x1, rows * INNER * 4, 0));
	NEED_OK(aclrtMalloc((void **)&t->x2, INNER * WIDTH * 4, 0));
	NEED_OK(aclrtMalloc((void **)&t->out, out_rows * WIDTH * 4, 0));
	for (unsigned int i = 0; i < rows * INNER; i++)
		host[i] = number(rank->number, i);
	NEED_OK(aclrtMemcpy(t->x1, rows * INNER * 4, host, rows * INNER * 4,
			    ACL_MEMCPY_HOST_TO_DEVICE));
	for (unsigned int i = 0; i < INNER * WIDTH; i++)
		host[i] = number(rank->number, X2 + i);
	NEED_OK(aclrtMemcpy(t->x2, INNER * WIDTH * 4, host, INNER * WIDTH * 4,
			    ACL_MEMCPY_HOST_TO_DEVICE));
	free(host);
	t->of_x1 = matrix(t->x1, rows, INNER);
	t->of_x2 = matrix(t->x2, INNER, WIDTH);
	t->of_out = matrix(t->out, out_rows, WIDTH);
}

/* Compare the output with @want of each row and column. */
static void compare(struct rank *rank, const struct tensors *t, unsigned int rows,
		    double (*want)(const struct rank *rank, unsigned int row,
				   unsigned int column))
{
	float *host = malloc(ROWS_MAX * WIDTH * sizeof(*host));

	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(host, rows * WIDTH * 4, t->out, rows * WIDTH * 4,
			    ACL_MEMCPY_DEVICE_TO_HOST));
	for (unsigned int i = 0; i < rows * WIDTH; i++) {
		double value = want(rank, i / WIDTH, i % WIDTH);

		NEED(fabs(host[i] - value) < 1e-4, "element %u is %g, not %g", i,
		     host[i], value);
	}
	free(host);
	aclDestroyTensor(t->of_x1);
	aclDestroyTensor(t->of_x2);
	aclDestroyTensor(t->of_out);
}

/* Both phases of an operator. */
#define CALL(X, ...)							\
	do {								\
		aclOpExecutor *executor_;				\
		void *space_ = NULL;					\
		uint64_t size_;						\
									\
		NEED_OK(X##GetWorkspaceSize(__VA_ARGS__, &size_,	\
					    &executor_));		\
		if (size_)						\
			NEED_OK(aclrtMalloc(&space_, size_, 0));	\
		NEED_OK(X(space_, size_, executor_, rank->stream));	\
	} while (0)

static double of_gathered(const struct rank *rank, unsigned int row,
			  unsigned int column)
{
	return product(row / ROWS, rank->number, row % ROWS, column);
}

static void gather(struct rank *rank)
{
	unsigned int all = ROWS * rank->world->ranks;
	struct tensors t = { 0 };

	make(rank, &t, ROWS, all);
	for (unsigned int i = 0; i < 2; i++)
		CALL(aclnnAllGatherMatmul, t.of_x1, t.of_x2, NULL, t.name, 0, 0, 1,
		     t.of_out, NULL);
	compare(rank, &t, all, of_gathered);
}

static double of_sum(const struct rank *rank, unsigned int row,
		     unsigned int column)
{
	double sum = 0;

	for (unsigned int i = 0; i < rank->world->ranks; i++)
		sum += product(i, i, row, column);
	return sum;
}

static void reduce(struct rank *rank)
{
	struct tensors t = { 0 };

	make(rank, &t, ROWS, ROWS);
	CALL(aclnnMatmulAllReduce, t.of_x1, t.of_x2, NULL, t.name, "sum", 0, 1,
	     t.of_out);
	compare(rank, &t, ROWS, of_sum);
}

static double of_part(const struct rank *rank, unsigned int row,
		      unsigned int column)
{
	return of_sum(rank, rank->number * ROWS + row, column);
}

static void scatter(struct rank *rank)
{
	struct tensors t = { 0 };

	make(rank, &t, ROWS * rank->world->ranks, ROWS);
	CALL(aclnnMatmulReduceScatter, t.of_x1, t.of_x2, NULL, t.name, "sum", 0,
	     1, t.of_out);
	compare(rank, &t, ROWS, of_part);
}

TEST(products_of_the_rows_of_all_ranks)
{
	RUN_RANKS(ranks_available(), true, gather, NULL);
	RUN_RANKS(2, false, gather, NULL);
}

TEST(products_summed_over_ranks)
{
	RUN_RANKS(ranks_available(), true, reduce, NULL);
}

TEST(sums_of_which_each_rank_gets_a_part)
{
	RUN_RANKS(ranks_available(), true, scatter, NULL);
	RUN_RANKS(2, false, scatter, NULL);
}

TEST_HARNESS_MAIN
