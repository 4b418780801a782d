// SPDX-License-Identifier: GPL-2.0-only
/*
 * The configuration of dumps without a device, and the calls that begin and end
 * them; see dump_files.c.
 */
#include "dump_config.h"

FIXTURE(config) {
	char unused;
};

FIXTURE_SETUP(config)
{
	folder_make();
}

FIXTURE_TEARDOWN(config)
{
	vnpu_dump_drop();
	folder_remove();
	EXPECT_EQ(0, __lsan_do_recoverable_leak_check());
}

/* Each text, what its message contains, and the code. */
static const struct {
	const char *text;
	const char *part;
	aclError code;
} refused[] = {
	{ "{\"dump\": ", "JSON object", ACL_ERROR_PARSE_FILE },
	{ "{\"dump\": {\"dump_mode\": \"all\"}} x", "JSON object",
	  ACL_ERROR_PARSE_FILE },
	{ "{}", "configures no dump", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {}}", "configures no dump",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_scene\": \"lite_exception\"}}",
	  "configures no dump", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": []}", "dump = [...]", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": \"out\"}", "dump = out", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": [{}]}}", "no dump_path",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"/nonexistent\"}}",
	  "dump_path = /nonexistent", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"/dev/null\"}}",
	  "dump_path = /dev/null", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"\"}}", "dump_path = ",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": 1}}", "dump_path = 1",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": {\"a\": 1}}}", "dump_path = {...}",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"@\"}}", "dump_list",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"@\", \"dump_list\": []}}",
	  "missing or empty", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": {}}}", "dump_list = {...}",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": [\"net\"]}}", "dump_list = net",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": [{\"model_name\": 1}]}}",
	  "model_name = 1", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": [{\"layer\": \"x\"}]}}", "layer = x",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": [{\"layer\": [\"a\", 2]}]}}",
	  "layer = 2", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_list\": [{\"layer\": [[\"a\"]]}]}}",
	  "layer = [...]", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"@\", \"dump_list\": [{\"model_name\": \"a\"}, {\"model_name\": \"a\"}]}}",
	  "model_name = a", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_path\": \"@\\u0000/x\"}}", "without \\u0000",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_mode\": \"both\"}}",
	  "use \"input\", \"output\" or \"all\"",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_data\": \"x\"}}", "dump_data = x",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_level\": \"x\"}}", "dump_level = x",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_op_switch\": true}}", "dump_op_switch = true",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_debug\": \"on\"}}", "overflow",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_scene\": \"x\"}}", "dump_scene = x",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_stats\": [\"Max\", \"Sum\"]}}",
	  "dump_stats = Sum", ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_step\": \"1-\"}}", "dump_step = 1-",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_step\": \"5-3\"}}", "dump_step = 5-3",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_step\": \"0|\"}}", "dump_step = 0|",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
	{ "{\"dump\": {\"dump_step\": \"99999999999999999999\"}}", "dump_step",
	  ACL_ERROR_INVALID_DUMP_CONFIG },
};

/* Each name is compared with all others, so there is a limit. */
TEST_F(config, many_models)
{
	static char text[32768];
	size_t at;

	EXPECT_EQ(ACL_SUCCESS, aclmdlInitDump());
	for (int i = 1024; i <= 1025; i++) {
		at = (size_t)sprintf(text, "{\"dump\": {\"dump_path\": \"@\", \"dump_list\": [{}");
		for (int k = 1; k < i; k++)
			at += (size_t)sprintf(text + at, ", {}");
		sprintf(text + at, "]}}");
		EXPECT_EQ(i > 1024 ? ACL_ERROR_INVALID_DUMP_CONFIG : 0,
			  set_text(text));
	}
	EXPECT_NE(NULL, strstr(message, "at most 1024 elements"));
	EXPECT_EQ(ACL_SUCCESS, aclmdlFinalizeDump());
}

TEST_F(config, refused_configurations)
{
	EXPECT_EQ(ACL_SUCCESS, aclmdlInitDump());
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT_EQ(refused[i].code, set_text(refused[i].text))
			TH_LOG("%s: %s", refused[i].text, message);
		EXPECT_NE(NULL, strstr(message, refused[i].part))
			TH_LOG("%s: %s", refused[i].text, message);
		EXPECT_EQ(NULL, vnpu_dump_get());
	}
	EXPECT_EQ(ACL_ERROR_INVALID_FILE, aclmdlSetDump("/nonexistent"));
	EXPECT_EQ(ACL_ERROR_INVALID_FILE, aclmdlSetDump("/"));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclmdlSetDump(NULL));
	EXPECT_EQ(ACL_SUCCESS, aclmdlFinalizeDump());
}

TEST_F(config, order_of_calls)
{
	struct vnpu_dump *first, *second;

	EXPECT_EQ(ACL_ERROR_DUMP_NOT_RUN, aclmdlFinalizeDump());
	EXPECT_EQ(ACL_ERROR_DUMP_NOT_RUN, aclmdlSetDump("/nonexistent"));
	EXPECT_EQ(ACL_SUCCESS, aclmdlInitDump());
	EXPECT_EQ(NULL, acldumpGetPath(DATA_DUMP));
	EXPECT_EQ(ACL_ERROR_DUMP_ALREADY_RUN, aclmdlInitDump());
	EXPECT_EQ(ACL_ERROR_DUMP_ALREADY_RUN,
		  begin_with("\"dump_list\": [{}]"));
	EXPECT_EQ(ACL_SUCCESS, set_text(
		"{\"dump\": {\"dump_path\": \"@\", \"dump_list\": [{}]}}"));
	first = vnpu_dump_get();
	EXPECT_STREQ(folder, acldumpGetPath(DATA_DUMP));
	EXPECT_STREQ(folder, acldumpGetPath(OVERFLOW_DUMP));
	EXPECT_EQ(NULL, acldumpGetPath(AIC_ERR_DETAIL_DUMP));
	EXPECT_EQ(NULL, acldumpGetPath((acldumpType)0));
	EXPECT_FALSE(vnpu_dump_has_operators());
	EXPECT_EQ(ACL_SUCCESS, set_text(
		"{\"dump\": {\"dump_path\": \"@\", \"dump_op_switch\": \"on\"}}"));
	second = vnpu_dump_get();
	EXPECT_TRUE(vnpu_dump_has_operators());
	EXPECT_FALSE(first->has_ended);
	EXPECT_EQ(ACL_SUCCESS, aclmdlFinalizeDump());
	EXPECT_FALSE(vnpu_dump_has_operators());
	EXPECT_TRUE(first->has_ended);
	EXPECT_TRUE(second->has_ended);
	vnpu_dump_put(second);
	vnpu_dump_put(first);
	EXPECT_EQ(NULL, vnpu_dump_get());
	EXPECT_EQ(NULL, acldumpGetPath(DATA_DUMP));
	EXPECT_EQ(ACL_ERROR_DUMP_NOT_RUN, aclmdlFinalizeDump());
	BEGIN("\"dump_list\": [{}]");
	EXPECT_EQ(ACL_ERROR_DUMP_ALREADY_RUN, aclmdlInitDump());
	EXPECT_EQ(ACL_ERROR_DUMP_NOT_RUN, aclmdlFinalizeDump());
}

TEST_F(config, selection)
{
	struct vnpu_dump *dump;

	BEGIN("\"dump_step\": \"0|3-5\", \"later\": {\"x\": []}, \"dump_list\": [{\"model_name\": \"n\\u0065t\", \"layer\": [\"a\\/b\", \"c\"]}, {\"model_name\": \"file\", \"range\": [1]}, {\"layer\": [\"\\u20ac\", \"\\ud83d\\ude00\", \"\\ud83dx\\udc00\"]}]");
	dump = vnpu_dump_get();
	ASSERT_NE(NULL, dump);
	EXPECT_TRUE(vnpu_dump_has(dump, "net", "", "a/b"));
	EXPECT_TRUE(vnpu_dump_has(dump, "net", "", "c"));
	EXPECT_FALSE(vnpu_dump_has(dump, "net", "", "d"));
	EXPECT_TRUE(vnpu_dump_has(dump, "other", "file", "d"));
	EXPECT_FALSE(vnpu_dump_has(dump, "other", "", "d"));
	EXPECT_TRUE(vnpu_dump_has(dump, "other", "", "\u20ac"));
	/* A pair of surrogates is one character; half of one is replaced. */
	EXPECT_TRUE(vnpu_dump_has(dump, "other", "", "\U0001f600"));
	EXPECT_TRUE(vnpu_dump_has(dump, "other", "", "\ufffdx\ufffd"));
	EXPECT_TRUE(vnpu_dump_has(dump, "other", "", NULL));
	for (unsigned int i = 0; i < 7; i++)
		EXPECT_EQ(!i || (i >= 3 && i <= 5), vnpu_dump_has_run(dump, i));
	vnpu_dump_put(dump);
}

TEST_HARNESS_MAIN
