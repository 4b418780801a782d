/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --fusion_switch_file: passes that are left out.
 */
#ifndef VNPU_ATC_SWITCHES_H
#define VNPU_ATC_SWITCHES_H

#include <stdint.h>

/*
 * Read the file; return a bit for each pass that is left out. Ends the program
 * for a file that is not valid.
 */
uint64_t switches_read(const char *path);

#endif
