/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: engine files, their mappings and their launches.
 * The process is its own core.
 */
#ifndef SELFTESTS_VNPU_FAIL_NTH_ENGINE_H
#define SELFTESTS_VNPU_FAIL_NTH_ENGINE_H

/* First, as it counts the ioctls of the headers after it. */
#include "fail_nth_stream.h"

#include "core.h"

/* A part of the window that the core maps instead of the client. */
#define CORE_OFFSET	MIB(8)

#define LAUNCH_MS	20000

static __u64 core_va(const data_t *self)
{
	return self->c.base + CORE_OFFSET;
}

static int have_engine(data_t *self)
{
	self->file = engine_create(&self->c, 0, 4);
	return self->file < 0 ? self->file : 0;
}

static int have_core(data_t *self)
{
	struct vnpu_engine_attach a;

	return have_engine(self) ?: engine_attach(self->file, &a);
}

/* A core, and memory that it can map. */
static int have_core_memory(data_t *self)
{
	if (munmap(ptr(core_va(self)), PIECE))
		return -errno;
	return have_core(self) ?: have_memory(self) ?:
	       va_bind(&self->c, self->id, core_va(self), PIECE, 0);
}

static int map_core_memory(const data_t *self)
{
	void *p = mmap(ptr(core_va(self)), PIECE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED_NOREPLACE, self->file,
		       VNPU_ENGINE_MMAP_WINDOW);

	return p == MAP_FAILED ? -errno : 0;
}

static int have_core_mapping(data_t *self)
{
	return have_core_memory(self) ?: map_core_memory(self);
}

/* A launch that the core can get. */
static int have_launch(data_t *self)
{
	struct pollfd p = { .events = POLLIN };
	int ret;

	memset(&self->launch, 0, sizeof(self->launch));
	ret = have_core(self) ?: stream_create(&self->stream, &self->c, 0) ?:
	      stream_run(&self->stream, task_launch(CORE_NOTHING, 0, 0));
	p.fd = self->file;
	return ret ?: poll(&p, 1, LAUNCH_MS) == 1 ? 0 : -ETIMEDOUT;
}

static int have_fetched(data_t *self)
{
	int ret = have_launch(self) ?:
		  engine_next(self->file, &self->launch, 1, 0);

	return ret < 0 ? ret : ret == 1 ? 0 : -ENODATA;
}

static void no_core(data_t *self, int ret)
{
	/* A mapping holds its file. */
	munmap(ptr(core_va(self)), PIECE);
	if (self->file >= 0)
		close(self->file);
	self->file = -1;
	no_streams(self, ret);
}

/*
 * Whatever failed, the core gets the launch once and ends it once. A failure may
 * follow the last effect of a call: then the core has got or ended it already.
 */
static void no_launch(data_t *self, int ret)
{
	struct vnpu_engine_event event;
	int got = engine_next(self->file, &event, 1, 0);

	if (got == 1 && !self->launch.id)
		self->launch = event;
	else if (got)
		self->wrong++;
	got = engine_complete(self->file, self->launch.id, 0, 0);
	if (got && got != -ENOENT)
		self->wrong++;
	if (stream_wait(&self->stream, LAUNCH_MS) || self->stream.ring->errors)
		self->wrong++;
	no_core(self, ret);
}

#define SWEEP_ENGINE(_name, _before, _after, _keeps, ...) \
	SWEEP(_name, _before, _after, _keeps, __VA_ARGS__)

SWEEP_ENGINE(engine_create, NULL, no_core, true, {
	int fd = engine_create(c, 0, 4);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
})

/* Copying the result may fail. */
SWEEP_ENGINE(engine_attach, have_engine, no_core, false, {
	struct vnpu_engine_attach a;

	return engine_attach(self->file, &a);
})

SWEEP_ENGINE(engine_set, have_core, no_core, true, {
	return engine_set(self->file, VNPU_ENGINE_SET_F_DEBUGGED);
})

SWEEP_ENGINE(engine_name, have_core, no_core, true, {
	return engine_name(self->file, 1, "kernel");
})

SWEEP_ENGINE(engine_state, have_core, no_core, true, {
	const struct vnpu_engine_state *state = engine_map_state(self->file);
	__u64 ended;

	if (state == MAP_FAILED)
		return -errno;
	ended = state->ended;
	munmap((void *)state, PAGE);
	return ended ? -EIO : 0;
})

SWEEP_ENGINE(engine_map, have_core_memory, no_core, true, {
	return map_core_memory(self);
})

/* The fault of a core without memory is retried. */
SWEEP_ENGINE(engine_touch, have_core_mapping, no_core, true, {
	return touch_write(core_va(self), 1);
})

SWEEP_ENGINE(engine_fetch, have_launch, no_launch, false, {
	int ret = engine_next(self->file, &self->launch, 1, 0);

	return ret < 0 ? ret : ret == 1 ? 0 : -ENODATA;
})

SWEEP_ENGINE(engine_complete, have_fetched, no_launch, false, {
	return engine_complete(self->file, self->launch.id, 0, 0);
})

/* One launch ends, and none follows. */
SWEEP_ENGINE(engine_next, have_fetched, no_launch, false, {
	const struct vnpu_engine_completion done = { .id = self->launch.id };
	struct vnpu_engine_event event;

	return engine_exchange(self->file, &done, 1, &event, 1, 0);
})

#endif
