// SPDX-License-Identifier: MIT
/* Products of matrices and vectors: single operators of type GEMM. */
#include <stdlib.h>

#include "acl/ops/acl_cblas.h"
#include "base/error.h"
#include "op.h"

/* The inputs of GEMM. */
enum { A, B, C, ALPHA, BETA, INPUTS };

/**
 * struct product - a product of matrices
 * @trans: how A, B and C are stored
 * @type: types of A, B and C
 * @lead: their leading dimensions, -1 if there are no gaps
 * @data: addresses of the inputs; NULL for a check
 * @m: rows of C
 * @n: columns of C
 * @k: columns of op(A)
 */
struct product {
	aclTransType trans[3];
	aclDataType type[3];
	int lead[3];
	const void *data[INPUTS];
	int m, n, k;
};

static aclError check_matrix(const struct product *p, unsigned int i,
			     int columns)
{
	static const char names[] = "ABC";

	if (p->trans[i] != ACL_TRANS_N &&
	    (p->trans[i] != ACL_TRANS_T || i == C))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"trans%c = %d is not supported; pass ACL_TRANS_N%s",
			names[i], p->trans[i],
			i == C ? "" : " or ACL_TRANS_T");
	if (p->lead[i] != -1 && p->lead[i] != columns)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"the leading dimension of %c is %d; pass -1 or %d, as rows have no gaps",
			names[i], p->lead[i], columns);
	return ACL_SUCCESS;
}

static void describe(struct vnpu_single_tensor *t, aclDataType type, int rows,
		     int columns, const void *data)
{
	*t = (struct vnpu_single_tensor){
		.type = type,
		.format = ACL_FORMAT_ND,
		.rank = 2,
		.dims = { rows, columns },
		.data = (void *)(uintptr_t)data,
		.size = (size_t)rows * columns * aclDataTypeSize(type),
	};
}

/* Describe a product, without attributes. */
static aclError gather(struct vnpu_gathered *g, const struct product *p)
{
	const int rows[] = { p->m, p->k, p->m };
	const int columns[] = { p->k, p->n, p->n };
	aclError ret;

	if (p->m < 1 || p->n < 1 || p->k < 1)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"the sizes %d, %d and %d are not possible; pass at least 1",
			p->m, p->n, p->k);
	for (unsigned int i = A; i <= C; i++) {
		bool swap = p->trans[i] == ACL_TRANS_T;

		ret = check_matrix(p, i, swap ? rows[i] : columns[i]);
		if (ret)
			return ret;
		describe(&g->input[i], p->type[i], swap ? columns[i] : rows[i],
			 swap ? rows[i] : columns[i], p->data[i]);
	}
	describe(&g->input[ALPHA], p->type[C], 1, 1, p->data[ALPHA]);
	describe(&g->input[BETA], p->type[C], 1, 1, p->data[BETA]);
	g->output[0] = g->input[C];
	g->op = (struct vnpu_single){
		.type = "GEMM",
		.inputs = INPUTS, .outputs = 1,
		.input = g->input, .output = g->output,
	};
	return ACL_SUCCESS;
}

/* Make the attributes of a product. */
static aclError make_attrs(const struct product *p, aclopAttr **attr)
{
	aclError ret;

	*attr = aclopCreateAttr();
	if (!*attr)
		return ACL_ERROR_BAD_ALLOC;
	ret = aclopSetAttrBool(*attr, "transpose_a",
			       p->trans[A] == ACL_TRANS_T);
	if (!ret)
		ret = aclopSetAttrBool(*attr, "transpose_b",
				       p->trans[B] == ACL_TRANS_T);
	return ret;
}

/* Run a product, or make an operator of it if there is a handle to set. */
static aclError multiply(const struct product *p, aclopHandle **handle,
			 aclrtStream stream)
{
	struct vnpu_gathered *g = malloc(sizeof(*g));
	struct vnpu_attr *attrs = NULL;
	aclopAttr *attr = NULL;
	vnpu_single_fn execute;
	aclError ret;

	if (!g)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for an operator");
	ret = gather(g, p);
	if (!ret)
		ret = make_attrs(p, &attr);
	if (!ret)
		ret = vnpu_attrs_copy(attr, &attrs);
	aclopDestroyAttr(attr);
	if (!ret && handle) {
		ret = vnpu_single_create(&g->op, attrs, handle);
		attrs = NULL;
	} else if (!ret) {
		g->op.attr = attrs;
		execute = vnpu_single_find(VNPU_SINGLE_EXECUTE);
		ret = execute ? execute(&g->op, stream) :
				ACL_ERROR_OP_LOAD_FAILED;
	}
	vnpu_attrs_free(attrs);
	free(g);
	return ret;
}

/* Check the pointers of a product that is run. */
static aclError run(const struct product *p, aclrtStream stream)
{
	static const char *const names[] = {
		"matrixA", "matrixB", "matrixC", "alpha", "beta",
	};

	for (unsigned int i = 0; i < INPUTS; i++)
		if (!p->data[i])
			return vnpu_error_null(names[i]);
	return multiply(p, NULL, stream);
}

static aclError create(const struct product *p, aclopHandle **handle)
{
	return handle ? multiply(p, handle, NULL) : vnpu_error_null("handle");
}

aclError aclblasGemmEx(aclTransType transA, aclTransType transB,
		       aclTransType transC, int m, int n, int k,
		       const void *alpha, const void *matrixA, int lda,
		       aclDataType dataTypeA, const void *matrixB, int ldb,
		       aclDataType dataTypeB, const void *beta, void *matrixC,
		       int ldc, aclDataType dataTypeC, aclComputeType type,
		       aclrtStream stream)
{
	VNPU_CALL();

	(void)type;
	return run(&(struct product){
		{ transA, transB, transC }, { dataTypeA, dataTypeB, dataTypeC },
		{ lda, ldb, ldc }, { matrixA, matrixB, matrixC, alpha, beta },
		m, n, k }, stream);
}

aclError aclblasCreateHandleForGemmEx(aclTransType transA, aclTransType transB,
				      aclTransType transC, int m, int n, int k,
				      aclDataType dataTypeA,
				      aclDataType dataTypeB,
				      aclDataType dataTypeC,
				      aclComputeType type, aclopHandle **handle)
{
	VNPU_CALL();

	(void)type;
	return create(&(struct product){
		{ transA, transB, transC }, { dataTypeA, dataTypeB, dataTypeC },
		{ -1, -1, -1 }, { NULL }, m, n, k }, handle);
}

aclError aclblasHgemm(aclTransType transA, aclTransType transB,
		      aclTransType transC, int m, int n, int k,
		      const aclFloat16 *alpha, const aclFloat16 *matrixA,
		      int lda, const aclFloat16 *matrixB, int ldb,
		      const aclFloat16 *beta, aclFloat16 *matrixC, int ldc,
		      aclComputeType type, aclrtStream stream)
{
	VNPU_CALL();

	(void)type;
	return run(&(struct product){
		{ transA, transB, transC }, { ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16 },
		{ lda, ldb, ldc }, { matrixA, matrixB, matrixC, alpha, beta },
		m, n, k }, stream);
}

aclError aclblasS8gemm(aclTransType transA, aclTransType transB,
		       aclTransType transC, int m, int n, int k,
		       const int32_t *alpha, const int8_t *matrixA, int lda,
		       const int8_t *matrixB, int ldb, const int32_t *beta,
		       int32_t *matrixC, int ldc, aclComputeType type,
		       aclrtStream stream)
{
	VNPU_CALL();

	(void)type;
	return run(&(struct product){
		{ transA, transB, transC }, { ACL_INT8, ACL_INT8, ACL_INT32 },
		{ lda, ldb, ldc }, { matrixA, matrixB, matrixC, alpha, beta },
		m, n, k }, stream);
}

aclError aclblasCreateHandleForHgemm(aclTransType transA, aclTransType transB,
				     aclTransType transC, int m, int n, int k,
				     aclComputeType type, aclopHandle **handle)
{
	VNPU_CALL();

	(void)type;
	return create(&(struct product){
		{ transA, transB, transC }, { ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16 },
		{ -1, -1, -1 }, { NULL }, m, n, k }, handle);
}

aclError aclblasCreateHandleForS8gemm(aclTransType transA, aclTransType transB,
				      aclTransType transC, int m, int n, int k,
				      aclComputeType type, aclopHandle **handle)
{
	VNPU_CALL();

	(void)type;
	return create(&(struct product){
		{ transA, transB, transC }, { ACL_INT8, ACL_INT8, ACL_INT32 },
		{ -1, -1, -1 }, { NULL }, m, n, k }, handle);
}

/* A vector is a matrix of one column; its leading dimension is its distance. */
static struct product vector_product(aclTransType trans, int m, int n,
				     aclDataType a, aclDataType x,
				     aclDataType y)
{
	bool swap = trans == ACL_TRANS_T;

	return (struct product){
		.trans = { trans, ACL_TRANS_N, ACL_TRANS_N },
		.type = { a, x, y },
		.lead = { -1, -1, -1 },
		.m = swap ? n : m,
		.n = 1,
		.k = swap ? m : n,
	};
}

/* Run such a product with addresses in the order of inputs. */
static aclError run_vector(struct product p, int lda, int incx, int incy,
			   const void *const data[], aclrtStream stream)
{
	p.lead[A] = lda;
	p.lead[B] = incx;
	p.lead[C] = incy;
	for (unsigned int i = 0; i < INPUTS; i++)
		p.data[i] = data[i];
	return run(&p, stream);
}

aclError aclblasGemvEx(aclTransType transA, int m, int n, const void *alpha,
		       const void *a, int lda, aclDataType dataTypeA,
		       const void *x, int incx, aclDataType dataTypeX,
		       const void *beta, void *y, int incy,
		       aclDataType dataTypeY, aclComputeType type,
		       aclrtStream stream)
{
	VNPU_CALL();
	const void *const data[] = { a, x, y, alpha, beta };

	(void)type;
	return run_vector(vector_product(transA, m, n, dataTypeA,
					 dataTypeX, dataTypeY),
			  lda, incx, incy, data, stream);
}

aclError aclblasCreateHandleForGemvEx(aclTransType transA, int m, int n,
				      aclDataType dataTypeA,
				      aclDataType dataTypeX,
				      aclDataType dataTypeY,
				      aclComputeType type, aclopHandle **handle)
{
	VNPU_CALL();
	struct product p = vector_product(transA, m, n, dataTypeA,
					  dataTypeX, dataTypeY);

	(void)type;
	return create(&p, handle);
}

aclError aclblasHgemv(aclTransType transA, int m, int n,
		      const aclFloat16 *alpha, const aclFloat16 *a, int lda,
		      const aclFloat16 *x, int incx, const aclFloat16 *beta,
		      aclFloat16 *y, int incy, aclComputeType type,
		      aclrtStream stream)
{
	VNPU_CALL();
	const void *const data[] = { a, x, y, alpha, beta };

	(void)type;
	return run_vector(vector_product(transA, m, n, ACL_FLOAT16,
					 ACL_FLOAT16, ACL_FLOAT16),
			  lda, incx, incy, data, stream);
}

aclError aclblasS8gemv(aclTransType transA, int m, int n, const int32_t *alpha,
		       const int8_t *a, int lda, const int8_t *x, int incx,
		       const int32_t *beta, int32_t *y, int incy,
		       aclComputeType type, aclrtStream stream)
{
	VNPU_CALL();
	const void *const data[] = { a, x, y, alpha, beta };

	(void)type;
	return run_vector(vector_product(transA, m, n, ACL_INT8,
					 ACL_INT8, ACL_INT32),
			  lda, incx, incy, data, stream);
}

aclError aclblasCreateHandleForHgemv(aclTransType transA, int m, int n,
				     aclComputeType type, aclopHandle **handle)
{
	VNPU_CALL();
	struct product p = vector_product(transA, m, n, ACL_FLOAT16,
					  ACL_FLOAT16, ACL_FLOAT16);

	(void)type;
	return create(&p, handle);
}

aclError aclblasCreateHandleForS8gemv(aclTransType transA, int m, int n,
				      aclComputeType type, aclopHandle **handle)
{
	VNPU_CALL();
	struct product p = vector_product(transA, m, n, ACL_INT8,
					  ACL_INT8, ACL_INT32);

	(void)type;
	return create(&p, handle);
}
