// SPDX-License-Identifier: GPL-2.0-only
/* Errors of arguments, which the first phase finds. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_softmax.h"

static float data[64];

static bool null_arguments(void)
{
	aclOpExecutor *executor = NULL;
	uint64_t size;

	EXPECT(RUN(aclnnAdd, NULL, F32(data, 2), scalar(1), F32(data, 2)) ==
	       ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(!strcmp(last_name, "aclnnAdd"));
	TEXT("self: expected a tensor, given NULL");
	EXPECT(RUN(aclnnAdd, F32(data, 2), F32(data, 2), NULL, F32(data, 2)) ==
	       ACLNN_ERR_PARAM_NULLPTR);
	TEXT("alpha: expected a scalar, given NULL");
	EXPECT(aclnnReluGetWorkspaceSize(F32(data, 2), F32(data, 2), NULL,
					 &executor) == ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(aclnnReluGetWorkspaceSize(F32(data, 2), F32(data, 2), &size,
					 NULL) == ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(RUN(aclnnRelu, F32(NULL, 2), F32(data, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("self: the address of the storage is null");
	return true;
}

static bool foreign_handles(void)
{
	aclTensor *gone = F32(data, 2);

	EXPECT(RUN(aclnnRelu, (aclTensor *)scalar(1), F32(data, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	EXPECT(RUN(aclnnRelu, (aclTensor *)data, F32(data, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	forget();
	EXPECT(RUN(aclnnRelu, gone, F32(data, 2)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("self: expected a tensor");
	return true;
}

static bool shapes(void)
{
	EXPECT(RUN(aclnnAdd, F32(data, 2, 3), F32(data, 4), scalar(1),
		   F32(data, 2, 3)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("[2, 3]");
	EXPECT(RUN(aclnnRelu, F32(data, 2, 3), F32(data, 3, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("out: expected shape [2, 3], given [3, 2]");
	EXPECT(RUN(aclnnMm, F32(data, 2, 3), F32(data, 2, 3), F32(data, 2, 3),
		   0) == ACLNN_ERR_PARAM_INVALID);
	TEXT("mat2: expected an inner dimension of 3");
	EXPECT(RUN(aclnnMm, F32(data, 1, 2, 3), F32(data, 3, 2), F32(data, 2),
		   0) == ACLNN_ERR_PARAM_INVALID);
	TEXT("self: expected 2 dimensions, given 3");
	EXPECT(RUN(aclnnSoftmax, F32(data, 2, 3), 2, F32(data, 2, 3)) ==
	       ACLNN_ERR_PARAM_INVALID);
	EXPECT(RUN(aclnnPermute, F32(data, 2, 3), LIST(0, 0),
		   F32(data, 2, 3)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("dims: dimension 0 is given twice");
	return true;
}

static bool types(void)
{
	EXPECT(RUN(aclnnRelu, tensor(ACL_COMPLEX64, data, SHAPE(2)),
		   F32(data, 2)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("self: type 16 is not supported");
	EXPECT(RUN(aclnnRelu, F32(data, 2), I32(data, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("out: the result of type f32 cannot be cast to i32");
	return true;
}

/* Views that leave their storage. */
static bool storage(void)
{
	aclTensor *out = F32(data + 32, 2, 3);

	EXPECT(RUN(aclnnRelu, strided(ACL_FLOAT, data, SHAPE(2, 3),
				      (int64_t[]){ 4, 1 }, 1, 6), out) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("self: ");
	EXPECT(RUN(aclnnRelu, strided(ACL_FLOAT, data, SHAPE(2, 3),
				      (int64_t[]){ -3, 1 }, 0, 6), out) ==
	       ACLNN_ERR_PARAM_INVALID);
	EXPECT(RUN(aclnnRelu, strided(ACL_FLOAT, data, SHAPE(2, 3),
				      (int64_t[]){ INT64_MAX, 1 }, 0, 6),
		   out) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(RUN(aclnnRelu, out, strided(ACL_FLOAT, data, SHAPE(2, 3),
					   (int64_t[]){ 0, 1 }, 0, 6)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("out: contains its elements several times");
	/* A product that is too large, in a view and in one at an odd address. */
	EXPECT(RUN(aclnnRelu, strided(ACL_FLOAT, (char *)data + 1, SHAPE(2),
				      (int64_t[]){ 1LL << 62 }, 0, 6),
		   F32(data + 32, 2)) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(RUN(aclnnFlip, strided(ACL_FLOAT, data, SHAPE(3),
				      (int64_t[]){ INT64_MAX }, 0, 6), LIST(0),
		   F32(data + 32, 3)) == ACLNN_ERR_PARAM_INVALID);
	return true;
}

/* storageDims that leave out the offset, as some programs compute them. */
static bool storage_offset(void)
{
	float *x = data, *y = data + 32;

	for (unsigned int i = 0; i < 12; i++)
		x[i] = i;
	EXPECT(!RUN(aclnnRelu, strided(ACL_FLOAT, x, SHAPE(2, 3),
				       (int64_t[]){ 4, 1 }, 4, 7),
		    strided(ACL_FLOAT, y, SHAPE(2, 3), (int64_t[]){ 3, 1 }, 6,
			    6)));
	EXPECT(y[6] == 4 && y[8] == 6 && y[9] == 8 && y[11] == 10);
	/* The storage of an empty view does not matter. */
	EXPECT(!RUN(aclnnRelu, strided(ACL_FLOAT, x, SHAPE(3, 0),
				       (int64_t[]){ 8, 1 }, 0, -5),
		    strided(ACL_FLOAT, y, SHAPE(3, 0), NULL, 0, -5)));
	EXPECT(RUN(aclnnRelu, strided(ACL_FLOAT, x, SHAPE(4), NULL, INT64_MAX,
				      4), F32(y, 4)));
	return true;
}

static bool second_phase(void)
{
	uint64_t size = 0;
	aclOpExecutor *executor = NULL;
	/* Not a multiple of 4: it needs a workspace. */
	char *odd = (char *)data + 1;

	EXPECT(aclnnRelu(NULL, 0, NULL, NULL) == ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(!aclnnReluGetWorkspaceSize(F32(odd, 2), F32(data + 8, 2), &size,
					  &executor));
	EXPECT(size);
	EXPECT(aclnnAdd(NULL, 0, executor, NULL) == ACLNN_ERR_PARAM_INVALID);
	TEXT("executor: it belongs to aclnnRelu");
	EXPECT(aclnnRelu(NULL, size, executor, NULL) ==
	       ACLNN_ERR_PARAM_NULLPTR);
	EXPECT(aclnnRelu(data, size - 1, executor, NULL) ==
	       ACLNN_ERR_PARAM_INVALID);
	EXPECT(aclnnRelu(odd, size, executor, NULL) == ACLNN_ERR_PARAM_INVALID);
	TEXT("workspace: expected a multiple of 8");
	EXPECT(!aclDestroyAclOpExecutor(executor));
	return true;
}

const struct test error_tests[] = {
	{ "null arguments are errors", null_arguments },
	{ "foreign handles are errors", foreign_handles },
	{ "shapes that do not fit are errors", shapes },
	{ "types that do not fit are errors", types },
	{ "views outside of their storage are errors", storage },
	{ "storages may be given without the offset", storage_offset },
	{ "the second phase checks executor and workspace", second_phase },
	{ 0 }
};
