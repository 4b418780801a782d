/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that the tests of kernels share. */
#ifndef SELFTESTS_LIB_ACL_KERNEL_H
#define SELFTESTS_LIB_ACL_KERNEL_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Get the path of the image of kernels.asc, which is beside the program. */
static inline void kernels_path(char *path, size_t size)
{
	char self[PATH_MAX] = "";
	char *slash;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		self[0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	snprintf(path, size, "%.*s/kernels.o", (int)size - 20, self);
}

static inline void *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *data = NULL;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = ftell(file);
	rewind(file);
	data = malloc(*size);
	if (data && fread(data, 1, *size, file) != *size) {
		free(data);
		data = NULL;
	}
	fclose(file);
	return data;
}

#endif /* SELFTESTS_LIB_ACL_KERNEL_H */
