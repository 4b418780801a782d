/* SPDX-License-Identifier: GPL-2.0-only */
/* Pools of ids for a device's streams, events and counters. */
#ifndef VNPU_ID_POOL_H
#define VNPU_ID_POOL_H

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/types.h>

#include <linux/vnpu.h>

#include "base/device.h"

struct vnpu_client;
struct vnpu_quota_state;
struct vnpu_account;

void vnpu_id_pool_init(struct vnpu_id_pool *pool, u32 count);
void vnpu_id_pool_fini(struct vnpu_id_pool *pool);
u32 vnpu_id_pool_available(const struct vnpu_id_pool *pool);

int vnpu_id_alloc(struct vnpu_account *account, u32 kind, u32 *number);
void vnpu_id_free(struct vnpu_account *account, u32 kind, u32 number);
void vnpu_id_uncharge(struct vnpu_account *account, u32 kind);
void vnpu_id_release(struct vnpu_id_pool *pool, u32 number);
u32 vnpu_id_left(struct vnpu_account *account, u32 kind,
		 struct vnpu_quota_state *limit);

int vnpu_event_alloc(struct vnpu_client *client, u32 device, u32 *number,
		     u32 *available);
int vnpu_event_free(struct vnpu_client *client, u32 device, u32 number);
void vnpu_events_free_all(struct vnpu_client *client);

#endif
