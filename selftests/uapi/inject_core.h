/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests for faults of cores, and launches that count what was executed. */
#ifndef UAPI_INJECT_CORE_H
#define UAPI_INJECT_CORE_H

#include "inject.h"

#include "core.h"

/* inject.h uses the other names for faults of engines. */
#define KIND(name)	VNPU_INJECT_KIND_CORE_##name

/* An upper limit of waits, on a slow machine. */
#define SOON		8000

/* A delay that no test waits for, in microseconds. */
#define LONG_US		60000000

/* The word that launches of the fixture's client increment. */
#define COUNT		((volatile __u64 *)(self->mem + PAGE))

/* Launches that increment the word: the arguments are in the first page. */
static inline void args_set(FIXTURE_DATA(inject) * self)
{
	__u64 *args = ptr(self->va);

	memset(self->mem, 0, 2 * PAGE);
	args[0] = self->va + PAGE;
	args[1] = 1;
}

static inline struct vnpu_task launch(FIXTURE_DATA(inject) * self,
				      __u32 timeout_ms)
{
	struct vnpu_task task = task_launch(CORE_ADD, self->va, 16);

	task.timeout_ms = timeout_ms;
	return task;
}

static inline int begin(FIXTURE_DATA(inject) * self, struct core *k)
{
	args_set(self);
	return core_start(k, &self->c, 0, 0);
}

/* Start a core in place of one that has died; check that it works. */
static inline int replace(FIXTURE_DATA(inject) * self, struct core *k)
{
	__u64 before = *COUNT;
	int ret;

	core_end(k);
	ret = core_start(k, &self->c, 0, 0);
	if (!ret)
		ret = stream_do(&self->s, launch(self, 0));
	return ret ? ret : *COUNT == before + 1 ? 0 : -EIO;
}

static inline int core_fault(FIXTURE_DATA(inject) * self, __u32 kind,
			     __u64 nth)
{
	return fault_set(kind, self->id, ANY_CLASS, nth, 0);
}

/* Inject a fault into each launch of a client. */
static inline int core_fault_of(__u32 device, __u32 kind, __u64 client,
				__u64 delay_us)
{
	const struct fault f = {
		.device = device,
		.kind = kind,
		.client = client,
		.class = ANY_CLASS,
		.every = 1,
		.delay_us = delay_us,
	};

	return fault_change(&f, false);
}

static inline int slow(FIXTURE_DATA(inject) * self, __u64 delay_us)
{
	return core_fault_of(0, KIND(SLOW), self->id, delay_us);
}

/* The launches that the core of a client has ended, as monitors see them. */
struct counted {
	__u64 client;
	__u64 launches;
};

static inline int count_launches(const struct nlmsghdr *head, void *arg)
{
	struct counted *n = arg;

	if (nl_u32(head, VNPU_A_ENGINE_CLASS) == VNPU_ENGINE_CLASS_AICORE &&
	    nl_u64(head, VNPU_A_ENGINE_CLIENT_ID) == n->client)
		n->launches = nl_u64(head, VNPU_A_ENGINE_TASKS);
	return 0;
}

static inline __u64 launches(__u64 client)
{
	struct counted n = { .client = client, .launches = ~0ULL };
	int fd = nl_open(), ret;

	do
		ret = nl_dump(fd, nl_family(fd), VNPU_CMD_ENGINE_GET,
			      count_launches, &n);
	while (ret == -EINTR);
	close(fd);
	return n.launches;
}

#endif /* UAPI_INJECT_CORE_H */
