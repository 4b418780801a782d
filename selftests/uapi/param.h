/* SPDX-License-Identifier: GPL-2.0-only */
/* Numeric parameters of the loaded module. */
#ifndef SELFTESTS_VNPU_PARAM_H
#define SELFTESTS_VNPU_PARAM_H

#include <errno.h>
#include <stdio.h>

static inline int param_get(const char *name, unsigned int *value)
{
	char path[96];
	int found;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/vnpu/parameters/%s", name);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	found = fscanf(f, "%u", value);
	fclose(f);
	return found == 1 ? 0 : -EPROTO;
}

static inline int param_set(const char *name, unsigned int value)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/vnpu/parameters/%s", name);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	fprintf(f, "%u", value);
	return fclose(f) ? -errno : 0;
}

#endif
