/* SPDX-License-Identifier: GPL-2.0-only */
/* The window of a client, see window.c. */
#ifndef VNPU_WINDOW_H
#define VNPU_WINDOW_H

#include <linux/types.h>

struct vm_area_struct;
struct vnpu_client;

int vnpu_window_mmap(struct vnpu_client *client, struct vm_area_struct *vma);

#endif
