/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: clients, memory, its bindings and its contents.
 */
#ifndef SELFTESTS_VNPU_FAIL_NTH_MEMORY_H
#define SELFTESTS_VNPU_FAIL_NTH_MEMORY_H

#include "fail_nth_calls.h"

#define PIECES		64

static int have_memory(data_t *self)
{
	return mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PIECE,
			 &self->id);
}

static int have_bound(data_t *self)
{
	return have_memory(self) ?:
	       va_bind(&self->c, self->id, self->c.base, PIECE, 0);
}

static int have_file(data_t *self)
{
	int ret = have_memory(self);

	self->file = ret ?: mem_export(&self->c, self->id);
	return self->file < 0 ? self->file : 0;
}

static int have_dmabuf(data_t *self)
{
	int ret = have_memory(self);

	self->file = ret ?: mem_export_dmabuf(&self->c, 0, self->id);
	return self->file < 0 ? self->file : 0;
}

static int have_dmabuf_to_read(data_t *self)
{
	int ret = have_memory(self);

	self->file = ret ?: mem_export_dmabuf(&self->c,
					      VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY,
					      self->id);
	return self->file < 0 ? self->file : 0;
}

/* Free all objects that these calls create. */
static void have_nothing(data_t *self, int ret)
{
	va_unbind(&self->c, self->c.base, self->c.size);
	mem_free(&self->c, self->id);
	if (!ret && self->new_id)
		mem_free(&self->c, self->new_id);
	if (self->file >= 0)
		close(self->file);
	key_destroy(&self->c, self->key);
	self->id = 0;
	self->new_id = 0;
	self->file = -1;
}

static int have_key(data_t *self)
{
	int ret = have_file(self);

	return ret ?: key_create(&self->c, self->file, 0, 0, &self->key);
}

#define SWEEP_MEMORY(_name, _before, _keeps, ...) \
	SWEEP(_name, _before, have_nothing, _keeps, __VA_ARGS__)

SWEEP_MEMORY(info, NULL, true, {
	struct vnpu_info i;

	return info(c, &i);
})

SWEEP_MEMORY(attach, NULL, true, {
	struct vnpu_attach a = { .size = sizeof(a), .fd = c->fd };

	return call(c->fd, VNPU_IOCTL_ATTACH, &a);
})

SWEEP_MEMORY(query, NULL, true, {
	struct vnpu_query q = {
		.size = sizeof(q),
		.device = VNPU_DEVICE_ALL,
		.topic = VNPU_TOPIC_DEVICES,
	};

	return call(c->fd, VNPU_IOCTL_QUERY, &q);
})

SWEEP_MEMORY(device_query, NULL, true, {
	struct vnpu_device_query q;

	return device_query(c, 0, &q);
})

SWEEP_MEMORY(mem_alloc, NULL, true, {
	return mem_alloc(c, 0, 0, 0, PIECE, &self->new_id);
})

SWEEP_MEMORY(mem_alloc_bound, NULL, true, {
	return mem_alloc_at(c, 0, 0, 0, PIECE, c->base);
})

SWEEP_MEMORY(mem_free, have_bound, true, {
	return mem_free(c, self->id);
})

SWEEP_MEMORY(mem_query, have_memory, true, {
	struct vnpu_mem_query q;

	return mem_query(c, self->id, &q);
})

SWEEP_MEMORY(mem_open, have_bound, true, {
	return mem_open(c, c->base, &self->new_id);
})

SWEEP_MEMORY(mem_export, have_memory, true, {
	int fd = mem_export(c, self->id);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP_MEMORY(mem_import, have_file, true, {
	return mem_import(c, self->file, &self->new_id);
})

SWEEP_MEMORY(key_create, have_file, true, {
	return key_create(c, self->file, 0, 0, &self->key);
})

SWEEP_MEMORY(key_destroy, have_key, true, {
	return key_destroy(c, self->key);
})

/* If it fails, some processes may already be allowed, which is not visible. */
SWEEP_MEMORY(key_allow, have_key, true, {
	static const __s32 pids[] = { 1, 100, 10000 };

	return key_allow_many(c, self->key, pids, 3, 0);
})

SWEEP_MEMORY(key_open, have_key, true, {
	int fd = key_open(c, self->key, 0, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
})

SWEEP_MEMORY(va_bind, have_memory, true, {
	return va_bind(c, self->id, c->base, PAGE, 0);
})

/* Once the bindings are gone, only copying the result can fail. */
SWEEP_MEMORY(va_unbind, have_bound, false, {
	return va_unbind(c, c->base, 0);
})

SWEEP_MEMORY(va_protect, have_bound, true, {
	return va_protect(c, c->base, 0, VNPU_DEVICE_HOST, VNPU_ACCESS_READ);
})

SWEEP_MEMORY(va_query, have_bound, true, {
	struct vnpu_va_query q;

	return va_query(c, 0, c->base, &q);
})

SWEEP_MEMORY(copy_to_device, have_bound, true, {
	return copy(c, c->base, addr(self->bytes), sizeof(self->bytes));
})

SWEEP_MEMORY(copy_to_host, have_bound, true, {
	return copy(c, addr(self->bytes), c->base, sizeof(self->bytes));
})

SWEEP_MEMORY(copy_inside, have_bound, true, {
	return copy(c, c->base, c->base + PAGE, 2 * PAGE);
})

SWEEP_MEMORY(fill, have_bound, true, {
	return fill(c, c->base, PIECE, 0x55, 1);
})

SWEEP_MEMORY(host_alloc, NULL, true, {
	return host_alloc(c, PIECE, &self->new_id);
})

SWEEP_MEMORY(host_register, NULL, true, {
	return host_register(c, 0, self->own, PIECE, &self->new_id);
})

SWEEP_MEMORY(mem_export_dmabuf, have_memory, true, {
	int fd = mem_export_dmabuf(c, 0, self->id);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP_MEMORY(mem_import_dmabuf, have_dmabuf, true, {
	struct vnpu_mem_import_dmabuf i;
	int ret = mem_import_dmabuf(c, self->file, &i);

	self->new_id = ret ? 0 : i.out_id;
	return ret;
})

SWEEP_MEMORY(mem_import_dmabuf_read_only, have_dmabuf_to_read, true, {
	struct vnpu_mem_import_dmabuf i;
	int ret = mem_import_dmabuf(c, self->file, &i);

	self->new_id = ret ? 0 : i.out_id;
	return ret;
})

/* No device has that much memory. */
static int have_failed(data_t *self)
{
	int ret = mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &self->id);

	return ret == -ENOSPC ? 0 : ret ?: -EPROTO;
}

SWEEP_MEMORY(oom_query, have_failed, true, {
	struct vnpu_oom_query q = { .size = sizeof(q) };

	return call(c->fd, VNPU_IOCTL_OOM_QUERY, &q);
})

/*
 * The kernel keeps the range until the client ends, so there is a client for
 * it.
 */
SWEEP_MEMORY(slab, NULL, true, {
	struct client other;
	__u64 va;
	int ret;

	ret = client_open(&other);
	if (ret)
		return ret;
	ret = slab_window(&other, 0, other.base, MIB(64));
	if (!ret)
		ret = slab_alloc(&other, 0, 100, &va, NULL);
	if (!ret)
		ret = slab_free(&other, va);
	client_close(&other);
	return ret;
})

/* A host fault without memory is retried. */
SWEEP_MEMORY(touch, have_bound, true, {
	return touch_write(c->base, 1);
})

/* A client from open to close, with an account and a holder. */
SWEEP_MEMORY(client, have_file, true, {
	struct client other;
	__u32 id;
	int ret;

	ret = client_open(&other);
	if (ret)
		return ret;
	ret = mem_import(&other, self->file, &id);
	if (!ret)
		ret = va_bind(&other, id, other.base, PIECE, 0);
	client_close(&other);
	return ret;
})

static __u64 piece(const data_t *self, unsigned int i)
{
	return self->c.base + i * PIECE;
}

/* The free memory is that of every second piece. */
static int have_pieces(data_t *self)
{
	struct vnpu_device_query q;
	unsigned int i;
	int ret;

	if (!self->rest) {
		ret = device_query(&self->c, 0, &q);
		if (ret)
			return ret;
		self->rest = q.out_free - PIECES * PIECE;
	}
	ret = mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, self->rest,
			&self->id);
	for (i = 0; !ret && i < PIECES; i++)
		ret = mem_alloc_at(&self->c, 0, 0, 0, PIECE, piece(self, i)) ?:
		      fill(&self->c, piece(self, i), PIECE, 1 + i, 1);
	for (i = 0; !ret && i < PIECES; i += 2)
		ret = va_unbind(&self->c, piece(self, i), 0);
	return ret;
}

static bool pieces_are_whole(const data_t *self)
{
	__u8 buffer[PIECE];
	unsigned int i;

	for (i = 1; i < PIECES; i += 2)
		if (copy(&self->c, addr(buffer), piece(self, i), PIECE) ||
		    !is_all(buffer, 1 + i, PIECE))
			return false;
	return true;
}

static void pieces_go(data_t *self, int ret)
{
	if (!pieces_are_whole(self))
		abort();
	have_nothing(self, ret);
}

SWEEP(compact, have_pieces, pieces_go, true, {
	return mem_alloc(c, 0, 0, VNPU_PAGE_SHIFT_2M, PIECES / 2 * PIECE,
			 &self->new_id);
})

#endif
