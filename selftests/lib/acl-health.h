/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The health of a device: as vnpu-smi reports it, and as a program experiences
 * it.
 */
#ifndef SELFTESTS_LIB_ACL_HEALTH_H
#define SELFTESTS_LIB_ACL_HEALTH_H

#include "acl-stream.h"

/* The exit status of "vnpu-smi health". */
#define HEALTHY		0
#define GONE		3
#define UNHEALTHY	5

/* The exit status of vnpu-smi. */
static inline int smi(const char *arguments)
{
	const char *build = getenv("B");
	char command[128];
	int status;

	snprintf(command, sizeof(command), "%s/bin/vnpu-smi %s >/dev/null",
		 build ? build : "build", arguments);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int health_of(int device)
{
	char arguments[32];

	snprintf(arguments, sizeof(arguments), "health -i %d", device);
	return smi(arguments);
}

/* The stream executes its tasks correctly, to the last byte. */
static inline void works(struct __test_metadata *_metadata, struct work *w,
			 aclrtStream stream)
{
	static uint8_t value = 0x40;

	value++;
	OK(aclrtMemsetAsync(w->dev, AREA, value, AREA, stream));
	OK(aclrtMemcpyAsync(w->pinned, AREA, w->dev, AREA,
			    ACL_MEMCPY_DEVICE_TO_HOST, stream));
	OK(aclrtSynchronizeStream(stream));
	EXPECT_TRUE(all_are(w->pinned, value, AREA));
}

#endif
