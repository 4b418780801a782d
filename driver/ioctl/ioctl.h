/* SPDX-License-Identifier: GPL-2.0-only */
/* The dispatcher of ioctls, the handlers, and helpers of the handlers. */
#ifndef VNPU_IOCTL_H
#define VNPU_IOCTL_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include <linux/vnpu.h>

struct file;
struct vnpu_client;
struct vnpu_core;
struct vnpu_mem;
struct vnpu_timeline;

/**
 * struct vnpu_ucmd - an ioctl in progress
 * @client: the client of the file; NULL for an engine file
 * @core: the core of an engine file; NULL for the file of a client
 * @user: the struct in user memory
 * @user_size: size of the struct in user memory, in bytes
 * @size: size of the struct that the kernel knows, in bytes
 * @cmd: the kernel's copy of the struct, validated by the rules of the table
 */
struct vnpu_ucmd {
	struct vnpu_client *client;
	struct vnpu_core *core;
	void __user *user;
	u32 user_size;
	u32 size;
	void *cmd;
};

/* The maximum size of the struct of an ioctl, in bytes. */
#define VNPU_UCMD_SIZE_MAX	192

/**
 * struct vnpu_ioctl_op - an ioctl
 * @nr: number of the ioctl
 * @size: size of its struct in bytes
 * @min_size: size up to the end of the last mandatory field
 * @flags: the defined flags; all other bits are refused
 * @reserved: offset of a reserved __u32, which must be 0; or 0 for none
 * @handler: the handler, called after all checks
 */
struct vnpu_ioctl_op {
	unsigned int nr;
	u32 size;
	u32 min_size;
	u32 flags;
	u32 reserved;
	int (*handler)(struct vnpu_ucmd *ucmd);
};

/*
 * The size of struct vnpu_NAME. Assert the layout of the ABI: a change of the size
 * is an error.
 */
#define VNPU_UCMD_SIZE(_name, _size)					\
	((_size) +							\
	 BUILD_BUG_ON_ZERO((_size) != sizeof(struct vnpu_##_name)) +	\
	 BUILD_BUG_ON_ZERO((_size) > VNPU_UCMD_SIZE_MAX) +		\
	 BUILD_BUG_ON_ZERO(offsetof(struct vnpu_##_name, size) != 0) +	\
	 BUILD_BUG_ON_ZERO(offsetof(struct vnpu_##_name, flags) != 4))

/*
 * An entry of a table that begins with the ioctl number _first. The ioctl has the
 * handler vnpu_ioctl_NAME() and the struct vnpu_NAME, which is of _size bytes.
 * _last is the last mandatory field, and _reserved the reserved __u32: the field
 * "size", with the offset 0, if there is none.
 */
#define VNPU_IOCTL_OP_FROM(_first, _nr, _name, _size, _last, _flags, _reserved) \
	[_IOC_NR(_nr) - (_first)] = {					\
		.nr = (_nr),						\
		.size = VNPU_UCMD_SIZE(_name, _size),			\
		.min_size = offsetofend(struct vnpu_##_name, _last),	\
		.flags = (_flags),					\
		.reserved = offsetof(struct vnpu_##_name, _reserved) +	\
			BUILD_BUG_ON_ZERO(sizeof_field(struct vnpu_##_name, \
						       _reserved) != 4), \
		.handler = vnpu_ioctl_##_name,				\
	}

#define VNPU_IOCTL_OP(_nr, _name, _size, _last, _flags, _reserved)	\
	VNPU_IOCTL_OP_FROM(0, _nr, _name, _size, _last, _flags, _reserved)

const struct vnpu_ioctl_op *vnpu_ioctl_find(const struct vnpu_ioctl_op *ops,
					    unsigned int count,
					    unsigned int first,
					    unsigned int nr);
long vnpu_ioctl_run(const struct vnpu_ioctl_op *op, struct vnpu_client *client,
		    struct vnpu_core *core, void __user *user);
long vnpu_ioctl_dispatch(struct vnpu_client *client, unsigned int nr,
			 void __user *user);

/*
 * A handler responds before it publishes anything that it would have to undo if
 * the copy to user space failed.
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

/* ioctl/timeline.c */
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
int vnpu_ioctl_event_alloc(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_event_free(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_limits_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_sync_export(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_sync_import(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_graph_create(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_graph_destroy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_graph_update(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_graph_query(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_create(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_destroy(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_allow(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_key_open(struct vnpu_ucmd *ucmd);
int vnpu_ioctl_engine_create(struct vnpu_ucmd *ucmd);

/* ioctl/engine.c: ioctls of engine files */
long vnpu_engine_dispatch(struct vnpu_core *core, unsigned int nr,
			  void __user *user);

/* ioctl/engine_file.c */
struct file *vnpu_engine_file_create(struct vnpu_core *core);

/* All flags of an allocation. */
#define VNPU_MEM_F_ALL	(VNPU_MEM_F_CONTIGUOUS | VNPU_MEM_F_HOST_ACCESS | \
			 VNPU_MEM_F_BIND | VNPU_MEM_F_NO_COMPACT | \
			 VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY)

/* All flags of struct vnpu_stream_set. */
#define VNPU_STREAM_SET_F_ALL	(VNPU_STREAM_SET_F_PRIORITY | \
				 VNPU_STREAM_SET_F_STOP | \
				 VNPU_STREAM_SET_F_TIMEOUT)

#endif
