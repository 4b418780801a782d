/* SPDX-License-Identifier: GPL-2.0-only */
/* An inode for each client, so that each has its own mappings. */
#ifndef VNPU_INODE_H
#define VNPU_INODE_H

struct inode;

struct inode *vnpu_inode_create(void);
int vnpu_inode_get(struct inode *inode);
void vnpu_inode_destroy(struct inode *inode);

#endif
