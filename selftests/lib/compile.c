// SPDX-License-Identifier: GPL-2.0-only
/* Compilation of kernels at run time.  No test here needs a device. */
#include "acl-test.h"
#include "acl/acl_rt_compile.h"

static const char source[] =
	"#include \"kernel_operator.h\"\n"
	"namespace n {\n"
	"template <typename T>\n"
	"__global__ __aicore__ void set(__gm__ T *x, T to) { x[0] = to; }\n"
	"}\n"
	"extern \"C\" __global__ __aicore__ void plain() {}\n";

/* A compiler takes a while on an emulated processor. */
FIXTURE(compiler) { };
FIXTURE_SETUP(compiler) { }
FIXTURE_TEARDOWN(compiler) { }

TEST_F_TIMEOUT(compiler, compile, 200)
{
	const char *options[] = { "--npu-arch=dav-2201", "-DX=1" };
	const char *name;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	aclrtcProg prog;
	size_t size;
	char *data;

	OK(aclrtcCreateProg(&prog, source, "", 0, NULL, NULL));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_PROG,
		   aclrtcGetBinDataSize(prog, &size));
	OK(aclrtcAddNameExpr(prog, "n::set<float>"));
	OK(aclrtcAddNameExpr(prog, "plain"));
	EXPECT_ACL(ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION,
		   aclrtcGetLoweredName(prog, "plain", &name));
	OK(aclrtcCompileProg(prog, 2, options));
	EXPECT_ACL(ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION,
		   aclrtcAddNameExpr(prog, "n::set<int>"));
	OK(aclrtcGetBinDataSize(prog, &size));
	data = malloc(size);
	ASSERT_NE(NULL, data);
	OK(aclrtcGetBinData(prog, data));
	OK(aclrtBinaryLoadFromData(data, size, NULL, &bin));
	free(data);
	OK(aclrtcGetLoweredName(prog, "n::set<float>", &name));
	EXPECT_STREQ("_ZN1n3setIfEEvPT_S1_", name);
	OK(aclrtBinaryGetFunction(bin, name, &func));
	OK(aclrtcGetLoweredName(prog, "plain", &name));
	OK(aclrtBinaryGetFunction(bin, name, &func));
	EXPECT_ACL(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID,
		   aclrtcGetLoweredName(prog, "n::set<int>", &name));
	OK(aclrtBinaryUnLoad(bin));
	OK(aclrtcDestroyProg(&prog));
	EXPECT_EQ(NULL, prog);
}

/* The headers, also one in a folder that includes another, are found by their names. */
TEST_F_TIMEOUT(compiler, compile_with_headers, 200)
{
	const char *headers[] = {
		"#pragma once\nconstexpr int A = 3;\n",
		"#include \"a.h\"\nconstexpr int B = A + 1;\n",
	};
	const char *names[] = { "a.h", "some/folder/b.h" };
	aclrtcProg prog;

	OK(aclrtcCreateProg(&prog,
			    "#include \"a.h\"\n#include \"some/folder/b.h\"\n"
			    "static_assert(A + B == 7);\n"
			    "extern \"C\" __global__ __aicore__ void k() {}\n",
			    "", 2, headers, names));
	OK(aclrtcCompileProg(prog, 0, NULL));
	OK(aclrtcDestroyProg(&prog));
}

TEST_F(compiler, names_of_headers)
{
	static const char *const wrong[] = {
		"", "/tmp/a.h", "../a.h", "a/../../b.h", "a//b.h", "a/", "./a.h",
	};
	const char *texts[] = { "", "" }, *twice[] = { "a.h", "a.h" };
	aclrtcProg prog;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const char *name = wrong[i];

		EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
			   aclrtcCreateProg(&prog, source, "", 1, texts,
					    &name));
	}
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCreateProg(&prog, source, "", 2, texts, twice));
}

TEST_F_TIMEOUT(compiler, compile_errors, 200)
{
	const char *header = "x";
	char log[4096];
	aclrtcProg prog, old;
	size_t size;

	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCreateProg(&prog, NULL, "", 0, NULL, NULL));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCreateProg(&prog, source, "", 1, NULL, &header));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCreateProg(&prog, source, "", 1, &header, NULL));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCreateProg(&prog, source, "", -1, &header, &header));
	OK(aclrtcCreateProg(&prog, "__global__ __aicore__ void k() { y; }\n",
			    "wrong.asc", 0, NULL, NULL));
	EXPECT_ACL(ACL_ERROR_RTC_COMPILATION, aclrtcCompileProg(prog, 0, NULL));
	OK(aclrtcGetCompileLogSize(prog, &size));
	ASSERT_GE(sizeof(log), size);
	OK(aclrtcGetCompileLog(prog, log));
	EXPECT_NE(NULL, strstr(log, "wrong.asc:1:")) TH_LOG("%s", log);
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCompileProg(prog, -1, NULL));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_INPUT,
		   aclrtcCompileProg(prog, 1, NULL));
	old = prog;
	OK(aclrtcDestroyProg(&prog));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_PROG, aclrtcDestroyProg(&old));
	EXPECT_ACL(ACL_ERROR_RTC_INVALID_PROG, aclrtcCompileProg(old, 0, NULL));
	setenv("VNPU_CC", "/none", 1);
	OK(aclrtcCreateProg(&prog, source, NULL, 0, NULL, NULL));
	EXPECT_ACL(ACL_ERROR_RTC_FAILURE, aclrtcCompileProg(prog, 0, NULL));
	OK(aclrtcDestroyProg(&prog));
}

TEST_HARNESS_MAIN
