/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of bind.c for bind_range.c. */
#ifndef VNPU_BIND_INTERNAL_H
#define VNPU_BIND_INTERNAL_H

#include <linux/types.h>

struct vnpu_binding;
struct vnpu_client;

void vnpu_bind_lock(struct vnpu_client *client);
void vnpu_bind_zap(struct vnpu_client *client, u64 va, u64 length);
void vnpu_binding_unlink_locked(struct vnpu_binding *binding);
void vnpu_binding_free(struct vnpu_binding *binding);

#endif
