/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: random numbers by which other processes open files, see key.c. */
#ifndef VNPU_KEY_H
#define VNPU_KEY_H

#include <linux/types.h>

struct file;
struct vnpu_client;

/**
 * struct vnpu_key_spec - what a key is created for
 * @file: the file that it opens; the key takes a reference of its own
 * @kind: the number that an opener has to pass as well
 * @data: two numbers that each opener gets
 * @any_process: any process may open it
 * @is_short: the second word of the key is 0
 */
struct vnpu_key_spec {
	struct file *file;
	u32 kind;
	u64 data[2];
	bool any_process;
	bool is_short;
};

int vnpu_keys_init(void);
void vnpu_keys_fini(void);

int vnpu_key_create(struct vnpu_client *client,
		    const struct vnpu_key_spec *spec, u64 words[2]);
int vnpu_key_destroy(struct vnpu_client *client, const u64 words[2]);
int vnpu_key_allow(struct vnpu_client *client, const u64 words[2],
		   const s32 *pids, u32 count);
struct file *vnpu_key_open(const u64 words[2], u32 kind, u64 data[2]);
void vnpu_keys_destroy_all(struct vnpu_client *client);

#endif
