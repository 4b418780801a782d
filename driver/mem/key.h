/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys: random numbers with which other processes open files, see key.c. */
#ifndef VNPU_KEY_H
#define VNPU_KEY_H

#include <linux/types.h>

struct file;
struct vnpu_client;

/**
 * struct vnpu_key_spec - the parameters of a new key
 * @file: the file that the key opens; the key takes its own reference
 * @kind: a number that a process must pass, too, to open the key
 * @data: two numbers that each process gets that opens the key
 * @any_process: true if any process may open the key
 * @is_short: true if the second word of the key is to be 0
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
