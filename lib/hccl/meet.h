/* SPDX-License-Identifier: MIT */
/*
 * Where the ranks of a new communicator meet: a socket of the host, in the abstract
 * namespace.  One process serves it in a thread until all ranks have come, and
 * then gives each of them the shared memory and the other ranks' files.
 *
 * A process that connects must know the token, which is as long as a key, and
 * each message has a fixed size.  A process without the token cannot keep the
 * server from serving the ranks.
 */
#ifndef VNPU_HCCL_MEET_H
#define VNPU_HCCL_MEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hccl/hccl_types.h"

#define HCCL_RANKS_MAX	128
#define HCCL_TEXT	256	/* bytes of a message for people */

/**
 * struct hccl_place - a meeting point
 * @magic: HCCL_PLACE_MAGIC
 * @version: HCCL_PLACE_VERSION
 * @name: of the socket, NUL-terminated
 * @token: secret that ranks must know
 * @same_user: 1 if ranks have to be of the server's user, since the token is no
 *	secret
 */
struct hccl_place {
	uint32_t magic;
	uint32_t version;
	char name[48];
	uint8_t token[16];
	uint32_t same_user;
};

#define HCCL_PLACE_MAGIC	0x6c636376U
#define HCCL_PLACE_VERSION	2

/* A rank introduces itself by this.  A rank number and a device occur once. */
struct hccl_self {
	uint32_t ranks;
	uint32_t rank;
	uint32_t device;	/* number on the host */
	int32_t pid;
	uint64_t client;	/* vnpu_client_id() */
};

/**
 * struct hccl_member - another rank, or this one
 * @self: what it said
 * @alive: a pipe that becomes readable at its end
 */
struct hccl_member {
	struct hccl_self self;
	int alive;
};

/**
 * struct hccl_meeting - the result of a meeting
 * @members: one for each rank; their files belong to the caller
 * @memory: file of the memory that all ranks share
 * @life: this rank's end of its own @alive, to be closed at its end
 * @text: a message if the ranks did not meet
 */
struct hccl_meeting {
	struct hccl_member *members;
	int memory;
	int life;
	char text[HCCL_TEXT];
};

/**
 * hccl_place_random() - make a place that only its maker knows
 *
 * Return: HCCL_SUCCESS or HCCL_E_SYSCALL.
 */
HcclResult hccl_place_random(struct hccl_place *place);

/**
 * hccl_place_derive() - make the place that all derive from the same bytes
 * @key: a secret that only ranks know, or NULL
 * @same_user: true if there is no secret
 */
void hccl_place_derive(struct hccl_place *place, const uint8_t key[16],
		       const void *bytes, size_t size, bool same_user);

bool hccl_place_is_valid(const struct hccl_place *place);

/**
 * hccl_meet_serve() - serve a place in a thread until all ranks have come
 * @seconds: the limit
 *
 * Return: HCCL_SUCCESS; HCCL_E_UNAVAIL if the place is served already;
 * HCCL_E_SYSCALL.
 */
HcclResult hccl_meet_serve(const struct hccl_place *place, unsigned int seconds);

/**
 * struct hccl_watch - a check whether a rank will never join
 * @is_lost: called from time to time; returns true if a rank will never join
 * @arg: passed to @is_lost
 */
struct hccl_watch {
	bool (*is_lost)(const void *arg);
	const void *arg;
};

/**
 * hccl_meet() - wait for the other ranks
 * @wait_server: wait for a server of the place, too
 * @watch: or NULL
 * @meeting: filled; @text also on failure
 *
 * Return: HCCL_SUCCESS, or what HcclCommInitRootInfo() returns.
 */
HcclResult hccl_meet(const struct hccl_place *place,
		     const struct hccl_self *self, unsigned int seconds,
		     bool wait_server, const struct hccl_watch *watch,
		     struct hccl_meeting *meeting);

/* Close the files of @count members, and free them. */
void hccl_members_free(struct hccl_member *members, unsigned int count);

#endif /* VNPU_HCCL_MEET_H */
