/* SPDX-License-Identifier: GPL-2.0-only */
/* An object that calls the program while it is loaded, see plugin.c. */
#ifndef SELFTESTS_LIB_PLUGIN_H
#define SELFTESTS_LIB_PLUGIN_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void plugin_loads(void);

static void (*when_plugin_loads)(void);

/* Exported by the makefile. */
void plugin_loads(void)
{
	if (when_plugin_loads)
		when_plugin_loads();
}

/* It is in the same folder as this program. */
static inline void *plugin_open(int flags)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);

	if (length < 0)
		abort();
	path[length] = '\0';
	strcpy(strrchr(path, '/'), "/plugin.so");
	return dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
}

#endif
