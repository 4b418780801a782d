/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the state of the devices as plain structs.
 *
 * A command collects one state, then prints it; nothing here asks the kernel.
 */
#ifndef VNPU_SMI_MODEL_H
#define VNPU_SMI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/vnpu.h>

#define PROCESS_NAME_LEN	64

/* "01234567-89ab-cdef-0123-456789abcdef" */
#define UUID_TEXT_LEN		37

/* npu-smi counts huge pages of this size. */
#define HUGE_PAGE_SIZE		(UINT64_C(1) << VNPU_PAGE_SHIFT_2M)

/**
 * struct process - what a process holds on a device
 * @pid: in the pid namespace of this process, 0 if it is not visible in it
 * @name: its name: any bytes
 * @mem_used: bytes, all its clients together; never 0
 */
struct process {
	uint32_t pid;
	char name[PROCESS_NAME_LEN];
	uint64_t mem_used;
};

/**
 * struct device - a device
 * @name: product name, empty if the driver told none
 * @bus_id: address in the form of PCI's, empty if the driver told none
 * @uuid: the same, as text
 * @huge_used: bytes allocated as pages of HUGE_PAGE_SIZE
 * @processes: the processes that hold memory on it, in order of their pid
 */
struct device {
	uint32_t id;
	uint32_t health;
	char name[VNPU_DEVICE_NAME_LEN];
	char bus_id[VNPU_DEVICE_BUS_ID_LEN];
	char uuid[UUID_TEXT_LEN];
	uint64_t mem_total;
	uint64_t mem_used;
	uint64_t mem_free;
	uint64_t mem_largest_free;
	uint64_t huge_used;
	struct process *processes;
	size_t process_count;
};

/**
 * struct holding - what one client holds on one device
 * @client: id of the client
 */
struct holding {
	uint32_t device;
	uint64_t client;
	struct process process;
};

struct device_list {
	struct device *items;
	size_t count;
};

struct holding_list {
	struct holding *items;
	size_t count;
};

/**
 * struct state - all that was collected
 * @devices: in order of their ids
 * @processes: what the devices' processes point into
 */
struct state {
	struct device_list devices;
	struct process *processes;
};

/* Append a zeroed item; NULL when there is no memory. */
struct device *device_list_add(struct device_list *list);
struct holding *holding_list_add(struct holding_list *list);

struct device *state_find_device(struct state *state, uint32_t id);

/*
 * Sum @holdings up by process, into the devices of @state; @holdings is
 * sorted.  False when there is no memory.
 */
bool state_add_processes(struct state *state, struct holding_list *holdings);

void state_sort_devices(struct state *state);
void state_fini(struct state *state);

/* npu-smi's word for a VNPU_HEALTH_* value. */
const char *health_word(uint32_t health);

static inline uint64_t bytes_to_mib(uint64_t bytes)
{
	return bytes >> 20;
}

#endif /* VNPU_SMI_MODEL_H */
