/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the clients of the driver, including those that have ended.
 */
#ifndef VNPU_SMI_CLIENT_H
#define VNPU_SMI_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd.h"
#include "model.h"
#include "session.h"

/**
 * struct client - a client, or all clients of a process
 * @id: of the client; the first of several
 * @pid: its process in the pid namespace of this program, 0 if not visible
 * @host_pid: its process in the initial pid namespace, 0 if not reported
 * @own_pid: its process in its own pid namespace, 0 if not reported
 * @is_gone: it has closed the device
 * @devices: a bit for each device that it has used
 * @mem_used: bytes; for one that is gone, at its end
 * @mem_peak: peak of its bytes
 * @busy_ns: time that engines have run its tasks
 * @streams: number of streams; for one that is gone, at its end
 * @opened_ns: CLOCK_MONOTONIC at its open
 * @closed_ns: CLOCK_MONOTONIC at its close, 0 before
 */
struct client {
	uint64_t id;
	uint32_t pid;
	uint32_t host_pid;
	uint32_t own_pid;
	uint32_t uid;
	char name[PROCESS_NAME_LEN];
	bool is_gone;
	uint64_t devices;
	uint64_t mem_used;
	uint64_t mem_peak;
	uint64_t busy_ns;
	uint32_t streams;
	uint64_t opened_ns;
	uint64_t closed_ns;
};

struct client_list {
	struct client *items;
	size_t count;
};

/* The clients to list. */
struct client_filter {
	bool has_device;
	uint32_t device;	/* they use it, and its memory counts */
	bool with_gone;
};

/*
 * Query the driver for all clients, the current ones before those that are
 * gone.  The caller always passes @list to client_list_fini().
 */
enum smi_exit client_list_collect(struct client_list *list, struct session *s,
				  const struct client_filter *filter);

/* Sort the list, and combine the current clients of each process. */
void client_list_join(struct client_list *list);

void client_list_fini(struct client_list *list);

#endif /* VNPU_SMI_CLIENT_H */
