/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: which version this is, and which the driver.
 */
#ifndef VNPU_SMI_VERSION_H
#define VNPU_SMI_VERSION_H

#include <stddef.h>

#ifndef VNPU_VERSION
#error "VNPU_VERSION must be defined by the build"
#endif

/* The version of the loaded module; empty if it is unknown. */
void driver_version(char *version, size_t size);

#endif /* VNPU_SMI_VERSION_H */
