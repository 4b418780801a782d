// SPDX-License-Identifier: GPL-2.0-only
/* Launches of kernels: arguments, results, order. */
#include "launch.h"
#include "prof.h"

#include <vnpu/kernel.h>

TEST_F(launch, host_arguments)
{
	struct add_args args = { self->x, self->x, 5, 1000 };

	for (int i = 0; i < 3; i++)
		OK(launch(FUNC("add"), 8, self->stream, &args, sizeof(args)));
	OK(aclrtSynchronizeStream(self->stream));
	GET(4004);
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(15, self->host[i]);
	EXPECT_EQ(0, self->host[1000]);
}

TEST_F(launch, instructions)
{
	const uint32_t n = 64 * 256;
	float *from = (float *)self->host;
	struct {
		void *x, *y, *z;
		uint32_t n;
	} args = { self->x, self->x + n, self->x + 2 * n, n };

	for (uint32_t i = 0; i < 2 * n; i++)
		from[i] = i * 0.5f;
	OK(aclrtMemcpy(self->x, MIB, from, 8 * n, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(launch(FUNC("add_tiles"), 48, self->stream, &args, sizeof(args)));
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtMemcpy(from, MIB, self->x + 2 * n, 4 * n,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	for (uint32_t i = 0; i < n; i++)
		ASSERT_EQ(i * 0.5f + (i + n) * 0.5f, from[i]);
}

TEST_F(launch, each_block_runs_once)
{
	aclrtLaunchKernelAttr attr = {
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET,
		.value.blockDimOffset = 100,
	};
	aclrtLaunchKernelCfg config = { &attr, 1 };

	OK(launch_on(FUNC("who"), 200, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(2000);
	for (uint32_t i = 0; i < 200; i++) {
		ASSERT_EQ(i, self->host[2 * i]);
		ASSERT_EQ(200, self->host[2 * i + 1]);
	}
	EXPECT_EQ(0, self->host[400]);

	OK(aclrtMemset(self->x, MIB, 0, MIB));
	OK(aclrtLaunchKernelWithHostArgs(FUNC("who"), 3, self->stream, &config,
					 &self->x, 8, NULL, 0));
	OK(aclrtSynchronizeStream(self->stream));
	GET(2000);
	EXPECT_EQ(0, self->host[199]);
	EXPECT_EQ(100, self->host[200]);
	EXPECT_EQ(102, self->host[204]);
}

struct sizes_args {
	void *x;
	uint8_t a;
	uint16_t b;
	struct {
		uint16_t low;
		uint64_t high;
	} c;
	uint32_t d;
};

static const struct sizes_args some_sizes = {
	NULL, 200, 50000, { 60000, 1ULL << 40 }, 4000000000U
};

#define EXPECT_SIZES() do {						\
	const uint64_t *got_ = (uint64_t *)self->host;			\
									\
	GET(40);							\
	EXPECT_EQ(200, got_[0]);					\
	EXPECT_EQ(50000, got_[1]);					\
	EXPECT_EQ(60000, got_[2]);					\
	EXPECT_EQ(1ULL << 40, got_[3]);					\
	EXPECT_EQ(4000000000U, got_[4]);				\
	OK(aclrtMemset(self->x, MIB, 0, MIB));				\
} while (0)

TEST_F(launch, forms_of_arguments)
{
	struct sizes_args s = some_sizes;
	void *array[] = { &s.x, &s.a, &s.b, &s.c, &s.d };
	aclrtFuncHandle func = FUNC("sizes");
	aclrtParamHandle param;
	aclrtArgsHandle list;

	s.x = self->x;
	OK(launch(func, 1, self->stream, &s, sizeof(s)));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_SIZES();

	OK(aclrtLaunchKernelWithArgsArray(func, 1, self->stream, NULL, array));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_SIZES();

	OK(aclrtMemcpy(self->x + 1024, 1024, &s, sizeof(s),
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtLaunchKernel(func, 1, self->x + 1024, sizeof(s),
			     self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_SIZES();

	OK(aclrtMemcpy(self->x + 1024, 1024, &s, sizeof(s),
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtLaunchKernelV2(func, 1, self->x + 1024, sizeof(s), NULL,
			       self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_SIZES();

	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppend(list, &s.x, 8, &param));
	OK(aclrtKernelArgsAppend(list, &s.a, 1, &param));
	OK(aclrtKernelArgsAppend(list, &s.b, 2, &param));
	OK(aclrtKernelArgsAppend(list, &s.c, sizeof(s.c), &param));
	OK(aclrtKernelArgsAppend(list, &s.d, 4, &param));
	OK(aclrtKernelArgsFinalize(list));
	for (int i = 0; i < 3; i++) {
		OK(aclrtLaunchKernelWithConfig(func, 1, self->stream, NULL,
					       list, NULL));
		OK(aclrtSynchronizeStream(self->stream));
		EXPECT_SIZES();
	}
	s.d = 1;
	OK(aclrtKernelArgsParaUpdate(list, param, &s.d, 4));
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernelWithConfig(func, 1,
					self->stream, NULL, list, NULL));
	OK(aclrtKernelArgsFinalize(list));
	OK(aclrtLaunchKernelWithConfig(func, 1, self->stream, NULL, list,
				       NULL));
	OK(aclrtSynchronizeStream(self->stream));
	GET(40);
	EXPECT_EQ(1, ((uint64_t *)self->host)[4]);
}

TEST_F(launch, placeholders)
{
	struct {
		void *x;
		void *data;
		uint64_t own[2];
	} args = { self->x, NULL, { 1, 77 } };
	aclrtPlaceHolderInfo place = { 8, 16 };
	aclrtFuncHandle func = FUNC("indirect");
	aclrtParamHandle param;
	aclrtArgsHandle list;
	uint64_t *data;

	OK(aclrtLaunchKernelWithHostArgs(func, 1, self->stream, NULL, &args,
					 sizeof(args), &place, 1));
	OK(aclrtSynchronizeStream(self->stream));
	GET(8);
	EXPECT_EQ(77, self->host[0]);
	place.dataOffset = sizeof(args);
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernelWithHostArgs(func, 1,
			self->stream, NULL, &args, sizeof(args), &place, 1));
	place = (aclrtPlaceHolderInfo){ UINT32_MAX, 0 };
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernelWithHostArgs(func, 1,
			self->stream, NULL, &args, sizeof(args), &place, 1));

	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppend(list, &self->x, 8, &param));
	OK(aclrtKernelArgsAppendPlaceHolder(list, &param));
	OK(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 32 * KIB,
					       (void **)&data));
	data[1] = 99;
	OK(aclrtKernelArgsFinalize(list));
	OK(aclrtLaunchKernelWithConfig(func, 1, self->stream, NULL, list,
				       NULL));
	OK(aclrtSynchronizeStream(self->stream));
	GET(8);
	EXPECT_EQ(99, self->host[0]);
}

TEST_F(launch, kinds_of_cores)
{
	OK(launch_on(FUNC("on_cube"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(16);
	EXPECT_EQ(7, self->host[0]);
	OK(launch_on(FUNC("on_both"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(16);
	EXPECT_EQ(1, self->host[0]);
	EXPECT_EQ(1, self->host[1]);
	EXPECT_EQ(1, self->host[2]);
}

TEST_F(launch, errors_of_calls)
{
	aclrtLaunchKernelAttr attrs[2] = { { .id = 99 } };
	aclrtLaunchKernelCfg config = { attrs, 1 };
	aclrtFuncHandle func = FUNC("who");

	EXPECT_ACL(BAD_VALUE, launch_on(func, 0, self->stream, self->x));
	EXPECT_ACL(BAD_HANDLE, launch_on(self, 1, self->stream, self->x));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(self->x));
	EXPECT_ACL(BAD_HANDLE, aclrtLaunchKernelWithConfig(func, 1,
					self->stream, NULL, self->x, NULL));
	EXPECT_ACL(BAD_HANDLE, launch_on(func, 1, self, self->x));
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernel(func, 1, self, 8,
						self->stream));
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernel(func, 1, self->x, 7,
						self->stream));
	EXPECT_ACL(BAD_VALUE, launch(func, 1, self->stream, &self->x, 7));
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernelV2(func, 1, self->x, 8, &config,
						  self->stream));
	attrs[0] = (aclrtLaunchKernelAttr){
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT,
		.value.timeout = 1,
	};
	attrs[1] = (aclrtLaunchKernelAttr){
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
		.value.timeoutUs.timeoutLow = 1,
	};
	config.numAttrs = 2;
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernelV2(func, 1, self->x, 8, &config,
						  self->stream));
	attrs[0] = (aclrtLaunchKernelAttr){
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE,
		.value.dynUBufSize = 193 * KIB,
	};
	config.numAttrs = 1;
	EXPECT_ACL(BAD_VALUE, aclrtLaunchKernelV2(func, 1, self->x, 8, &config,
						  self->stream));
}

TEST_F(launch, streams_run_beside_each_other)
{
	aclrtStream other;
	uint32_t one = 1;

	OK(aclrtCreateStream(&other));
	OK(launch_on(FUNC("loops"), 1, self->stream, self->x));
	OK(launch_on(FUNC("who"), 4, other, self->x + 16));
	OK(aclrtSynchronizeStream(other));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(self->stream, 50));
	OK(aclrtMemcpy(self->x, 4, &one, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtSynchronizeStream(self->stream));
}

TEST_F(launch, order_with_other_tasks)
{
	struct add_args args = { self->x, self->x + 1000, 1, 1000 };

	for (int i = 0; i < 20; i++) {
		OK(launch(FUNC("add"), 8, self->stream, &args, sizeof(args)));
		OK(aclrtMemcpyAsync(self->x, 4000, self->x + 1000, 4000,
				    ACL_MEMCPY_DEVICE_TO_DEVICE,
				    self->stream));
	}
	OK(aclrtSynchronizeStream(self->stream));
	GET(4000);
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(20, self->host[i]);
}

TEST_F(launch, binary_is_unloaded_while_launches_wait)
{
	uint32_t one = 1;

	OK(launch_on(FUNC("loops"), 1, self->stream, self->x));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x + 1));
	OK(aclrtBinaryUnLoad(self->bin));
	OK(aclrtMemcpy(self->x, 4, &one, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtSynchronizeStream(self->stream));
	GET(8);
	EXPECT_EQ(23, self->host[1]);
}

/* A unit, as vnpu-cc makes it for a source, and launches by its stub. */

static void stub(void)
{
}

static int launch_unit(struct vnpu_unit *unit, const char *name,
		       aclrtStream stream, const void *args, size_t size)
{
	struct vnpu_launch_config config = {
		.size = sizeof(config),
		.blocks = 4,
		.threads = 1,
		.stream = stream,
	};

	*vnpu_launch_current() = &config;
	vnpu_launch(unit, name, args, size);
	*vnpu_launch_current() = NULL;
	return config.result;
}

TEST_F(launch, units_of_the_program)
{
	const char *name = "void who(uint8_t*)";
	const struct vnpu_stub stubs[] = { { (void *)stub, &name, "who" } };
	struct vnpu_unit unit = {
		.size = sizeof(unit),
		.abi = VNPU_KERNEL_ABI,
		.stubs = stubs,
		.stub_count = 1,
		.source = "a.asc",
	};
	char path[PATH_MAX], found[16];
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	size_t size;
	void *data;

	kernels_path(path, sizeof(path));
	data = read_all(path, &size);
	ASSERT_NE(NULL, data);
	unit.image = data;
	unit.image_size = size;
	vnpu_unit_register(&unit);
	EXPECT_ACL(0, launch_unit(&unit, name, self->stream, &self->x, 8));
	OK(aclrtSynchronizeStream(self->stream));
	GET(32);
	EXPECT_EQ(3, self->host[6]);
	EXPECT_EQ(4, self->host[7]);

	OK(aclrtGetFuncBySymbol((void *)stub, &func));
	OK(aclrtGetFunctionName(func, sizeof(found), found));
	EXPECT_STREQ("who", found);
	OK(aclrtFunctionGetBinary(func, &bin));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtBinaryUnLoad(bin));
	EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
		  launch_unit(&unit, "none", self->stream, &self->x, 8));
	EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
		  launch_unit(&unit, name, self->stream, &self->x, 4));
	EXPECT_EQ(BAD_HANDLE, launch_unit(&unit, name, self, &self->x, 8));

	/* A launch runs although its unit is gone. */
	OK(aclrtMemset(self->x, MIB, 0, MIB));
	EXPECT_ACL(0, launch_unit(&unit, name, self->stream, &self->x, 8));
	vnpu_unit_unregister(&unit);
	memset(data, 0, size);
	free(data);
	OK(aclrtSynchronizeStream(self->stream));
	GET(32);
	EXPECT_EQ(3, self->host[6]);
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtGetFuncBySymbol((void *)stub, &func));
	EXPECT_EQ(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
		  launch_unit(&unit, name, self->stream, &self->x, 8));
}

TEST_F(launch, addresses_of_code)
{
	void *bin, *aic, *aiv;
	size_t size;

	OK(aclrtBinaryGetDevAddress(self->bin, &bin, &size));
	OK(aclrtGetFunctionAddr(FUNC("add"), &aic, &aiv));
	EXPECT_EQ(NULL, aic);
	EXPECT_LT(bin, aiv);
	EXPECT_GT((char *)bin + size, (char *)aiv);
	OK(aclrtMemcpy(self->host, 4, bin, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0, memcmp(self->host, "\177ELF", 4));
}

TEST_F(launch, address_for_flags_between_cores)
{
	void *a, *b;

	OK(aclrtGetHardwareSyncAddr(&a));
	OK(aclrtGetHardwareSyncAddr(&b));
	EXPECT_EQ(a, b);
	EXPECT_NE(NULL, a);
}

TEST_F(launch, profile)
{
	static const char dir[] = "/tmp/vnpu-prof-launch";
	uint32_t device = 0;
	aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE,
						    NULL, TASKS);

	OK(aclprofInit(dir, strlen(dir)));
	OK(aclprofStart(config));
	OK(launch_on(FUNC("who"), 7, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(dir, 0,
		"a = of('who')[0]['args']\n"
		"assert a['core'] == 'AI_VECTOR_CORE' and a['blocks'] == 7, a\n"));
	EXPECT_EQ(0, system("rm -r /tmp/vnpu-prof-launch"));
	OK(aclprofDestroyConfig(config));
}

TEST_HARNESS_MAIN
