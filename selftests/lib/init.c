// SPDX-License-Identifier: GPL-2.0-only
/* Start and end, versions, options, and the calls that need no device. */
#include "acl-test.h"

#include <math.h>

TEST(init_counts_references)
{
	uint64_t left = 99;

	OK(aclInit(NULL));
	EXPECT_ACL(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
	EXPECT_ACL(ACL_ERROR_REPEAT_INITIALIZE, aclInit(""));
	OK(aclFinalizeReference(&left));
	EXPECT_EQ(2, left);
	OK(aclFinalizeReference(NULL));
	OK(aclFinalizeReference(&left));
	EXPECT_EQ(0, left);
	EXPECT_ACL(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
}

TEST(finalize_ends_all_references)
{
	uint64_t left = 99;

	OK(aclInit(""));
	EXPECT_ACL(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
	OK(aclFinalize());
	EXPECT_ACL(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
	EXPECT_ACL(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
	EXPECT_EQ(0, left);
}

TEST(init_again_after_finalize)
{
	int i;

	for (i = 0; i < 3; i++) {
		OK(aclInit(NULL));
		OK(aclrtSetDevice(0));
		OK(aclrtResetDevice(0));
		OK(aclFinalize());
	}
}

TEST(runtime_works_without_init)
{
	void *p;

	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, 1, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(aclrtResetDevice(0));
}

TEST(init_reads_the_file)
{
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, aclInit("/nonexistent/acl.json"));
	EXPECT_ACL(ACL_ERROR_PARSE_FILE, init_with("{ \"dump\": "));
	EXPECT_ACL(ACL_ERROR_PARSE_FILE, init_with("no json"));
	OK(init_with("{}"));
	OK(aclFinalize());
}

TEST(default_device)
{
	int32_t device = -1;
	void *p;

	EXPECT_ACL(NO_CONTEXT, aclrtMalloc(&p, 64, 0));
	OK(init_with("{ \"defaultDevice\": { \"default_device\": \"0\" } }"));
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtGetDevice(&device));
	EXPECT_EQ(0, device);
	OK(aclrtFree(p));
	OK(aclFinalize());
}

static struct {
	int inits, finals;
	size_t len;
	aclError answer;
	char config[64];
} seen;

static aclError on_init(const char *config, size_t len, void *data)
{
	(*(int *)data)++;
	seen.inits++;
	seen.len = len;
	if (config && len < sizeof(seen.config))
		memcpy(seen.config, config, len);
	return seen.answer;
}

static aclError on_final(void *data)
{
	(*(int *)data)++;
	seen.finals++;
	return ACL_SUCCESS;
}

TEST(callbacks_run_at_start_and_end)
{
	int inits = 0, finals = 0;

	OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, &inits));
	OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_final, &finals));
	OK(init_with("{ \"a\": 1 }"));
	EXPECT_EQ(1, inits);
	EXPECT_EQ(0, finals);
	EXPECT_EQ(strlen("{ \"a\": 1 }"), seen.len);
	OK(aclFinalize());
	EXPECT_EQ(1, finals);

	OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init));
	OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_final));
	EXPECT_EQ(1, inits);
	EXPECT_EQ(1, finals);
}

static int firsts, seconds, thirds;

static aclError second_init(const char *text, size_t length, void *data)
{
	(void)text;
	(void)length;
	(void)data;
	seconds++;
	return ACL_SUCCESS;
}

static aclError third_init(const char *text, size_t length, void *data)
{
	(void)text;
	(void)length;
	(void)data;
	thirds++;
	return ACL_SUCCESS;
}

/* Makes room for another: it comes once. */
static aclError first_init(const char *text, size_t length, void *data)
{
	aclError err = aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER,
						 first_init);

	(void)text;
	(void)length;
	firsts++;
	return err ? err : aclInitCallbackRegister(ACL_REG_TYPE_OTHER,
						   third_init, data);
}

static aclError second_final(void *data)
{
	(void)data;
	seconds++;
	return ACL_SUCCESS;
}

static aclError third_final(void *data)
{
	(void)data;
	thirds++;
	return ACL_SUCCESS;
}

static aclError first_final(void *data)
{
	aclError err = aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER,
						     first_final);

	firsts++;
	return err ? err : aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER,
						       third_final, data);
}

/* Who goes hides nobody, and who comes meanwhile is called once. */
TEST(callbacks_come_and_go_while_they_run)
{
	OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, first_init, NULL));
	OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, second_init, NULL));
	OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, first_final, NULL));
	OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, second_final, NULL));
	OK(aclInit(NULL));
	EXPECT_EQ(1, firsts);
	EXPECT_EQ(1, seconds);
	EXPECT_EQ(1, thirds);

	firsts = seconds = thirds = 0;
	OK(aclFinalize());
	EXPECT_EQ(1, firsts);
	EXPECT_EQ(1, seconds);
	EXPECT_EQ(0, thirds);

	firsts = seconds = thirds = 0;
	OK(aclInit(NULL));
	OK(aclFinalize());
	EXPECT_EQ(0, firsts);
	EXPECT_EQ(2, seconds);
	EXPECT_EQ(2, thirds);
}

TEST(callbacks_refuse)
{
	int n = 0;

	EXPECT_ACL(NULL_OR_ZERO,
		   aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NULL, &n));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NULL, &n));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL));
}

TEST(init_passes_on_what_a_callback_returns)
{
	int n = 0;

	seen.answer = ACL_ERROR_FAILURE;
	OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, &n));
	EXPECT_ACL(ACL_ERROR_FAILURE,
		   init_with("{ \"defaultDevice\": { \"default_device\": \"0\" } }"));
	EXPECT_EQ(1, n);
	/* Not started, so not configured. */
	EXPECT_ACL(NO_CONTEXT, aclrtSynchronizeDevice());
	seen.answer = ACL_SUCCESS;
	OK(aclInit(NULL));
	EXPECT_EQ(2, n);
}

TEST(run_mode_is_host)
{
	aclrtRunMode mode = ACL_DEVICE;

	OK(aclrtGetRunMode(&mode));
	EXPECT_EQ(ACL_HOST, mode);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetRunMode(NULL));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(versions)
{
	static char runtime[] = "runtime", none[] = "no-such-package";
	char text[ACL_PKG_VERSION_MAX_SIZE] = "";
	aclCANNPackageVersion version;
	int32_t major, minor, patch, number = 0;

	OK(aclrtGetVersion(&major, &minor, &patch));
	EXPECT_EQ(ACL_MAJOR_VERSION, major);
	EXPECT_EQ(ACL_MINOR_VERSION, minor);
	EXPECT_EQ(ACL_PATCH_VERSION, patch);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetVersion(NULL, &minor, &patch));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetVersion(&major, NULL, &patch));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetVersion(&major, &minor, NULL));

	OK(aclsysGetVersionStr(runtime, text));
	EXPECT_NE(NULL, memchr(text, 0, sizeof(text)));
	EXPECT_NE(0, strlen(text));
	OK(aclsysGetVersionNum(runtime, &number));
	EXPECT_LT(0, number);
	EXPECT_ACL(NULL_OR_ZERO, aclsysGetVersionStr(NULL, text));
	EXPECT_ACL(NULL_OR_ZERO, aclsysGetVersionStr(runtime, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclsysGetVersionNum(NULL, &number));
	EXPECT_ACL(NULL_OR_ZERO, aclsysGetVersionNum(runtime, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, aclsysGetVersionStr(none, text));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, aclsysGetVersionNum(none, &number));

	memset(&version, 0xff, sizeof(version));
	OK(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &version));
	EXPECT_STREQ(text, version.version);
	EXPECT_NE(0, strlen(version.majorVersion));
	EXPECT_EQ(atoi(text), atoi(version.majorVersion));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclsysGetCANNVersion((aclCANNPackageName)1000, &version));
}
#pragma GCC diagnostic pop

TEST(soc_name)
{
	const char *name = aclrtGetSocName();
	int32_t fits = -1;

	ASSERT_NE(NULL, name);
	EXPECT_EQ(0, strncmp(name, "Ascend", 6)) TH_LOG("%s", name);
	OK(aclrtCheckArchCompatibility(name, &fits));
	EXPECT_EQ(1, fits);
	EXPECT_ACL(BAD_VALUE, aclrtCheckArchCompatibility(NULL, &fits));
	EXPECT_ACL(BAD_VALUE, aclrtCheckArchCompatibility(name, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtCheckArchCompatibility("toaster", &fits));
}

TEST(cann_attributes)
{
	const aclCannAttr *list = NULL;
	int32_t value;
	size_t num = 0, i;

	OK(aclGetCannAttributeList(&list, &num));
	for (i = 0; i < num; i++) {
		value = -1;
		OK(aclGetCannAttribute(list[i], &value));
		EXPECT_EQ(1, value);
	}
	EXPECT_ACL(NULL_OR_ZERO, aclGetCannAttributeList(NULL, &num));
	EXPECT_ACL(NULL_OR_ZERO, aclGetCannAttributeList(&list, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclGetCannAttribute(ACL_CANN_ATTR_INF_NAN, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclGetCannAttribute((aclCannAttr)1000, &value));
}

TEST(options_of_the_process)
{
	int64_t value = -1;

	OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	EXPECT_EQ(0, value);
	OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	EXPECT_EQ(1, value);
	OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
	OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	EXPECT_EQ(0, value);
	OK(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSetSysParamOpt((aclSysParamOpt)99, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetSysParamOpt((aclSysParamOpt)99, &value));
	EXPECT_ACL(BAD_VALUE, aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4));
	EXPECT_ACL(BAD_VALUE,
		   aclrtSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 2));
	EXPECT_ACL(BAD_VALUE, aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, -1));
}

TEST(data_type_sizes)
{
	static const struct {
		aclDataType type;
		size_t size;
	} table[] = {
		{ ACL_DT_UNDEFINED, 0 }, { ACL_STRING, 0 },
		{ ACL_BOOL, 1 }, { ACL_INT8, 1 }, { ACL_UINT8, 1 },
		{ ACL_INT4, 1 }, { ACL_UINT1, 1 }, { ACL_HIFLOAT8, 1 },
		{ ACL_FLOAT8_E5M2, 1 }, { ACL_FLOAT8_E4M3FN, 1 },
		{ ACL_FLOAT8_E8M0, 1 },
		{ ACL_FLOAT16, 2 }, { ACL_BF16, 2 }, { ACL_INT16, 2 },
		{ ACL_UINT16, 2 },
		{ ACL_FLOAT, 4 }, { ACL_INT32, 4 }, { ACL_UINT32, 4 },
		{ ACL_COMPLEX32, 4 },
		{ ACL_INT64, 8 }, { ACL_UINT64, 8 }, { ACL_DOUBLE, 8 },
		{ ACL_COMPLEX64, 8 },
		{ ACL_COMPLEX128, 16 },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		EXPECT_EQ(table[i].size, aclDataTypeSize(table[i].type))
			TH_LOG("type %d", table[i].type);
}

static float from_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t to_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

#define HALF_MAX	0x7bff	/* 65504 */

/*
 * The value of binary16 @h, by its definition; but the exponent of infinity
 * and NaN counts as an ordinary one.
 */
static double half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double fraction = h & 1023;
	double v = exponent ? ldexp(1024 + fraction, exponent - 25) :
			      ldexp(fraction, -24);

	return h & 0x8000 ? -v : v;
}

TEST(every_float16_to_float_and_back)
{
	uint32_t h, wrong = 0;
	float f;

	for (h = 0; h < 65536; h++) {
		f = aclFloat16ToFloat((aclFloat16)h);
		wrong += to_bits(f) != to_bits((float)half_value((uint16_t)h));
		if ((h & 0x7fff) <= HALF_MAX)
			wrong += aclFloatToFloat16(f) != h;
		else
			wrong += aclFloatToFloat16(f) !=
				 ((h & 0x8000) | HALF_MAX);
	}
	EXPECT_EQ(0, wrong);
}

/* Between any two neighbours: below, at and above the middle. */
TEST(float_to_float16_rounds_to_nearest_even)
{
	uint32_t h, wrong = 0;

	for (h = 0; h < HALF_MAX; h++) {
		double low = half_value((uint16_t)h);
		double high = half_value((uint16_t)(h + 1));
		float middle = (float)((low + high) / 2);
		uint16_t even = h & 1 ? h + 1 : h;
		float below = from_bits(to_bits(middle) - 1);
		float above = from_bits(to_bits(middle) + 1);

		wrong += aclFloatToFloat16(middle) != even;
		wrong += aclFloatToFloat16(-middle) != (even | 0x8000);
		wrong += aclFloatToFloat16(below) != h;
		wrong += aclFloatToFloat16(above) != h + 1;
		wrong += aclFloatToFloat16(-above) != ((h + 1) | 0x8000);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, aclFloatToFloat16(1e-30f));
	EXPECT_EQ(0x8000, aclFloatToFloat16(-1e-45f));
}

TEST(float_to_float16_saturates)
{
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(65519.996f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(65520.0f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(65536.0f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(3e38f));
	EXPECT_EQ(HALF_MAX | 0x8000, aclFloatToFloat16(-3e38f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(INFINITY));
	EXPECT_EQ(HALF_MAX | 0x8000, aclFloatToFloat16(-INFINITY));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(NAN));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(from_bits(0x7f800001)));
}

/* Runs in a child what writes to stdout, and returns the bytes written. */
static ssize_t output_of_log(const char *setting)
{
	char buffer[4096];
	ssize_t n, sum = 0;
	int fds[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(fds))
		abort();
	pid = fork_bound();
	if (!pid) {
		if (setting)
			setenv("ASCEND_SLOG_PRINT_TO_STDOUT", setting, 1);
		setenv("ASCEND_GLOBAL_LOG_LEVEL", "1", 1);
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		ACL_APP_LOG(ACL_ERROR, "the answer is %d", 42);
		aclAppLog(ACL_ERROR, NULL, NULL, 0, "%s", "no place");
		aclrtFree((void *)8);
		fflush(stdout);
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], buffer, sizeof(buffer))) > 0)
		sum += n;
	close(fds[0]);
	return child_wait(pid) ? -1 : sum;
}

/* Which modules of a run say something, as a text like "AR". */
static const char *modules_of_log(const char *global, const char *modules)
{
	static char said[3];
	char buffer[8192];
	size_t length = 0;
	ssize_t n;
	int fds[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(fds))
		abort();
	pid = fork_bound();
	if (!pid) {
		setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
		setenv("ASCEND_GLOBAL_LOG_LEVEL", global, 1);
		setenv("ASCEND_MODULE_LOG_LEVEL", modules, 1);
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		ACL_APP_LOG(ACL_ERROR, "from the program");
		aclrtFree((void *)8);
		fflush(stdout);
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], buffer + length,
			 sizeof(buffer) - 1 - length)) > 0)
		length += n;
	buffer[length] = '\0';
	close(fds[0]);
	said[0] = '\0';
	if (strstr(buffer, " APP("))
		strcat(said, "A");
	if (strstr(buffer, " RUNTIME("))
		strcat(said, "R");
	return child_wait(pid) ? "failed" : said;
}

TEST(modules_have_levels)
{
	EXPECT_STREQ("AR", modules_of_log("3", ""));
	EXPECT_STREQ("R", modules_of_log("3", "APP=4"));
	EXPECT_STREQ("A", modules_of_log("3", "RUNTIME=4:APP=1"));
	EXPECT_STREQ("", modules_of_log("3", "RUNTIME=4:APP=4"));
	EXPECT_STREQ("A", modules_of_log("4", "GE=0:APP=3:"));
	/* What is no level of a module here changes nothing. */
	EXPECT_STREQ("AR", modules_of_log("3", "APP=5:RUNTIME:=4::APP=44:app=4"));
}

TEST(the_library_is_silent_unless_told)
{
	EXPECT_EQ(0, output_of_log(NULL));
	EXPECT_EQ(0, output_of_log("0"));
	EXPECT_LT(0, output_of_log("1"));
}

TEST_HARNESS_MAIN
