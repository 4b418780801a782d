/* SPDX-License-Identifier: GPL-2.0-only */
/* The window: a client's device addresses as a mapping of its file. */
#ifndef VNPU_WINDOW_H
#define VNPU_WINDOW_H

struct vm_area_struct;
struct vnpu_client;

int vnpu_window_mmap(struct vnpu_client *client, struct vm_area_struct *vma);

#endif
