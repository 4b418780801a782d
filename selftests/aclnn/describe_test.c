// SPDX-License-Identifier: GPL-2.0-only
/* Descriptions of operators; selftests/lib/dump_args.c tests their files. */
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_ascend_quant.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnn_test.h"

static float a[8], c[8], out[8];

#define SAYS(part)	EXPECT_PART(description, part)

/* Run an operator that is described. */
#define DESCRIBE(X, ...)						\
	({								\
		aclnnStatus status__;					\
									\
		description[0] = '\0';					\
		is_described = true;					\
		status__ = RUN(X, __VA_ARGS__);				\
		is_described = false;					\
		status__;						\
	})

static bool text(void)
{
	aclTensor *turned = strided(ACL_FLOAT, a, SHAPE(2, 3),
				    (int64_t[]){ 1, 2 }, 1, 8);

	EXPECT(!DESCRIBE(aclnnAdd, turned, F32(c, 3), scalar(0.5),
			 F32(out, 2, 3)));
	SAYS("aclnnAdd {\"op\": \"aclnnAdd\", \"inputs\": [{\"name\": \"self\", \"type\": \"FLOAT\", \"format\": \"ND\", \"shape\": [2, 3], \"strides\": [1, 2], \"offset\": 1, \"storage\": [8]}, {\"name\": \"other\", \"type\": \"FLOAT\", \"format\": \"ND\", \"shape\": [3], \"strides\": [1], \"offset\": 0, \"storage\": [3]}], \"outputs\": [{\"name\": \"out\", \"type\": \"FLOAT\", \"format\": \"ND\", \"shape\": [2, 3], \"strides\": [3, 1], \"offset\": 0, \"storage\": [6]}], \"attributes\": {\"alpha\": 0.5}}\n");
	return true;
}

/* The part that names a file does not depend on attributes and addresses. */
static bool shape(void)
{
	char first[sizeof(description)];
	size_t length;

	EXPECT(!DESCRIBE(aclnnAdd, F32(a, 4), F32(c, 4), scalar(1), F32(out, 4)));
	strcpy(first, description);
	length = strlen("aclnnAdd ") + strtoul(strrchr(first, '\n'), NULL, 10);
	EXPECT(!DESCRIBE(aclnnAdd, F32(c, 4), F32(a, 4), scalar(2), F32(out, 4)));
	EXPECT(strcmp(first, description));
	EXPECT(!strncmp(first, description, length));
	EXPECT(!strncmp(first + length, ", \"attributes\"", 14));
	return true;
}

static bool lists(void)
{
	const aclTensor *parts[] = { F32(a, 2, 2), F32(c, 2, 1) };
	aclTensorList *list = aclCreateTensorList(parts, 2);

	EXPECT(!DESCRIBE(aclnnCat, list, 1, F32(out, 2, 3)));
	SAYS("\"inputs\": [{\"name\": \"tensors\", ");
	SAYS("[2, 2]");
	SAYS("}, {\"name\": \"tensors\", ");
	SAYS("[2, 1]");
	SAYS("\"attributes\": {\"dim\": 1}}");
	aclDestroyTensorList(list);
	return true;
}

static bool attributes(void)
{
	char round[] = "round";

	EXPECT(!DESCRIBE(aclnnAscendQuant, F32(a, 4), F32(c, 4), NULL, true,
			 round, ACL_INT8, tensor(ACL_INT8, out, SHAPE(4))));
	SAYS("\"type\": \"INT8\"");
	SAYS("\"attributes\": {\"sqrtMode\": 1, \"roundMode\": \"round\", \"dstType\": 2}");
	EXPECT(!strstr(description, "offset\", "));
	EXPECT(!DESCRIBE(aclnnClamp, F32(a, 4), NULL, scalar(INFINITY),
			 F32(out, 4)));
	SAYS("\"attributes\": {\"clipValueMin\": null, \"clipValueMax\": \"inf\"}");
	return true;
}

/* An operator that is refused has no description, and without a request none has. */
static bool none(void)
{
	aclnnStatus status;

	status = DESCRIBE(aclnnAbs, F32(a, 4), F32(out, 3));
	EXPECT(status && !description[0]);
	EXPECT(!RUN(aclnnAbs, F32(a, 4), F32(out, 4)));
	EXPECT(!description[0]);
	return true;
}

const struct test describe_tests[] = {
	{ "describe: the whole of a text", text },
	{ "describe: tensors without addresses make the shape", shape },
	{ "describe: tensors of a list", lists },
	{ "describe: attributes", attributes },
	{ "describe: not without a request", none },
	{ 0 }
};
