/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of window.c that core_window.c uses, and the reverse. */
#ifndef VNPU_WINDOW_INTERNAL_H
#define VNPU_WINDOW_INTERNAL_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "window.h"

struct vm_fault;
struct vnpu_binding;
struct vnpu_core_window;
struct vnpu_span;

/**
 * struct vnpu_window_user - the user of a mapping
 * @client: the client that has the window
 * @device: VNPU_DEVICE_HOST, or the device of the core that has the mapping
 * @core: that core's window, or NULL
 */
struct vnpu_window_user {
	struct vnpu_client *client;
	u32 device;
	struct vnpu_core_window *core;
};

bool vnpu_window_may(const struct vnpu_window_user *user,
		     const struct vnpu_binding *binding, u32 access);
vm_fault_t vnpu_window_serve(struct vm_fault *vmf,
			     const struct vnpu_window_user *user);
vm_fault_t vnpu_window_serve_huge(struct vm_fault *vmf,
				  const struct vnpu_window_user *user,
				  unsigned int order);
int vnpu_window_peek(const struct vnpu_window_user *user,
		     struct vm_area_struct *vma, unsigned long addr, void *buf,
		     int len, int write);
void vnpu_window_touch(struct vnpu_span *span, void *buf, bool write);
int vnpu_window_check(const struct vm_area_struct *vma);
void vnpu_window_prepare(struct vm_area_struct *vma);

/* All allow what they check if the user is no core. */
vm_fault_t vnpu_core_window_check_end(struct vm_fault *vmf,
				      const struct vnpu_window_user *user,
				      vm_fault_t ret);
vm_fault_t vnpu_core_window_check_ecc(const struct vnpu_window_user *user,
				      const struct vnpu_binding *binding,
				      u64 va);

int vnpu_core_window_peek(const struct vnpu_window_user *user, u64 va,
			  void *buf, int len, bool write);

#endif
