// SPDX-License-Identifier: GPL-2.0-only
/* What the library writes, and what the variables of its log change. */
#include "acl-test.h"

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
