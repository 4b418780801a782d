/* SPDX-License-Identifier: MIT */
/*
 * Products of matrices and vectors, as single operators: see acl_op.h.
 *
 * Matrices are stored by rows without gaps, so leading dimensions are -1, or the
 * number of columns as stored.  alpha and beta are one element each in memory of the
 * device, of the type of the result.  Types are f16, f32 and f64, or i8 with a
 * result of i32, and may be mixed.
 *
 * Errors of all calls: ACL_ERROR_INVALID_PARAM for sizes below 1, other leading
 * dimensions or increments, and formats NZ; ACL_ERROR_BAD_ALLOC without host memory;
 * and those of aclopExecuteV2().
 */
#ifndef ACL_OPS_ACL_CBLAS_H
#define ACL_OPS_ACL_CBLAS_H

#include "../acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a matrix is stored. */
typedef enum aclTransType {
	ACL_TRANS_N,
	ACL_TRANS_T,
	ACL_TRANS_NZ,
	ACL_TRANS_NZ_T,
} aclTransType;

/* Precision, which has no effect: products accumulate in f32 or exactly. */
typedef enum aclComputeType {
	ACL_COMPUTE_HIGH_PRECISION,
	ACL_COMPUTE_LOW_PRECISION,
} aclComputeType;

/**
 * aclblasGemmEx() - compute C = alpha * op(A) * op(B) + beta * C in stream order
 * @transA: whether A is stored as its transpose, k * m
 * @transB: whether B is stored as its transpose, n * k
 * @transC: ACL_TRANS_N
 * @m: rows of C
 * @n: columns of C
 * @k: columns of op(A)
 * @alpha: factor of the product
 * @matrixA: A
 * @lda: leading dimension of A
 * @dataTypeA: type of A
 * @matrixB: B
 * @ldb: leading dimension of B
 * @dataTypeB: type of B
 * @beta: factor of C
 * @matrixC: C
 * @ldc: leading dimension of C
 * @dataTypeC: type of C
 * @type: precision
 * @stream: the stream
 */
ACL_FUNC_VISIBILITY aclError aclblasGemmEx(aclTransType transA,
	aclTransType transB, aclTransType transC, int m, int n, int k,
	const void *alpha, const void *matrixA, int lda, aclDataType dataTypeA,
	const void *matrixB, int ldb, aclDataType dataTypeB, const void *beta,
	void *matrixC, int ldc, aclDataType dataTypeC, aclComputeType type,
	aclrtStream stream);

/**
 * aclblasCreateHandleForGemmEx() - check a product that runs several times
 * @transA: as of aclblasGemmEx()
 * @transB: as of aclblasGemmEx()
 * @transC: as of aclblasGemmEx()
 * @m: rows of C
 * @n: columns of C
 * @k: columns of op(A)
 * @dataTypeA: type of A
 * @dataTypeB: type of B
 * @dataTypeC: type of C
 * @type: precision
 * @handle: set to the operator; aclopExecWithHandle() takes A, B, C, alpha and beta
 */
ACL_FUNC_VISIBILITY aclError aclblasCreateHandleForGemmEx(aclTransType transA,
	aclTransType transB, aclTransType transC, int m, int n, int k,
	aclDataType dataTypeA, aclDataType dataTypeB, aclDataType dataTypeC,
	aclComputeType type, aclopHandle **handle);

/* aclblasGemmEx() of f16. */
ACL_FUNC_VISIBILITY aclError aclblasHgemm(aclTransType transA,
	aclTransType transB, aclTransType transC, int m, int n, int k,
	const aclFloat16 *alpha, const aclFloat16 *matrixA, int lda,
	const aclFloat16 *matrixB, int ldb, const aclFloat16 *beta,
	aclFloat16 *matrixC, int ldc, aclComputeType type, aclrtStream stream);

/* aclblasGemmEx() of i8, with a result of i32. */
ACL_FUNC_VISIBILITY aclError aclblasS8gemm(aclTransType transA,
	aclTransType transB, aclTransType transC, int m, int n, int k,
	const int32_t *alpha, const int8_t *matrixA, int lda,
	const int8_t *matrixB, int ldb, const int32_t *beta, int32_t *matrixC,
	int ldc, aclComputeType type, aclrtStream stream);

/* aclblasCreateHandleForGemmEx() of f16. */
ACL_FUNC_VISIBILITY aclError aclblasCreateHandleForHgemm(aclTransType transA,
	aclTransType transB, aclTransType transC, int m, int n, int k,
	aclComputeType type, aclopHandle **handle);

/* aclblasCreateHandleForGemmEx() of i8, with a result of i32. */
ACL_FUNC_VISIBILITY aclError aclblasCreateHandleForS8gemm(aclTransType transA,
	aclTransType transB, aclTransType transC, int m, int n, int k,
	aclComputeType type, aclopHandle **handle);

/**
 * aclblasGemvEx() - compute y = alpha * op(A) * x + beta * y in stream order
 * @transA: whether op(A) is the transpose of A
 * @m: rows of A
 * @n: columns of A
 * @alpha: factor of the product
 * @a: A
 * @lda: leading dimension of A
 * @dataTypeA: type of A
 * @x: x, of n elements, or m with a transpose
 * @incx: distance of its elements: -1 or 1
 * @dataTypeX: type of x
 * @beta: factor of y
 * @y: y
 * @incy: distance of its elements: -1 or 1
 * @dataTypeY: type of y
 * @type: precision
 * @stream: the stream
 */
ACL_FUNC_VISIBILITY aclError aclblasGemvEx(aclTransType transA, int m, int n,
	const void *alpha, const void *a, int lda, aclDataType dataTypeA,
	const void *x, int incx, aclDataType dataTypeX, const void *beta,
	void *y, int incy, aclDataType dataTypeY, aclComputeType type,
	aclrtStream stream);

/* Check a product with a vector, as aclblasCreateHandleForGemmEx(). */
ACL_FUNC_VISIBILITY aclError aclblasCreateHandleForGemvEx(aclTransType transA,
	int m, int n, aclDataType dataTypeA, aclDataType dataTypeX,
	aclDataType dataTypeY, aclComputeType type, aclopHandle **handle);

/* aclblasGemvEx() of f16. */
ACL_FUNC_VISIBILITY aclError aclblasHgemv(aclTransType transA, int m, int n,
	const aclFloat16 *alpha, const aclFloat16 *a, int lda,
	const aclFloat16 *x, int incx, const aclFloat16 *beta, aclFloat16 *y,
	int incy, aclComputeType type, aclrtStream stream);

/* aclblasGemvEx() of i8, with a result of i32. */
ACL_FUNC_VISIBILITY aclError aclblasS8gemv(aclTransType transA, int m, int n,
	const int32_t *alpha, const int8_t *a, int lda, const int8_t *x,
	int incx, const int32_t *beta, int32_t *y, int incy,
	aclComputeType type, aclrtStream stream);

/* aclblasCreateHandleForGemvEx() of f16. */
ACL_FUNC_VISIBILITY aclError aclblasCreateHandleForHgemv(aclTransType transA,
	int m, int n, aclComputeType type, aclopHandle **handle);

/* aclblasCreateHandleForGemvEx() of i8, with a result of i32. */
ACL_FUNC_VISIBILITY aclError aclblasCreateHandleForS8gemv(aclTransType transA,
	int m, int n, aclComputeType type, aclopHandle **handle);

#ifdef __cplusplus
}
#endif

#endif /* ACL_OPS_ACL_CBLAS_H */
