/* SPDX-License-Identifier: GPL-2.0-only */
/* The window of a client in the process of a core, see core_window.c. */
#ifndef VNPU_CORE_WINDOW_H
#define VNPU_CORE_WINDOW_H

#include <linux/mutex.h>
#include <linux/types.h>

struct vm_area_struct;
struct vnpu_client;

/**
 * struct vnpu_core_window - the window of a client, for the process of a core
 * @client: the client, with a reference of the owner of this struct. This and
 *	the following, up to @end, are constant once a core may map the window.
 * @device: index of the device that the rights are for
 * @start: first address
 * @end: end of the addresses; equal to @start if there is no window
 * @has_ended: true if the core must not access the memory; never cleared; read
 *	without a lock by faults
 * @lock: held while the core accesses the memory like a debugger, so that its end
 *	waits for the access. Inside vnpu_core.lock and vnpu_client.lock.
 */
struct vnpu_core_window {
	struct vnpu_client *client;
	u32 device;
	u64 start;
	u64 end;
	bool has_ended;
	struct mutex lock;
};

void vnpu_core_window_init(struct vnpu_core_window *window);
void vnpu_core_window_fini(struct vnpu_core_window *window);
int vnpu_core_window_set(struct vnpu_core_window *window,
			 struct vnpu_client *client, u32 device);
int vnpu_core_window_mmap(struct vnpu_core_window *window,
			  struct vm_area_struct *vma);
void vnpu_core_window_end(struct vnpu_core_window *window);

#endif
