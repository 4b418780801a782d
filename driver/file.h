/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/vnpu */
#ifndef VNPU_FILE_H
#define VNPU_FILE_H

int vnpu_file_register(void);
void vnpu_file_unregister(void);

#endif
