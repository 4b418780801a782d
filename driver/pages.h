/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages that a memory object consists of. */
#ifndef VNPU_PAGES_H
#define VNPU_PAGES_H

struct vnpu_mem;
struct vnpu_mem_spec;

int vnpu_pages_alloc(struct vnpu_mem *mem, const struct vnpu_mem_spec *spec);
int vnpu_pages_clear(struct vnpu_mem *mem);
void vnpu_pages_release(struct vnpu_mem *mem);

#endif
