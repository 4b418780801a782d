// SPDX-License-Identifier: GPL-2.0-only
/*
 * Initialisation and end, versions, attributes, and the options of the process.
 */
#include "acl-test.h"

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

#define ASKED_MAX	8

struct asked {
	int count;
	aclrtDeviceState states[ASKED_MAX];
	aclError answers[ASKED_MAX];
};

/*
 * A new thread without a context: the default device would be used, if it
 * existed.
 */
static void ask_device(int32_t device, aclrtDeviceState state, void *args)
{
	struct asked *asked = args;
	int32_t found;
	int call = asked->count;

	(void)device;
	if (call == ASKED_MAX)
		return;
	asked->count++;
	asked->states[call] = state;
	asked->answers[call] = aclrtGetDevice(&found);
}

static void asked_once(struct __test_metadata *_metadata,
		       const struct asked *asked)
{
	EXPECT_EQ(2, asked->count);
	EXPECT_EQ(ACL_RT_DEVICE_STATE_SET_PRE, asked->states[0]);
	EXPECT_EQ(NO_CONTEXT, asked->answers[0]);
	EXPECT_EQ(ACL_RT_DEVICE_STATE_SET_POST, asked->states[1]);
	EXPECT_EQ(ACL_SUCCESS, asked->answers[1]);
}

/* A callback before a device is set does not set the default device. */
TEST(default_device_while_one_is_set)
{
	struct asked by_need = { 0 }, by_call = { 0 };
	void *p;

	OK(init_with("{ \"defaultDevice\": { \"default_device\": \"0\" } }"));
	OK(aclrtRegDeviceStateCallback("ask", ask_device, &by_need));
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	asked_once(_metadata, &by_need);
	OK(aclrtRegDeviceStateCallback("ask", NULL, NULL));
	OK(aclrtResetDevice(0));

	OK(aclrtRegDeviceStateCallback("ask", ask_device, &by_call));
	OK(aclrtSetDevice(0));
	asked_once(_metadata, &by_call);
	OK(aclrtRegDeviceStateCallback("ask", NULL, NULL));
	/* That was one aclrtSetDevice(). */
	OK(aclrtResetDevice(0));
	EXPECT_ACL(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
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

/* Remove it to make room for another: it is called once. */
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

/* Removing a callback skips no other one, and an added one is called once. */
TEST(callbacks_are_added_and_removed_while_they_run)
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

TEST(init_returns_the_error_of_a_callback)
{
	int n = 0;

	seen.answer = ACL_ERROR_FAILURE;
	OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, &n));
	EXPECT_ACL(ACL_ERROR_FAILURE,
		   init_with("{ \"defaultDevice\": { \"default_device\": \"0\" } }"));
	EXPECT_EQ(1, n);
	/* Not initialised, so not configured. */
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

TEST_HARNESS_MAIN
