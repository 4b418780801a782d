// SPDX-License-Identifier: GPL-2.0-only
/* Calls for attributes and single operators. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "acl/acl_op_compiler.h"
#include "acl/ops/acl_cblas.h"
#include "library.h"

static aclError fuzz_aclopCreateAttr(struct worker *w)
{
	void *new = aclopCreateAttr();

	return keep_if(w, made(new), OP_ATTR, new);
}

static const char *name_of(struct worker *w)
{
	static const char *const names[] = {
		"Add", "Relu", "ConcatD", "axes", "value", "Cast", "", NULL,
	};

	return names[below(w, 8)];
}

/* Lists of a few handles of a kind. */
static void *some(struct worker *w, unsigned int n, enum kind kind)
{
	void **list = out(w, n);

	for (int i = 0; i < 4; i++)
		list[i] = handle(w, kind);
	return below(w, 20) ? list : NULL;
}

static int count_of(struct worker *w)
{
	return (int)below(w, 6) - 1;
}

static aclError fuzz_aclopCreateHandle(struct worker *w)
{
	aclopHandle *new = NULL;
	aclError ret = aclopCreateHandle(name_of(w), count_of(w),
		some(w, 0, TENSOR_DESC), count_of(w), some(w, 1, TENSOR_DESC),
		handle(w, OP_ATTR), &new);

	return keep_if(w, ret, OP, new);
}

static aclError fuzz_aclopCreateHandleForCast(struct worker *w)
{
	aclopHandle *new = NULL;
	aclError ret = aclopCreateHandleForCast(handle(w, TENSOR_DESC),
		handle(w, TENSOR_DESC), 0, &new);

	return keep_if(w, ret, OP, new);
}

#define SIZE		((int)below(w, 6) - 1)
#define SIZES		below(w, 3), below(w, 3), 0, SIZE, SIZE, SIZE
#define MATRIX		device_address(w), -1
#define TYPE		(below(w, 4) ? ACL_FLOAT : (aclDataType)below(w, 12))

/* Define a call that makes an operator. */
#define HANDLE_CALL(name, ...)						\
static aclError fuzz_##name(struct worker *w)				\
{									\
	aclopHandle *new = NULL;					\
									\
	return keep_if(w, name(__VA_ARGS__, &new), OP, new);		\
}

HANDLE_CALL(aclblasCreateHandleForGemmEx, SIZES, TYPE, TYPE, TYPE, 0)
HANDLE_CALL(aclblasCreateHandleForHgemm, SIZES, 0)
HANDLE_CALL(aclblasCreateHandleForS8gemm, SIZES, 0)
HANDLE_CALL(aclblasCreateHandleForGemvEx, below(w, 3), SIZE, SIZE, TYPE, TYPE,
	    TYPE, 0)
HANDLE_CALL(aclblasCreateHandleForHgemv, below(w, 3), SIZE, SIZE, 0)
HANDLE_CALL(aclblasCreateHandleForS8gemv, below(w, 3), SIZE, SIZE, 0)

#define TENSORS								\
	name_of(w), count_of(w), some(w, 0, TENSOR_DESC),		\
	some(w, 1, DATA_BUFFER), count_of(w), some(w, 2, TENSOR_DESC),	\
	some(w, 3, DATA_BUFFER), handle(w, OP_ATTR)
#define OPTIONS		below(w, 4), below(w, 3), name_of(w)

#define OP_ROWS(ROW)							\
	ROW(aclopSetModelDir, (name_of(w)))				\
	ROW(aclopSetMaxOpQueueNum, (below(w, 3)))			\
	ROW(aclopStartDumpArgs,						\
	    (below(w, 3), below(w, 4) ? path_of("") : NULL))		\
	ROW(aclopStopDumpArgs, (below(w, 3)))				\
	ROW(aclopSetAttrBool, (handle(w, OP_ATTR), name_of(w), 1))	\
	ROW(aclopSetAttrInt,						\
	    (handle(w, OP_ATTR), name_of(w), size_of(w)))		\
	ROW(aclopSetAttrFloat, (handle(w, OP_ATTR), name_of(w), 0.5f))	\
	ROW(aclopSetAttrString,						\
	    (handle(w, OP_ATTR), name_of(w), name_of(w)))		\
	ROW(aclopSetAttrDataType,					\
	    (handle(w, OP_ATTR), name_of(w), ACL_INT32))		\
	ROW(aclopSetAttrListBool,					\
	    (handle(w, OP_ATTR), name_of(w), count_of(w), out(w, 0)))	\
	ROW(aclopSetAttrListInt,					\
	    (handle(w, OP_ATTR), name_of(w), count_of(w), out(w, 0)))	\
	ROW(aclopSetAttrListFloat,					\
	    (handle(w, OP_ATTR), name_of(w), count_of(w), out(w, 0)))	\
	ROW(aclopSetAttrListDataType,					\
	    (handle(w, OP_ATTR), name_of(w), count_of(w), out(w, 0)))	\
	ROW(aclopSetAttrListString,					\
	    (handle(w, OP_ATTR), name_of(w), below(w, 2),		\
	     (const char *[]){ name_of(w) }))				\
	ROW(aclopSetAttrListListInt,					\
	    (handle(w, OP_ATTR), name_of(w), below(w, 3),		\
	     (const int[]){ below(w, 3), below(w, 3) - 1 },		\
	     (const int64_t *const[]){ out(w, 0), out(w, 1) }))		\
	ROW(aclopLoad, (out(w, 0), below(w, 16)))			\
	ROW(aclopInferShape,						\
	    (name_of(w), count_of(w), some(w, 0, TENSOR_DESC),		\
	     some(w, 1, DATA_BUFFER), count_of(w),			\
	     some(w, 2, TENSOR_DESC), handle(w, OP_ATTR)))		\
	ROW(aclopUpdateParams,						\
	    (name_of(w), count_of(w), some(w, 0, TENSOR_DESC),		\
	     count_of(w), some(w, 1, TENSOR_DESC), handle(w, OP_ATTR)))	\
	ROW(aclopExecute, (TENSORS, handle(w, STREAM)))			\
	ROW(aclopExecuteV2, (TENSORS, handle(w, STREAM)))		\
	ROW(aclopCompile,						\
	    (name_of(w), count_of(w), some(w, 0, TENSOR_DESC),		\
	     count_of(w), some(w, 1, TENSOR_DESC), handle(w, OP_ATTR),	\
	     OPTIONS))							\
	ROW(aclopCompileAndExecute,					\
	    (TENSORS, OPTIONS, handle(w, STREAM)))			\
	ROW(aclopCompileAndExecuteV2,					\
	    (TENSORS, OPTIONS, handle(w, STREAM)))			\
	ROW(aclopCast,							\
	    (handle(w, TENSOR_DESC), handle(w, DATA_BUFFER),		\
	     handle(w, TENSOR_DESC), handle(w, DATA_BUFFER), 0,		\
	     handle(w, STREAM)))					\
	ROW(aclopExecWithHandle,					\
	    (handle(w, OP), count_of(w), some(w, 0, DATA_BUFFER),	\
	     count_of(w), some(w, 1, DATA_BUFFER), handle(w, STREAM)))	\
	ROW(aclblasGemmEx,						\
	    (SIZES, device_address(w), MATRIX, TYPE, MATRIX, TYPE,	\
	     device_address(w), MATRIX, TYPE, 0, handle(w, STREAM)))	\
	ROW(aclblasHgemm,						\
	    (SIZES, device_address(w), MATRIX, MATRIX,			\
	     device_address(w), MATRIX, 0, handle(w, STREAM)))		\
	ROW(aclblasS8gemm,						\
	    (SIZES, device_address(w), MATRIX, MATRIX,			\
	     device_address(w), MATRIX, 0, handle(w, STREAM)))		\
	ROW(aclblasGemvEx,						\
	    (below(w, 3), SIZE, SIZE, device_address(w), MATRIX, TYPE,	\
	     MATRIX, TYPE, device_address(w), MATRIX, TYPE, 0,		\
	     handle(w, STREAM)))					\
	ROW(aclblasHgemv,						\
	    (below(w, 3), SIZE, SIZE, device_address(w), MATRIX,	\
	     MATRIX, device_address(w), MATRIX, 0, handle(w, STREAM)))	\
	ROW(aclblasS8gemv,						\
	    (below(w, 3), SIZE, SIZE, device_address(w), MATRIX,	\
	     MATRIX, device_address(w), MATRIX, 0, handle(w, STREAM)))

OP_ROWS(ROW_CALL)

#define OP_VALUES(ROW)							\
	ROW(aclopDestroyAttr, (handle(w, OP_ATTR)))			\
	ROW(aclopDestroyHandle, (handle(w, OP)))

OP_VALUES(VALUE_CALL)

const struct call op_calls[] = {
	OP_ROWS(ROW_ENTRY)
	OP_VALUES(ROW_ENTRY)
	CALL(aclopCreateAttr),
	CALL(aclopCreateHandle),
	CALL(aclopCreateHandleForCast),
	CALL(aclblasCreateHandleForGemmEx),
	CALL(aclblasCreateHandleForHgemm),
	CALL(aclblasCreateHandleForS8gemm),
	CALL(aclblasCreateHandleForGemvEx),
	CALL(aclblasCreateHandleForHgemv),
	CALL(aclblasCreateHandleForS8gemv),
	{ 0 }
};
