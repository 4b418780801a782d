/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the clients of the driver, those that are gone among them.
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
 * @host_pid: the same in the first pid namespace, 0 if that was not told
 * @own_pid: the same in its own pid namespace, 0 if that was not told
 * @is_gone: it has closed the device
 * @devices: a bit for each that it has used
 * @mem_used: bytes; when it ended, of one that is gone
 * @mem_peak: the most bytes at one time
 * @busy_ns: how long engines have run its tasks
 * @streams: how many; when it ended, of one that is gone
 * @opened_ns: by CLOCK_MONOTONIC
 * @closed_ns: the same, 0 while it is there
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

/* Which of them. */
struct client_filter {
	bool has_device;
	uint32_t device;	/* that they have used, and whose memory counts */
	bool with_gone;
};

/*
 * Ask the driver for all clients, those that are there before those that are
 * gone.  @list is to be given to client_list_fini() in any case.
 */
enum smi_exit client_list_collect(struct client_list *list, struct session *s,
				  const struct client_filter *filter);

/* Sum up clients of one process, of those that are there; sorts them. */
void client_list_join(struct client_list *list);

void client_list_fini(struct client_list *list);

#endif /* VNPU_SMI_CLIENT_H */
