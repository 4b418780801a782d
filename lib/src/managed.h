/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: one address on host and device.
 */
#ifndef VNPU_LIB_MANAGED_H
#define VNPU_LIB_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether an address lies in such memory. */
bool vnpu_managed_has(uint64_t va);

/* The memory at @va was freed; that it was managed need not be so. */
void vnpu_managed_forget(uint64_t va);

#endif /* VNPU_LIB_MANAGED_H */
