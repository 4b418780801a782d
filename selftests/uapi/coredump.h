/* SPDX-License-Identifier: GPL-2.0-only */
/* The coredump of device 0 after a reset. */
#ifndef SELFTESTS_UAPI_COREDUMP_H
#define SELFTESTS_UAPI_COREDUMP_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COREDUMPS	"/sys/class/devcoredump"

/* Find the path of the coredump of device 0, if there is one. */
static inline bool find_coredump(char path[PATH_MAX])
{
	char link[PATH_MAX], target[PATH_MAX];
	DIR *dir = opendir(COREDUMPS);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(link, sizeof(link), COREDUMPS "/%s/failing_device",
			 entry->d_name);
		found = realpath(link, target) && strstr(target, "/vnpu0");
		snprintf(path, PATH_MAX, COREDUMPS "/%s/data", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Remove an existing dump, which would keep a later one out. */
static inline void forget_coredump(void)
{
	char path[PATH_MAX];
	int tries;

	for (tries = 0; tries < 100 && find_coredump(path); tries++) {
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		if (fd >= 0 && write(fd, "", 1) != 1)
			tries = 100;
		close(fd);
		usleep(20000);
	}
}

#endif
