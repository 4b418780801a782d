// SPDX-License-Identifier: GPL-2.0-only
/* The table of all clients, and references to them. */
#include <linux/bitmap.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "client.h"

static DEFINE_XARRAY_FLAGS(vnpu_clients, XA_FLAGS_ACCOUNT);
static atomic_t vnpu_clients_gen = ATOMIC_INIT(0);

/* Largest number of devices that one client has used. */
static atomic_t vnpu_clients_most = ATOMIC_INIT(0);

/**
 * vnpu_clients_insert() - add a client to the table
 * @client: the client; no other client in the table has its id
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_clients_insert(struct vnpu_client *client)
{
	int ret = xa_insert(&vnpu_clients, client->id, client,
			    GFP_KERNEL_ACCOUNT);

	if (!ret)
		atomic_inc(&vnpu_clients_gen);
	return ret;
}

/**
 * vnpu_clients_erase() - remove a client from the table
 * @client: the client
 */
void vnpu_clients_erase(struct vnpu_client *client)
{
	xa_erase(&vnpu_clients, client->id);
	atomic_inc(&vnpu_clients_gen);
}

/**
 * vnpu_clients_note_devices() - count the devices that a client uses
 * @client: the client
 */
void vnpu_clients_note_devices(const struct vnpu_client *client)
{
	int count = bitmap_weight(client->devices, VNPU_MAX_DEVICES);
	int most = atomic_read(&vnpu_clients_most);

	while (most < count &&
	       !atomic_try_cmpxchg(&vnpu_clients_most, &most, count))
		;
}

/**
 * vnpu_client_get_by_id() - look up a client by its id
 * @id: any number
 *
 * Return: the client with a reference, or NULL.
 */
struct vnpu_client *vnpu_client_get_by_id(u64 id)
{
	struct vnpu_client *client = NULL;

	xa_lock(&vnpu_clients);
	if (id <= ULONG_MAX)
		client = xa_load(&vnpu_clients, id);
	if (client)
		kref_get(&client->ref);
	xa_unlock(&vnpu_clients);
	return client;
}

/**
 * vnpu_client_get_next() - find the first client at or after an id
 * @id: the id to start at; set to the id of the client found
 *
 * Return: the client with a reference, or NULL.
 */
struct vnpu_client *vnpu_client_get_next(unsigned long *id)
{
	struct vnpu_client *client;

	/* A client leaves the table before its file drops the reference. */
	xa_lock(&vnpu_clients);
	client = xa_find(&vnpu_clients, id, ULONG_MAX, XA_PRESENT);
	if (client)
		kref_get(&client->ref);
	xa_unlock(&vnpu_clients);
	return client;
}

/**
 * vnpu_client_name() - get the name of the process that opened a client
 * @client: the client
 * @name: filled with the current name, or with the name at open if the process
 *	is gone
 */
void vnpu_client_name(const struct vnpu_client *client,
		      char name[TASK_COMM_LEN])
{
	struct task_struct *task = get_pid_task(client->pid, PIDTYPE_TGID);

	if (task) {
		__get_task_comm(name, TASK_COMM_LEN, task);
		put_task_struct(task);
	} else {
		memcpy(name, client->comm, TASK_COMM_LEN);
	}
}

/**
 * vnpu_client_get() - take a reference
 * @client: a client to which the caller has a reference
 */
void vnpu_client_get(struct vnpu_client *client)
{
	kref_get(&client->ref);
}

/**
 * vnpu_client_put() - drop a reference
 * @client: the client
 */
void vnpu_client_put(struct vnpu_client *client)
{
	kref_put(&client->ref, client->release);
}

/**
 * vnpu_clients_generation() - get a number that changes with the table of
 *   clients
 *
 * Return: the number.
 */
unsigned int vnpu_clients_generation(void)
{
	return atomic_read(&vnpu_clients_gen);
}

/**
 * vnpu_clients_most_devices() - get the highest number of devices used by a
 *   client
 *
 * Return: the number of devices.
 */
unsigned int vnpu_clients_most_devices(void)
{
	return atomic_read(&vnpu_clients_most);
}
