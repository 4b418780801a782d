// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any user may query the map of an arena and what would fit, at any rate: this
 * must not delay allocations. Replies need not show a single moment, but must
 * always be plausible.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

#define CHURNERS	2
#define ASKERS		2
#define KEPT		64
#define RUN_MS		1500

/* In pieces of a page with gaps between them: many blocks. */
#define PIECES		24000

FIXTURE(load) {
	struct client client;
	uint32_t *ids;
	atomic_bool stop;
};

FIXTURE_SETUP(load)
{
	uint32_t i;

	self->ids = calloc(PIECES, sizeof(*self->ids));
	ASSERT_NE(NULL, self->ids);
	ASSERT_EQ(0, client_open_only(&self->client));
	for (i = 0; i < PIECES; i++)
		ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, PAGE,
				       &self->ids[i]));
	for (i = 0; i < PIECES; i += 2)
		ASSERT_EQ(0, mem_free(&self->client, self->ids[i]));
}

FIXTURE_TEARDOWN(load)
{
	client_close(&self->client);
	free(self->ids);
}

struct sums {
	uint64_t size;
	uint64_t used;
	uint64_t impossible;
};

static uint64_t cell_u64(const struct nlattr *cell, uint16_t type)
{
	uint64_t value = 0;
	uint16_t size;
	const void *data = nl_find(cell + 1, cell->nla_len - NLA_HDRLEN, type,
				   &size);

	if (data && size == sizeof(value))
		memcpy(&value, data, sizeof(value));
	return value;
}

static int ask_map(int fd, int family, uint8_t *answer, struct sums *sums)
{
	const struct nlmsghdr *head = (void *)answer;
	const char *pos;
	struct nl_msg m;
	size_t left;
	int ret;

	nl_init(&m, (uint16_t)family, 0, VNPU_CMD_MAP_GET);
	nl_put_u32(&m, VNPU_A_MAP_DEV_ID, 0);
	ret = nl_ask(fd, &m, answer);
	if (ret)
		return ret;
	*sums = (struct sums){ 0 };
	pos = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	left = NLMSG_PAYLOAD(head, GENL_HDRLEN);
	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)pos;
		size_t step = NLA_ALIGN(attr->nla_len);
		uint64_t size, used;

		if ((attr->nla_type & NLA_TYPE_MASK) == VNPU_A_MAP_CELL) {
			size = cell_u64(attr, VNPU_A_MAP_CELL_SIZE);
			used = cell_u64(attr, VNPU_A_MAP_CELL_USED);
			sums->size += size;
			sums->used += used;
			sums->impossible += used > size ||
				cell_u64(attr, VNPU_A_MAP_CELL_FIXED) > used ||
				cell_u64(attr, VNPU_A_MAP_CELL_DIRTY) >
				size - used;
		}
		if (step > left)
			break;
		pos += step;
		left -= step;
	}
	return 0;
}

static int ask_fit(int fd, int family, uint8_t *answer)
{
	const uint64_t length = MIB(8);
	struct nl_msg m;

	nl_init(&m, (uint16_t)family, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	nl_put(&m, VNPU_A_FIT_LENGTH, &length, sizeof(length));
	nl_put(&m, VNPU_A_FIT_CONTIGUOUS, NULL, 0);
	return nl_ask(fd, &m, answer);
}

/* Return the number of replies, or -errno; -ERANGE for an implausible one. */
static void *keep_asking(void *arg)
{
	FIXTURE_DATA(load) *self = arg;
	uint8_t *answer = malloc(NL_BUFFER);
	int fd = nl_open(), family = nl_family(fd);
	struct vnpu_device_query q;
	intptr_t count = 0;
	struct sums sums;
	int ret;

	ret = device_query(&self->client, 0, &q);
	while (!ret && !self->stop) {
		ret = ask_map(fd, family, answer, &sums);
		if (!ret && (sums.impossible || sums.size != q.out_total))
			ret = -ERANGE;
		if (!ret)
			ret = ask_fit(fd, family, answer);
		if (!ret && nl_u64((void *)answer, VNPU_A_FIT_LARGEST_COMPACTED)
		    > q.out_total)
			ret = -ERANGE;
		count += 2;
	}
	close(fd);
	free(answer);
	return (void *)(ret ? ret : count);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

struct churner {
	FIXTURE_DATA(load) *self;
	uint64_t calls;
	uint64_t longest_us;
	int error;
};

/* Allocate and free, in many sizes. */
static void *churn(void *arg)
{
	struct churner *c = arg;
	struct rng rng = rng_init();
	uint32_t ids[KEPT] = { 0 };
	struct client client;

	c->error = client_open_only(&client);
	while (!c->error && !c->self->stop) {
		uint32_t *id = &ids[rng_below(&rng, KEPT)];
		uint64_t start = now_us(), took;

		if (*id)
			c->error = mem_free(&client, *id);
		*id = 0;
		if (!c->error)
			c->error = mem_alloc(&client, 0, 0, 0,
					     PAGE << rng_below(&rng, 8), id);
		took = now_us() - start;
		if (took > c->longest_us)
			c->longest_us = took;
		c->calls++;
	}
	client_close(&client);
	return NULL;
}

TEST_F_TIMEOUT(load, queries_during_allocations, 60)
{
	struct churner churner[CHURNERS];
	pthread_t churning[CHURNERS], asking[ASKERS];
	struct vnpu_device_query q;
	uint8_t *answer = malloc(NL_BUFFER);
	struct sums sums;
	intptr_t asked = 0;
	void *ret;
	int i, fd;

	for (i = 0; i < CHURNERS; i++) {
		churner[i] = (struct churner){ .self = self };
		ASSERT_EQ(0, pthread_create(&churning[i], NULL, churn,
					    &churner[i]));
	}
	for (i = 0; i < ASKERS; i++)
		ASSERT_EQ(0, pthread_create(&asking[i], NULL, keep_asking,
					    self));
	usleep(RUN_MS * 1000);
	self->stop = true;
	for (i = 0; i < ASKERS; i++) {
		pthread_join(asking[i], &ret);
		EXPECT_LT(0, (intptr_t)ret);
		asked += (intptr_t)ret;
	}
	for (i = 0; i < CHURNERS; i++) {
		pthread_join(churning[i], NULL);
		EXPECT_EQ(0, churner[i].error);
		EXPECT_LT(0, churner[i].calls);
		TH_LOG("%" PRIu64 " allocations, the longest %" PRIu64 " us",
		       churner[i].calls, churner[i].longest_us);
	}
	TH_LOG("%ld answers", (long)asked);

	/* At rest the values are exact. */
	fd = nl_open();
	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	ASSERT_EQ(0, ask_map(fd, nl_family(fd), answer, &sums));
	EXPECT_EQ(q.out_total - q.out_free, sums.used);
	close(fd);
	free(answer);
}

TEST_HARNESS_MAIN
