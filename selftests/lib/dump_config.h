/* SPDX-License-Identifier: GPL-2.0-only */
/* Configurations of dumps, for tests of lib/src/dump on the host. */
#ifndef SELFTESTS_LIB_DUMP_CONFIG_H
#define SELFTESTS_LIB_DUMP_CONFIG_H

#include "dump_stub.h"

/* Begin a dump as aclInit() does, with these members besides the path. */
static aclError begin_with(const char *members)
{
	char text[8192];

	snprintf(text, sizeof(text), "{\"dump\": {\"dump_path\": \"%s\", %s}}",
		 folder, members);
	return vnpu_dump_configure("acl.json", text);
}

/* Call aclmdlSetDump() with a text, in which "@" stands for the folder. */
static aclError set_text(const char *text)
{
	char path[] = "/tmp/vnpu-dump-json-XXXXXX";
	const char *at = strchr(text, '@');
	int length = at ? at - text : (int)strlen(text);
	aclError ret;
	FILE *f = fdopen(mkstemp(path), "w");

	if (!f)
		abort();
	fprintf(f, "%.*s%s%s", length, text, at ? folder : "",
		at ? at + 1 : "");
	fclose(f);
	ret = aclmdlSetDump(path);
	unlink(path);
	return ret;
}

/* Begin a dump with these members besides the path. */
#define BEGIN(members)							\
	EXPECT_EQ(ACL_SUCCESS, begin_with(members)) TH_LOG("%s", message)

#endif
