/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of AscendCL's profiling: a directory for records,
 * and checks of a session's file.
 */
#ifndef SELFTESTS_LIB_PROF_H
#define SELFTESTS_LIB_PROF_H

#include "acl-test.h"

#include "acl/acl_prof.h"

#define MARKS		ACL_PROF_MSPROFTX
#define TASKS		ACL_PROF_TASK_TIME

FIXTURE(prof) {
	char dir[64];
	uint32_t device;
};

FIXTURE_SETUP(prof)
{
	snprintf(self->dir, sizeof(self->dir), "/tmp/vnpu-prof-%d", getpid());
	self->device = 0;
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(prof)
{
	char command[128];

	aclprofFinalize();
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
	OK(aclrtResetDeviceForce(0));
}

#define INIT()	OK(aclprofInit(self->dir, strlen(self->dir)))

/* Run a script on the session's file: e is its events. */
static inline int check_file(const char *dir, unsigned int number,
			     const char *check)
{
	char script[4096], path[128];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/vnpu-prof-%d-%u.json", dir, getpid(),
		 number);
	snprintf(script, sizeof(script),
		 "import json, sys\n"
		 "d = json.load(open(sys.argv[1]))\n"
		 "e = [x for x in d['traceEvents'] if x['ph'] != 'M']\n"
		 "def of(name): return [x for x in e if x['name'] == name]\n"
		 "%s", check);
	pid = fork();
	if (!pid) {
		/* Without unneeded modules, it starts twice as fast. */
		execlp("python3", "python3", "-S", "-c", script, path, NULL);
		_exit(127);
	}
	return child_wait(pid);
}

#endif
