/* SPDX-License-Identifier: GPL-2.0-only */
/* Creation and end of clients, see create.c. */
#ifndef VNPU_CLIENT_CREATE_H
#define VNPU_CLIENT_CREATE_H

struct vnpu_client;
struct vnpu_device;

struct vnpu_client *vnpu_client_create(const struct vnpu_device *node);
void vnpu_client_destroy(struct vnpu_client *client);
void vnpu_client_end(struct vnpu_client *client);

#endif
