/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that stand for timelines and counters. */
#ifndef VNPU_TIMELINE_FILE_H
#define VNPU_TIMELINE_FILE_H

#include <linux/types.h>

struct file;
struct vnpu_timeline;

struct file *vnpu_timeline_file_create(struct vnpu_timeline *timeline,
				       u64 value, bool wait_only);
struct vnpu_timeline *vnpu_timeline_file_get(int fd, bool *wait_only);
bool vnpu_timeline_is_file(const struct file *file);

#endif
