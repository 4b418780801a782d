/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the kernels and operators that AI cores have run.
 */
#ifndef VNPU_SMI_KERNEL_H
#define VNPU_SMI_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <linux/vnpu_engine.h>

#include "cmd.h"
#include "session.h"

/**
 * struct kernel - a kernel of a process on a device
 * @pid: the process
 * @device: the device
 * @name: its name; empty for all kernels without one
 * @launches: number of its launches that have ended
 * @busy_ns: time for which AI cores had them
 */
struct kernel {
	uint32_t pid;
	uint32_t device;
	char name[VNPU_ENGINE_NAME_MAX];
	uint64_t launches;
	uint64_t busy_ns;
};

struct kernel_list {
	struct kernel *items;
	size_t count;
};

/*
 * Query the driver for the kernels of all processes that the user may see, sorted
 * by kernel_compare(), each once.  The caller always passes @list to
 * kernel_list_fini().
 */
enum smi_exit kernel_list_collect(struct kernel_list *list, struct session *s);

/* Compare two kernels by process, device and name. */
int kernel_compare(const void *a, const void *b);

void kernel_list_fini(struct kernel_list *list);

#endif /* VNPU_SMI_KERNEL_H */
