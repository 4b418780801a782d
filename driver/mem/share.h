/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that represent memory objects, to be passed between processes. */
#ifndef VNPU_SHARE_H
#define VNPU_SHARE_H

#include <linux/types.h>

struct file;
struct vnpu_mem;

struct file *vnpu_share_create_file(struct vnpu_mem *mem);
struct vnpu_mem *vnpu_share_get_mem(int fd);
bool vnpu_share_is_file(const struct file *file);

#endif
