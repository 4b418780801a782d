/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/vnpu */
#ifndef VNPU_FILE_H
#define VNPU_FILE_H

struct file;
struct seq_file;

int vnpu_file_register(void);
void vnpu_file_unregister(void);

void vnpu_fdinfo_show(struct seq_file *m, struct file *file);

#endif
