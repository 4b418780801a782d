/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocating device memory. */
#ifndef VNPU_DEVMEM_ALLOC_H
#define VNPU_DEVMEM_ALLOC_H

struct vnpu_client;
struct vnpu_devmem;
struct vnpu_devmem_spec;

struct vnpu_devmem *vnpu_devmem_create(struct vnpu_client *client,
				       unsigned int device,
				       const struct vnpu_devmem_spec *spec,
				       u64 *report);

#endif
