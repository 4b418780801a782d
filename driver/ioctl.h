/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of ioctls, and what their handlers share. */
#ifndef VNPU_IOCTL_H
#define VNPU_IOCTL_H

#include <linux/types.h>

#include <linux/vnpu.h>

struct file;
struct vnpu_client;
struct vnpu_mem;
struct vnpu_timeline;

/**
 * struct vnpu_ucmd - an ioctl that is being handled
 * @client: whose
 * @user: the caller's struct
 * @user_size: how long it is
 * @size: how long the kernel's is
 * @cmd: the kernel's copy, checked by the table's rules
 */
struct vnpu_ucmd {
	struct vnpu_client *client;
	void __user *user;
	u32 user_size;
	u32 size;
	void *cmd;
};

long vnpu_ioctl_dispatch(struct vnpu_client *client, unsigned int nr,
			 void __user *user);

/*
 * A handler copies out before it makes anything visible that would have to be
 * taken back if that failed.
 */
int vnpu_ucmd_respond(struct vnpu_ucmd *ucmd);
int vnpu_ucmd_read_array(void *array, size_t size, u64 user, u32 count,
			 u32 stride);
int vnpu_ucmd_write_record(const void *record, size_t size, u64 user,
			   u64 length, u32 index);
int vnpu_ucmd_write_array(u64 user, u32 stride, const void *array, size_t size,
			  u32 count);
int vnpu_ucmd_respond_with_held_id(struct vnpu_ucmd *ucmd,
				   struct vnpu_mem *mem, u32 *out_id);
int vnpu_ucmd_respond_with_id(struct vnpu_ucmd *ucmd, struct vnpu_mem *mem,
			      u32 *out_id);

/* ioctl_timeline.c */
int vnpu_ioctl_timeline_add(struct vnpu_ucmd *ucmd,
			    struct vnpu_timeline *timeline, bool wait_only,
			    u64 *out_id);
int vnpu_ioctl_install(struct vnpu_ucmd *ucmd, struct file *file, s32 *out_fd);

int vnpu_ioctl_info(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_device_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_attach(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_alloc(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_free(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_open(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_export(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_import(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_va_bind(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_va_unbind(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_va_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_va_protect(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_slab_window(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_copy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_fill(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_host_alloc(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_host_register(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_export_dmabuf(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_mem_import_dmabuf(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_oom_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_context_create(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_context_destroy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_context_set(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_context_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_stream_create(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_stream_destroy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_stream_doorbell(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_stream_abort(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_stream_set(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_stream_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_timeline_create(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_timeline_destroy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_wait(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_signal(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_timeline_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_timeline_export(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_timeline_import(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_event_take(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_event_give(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_limits_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_sync_export(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_sync_import(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_create(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_destroy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_allow(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_open(struct vnpu_ucmd *ucmd);

/* The flags that an allocation may have. */
#define VNPU_MEM_F_ALL	(VNPU_MEM_F_CONTIGUOUS | VNPU_MEM_F_HOST_ACCESS | \
			 VNPU_MEM_F_BIND | VNPU_MEM_F_NO_COMPACT | \
			 VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY)

/* The flags of vnpu_stream_set. */
#define VNPU_STREAM_SET_F_ALL	(VNPU_STREAM_SET_F_PRIORITY | \
				 VNPU_STREAM_SET_F_STOP | \
				 VNPU_STREAM_SET_F_TIMEOUT)

#endif
