// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: which version the driver is.
 */
#include <stdio.h>
#include <string.h>

#include "version.h"

#define MODULE_VERSION_FILE	"/sys/module/vnpu/version"

void driver_version(char *version, size_t size)
{
	FILE *f = fopen(MODULE_VERSION_FILE, "re");

	*version = '\0';
	if (!f)
		return;
	if (!fgets(version, (int)size, f))
		*version = '\0';
	version[strcspn(version, "\n")] = '\0';
	fclose(f);
}
