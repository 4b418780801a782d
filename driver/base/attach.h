/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices that a client may use. */
#ifndef VNPU_ATTACH_H
#define VNPU_ATTACH_H

#include <linux/types.h>

struct vnpu_client;
struct vnpu_device;

void vnpu_client_set_node(struct vnpu_client *client,
			  const struct vnpu_device *dev);
int vnpu_client_attach(struct vnpu_client *client,
		       const struct vnpu_client *other);

bool vnpu_client_has_device(const struct vnpu_client *client,
			    const struct vnpu_device *dev);
bool vnpu_client_has_index(const struct vnpu_client *client,
			   unsigned int index);
struct vnpu_device *vnpu_client_device_get(const struct vnpu_client *client,
					   unsigned int index);
struct vnpu_device *
vnpu_client_device_get_next(const struct vnpu_client *client,
			    unsigned long *index);

#endif
