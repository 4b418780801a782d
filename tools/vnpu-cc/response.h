/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Response files: parts of the command line that are in a file.
 */
#ifndef VNPU_CC_RESPONSE_H
#define VNPU_CC_RESPONSE_H

void response_expand(int *argc, char ***argv);

#endif /* VNPU_CC_RESPONSE_H */
