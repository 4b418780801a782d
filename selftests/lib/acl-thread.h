/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of the library in a test, identified by their names. */
#ifndef SELFTESTS_LIB_ACL_THREAD_H
#define SELFTESTS_LIB_ACL_THREAD_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_callback_thread(const char *task)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", task);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	return !strcmp(name, "vnpu-callback\n");
}

/* Return whether the library has a thread that calls functions. */
static inline bool has_callback_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	bool found = false;

	if (!tasks)
		abort();
	while (!found && (task = readdir(tasks)))
		found = is_callback_thread(task->d_name);
	closedir(tasks);
	return found;
}

#endif
