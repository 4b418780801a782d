/* SPDX-License-Identifier: GPL-2.0-only */
/* Quotas of host resources, for clients and users. */
#ifndef VNPU_HOST_QUOTA_H
#define VNPU_HOST_QUOTA_H

#include <linux/types.h>

struct vnpu_client;
struct vnpu_quota_key;
struct vnpu_quota_state;

/**
 * vnpu_quota_is_of_host() - check whether a resource belongs to no device
 * @resource: VNPU_QUOTA_RESOURCE_*
 *
 * Return: true if the resource is a host resource.
 */
#define vnpu_quota_is_of_host(resource)	((resource) >= VNPU_HOST_RESOURCE)

int vnpu_host_quota_set(const struct vnpu_quota_key *key, u64 limit,
			struct vnpu_quota_state *state);
int vnpu_host_quota_remove(const struct vnpu_quota_key *key,
			   struct vnpu_quota_state *state);
bool vnpu_host_quota_get_next(const struct vnpu_quota_key *key,
			      struct vnpu_quota_state *state);
void vnpu_host_quota_note_end(const struct vnpu_client *client);
void vnpu_host_quota_remove_all(void);

#endif
