// SPDX-License-Identifier: GPL-2.0-only
/* Launches of kernels in captures. */
#include "launch.h"

#define GLOBAL	ACL_MODEL_RI_CAPTURE_MODE_GLOBAL

static aclError run(aclmdlRI model, aclrtStream stream)
{
	aclError err = aclmdlRIExecuteAsync(model, stream);

	return err ? err : aclrtSynchronizeStream(stream);
}

/* The arguments are copied, and stay while other launches use up the blocks. */
TEST_F(launch, arguments_are_kept)
{
	struct add_args args = { self->x, self->x, 1, 64 };
	aclrtFuncHandle add = FUNC("add"), nothing = FUNC("nothing");
	aclmdlRI model;

	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	for (int i = 0; i < 10; i++) {
		OK(launch(add, 1, self->stream, &args, sizeof(args)));
		args.add++;
	}
	OK(aclmdlRICaptureEnd(self->stream, &model));
	memset(&args, 0xff, sizeof(args));
	for (int i = 0; i < 1000; i++)
		OK(launch(nothing, 1, self->stream, &args, sizeof(args)));
	OK(aclrtSynchronizeStream(self->stream));
	GET(64 * 4);
	EXPECT_EQ(0, self->host[0]);
	for (uint32_t i = 1; i < 4; i++) {
		OK(run(model, self->stream));
		GET(64 * 4);
		EXPECT_EQ(i * 55, self->host[0]);
		EXPECT_EQ(i * 55, self->host[63]);
	}
	OK(aclmdlRIDestroy(model));
}

/* A model keeps the kernels that it runs. */
TEST_F(launch, kernels_are_kept)
{
	struct add_args args = { self->x, self->x, 3, 64 };
	aclmdlRI model;

	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(launch(FUNC("add"), 1, self->stream, &args, sizeof(args)));
	OK(aclmdlRICaptureEnd(self->stream, &model));
	OK(aclrtBinaryUnLoad(self->bin));
	OK(run(model, self->stream));
	GET(64 * 4);
	EXPECT_EQ(3, self->host[63]);
}

TEST_F(launch, an_exception_names_the_kernel)
{
	aclrtFuncHandle traps = FUNC("traps");
	aclmdlRI model;

	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtMemsetAsync(self->x, 8, 1, 8, self->stream));
	OK(launch(traps, 1, self->stream, NULL, 0));
	OK(aclmdlRICaptureEnd(self->stream, &model));
	for (int i = 0; i < 2; i++) {
		OK(aclmdlRIExecuteAsync(model, self->stream));
		EXPECT_ACL(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION,
			   aclrtSynchronizeStream(self->stream));
		EXPECT_NE(NULL, strstr(recent(), "traps"));
	}
}

TEST_HARNESS_MAIN
