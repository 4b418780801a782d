// SPDX-License-Identifier: GPL-2.0-only
/* vnpu-bench replay: the loads. */
#include <stdlib.h>

#include "bench.h"
#include "replay.h"

/*
 * Sizes from 64 B to 64 MiB, evenly over the magnitudes; any live allocation
 * may be freed. The target use changes from time to time, from half of the
 * device to more than all of it.
 */
#define UNIFORM_LOW	64
#define UNIFORM_HIGH	(64 * MIB)
#define UNIFORM_PHASE	512

static void uniform(struct replay *r, uint64_t ops)
{
	struct replay_object *objects = need(ops, sizeof(*objects));
	uint64_t target = 0;
	uint32_t live = 0;

	while (r->done < ops) {
		if (r->done % UNIFORM_PHASE == 0)
			target = r->arena / 100 *
				 (50 + random_below(&r->random, 60));
		if (!live || r->live < target) {
			uint64_t size = random_log_uniform(&r->random,
							   UNIFORM_LOW,
							   UNIFORM_HIGH);

			live += replay_alloc(r, &objects[live], size);
		} else {
			uint32_t i = random_below(&r->random, live);

			replay_free(r, &objects[i]);
			objects[i] = objects[--live];
			objects[live].address = NULL;
		}
	}
	while (live)
		replay_free(r, &objects[--live]);
	free(objects);
}

/*
 * A server of a language model. A third of the device holds weights. Sessions
 * come and go; each step of one adds to its cache of keys and values, and
 * without room a session is dropped. Activations of all sizes live for a few
 * steps, small objects for longer.
 */
#define WEIGHT_LOW	(2 * MIB)
#define WEIGHT_HIGH	(32 * MIB)
#define WEIGHTS		512

#define CACHE_BLOCK	(512 * KIB)
#define CACHE_BLOCKS	64		/* of a session, at most */
#define SESSION_BYTES	(15 * MIB)	/* of the arena, for each */
#define SESSIONS	4096

#define ACTIVATION_LOW	(64 * KIB)
#define ACTIVATION_HIGH	(16 * MIB)
#define ACTIVATIONS	16

#define SMALL_LOW	64
#define SMALL_HIGH	(4 * KIB)
#define SMALLS		4096

struct session {
	struct replay_object blocks[CACHE_BLOCKS];
	uint32_t count;
	uint32_t length;	/* step of its end */
};

struct server {
	struct replay_object weights[WEIGHTS];
	struct session sessions[SESSIONS];
	uint32_t session_count;
	struct replay_object activations[ACTIVATIONS];
	struct replay_object smalls[SMALLS];
};

static void session_end(struct replay *r, struct session *session)
{
	while (session->count)
		replay_free(r, &session->blocks[--session->count]);
	session->length = 1 + random_below(&r->random, CACHE_BLOCKS);
}

static void session_step(struct replay *r, struct server *server)
{
	struct session *session;
	uint32_t i = random_below(&r->random, server->session_count);

	session = &server->sessions[i];
	if (session->count >= session->length) {
		session_end(r, session);
		return;
	}
	if (replay_alloc(r, &session->blocks[session->count], CACHE_BLOCK))
		session->count++;
	else
		session_end(r, session);
}

static void replace(struct replay *r, struct replay_object *objects,
		    uint32_t count, uint64_t low, uint64_t high)
{
	struct replay_object *object = &objects[random_below(&r->random, count)];

	if (object->address)
		replay_free(r, object);
	else
		replay_alloc(r, object,
			     random_log_uniform(&r->random, low, high));
}

static void server_start(struct replay *r, struct server *server)
{
	uint64_t sessions = r->arena / SESSION_BYTES;
	uint32_t i;

	for (i = 0; i < WEIGHTS && r->live < r->arena / 3; i++)
		replay_alloc(r, &server->weights[i],
			     random_log_uniform(&r->random, WEIGHT_LOW,
						WEIGHT_HIGH));
	if (!sessions)
		sessions = 1;
	server->session_count = sessions < SESSIONS ? (uint32_t)sessions :
						      SESSIONS;
	for (i = 0; i < server->session_count; i++)
		session_end(r, &server->sessions[i]);
}

static void server_end(struct replay *r, struct server *server)
{
	uint32_t i;

	for (i = 0; i < WEIGHTS; i++)
		replay_free(r, &server->weights[i]);
	for (i = 0; i < server->session_count; i++)
		session_end(r, &server->sessions[i]);
	for (i = 0; i < ACTIVATIONS; i++)
		replay_free(r, &server->activations[i]);
	for (i = 0; i < SMALLS; i++)
		replay_free(r, &server->smalls[i]);
}

static void serving(struct replay *r, uint64_t ops)
{
	struct server *server = need(1, sizeof(*server));

	server_start(r, server);
	while (r->done < ops) {
		uint32_t what = random_below(&r->random, 100);

		if (what < 50)
			session_step(r, server);
		else if (what < 85)
			replace(r, server->activations, ACTIVATIONS,
				ACTIVATION_LOW, ACTIVATION_HIGH);
		else
			replace(r, server->smalls, SMALLS, SMALL_LOW,
				SMALL_HIGH);
	}
	server_end(r, server);
	free(server);
}

const struct replay_load replay_loads[] = {
	{ "uniform", uniform },
	{ "serving", serving },
};

const size_t replay_load_count = ARRAY_SIZE(replay_loads);
