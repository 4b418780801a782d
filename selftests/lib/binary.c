// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binaries of kernels, their functions, and lists of arguments.  No test here
 * needs a device.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "acl-test.h"
#include "acl-kernel.h"

FIXTURE(binary) {
	char path[PATH_MAX];
	void *data;
	size_t size;
	aclrtBinHandle bin;
	aclrtFuncHandle add;
};

FIXTURE_SETUP(binary)
{
	kernels_path(self->path, sizeof(self->path));
	self->data = read_all(self->path, &self->size);
	ASSERT_NE(NULL, self->data);
	OK(aclrtBinaryLoadFromFile(self->path, NULL, &self->bin));
	OK(aclrtBinaryGetFunction(self->bin, "add", &self->add));
}

FIXTURE_TEARDOWN(binary)
{
	aclrtBinaryUnLoad(self->bin);
	free(self->data);
}

TEST_F(binary, forms_of_loading)
{
	aclrtBinaryLoadOption option = {
		.type = ACL_RT_BINARY_LOAD_OPT_MAGIC,
		.value.magic = ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
	};
	aclrtBinaryLoadOptions options = { &option, 1 };
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	aclrtBinary raw;

	OK(aclrtBinaryLoadFromFile(self->path, &options, &bin));
	OK(aclrtBinaryUnLoad(bin));
	OK(aclrtBinaryLoadFromData(self->data, self->size, &options, &bin));
	memset(self->data, 0, self->size / 2);
	OK(aclrtBinaryGetFunction(bin, "add", &func));
	OK(aclrtBinaryUnLoad(bin));

	free(self->data);
	self->data = read_all(self->path, &self->size);
	raw = aclrtCreateBinary(self->data, self->size);
	ASSERT_NE(NULL, raw);
	OK(aclrtBinaryLoad(raw, &bin));
	OK(aclrtDestroyBinary(raw));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyBinary(raw));
	EXPECT_ACL(BAD_HANDLE, aclrtBinaryLoad(raw, &bin));
	OK(aclrtBinaryGetFunction(bin, "add", &func));
	OK(aclrtBinaryUnLoad(bin));
}

TEST_F(binary, errors_of_loading)
{
	aclrtBinaryLoadOption option = { .type = 9 };
	aclrtBinaryLoadOptions options = { &option, 1 };
	aclrtBinHandle bin;

	EXPECT_ACL(NULL_OR_ZERO, aclrtBinaryLoadFromFile(NULL, NULL, &bin));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtBinaryLoadFromFile(self->path, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtBinaryLoadFromFile("/none", NULL, &bin));
	EXPECT_ACL(BAD_VALUE, aclrtBinaryLoadFromFile("/", NULL, &bin));
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryLoadFromFile("/dev/null", NULL, &bin));
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryLoadFromFile("/proc/self/exe", NULL, &bin));
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryLoadFromFile(self->path, &options, &bin));
	EXPECT_ACL(NULL_OR_ZERO, aclrtBinaryLoadFromData(NULL, 1, NULL, &bin));
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryLoadFromData(self->data, 0, NULL, &bin));
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryLoadFromData(self->data, 100, NULL, &bin));
	EXPECT_EQ(NULL, aclrtCreateBinary(NULL, 1));
	EXPECT_EQ(NULL, aclrtCreateBinary(self->data, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyBinary(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtBinaryLoad(NULL, &bin));
	EXPECT_ACL(NULL_OR_ZERO, aclrtBinaryUnLoad(NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtBinaryUnLoad(self));
}

TEST_F(binary, functions_by_name_and_entry)
{
	aclrtFuncHandle func, again;
	aclrtBinHandle bin;
	char name[16];

	OK(aclrtBinaryGetFunction(self->bin, "add", &again));
	EXPECT_EQ(self->add, again);
	OK(aclrtFunctionGetBinary(self->add, &bin));
	EXPECT_EQ(self->bin, bin);
	func = self;
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryGetFunction(self->bin, "none", &func));
	EXPECT_EQ(NULL, func);
	OK(aclrtBinaryGetFunctionByEntry(self->bin, 23, &func));
	OK(aclrtGetFunctionName(func, sizeof(name), name));
	EXPECT_STREQ("keyed_23", name);
	OK(aclrtGetFunctionName(func, 4, name));
	EXPECT_STREQ("key", name);
	func = self;
	EXPECT_ACL(BAD_VALUE,
		   aclrtBinaryGetFunctionByEntry(self->bin, 3, &func));
	EXPECT_EQ(NULL, func);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtBinaryGetFunction(self->bin, NULL, &func));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtBinaryGetFunction(self->bin, "add", NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetFunctionName(func, 0, name));
	EXPECT_ACL(BAD_HANDLE, aclrtGetFunctionName(self, 4, name));
}

TEST_F(binary, properties_of_functions)
{
	aclrtFuncHandle cube, both;
	size_t aic, aiv, count, offset, size;
	int64_t value;

	OK(aclrtBinaryGetFunction(self->bin, "on_cube", &cube));
	OK(aclrtBinaryGetFunction(self->bin, "on_both", &both));
	OK(aclrtGetFunctionSize(self->add, &aic, &aiv));
	EXPECT_EQ(0, aic);
	EXPECT_LT(0, aiv);
	OK(aclrtGetFunctionSize(cube, &aic, &aiv));
	EXPECT_LT(0, aic);
	EXPECT_EQ(0, aiv);
	OK(aclrtGetFunctionSize(both, &aic, &aiv));
	EXPECT_LT(0, aic);
	EXPECT_LT(0, aiv);

	OK(aclrtGetFunctionAttribute(self->add, ACL_FUNC_ATTR_KERNEL_TYPE,
				     &value));
	EXPECT_EQ(ACL_KERNEL_TYPE_VECTOR, value);
	OK(aclrtGetFunctionAttribute(cube, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
	EXPECT_EQ(ACL_KERNEL_TYPE_CUBE, value);
	OK(aclrtGetFunctionAttribute(both, ACL_FUNC_ATTR_KERNEL_TYPE, &value));
	EXPECT_EQ(ACL_KERNEL_TYPE_MIX, value);
	OK(aclrtGetFunctionAttribute(both, ACL_FUNC_ATTR_KERNEL_RATIO,
				     &value));
	EXPECT_EQ(1 << 16 | 2, value);
	OK(aclrtGetFunctionAttribute(both, ACL_FUNC_ATTR_KERNEL_SCHED_MODE,
				     &value));
	EXPECT_EQ(0, value);
	EXPECT_ACL(BAD_VALUE, aclrtGetFunctionAttribute(both, 9, &value));

	OK(aclrtFunctionGetParamCount(self->add, &count));
	EXPECT_EQ(4, count);
	OK(aclrtFunctionGetParamInfo(self->add, 3, &offset, &size));
	EXPECT_EQ(20, offset);
	EXPECT_EQ(4, size);
	EXPECT_ACL(BAD_VALUE, aclrtFunctionGetParamInfo(self->add, 4, &offset,
							&size));
	EXPECT_ACL(BAD_HANDLE, aclrtFunctionGetParamCount(self, &count));
	OK(aclrtFunctionGetAvailDynUbufPerBlock(self->add, 0, &size));
	EXPECT_EQ(192 * KIB, size);
	EXPECT_ACL(BAD_VALUE, aclrtFunctionGetAvailDynUbufPerBlock(self->add,
								   1, &size));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtGetFuncBySymbol(self, &cube));
}

TEST(symbols_of_variables)
{
	static int variable;
	size_t size = 7;
	int host = 5;
	void *at = &host;

	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtGetSymbolAddress(&variable, &at));
	EXPECT_EQ(&host, at);
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtGetSymbolSize(&variable, &size));
	EXPECT_EQ(7, size);
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtMemcpyFromSymbol(&host, 4, &variable, 4, 0,
					 ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtMemcpyFromSymbolAsync(&host, 4, &variable, 4, 0,
					      ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	EXPECT_EQ(5, host);
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtMemcpyToSymbol(&variable, &host, 4, 0,
				       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_SYMBOL,
		   aclrtMemcpyToSymbolAsync(&variable, &host, 4, 0,
					    ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	EXPECT_EQ(0, variable);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetSymbolAddress(NULL, &at));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetSymbolAddress(&variable, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetSymbolSize(&variable, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyToSymbol(&variable, NULL, 4, 0,
				       ACL_MEMCPY_HOST_TO_DEVICE));
}

TEST_F(binary, handles_end_with_the_binary)
{
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	aclrtArgsHandle args;
	aclrtParamHandle param;
	size_t size;

	OK(aclrtBinaryLoadFromFile(self->path, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "add", &func));
	OK(aclrtKernelArgsInit(func, &args));
	OK(aclrtBinaryUnLoad(bin));
	EXPECT_ACL(BAD_HANDLE, aclrtBinaryUnLoad(bin));
	EXPECT_ACL(BAD_HANDLE, aclrtBinaryGetFunction(bin, "add", &func));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsGetHandleMemSize(func, &size));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(args));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsAppend(args, &size, 8, &param));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtLaunchKernelWithConfig(func, 1, NULL, NULL, args,
					       NULL));
}

/* Code of a card: the same file for another machine. */
TEST_F(binary, code_of_a_card_is_refused_when_launched)
{
	Elf64_Ehdr *header = self->data;
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	uint64_t args[4] = {};
	size_t count;
	char name[8];

	header->e_machine = 0x1029;
	OK(aclrtBinaryLoadFromData(self->data, self->size, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "add", &func));
	OK(aclrtGetFunctionName(func, sizeof(name), name));
	EXPECT_STREQ("add", name);
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtFunctionGetParamCount(func, &count));
	aclGetRecentErrMsg();
	ASSERT_EQ(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		  aclrtLaunchKernelWithHostArgs(func, 1, NULL, NULL, args,
						sizeof(args), NULL, 0));
	EXPECT_NE(NULL, strstr(recent(), "vnpu-cc"));
	OK(aclrtBinaryUnLoad(bin));
}

TEST_F(binary, lists_of_arguments)
{
	aclrtParamHandle first, place, param;
	aclrtArgsHandle args;
	uint64_t value = 1;
	void *buffer;
	size_t size;

	OK(aclrtKernelArgsInit(self->add, &args));
	OK(aclrtKernelArgsAppend(args, &value, 8, &first));
	OK(aclrtKernelArgsAppendPlaceHolder(args, &place));
	OK(aclrtKernelArgsGetPlaceHolderBuffer(args, place, 1000, &buffer));
	memset(buffer, 1, 1000);
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsGetPlaceHolderBuffer(args, place,
							1000, &buffer));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsGetPlaceHolderBuffer(args, first,
							1000, &buffer));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtKernelArgsAppend(args, &value, 8, &param));
	OK(aclrtKernelArgsParaUpdate(args, first, &value, 8));
	EXPECT_ACL(BAD_VALUE,
		   aclrtKernelArgsParaUpdate(args, first, self, 9));
	EXPECT_ACL(BAD_VALUE,
		   aclrtKernelArgsParaUpdate(args, place, &value, 8));
	EXPECT_ACL(BAD_VALUE,
		   aclrtKernelArgsParaUpdate(args, self, &value, 8));
	OK(aclrtKernelArgsFinalize(args));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtKernelArgsAppend(args, &value, 8, &param));
	EXPECT_ACL(NULL_OR_ZERO, aclrtKernelArgsAppend(args, NULL, 8, &param));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtKernelArgsAppend(args, &value, 0, &param));
	OK(aclrtKernelArgsGetMemSize(self->add, 20, &size));
	EXPECT_EQ(24, size);
	EXPECT_ACL(BAD_VALUE,
		   aclrtKernelArgsGetMemSize(self->add, MIB, &size));
}

TEST_F(binary, limits_of_lists)
{
	static char bytes[64 * KIB];
	aclrtParamHandle param;
	aclrtArgsHandle args;

	OK(aclrtKernelArgsInit(self->add, &args));
	for (int i = 0; i < 128; i++)
		OK(aclrtKernelArgsAppend(args, &i, sizeof(i), &param));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsAppend(args, &param, 8, &param));
	OK(aclrtKernelArgsInit(self->add, &args));
	OK(aclrtKernelArgsAppend(args, bytes, sizeof(bytes) - 8, &param));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsAppend(args, bytes, 9, &param));
	OK(aclrtKernelArgsAppend(args, bytes, 8, &param));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsAppend(args, bytes, 1, &param));
}

TEST_F(binary, lists_in_memory_of_the_program)
{
	aclrtParamHandle param;
	uint64_t memory[4];
	size_t size;
	void *args;

	OK(aclrtKernelArgsGetHandleMemSize(self->add, &size));
	args = calloc(1, size);
	ASSERT_NE(NULL, args);
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(args));
	OK(aclrtKernelArgsInitByUserMem(self->add, args, memory,
					sizeof(memory)));
	for (uint64_t i = 0; i < 4; i++)
		OK(aclrtKernelArgsAppend(args, &i, sizeof(i), &param));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsAppend(args, memory, 1, &param));
	for (uint64_t i = 0; i < 4; i++)
		EXPECT_EQ(i, memory[i]);
	OK(aclrtKernelArgsFinalize(args));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsInitByUserMem(self->add,
					(char *)args + 1, memory, 32));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsInitByUserMem(self->add, args,
							   memory, 0));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsInitByUserMem(self->add, args,
							   memory, 7));
	free(args);
}

/* Find the size of the placeholder that is the first argument of a list. */
static uint32_t *find_place(char *list, size_t size)
{
	static const uint32_t place[] = { 0, 8, 0, 1 };

	for (size_t at = 0; at + sizeof(place) <= size; at += 4)
		if (!memcmp(list + at, place, sizeof(place)))
			return (uint32_t *)(list + at) + 1;
	return NULL;
}

/* A list is found by its handle alone, and anything else is refused. */
TEST_F(binary, foreign_lists)
{
	aclrtParamHandle param, other_param;
	uint64_t memory[4], value = 1;
	aclrtArgsHandle other;
	uint32_t *found;
	char *page, *none;
	size_t size;

	OK(aclrtKernelArgsGetHandleMemSize(self->add, &size));
	page = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	none = page + 3 * 4096;
	ASSERT_EQ(0, mprotect(none, 4096, PROT_NONE));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(page));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(page + 1));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(none));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(none - 8));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize((void *)4096));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize((void *)-8));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(self->bin));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(self->add));

	/* A copy is no list. */
	OK(aclrtKernelArgsInitByUserMem(self->add, page, memory,
					sizeof(memory)));
	memcpy(page + 4096, page, size);
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsAppend(page + 4096, &value, 8,
						     &param));
	OK(aclrtKernelArgsAppend(page, &value, 8, &param));
	OK(aclrtKernelArgsParaUpdate(page, param, &value, 8));

	/* Nor is an argument of one list one of another. */
	OK(aclrtKernelArgsInit(self->add, &other));
	OK(aclrtKernelArgsAppend(other, &value, 8, &other_param));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsParaUpdate(page, other_param,
							&value, 8));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsParaUpdate(other, param,
							&value, 8));
	OK(aclrtKernelArgsInitByUserMem(self->add, page, memory,
					sizeof(memory)));
	OK(aclrtKernelArgsAppend(page, &value, 8, &other_param));
	EXPECT_ACL(BAD_VALUE, aclrtKernelArgsParaUpdate(page, param, &value,
							8));

	/* A placeholder is one address. */
	OK(aclrtKernelArgsInitByUserMem(self->add, page, memory,
					sizeof(memory)));
	OK(aclrtKernelArgsAppendPlaceHolder(page, &param));
	OK(aclrtKernelArgsAppend(page, &value, 8, &other_param));
	found = find_place(page, size);
	ASSERT_NE(NULL, found);
	*found = 16;
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(page));
	*found = 8;
	OK(aclrtKernelArgsFinalize(page));

	/* Part of the buffer has gone. */
	OK(aclrtKernelArgsInitByUserMem(self->add, page, none - 8, 16));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsAppend(page, &value, 8, &param));

	/* The binary has gone, or the memory. */
	OK(aclrtKernelArgsInitByUserMem(self->add, page, memory,
					sizeof(memory)));
	memcpy(page + 4096, page, size);
	OK(aclrtBinaryUnLoad(self->bin));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(page));
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(other));
	munmap(page, 4 * 4096);
	EXPECT_ACL(BAD_HANDLE, aclrtKernelArgsFinalize(page));
}

TEST_F(binary, what_is_not_supported)
{
	aclrtFuncHandle func;
	size_t size;
	void *at;
	const dim3 one = { 1, 1, 1 };
	void *args[4] = {};

	EXPECT_ACL(BAD_VALUE,
		   aclrtRegisterCpuFunc(self->bin, "f", "k", &func));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtLaunchSIMTKernelWithArgsArray(self->add, one, one, 0,
						      NULL, NULL, args));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtLaunchSIMTKernelWithHostArgs(self->add, one, one, 0,
						     NULL, NULL, args,
						     sizeof(args), NULL, 0));
	EXPECT_ACL(ACL_ERROR_RT_SYMBOL_NOT_FOUND,
		   aclrtBinaryGetGlobal(self->bin, "none", &at, &size));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtBinaryGetGlobal(self->bin, "none", NULL, NULL));
}

TEST_HARNESS_MAIN
