/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of ioctl.c: the promises of the header for each ioctl, and how to
 * make a successful call of it. A new ioctl adds its variant here.
 */
#ifndef SELFTESTS_VNPU_IOCTL_TABLE_H
#define SELFTESTS_VNPU_IOCTL_TABLE_H

struct span {
	__u16 at;
	__u16 len;
};

#define SPAN(type, field) \
	{ offsetof(struct type, field), sizeof(((struct type *)0)->field) }
#define END(type, field) \
	(offsetof(struct type, field) + sizeof(((struct type *)0)->field))

FIXTURE(abi)
{
	struct client c;
	__u32 id;	/* an object of two pages, bound at @bound */
	__u64 bound;
	__u64 next;	/* from here on nothing is bound */
	__u8 *host;	/* two pages; the next is not mapped */
};

/* Fill the struct of a call that will succeed; called for each call. */
typedef void prepare_fn(struct __test_metadata *_metadata,
			FIXTURE_DATA(abi) * self, void *arg);

FIXTURE_VARIANT(abi)
{
	const char *name;
	unsigned int nr;
	__u32 size;
	__u32 mandatory;
	__u32 flags;	/* the defined bits */
	struct span reserved[2];
	struct span out[16];
	prepare_fn *prepare;
};

static void prepare_nothing(struct __test_metadata *_metadata,
			    FIXTURE_DATA(abi) * self, void *arg)
{
	(void)_metadata;
	(void)self;
	(void)arg;
}

static void prepare_attach(struct __test_metadata *_metadata,
			   FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_attach *a = arg;

	(void)_metadata;
	a->fd = self->c.fd;
}

static void prepare_query(struct __test_metadata *_metadata,
			  FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_query *q = arg;

	(void)_metadata;
	(void)self;
	q->device = VNPU_DEVICE_ALL;
	q->topic = VNPU_TOPIC_DEVICES;
}

static void prepare_mem_alloc(struct __test_metadata *_metadata,
			      FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_alloc *a = arg;

	(void)_metadata;
	(void)self;
	a->length = PAGE;
}

static void prepare_mem_free(struct __test_metadata *_metadata,
			     FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_free *f = arg;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &f->id));
}

static void prepare_mem_query(struct __test_metadata *_metadata,
			      FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_query *q = arg;

	(void)_metadata;
	q->id = self->id;
}

static void prepare_mem_open(struct __test_metadata *_metadata,
			     FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_open *o = arg;

	(void)_metadata;
	o->va = self->bound + PAGE;
}

static void prepare_mem_export(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_export *e = arg;

	(void)_metadata;
	e->id = self->id;
}

static void prepare_mem_import(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_import *i = arg;

	i->fd = mem_export(&self->c, self->id);
	ASSERT_LE(0, i->fd);
}

static void prepare_mem_export_dmabuf(struct __test_metadata *_metadata,
				      FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_export_dmabuf *e = arg;

	(void)_metadata;
	e->id = self->id;
}

static void prepare_mem_import_dmabuf(struct __test_metadata *_metadata,
				      FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_mem_import_dmabuf *i = arg;

	i->fd = mem_export_dmabuf(&self->c, 0, self->id);
	ASSERT_LE(0, i->fd);
}

static void prepare_va_protect(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_va_protect *p = arg;

	(void)_metadata;
	p->va = self->bound;
	p->length = 2 * PAGE;
	p->access = VNPU_ACCESS_READ_WRITE;
}

static void client_prepare(struct __test_metadata *_metadata,
			   FIXTURE_DATA(abi) * self)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 2 * PAGE, &self->id));
	self->bound = self->c.base;
	self->next = self->c.base + MIB(1);
	ASSERT_EQ(0, va_bind(&self->c, self->id, self->bound, 2 * PAGE, 0));
}

/* A client can have one only: if this one has it, use another client. */
static void prepare_slab_window(struct __test_metadata *_metadata,
				FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_slab_window *w = arg;
	__u64 va;

	if (slab_alloc(&self->c, 0, 1, &va, NULL) != -ENOENT) {
		client_close(&self->c);
		client_prepare(_metadata, self);
	}
	w->va = self->next;
	w->length = MIB(1);
}

static void prepare_host_alloc(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_host_alloc *a = arg;

	(void)_metadata;
	(void)self;
	a->length = PAGE;
}

static void prepare_host_register(struct __test_metadata *_metadata,
				  FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_host_register *r = arg;

	(void)_metadata;
	r->addr = addr(self->host);
	r->length = PAGE;
}

static void prepare_va_bind(struct __test_metadata *_metadata,
			    FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_va_bind *b = arg;

	(void)_metadata;
	b->mem_id = self->id;
	b->va = self->next;
	b->length = PAGE;
	b->offset = PAGE;
	self->next += PAGE;
}

static void prepare_va_unbind(struct __test_metadata *_metadata,
			      FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_va_unbind *u = arg;

	ASSERT_EQ(0, va_bind(&self->c, self->id, self->next, PAGE, 0));
	u->va = self->next;
	u->length = PAGE;
	self->next += PAGE;
}

static void prepare_va_query(struct __test_metadata *_metadata,
			     FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_va_query *q = arg;

	(void)_metadata;
	q->va = self->bound + 1;
}

static void prepare_copy(struct __test_metadata *_metadata,
			 FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_copy *k = arg;

	(void)_metadata;
	k->dst = self->bound;
	k->src = self->bound + PAGE;
	k->length = PAGE;
}

static void prepare_fill(struct __test_metadata *_metadata,
			 FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_fill *f = arg;

	(void)_metadata;
	f->dst = self->bound;
	f->length = 2 * PAGE;
}

static void prepare_oom_query(struct __test_metadata *_metadata,
			      FIXTURE_DATA(abi) * self, void *arg)
{
	__u32 id;

	(void)arg;
	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &id));
}

/* clang-format off */
FIXTURE_VARIANT_ADD(abi, info)
{
	.name = "VNPU_IOCTL_INFO",
	.nr = VNPU_IOCTL_INFO,
	.size = sizeof(struct vnpu_info),
	.mandatory = END(vnpu_info, flags),
	.out = {
		SPAN(vnpu_info, out_abi_version),
		SPAN(vnpu_info, out_abi_oldest),
		SPAN(vnpu_info, out_device_count),
		SPAN(vnpu_info, out_page_shifts),
		SPAN(vnpu_info, out_node_device),
		SPAN(vnpu_info, out_client_id),
		SPAN(vnpu_info, out_features),
		SPAN(vnpu_info, out_task_ops),
	},
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(abi, attach)
{
	.name = "VNPU_IOCTL_ATTACH",
	.nr = VNPU_IOCTL_ATTACH,
	.size = sizeof(struct vnpu_attach),
	.mandatory = END(vnpu_attach, fd),
	.out = { SPAN(vnpu_attach, out_device) },
	.prepare = prepare_attach,
};

FIXTURE_VARIANT_ADD(abi, query)
{
	.name = "VNPU_IOCTL_QUERY",
	.nr = VNPU_IOCTL_QUERY,
	.size = sizeof(struct vnpu_query),
	.mandatory = END(vnpu_query, topic),
	.out = {
		SPAN(vnpu_query, out_length),
		SPAN(vnpu_query, out_count),
		SPAN(vnpu_query, out_stride),
	},
	.prepare = prepare_query,
};

FIXTURE_VARIANT_ADD(abi, device_query)
{
	.name = "VNPU_IOCTL_DEVICE_QUERY",
	.nr = VNPU_IOCTL_DEVICE_QUERY,
	.size = sizeof(struct vnpu_device_query),
	.mandatory = END(vnpu_device_query, device),
	.out = {
		SPAN(vnpu_device_query, out_health),
		SPAN(vnpu_device_query, out_total),
		SPAN(vnpu_device_query, out_free),
		SPAN(vnpu_device_query, out_largest_free),
		SPAN(vnpu_device_query, out_free_2m),
		SPAN(vnpu_device_query, out_free_1g),
		SPAN(vnpu_device_query, out_client_used),
		SPAN(vnpu_device_query, out_client_peak),
		SPAN(vnpu_device_query, out_client_objects),
		SPAN(vnpu_device_query, out_name),
		SPAN(vnpu_device_query, out_uuid),
		SPAN(vnpu_device_query, out_bus_id),
		SPAN(vnpu_device_query, out_lost_epoch),
		SPAN(vnpu_device_query, out_soc),
		SPAN(vnpu_device_query, out_ai_cores),
		SPAN(vnpu_device_query, out_vector_cores),
	},
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(abi, mem_alloc)
{
	.name = "VNPU_IOCTL_MEM_ALLOC",
	.nr = VNPU_IOCTL_MEM_ALLOC,
	.size = sizeof(struct vnpu_mem_alloc),
	.mandatory = END(vnpu_mem_alloc, length),
	.flags = VNPU_MEM_F_CONTIGUOUS | VNPU_MEM_F_HOST_ACCESS |
		 VNPU_MEM_F_BIND | VNPU_MEM_F_NO_COMPACT | VNPU_MEM_F_SLAB |
		 VNPU_MEM_F_TRY,
	.reserved = { SPAN(vnpu_mem_alloc, __reserved) },
	.out = {
		SPAN(vnpu_mem_alloc, out_id),
		SPAN(vnpu_mem_alloc, out_length),
		SPAN(vnpu_mem_alloc, out_va),
		SPAN(vnpu_mem_alloc, out_report),
	},
	.prepare = prepare_mem_alloc,
};

FIXTURE_VARIANT_ADD(abi, mem_free)
{
	.name = "VNPU_IOCTL_MEM_FREE",
	.nr = VNPU_IOCTL_MEM_FREE,
	.size = sizeof(struct vnpu_mem_free),
	.mandatory = END(vnpu_mem_free, id),
	.reserved = { SPAN(vnpu_mem_free, __reserved) },
	.prepare = prepare_mem_free,
};

FIXTURE_VARIANT_ADD(abi, mem_query)
{
	.name = "VNPU_IOCTL_MEM_QUERY",
	.nr = VNPU_IOCTL_MEM_QUERY,
	.size = sizeof(struct vnpu_mem_query),
	.mandatory = END(vnpu_mem_query, id),
	.out = {
		SPAN(vnpu_mem_query, out_device),
		SPAN(vnpu_mem_query, out_length),
		SPAN(vnpu_mem_query, out_page_shift),
		SPAN(vnpu_mem_query, out_mem_flags),
		SPAN(vnpu_mem_query, out_bindings),
		SPAN(vnpu_mem_query, out_extents),
		SPAN(vnpu_mem_query, out_mem_kind),
		SPAN(vnpu_mem_query, out_clients),
	},
	.prepare = prepare_mem_query,
};

FIXTURE_VARIANT_ADD(abi, mem_open)
{
	.name = "VNPU_IOCTL_MEM_OPEN",
	.nr = VNPU_IOCTL_MEM_OPEN,
	.size = sizeof(struct vnpu_mem_open),
	.mandatory = END(vnpu_mem_open, va),
	.reserved = { SPAN(vnpu_mem_open, __reserved) },
	.out = { SPAN(vnpu_mem_open, out_id) },
	.prepare = prepare_mem_open,
};

FIXTURE_VARIANT_ADD(abi, mem_export)
{
	.name = "VNPU_IOCTL_MEM_EXPORT",
	.nr = VNPU_IOCTL_MEM_EXPORT,
	.size = sizeof(struct vnpu_mem_export),
	.mandatory = END(vnpu_mem_export, id),
	.out = { SPAN(vnpu_mem_export, out_fd) },
	.prepare = prepare_mem_export,
};

FIXTURE_VARIANT_ADD(abi, mem_import)
{
	.name = "VNPU_IOCTL_MEM_IMPORT",
	.nr = VNPU_IOCTL_MEM_IMPORT,
	.size = sizeof(struct vnpu_mem_import),
	.mandatory = END(vnpu_mem_import, fd),
	.out = {
		SPAN(vnpu_mem_import, out_id),
		SPAN(vnpu_mem_import, out_length),
		SPAN(vnpu_mem_import, out_device),
		SPAN(vnpu_mem_import, out_page_shift),
	},
	.prepare = prepare_mem_import,
};

FIXTURE_VARIANT_ADD(abi, va_protect)
{
	.name = "VNPU_IOCTL_VA_PROTECT",
	.nr = VNPU_IOCTL_VA_PROTECT,
	.size = sizeof(struct vnpu_va_protect),
	.mandatory = END(vnpu_va_protect, access),
	.prepare = prepare_va_protect,
};

FIXTURE_VARIANT_ADD(abi, va_bind)
{
	.name = "VNPU_IOCTL_VA_BIND",
	.nr = VNPU_IOCTL_VA_BIND,
	.size = sizeof(struct vnpu_va_bind),
	.mandatory = END(vnpu_va_bind, offset),
	.flags = VNPU_VA_BIND_F_NO_ACCESS | VNPU_VA_BIND_F_NO_HOST_ACCESS,
	.reserved = { SPAN(vnpu_va_bind, __reserved) },
	.prepare = prepare_va_bind,
};

FIXTURE_VARIANT_ADD(abi, va_unbind)
{
	.name = "VNPU_IOCTL_VA_UNBIND",
	.nr = VNPU_IOCTL_VA_UNBIND,
	.size = sizeof(struct vnpu_va_unbind),
	.mandatory = END(vnpu_va_unbind, length),
	.flags = VNPU_VA_UNBIND_F_FREE,
	.out = {
		SPAN(vnpu_va_unbind, out_length),
		SPAN(vnpu_va_unbind, out_bindings),
		SPAN(vnpu_va_unbind, out_page_shift),
	},
	.prepare = prepare_va_unbind,
};

FIXTURE_VARIANT_ADD(abi, va_query)
{
	.name = "VNPU_IOCTL_VA_QUERY",
	.nr = VNPU_IOCTL_VA_QUERY,
	.size = sizeof(struct vnpu_va_query),
	.mandatory = END(vnpu_va_query, va),
	.flags = VNPU_VA_QUERY_F_NEXT,
	.out = {
		SPAN(vnpu_va_query, out_va),
		SPAN(vnpu_va_query, out_length),
		SPAN(vnpu_va_query, out_offset),
		SPAN(vnpu_va_query, out_device),
		SPAN(vnpu_va_query, out_mem_id),
		SPAN(vnpu_va_query, out_page_shift),
		SPAN(vnpu_va_query, out_mem_flags),
		SPAN(vnpu_va_query, out_read_devices),
		SPAN(vnpu_va_query, out_write_devices),
		SPAN(vnpu_va_query, out_host_access),
		SPAN(vnpu_va_query, out_mem_kind),
	},
	.prepare = prepare_va_query,
};

FIXTURE_VARIANT_ADD(abi, slab_window)
{
	.name = "VNPU_IOCTL_SLAB_WINDOW",
	.nr = VNPU_IOCTL_SLAB_WINDOW,
	.size = sizeof(struct vnpu_slab_window),
	.mandatory = END(vnpu_slab_window, length),
	.reserved = { SPAN(vnpu_slab_window, __reserved) },
	.prepare = prepare_slab_window,
};

FIXTURE_VARIANT_ADD(abi, copy)
{
	.name = "VNPU_IOCTL_COPY",
	.nr = VNPU_IOCTL_COPY,
	.size = sizeof(struct vnpu_copy),
	.mandatory = END(vnpu_copy, length),
	.out = { SPAN(vnpu_copy, out_done) },
	.prepare = prepare_copy,
};

FIXTURE_VARIANT_ADD(abi, fill)
{
	.name = "VNPU_IOCTL_FILL",
	.nr = VNPU_IOCTL_FILL,
	.size = sizeof(struct vnpu_fill),
	.mandatory = END(vnpu_fill, length),
	.reserved = { SPAN(vnpu_fill, __reserved) },
	.out = { SPAN(vnpu_fill, out_done) },
	.prepare = prepare_fill,
};

FIXTURE_VARIANT_ADD(abi, host_alloc)
{
	.name = "VNPU_IOCTL_HOST_ALLOC",
	.nr = VNPU_IOCTL_HOST_ALLOC,
	.size = sizeof(struct vnpu_host_alloc),
	.mandatory = END(vnpu_host_alloc, length),
	.flags = VNPU_HOST_ALLOC_F_NODE,
	.reserved = { SPAN(vnpu_host_alloc, __reserved) },
	.out = {
		SPAN(vnpu_host_alloc, out_id),
		SPAN(vnpu_host_alloc, out_length),
	},
	.prepare = prepare_host_alloc,
};

FIXTURE_VARIANT_ADD(abi, host_register)
{
	.name = "VNPU_IOCTL_HOST_REGISTER",
	.nr = VNPU_IOCTL_HOST_REGISTER,
	.size = sizeof(struct vnpu_host_register),
	.mandatory = END(vnpu_host_register, length),
	.flags = VNPU_HOST_REGISTER_F_READ_ONLY,
	.reserved = { SPAN(vnpu_host_register, __reserved) },
	.out = {
		SPAN(vnpu_host_register, out_id),
		SPAN(vnpu_host_register, out_length),
	},
	.prepare = prepare_host_register,
};

FIXTURE_VARIANT_ADD(abi, mem_export_dmabuf)
{
	.name = "VNPU_IOCTL_MEM_EXPORT_DMABUF",
	.nr = VNPU_IOCTL_MEM_EXPORT_DMABUF,
	.size = sizeof(struct vnpu_mem_export_dmabuf),
	.mandatory = END(vnpu_mem_export_dmabuf, id),
	.flags = VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY,
	.out = { SPAN(vnpu_mem_export_dmabuf, out_fd) },
	.prepare = prepare_mem_export_dmabuf,
};

FIXTURE_VARIANT_ADD(abi, mem_import_dmabuf)
{
	.name = "VNPU_IOCTL_MEM_IMPORT_DMABUF",
	.nr = VNPU_IOCTL_MEM_IMPORT_DMABUF,
	.size = sizeof(struct vnpu_mem_import_dmabuf),
	.mandatory = END(vnpu_mem_import_dmabuf, fd),
	.out = {
		SPAN(vnpu_mem_import_dmabuf, out_id),
		SPAN(vnpu_mem_import_dmabuf, out_length),
		SPAN(vnpu_mem_import_dmabuf, out_device),
		SPAN(vnpu_mem_import_dmabuf, out_page_shift),
		SPAN(vnpu_mem_import_dmabuf, out_mem_kind),
		SPAN(vnpu_mem_import_dmabuf, out_access),
	},
	.prepare = prepare_mem_import_dmabuf,
};

FIXTURE_VARIANT_ADD(abi, oom_query)
{
	.name = "VNPU_IOCTL_OOM_QUERY",
	.nr = VNPU_IOCTL_OOM_QUERY,
	.size = sizeof(struct vnpu_oom_query),
	.mandatory = END(vnpu_oom_query, flags),
	.out = {
		{ offsetof(struct vnpu_oom_query, out_count),
		  sizeof(struct vnpu_oom_query) -
		  offsetof(struct vnpu_oom_query, out_count) },
	},
	.prepare = prepare_oom_query,
};
/* clang-format on */

#include "ioctl_table_engine.h"
#include "ioctl_table_key.h"
#include "ioctl_table_stream.h"
#include "ioctl_table_graph.h"

FIXTURE_SETUP(abi)
{
	client_prepare(_metadata, self);
	self->host = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->host);
	ASSERT_EQ(0, munmap(self->host + 2 * PAGE, PAGE));
}

FIXTURE_TEARDOWN(abi)
{
	client_close(&self->c);
}

#endif
