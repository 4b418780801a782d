/* SPDX-License-Identifier: GPL-2.0-only */
/* The character devices: /dev/vnpu, and the node of each device. */
#ifndef VNPU_FILE_H
#define VNPU_FILE_H

struct file;
struct seq_file;
struct vnpu_client;

int vnpu_file_register(void);
void vnpu_file_unregister(void);
struct vnpu_client *vnpu_file_client(struct file *file);

void vnpu_fdinfo_show(struct seq_file *m, struct file *file);

#endif
