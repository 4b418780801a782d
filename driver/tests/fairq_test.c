// SPDX-License-Identifier: GPL-2.0-only
/* The fair queue: simulated engines, and a comparison with a naive model. */
#include "core_test.h"

#define NR_USERS	3
#define NR_CLIENTS	3	/* per user */
#define NR_STREAMS	32	/* per client */
#define NR_ENGINES	4
#define ALL_CLIENTS	(NR_USERS * NR_CLIENTS)

/* Static, because it is too large for a kernel stack. */
static struct {
	struct vnpu_fairq q;
	struct vnpu_fair_user user[NR_USERS];
	struct vnpu_fair_client client[ALL_CLIENTS];
	struct vnpu_ready_node node[ALL_CLIENTS][NR_STREAMS];
	u64 used[ALL_CLIENTS];
	u64 turn[ALL_CLIENTS];		/* ns per turn of the client */
	struct {
		u32 client, stream;
		bool is_busy;
		u64 end;
	} engine[NR_ENGINES];
} sim;

static void sim_init(void)
{
	u32 i;

	memset(&sim, 0, sizeof(sim));
	vnpu_fairq_init(&sim.q);
	for (i = 0; i < NR_USERS; i++)
		vnpu_fair_user_init(&sim.user[i], VNPU_FAIR_WEIGHT);
	for (i = 0; i < ALL_CLIENTS; i++) {
		vnpu_fair_client_init(&sim.client[i],
				      &sim.user[i / NR_CLIENTS],
				      VNPU_FAIR_WEIGHT);
		sim.turn[i] = 100000;
	}
}

static void sim_push(u32 client, u32 stream)
{
	vnpu_fairq_push(&sim.q, &sim.client[client],
			&sim.node[client][stream], 0);
}

static void sim_push_all(u32 client, u32 streams)
{
	u32 i;

	for (i = 0; i < streams; i++)
		sim_push(client, i);
}

/* Pop a stream and return its client and number; false if there is none. */
static bool sim_pop(u32 *client, u32 *stream)
{
	struct vnpu_ready_node *node = vnpu_fairq_pop(&sim.q);
	u32 index;

	if (!node)
		return false;
	index = node - &sim.node[0][0];
	*client = index / NR_STREAMS;
	*stream = index % NR_STREAMS;
	return true;
}

static void sim_charge(u32 client, u32 stream, u64 ns)
{
	vnpu_fairq_charge(&sim.q, &sim.client[client],
			  &sim.node[client][stream], ns);
	sim.used[client] += ns;
}

/* Continue with the same stream, as an engine does if no other one waits. */
static void sim_go_on(u32 client, u32 stream)
{
	vnpu_fairq_go_on(&sim.q, &sim.client[client],
			 &sim.node[client][stream], 0);
}

static void sim_end(u32 client, u32 stream, bool again)
{
	sim_charge(client, stream, sim.turn[client]);
	if (again)
		sim_push(client, stream);
	vnpu_fairq_end(&sim.client[client]);
}

/* Let a stream keep its engine for some time while no other one waits. */
static void sim_run_alone(u32 client, u32 stream, u64 ns)
{
	u64 now;

	for (now = 0; now < ns; now += sim.turn[client]) {
		sim_charge(client, stream, sim.turn[client]);
		sim_go_on(client, stream);
	}
}

/* Run streams that always have work for some time. */
static void sim_run(u32 engines, u64 ns)
{
	u64 now = 0;
	u32 i, next;

	for (;;) {
		for (i = 0; i < engines; i++) {
			if (sim.engine[i].is_busy ||
			    !sim_pop(&sim.engine[i].client,
				     &sim.engine[i].stream))
				continue;
			sim.engine[i].is_busy = true;
			sim.engine[i].end = now +
				sim.turn[sim.engine[i].client];
		}
		for (i = 0, next = engines; i < engines; i++)
			if (sim.engine[i].is_busy &&
			    (next == engines ||
			     sim.engine[i].end < sim.engine[next].end))
				next = i;
		if (next == engines)
			return;
		now = sim.engine[next].end;
		if (now < ns && vnpu_fairq_is_empty(&sim.q)) {
			u32 client = sim.engine[next].client;

			sim_run_alone(client, sim.engine[next].stream,
				      sim.turn[client]);
			sim.engine[next].end += sim.turn[client];
			continue;
		}
		sim.engine[next].is_busy = false;
		sim_end(sim.engine[next].client, sim.engine[next].stream,
			now < ns);
	}
}

static bool is_near(u64 value, u64 wanted, u64 slack)
{
	return value + slack >= wanted && value <= wanted + slack;
}

bool test_fairq_order(void)
{
	u32 client, stream, i;

	sim_init();
	EXPECT(vnpu_fairq_is_empty(&sim.q) && !sim_pop(&client, &stream));
	vnpu_fairq_remove(&sim.q, &sim.client[0], &sim.node[0][0]);
	sim_push_all(0, NR_STREAMS);
	EXPECT(!vnpu_fairq_is_empty(&sim.q));

	/*
	 * Another user comes next, however many streams wait; so does a client.
	 */
	for (i = 0; i < 10; i++) {
		EXPECT(sim_pop(&client, &stream) && client == 0);
		sim_push(NR_CLIENTS, 0);
		sim_end(client, stream, true);
		EXPECT(sim_pop(&client, &stream) && client == NR_CLIENTS);
		sim_end(client, stream, false);
	}
	EXPECT(sim_pop(&client, &stream) && client == 0);
	sim_push(1, 0);
	sim_end(client, stream, true);
	EXPECT(sim_pop(&client, &stream) && client == 1);
	sim_end(client, stream, false);

	/* Removed streams are not served. */
	sim_push(1, 0);
	vnpu_fairq_remove(&sim.q, &sim.client[1], &sim.node[1][0]);
	for (i = 0; i < NR_STREAMS; i++)
		vnpu_fairq_remove(&sim.q, &sim.client[0], &sim.node[0][i]);
	EXPECT(vnpu_fairq_is_empty(&sim.q) && !sim_pop(&client, &stream));
	return true;
}

/* Shares are of time, whatever the number of streams and the turn length. */
bool test_fairq_weights(void)
{
	const u64 all = 1000000000;
	const u32 a = 0, b = NR_CLIENTS, c = 2 * NR_CLIENTS;
	u32 i;

	sim_init();
	sim.turn[a] = 250000;
	sim.turn[b] = 40000;
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all / 2, all / 100));
	EXPECT(is_near(sim.used[b], all / 2, all / 100));

	/* A user counts once; its clients share by their weights. */
	sim_init();
	vnpu_fair_client_init(&sim.client[a], &sim.user[0],
			      3 * VNPU_FAIR_WEIGHT);
	vnpu_fair_user_init(&sim.user[2], VNPU_FAIR_WEIGHT / 2);
	for (i = 0; i < 2; i++)
		sim_push_all(a + i, 1 + i * 16);
	for (i = 0; i < NR_CLIENTS; i++)
		sim_push_all(b + i, 8);
	sim_push_all(c, NR_STREAMS);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all * 3 / 10, all / 100));
	EXPECT(is_near(sim.used[a + 1], all / 10, all / 100));
	for (i = 0; i < NR_CLIENTS; i++)
		EXPECT(is_near(sim.used[b + i], all * 4 / 30, all / 100));
	EXPECT(is_near(sim.used[c], all / 5, all / 100));
	return true;
}

/* A stream uses one engine at most, even if its user's share is larger. */
bool test_fairq_engines(void)
{
	const u64 all = 1000000000;
	const u32 a = 0, b = NR_CLIENTS, c = 2 * NR_CLIENTS;

	sim_init();
	sim.turn[a] = 90000;
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_run(NR_ENGINES, all);
	EXPECT(is_near(sim.used[b], all, all / 10));
	EXPECT(is_near(sim.used[a], 3 * all, all / 10));

	sim_init();
	sim.turn[a] = 130000;
	sim.turn[c] = 70000;
	sim_push_all(a, NR_STREAMS);
	sim_push_all(b, 2);
	sim_push_all(c, NR_STREAMS / 2);
	sim_run(3, all);
	EXPECT(is_near(sim.used[a], all, all / 25));
	EXPECT(is_near(sim.used[b], all, all / 25));
	EXPECT(is_near(sim.used[c], all, all / 25));
	return true;
}

/* An unused share is not saved up, and a hang is charged only up to a limit. */
bool test_fairq_lag(void)
{
	const u64 all = 1000000000;
	const u32 a = 0, b = NR_CLIENTS;
	u32 client, stream;
	u64 alone = 0;

	sim_init();
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_run(NR_ENGINES, all);
	sim.used[a] = 0;
	sim.used[b] = 0;
	sim_push_all(a, NR_STREAMS);
	sim_push_all(b, NR_STREAMS);
	sim_run(NR_ENGINES, all);
	EXPECT(is_near(sim.used[a], 2 * all, all / 25));

	/* The only stream of client a hangs. */
	sim_init();
	sim_push(a, 0);
	sim_push(b, 0);
	EXPECT(sim_pop(&client, &stream) && client == a);
	sim.turn[a] = 100 * all;
	sim_end(a, 0, true);
	sim.turn[a] = 100000;
	for (;;) {
		EXPECT(sim_pop(&client, &stream));
		if (client == a)
			break;
		alone += sim.turn[b];
		sim_end(b, 0, true);
	}
	EXPECT(alone <= VNPU_FAIR_CHARGE_MAX + 2 * sim.turn[b]);
	return true;
}

/* Check that one stream of each of two clients take turns strictly. */
static bool take_turns(u32 early, u32 late)
{
	u32 client, stream, last = NR_STREAMS, i, k;

	for (i = 0; i < 2; i++) {
		for (k = 0; k < 2; k++) {
			EXPECT(sim_pop(&client, &stream));
			EXPECT(client == early || client == late);
			EXPECT(k == 0 || client * NR_STREAMS + stream != last);
			last = client * NR_STREAMS + stream;
			sim_end(client, stream, true);
		}
	}
	return true;
}

/* A stream is not charged later for having run while no other one waited. */
bool test_fairq_alone(void)
{
	const u64 all = 1000000000;
	const u32 a = 0, b = NR_CLIENTS;
	static const struct {
		u32 client, stream;
	} late[] = { { NR_CLIENTS, 0 }, { 1, 0 }, { 0, 1 } };
	u32 i, client, stream;

	/* The newcomer: another user, another client, another stream. */
	for (i = 0; i < 3; i++) {
		sim_init();
		sim_push(a, 0);
		EXPECT(sim_pop(&client, &stream) && client == a && !stream);
		sim_run_alone(a, 0, all);
		sim_push(late[i].client, late[i].stream);
		sim_end(a, 0, true);
		EXPECT(take_turns(a, late[i].client));
	}

	/*
	 * Two clients with an engine each: the lighter one's time grows faster.
	 */
	sim_init();
	vnpu_fair_client_init(&sim.client[1], &sim.user[0],
			      VNPU_FAIR_WEIGHT / 64);
	for (i = 0; i < 2; i++) {
		sim_push(a + i, 0);
		EXPECT(sim_pop(&client, &stream) && client == a + i);
	}
	for (i = 0; i < 1000; i++) {
		sim_run_alone(a, 0, sim.turn[a]);
		sim_run_alone(a + 1, 0, sim.turn[a]);
	}
	sim_end(a, 0, true);
	sim_end(a + 1, 0, true);
	sim_push_all(a + 2, NR_ENGINES);
	memset(sim.used, 0, sizeof(sim.used));
	sim_run(2, all);
	EXPECT(is_near(sim.used[a], all * 128 / 129, all / 20));
	EXPECT(is_near(sim.used[a + 2], all * 128 / 129, all / 20));
	EXPECT(is_near(sim.used[a + 1], 2 * all / 129, all / 100));

	/* Users with different numbers of streams, and a newcomer with many. */
	sim_init();
	sim_push_all(a, 2);
	sim_push(b, 0);
	sim_run(3, all);
	sim_push_all(a, 2);
	sim_push(b, 0);
	sim_push_all(2 * NR_CLIENTS, NR_STREAMS);
	memset(sim.used, 0, sizeof(sim.used));
	sim_run(3, all);
	for (i = 0; i < NR_USERS; i++)
		EXPECT(is_near(sim.used[i * NR_CLIENTS], all, all / 20));
	return true;
}

/* A user or a client in the naive model; ties are broken by arrival. */
struct naive {
	u64 vtime;
	u64 came;
	u64 served;	/* virtual time of its clients */
	u32 weight;
	u32 turns;
	u32 waiting;	/* number of streams that wait */
};

static struct naive naive_users[NR_USERS], naive_clients[ALL_CLIENTS];
static u64 naive_served, naive_came;

static void naive_push(struct naive *n, u64 served)
{
	u64 least = served;

	if (n->waiting++)
		return;
	if (n->turns)
		least = served > VNPU_FAIR_LAG ? served - VNPU_FAIR_LAG : 0;
	if (n->vtime < least)
		n->vtime = least;
	n->came = naive_came++;
}

static u32 naive_first(const struct naive *n, u32 count)
{
	u32 i, first = count;

	for (i = 0; i < count; i++) {
		if (!n[i].waiting)
			continue;
		if (first == count || n[i].vtime < n[first].vtime ||
		    (n[i].vtime == n[first].vtime && n[i].came < n[first].came))
			first = i;
	}
	return first;
}

static void naive_begin(struct naive *n, u64 *served)
{
	if (*served < n->vtime)
		*served = n->vtime;
	n->turns++;
	n->waiting--;
}

static void naive_charge(struct naive *n, u64 ns)
{
	n->vtime += div_u64(ns * VNPU_FAIR_WEIGHT, n->weight);
	n->came = naive_came++;
}

static void push_both(u32 client, u32 stream)
{
	struct naive *user = &naive_users[client / NR_CLIENTS];

	sim_push(client, stream);
	naive_push(&naive_clients[client], user->served);
	naive_push(user, naive_served);
}

static void remove_both(u32 client, u32 stream)
{
	if (!sim.node[client][stream].is_queued)
		return;
	vnpu_fairq_remove(&sim.q, &sim.client[client],
			  &sim.node[client][stream]);
	naive_clients[client].waiting--;
	naive_users[client / NR_CLIENTS].waiting--;
}

static bool begin_both(u32 engine)
{
	u32 user = naive_first(naive_users, NR_USERS), client;
	u32 got, stream;

	EXPECT(vnpu_fairq_is_empty(&sim.q) == (user == NR_USERS));
	if (user == NR_USERS) {
		EXPECT(!sim_pop(&got, &stream));
		return true;
	}
	client = user * NR_CLIENTS +
		 naive_first(&naive_clients[user * NR_CLIENTS], NR_CLIENTS);
	EXPECT(sim_pop(&got, &stream) && got == client);
	naive_begin(&naive_users[user], &naive_served);
	naive_begin(&naive_clients[client], &naive_users[user].served);
	sim.engine[engine].client = got;
	sim.engine[engine].stream = stream;
	sim.engine[engine].is_busy = true;
	return true;
}

static void end_both(u32 engine)
{
	u32 client = sim.engine[engine].client, user = client / NR_CLIENTS;
	u32 stream = sim.engine[engine].stream;
	u64 ns = tap_below(16) ? tap_below(300000) : tap_random() >> 20;

	sim_charge(client, stream, ns);
	ns = ns ?: 1;
	ns = ns < VNPU_FAIR_CHARGE_MAX ? ns : VNPU_FAIR_CHARGE_MAX;
	naive_charge(&naive_clients[client], ns);
	naive_charge(&naive_users[user], ns);
	if (tap_below(4))
		push_both(client, stream);
	vnpu_fairq_end(&sim.client[client]);
	naive_clients[client].turns--;
	naive_users[user].turns--;
	sim.engine[engine].is_busy = false;
}

/* Begin another turn of the same stream, if no other one waits. */
static bool go_on_both(u32 engine)
{
	u32 client = sim.engine[engine].client, user = client / NR_CLIENTS;
	u64 ns = 1 + tap_below(300000);

	if (naive_first(naive_users, NR_USERS) != NR_USERS)
		return true;
	sim_charge(client, sim.engine[engine].stream, ns);
	naive_charge(&naive_clients[client], ns);
	naive_charge(&naive_users[user], ns);
	sim_go_on(client, sim.engine[engine].stream);
	naive_push(&naive_clients[client], naive_users[user].served);
	naive_push(&naive_users[user], naive_served);
	naive_clients[client].turns--;
	naive_users[user].turns--;
	naive_begin(&naive_users[user], &naive_served);
	naive_begin(&naive_clients[client], &naive_users[user].served);
	EXPECT(vnpu_fairq_is_empty(&sim.q));
	return true;
}

/* Compare the virtual times at which newcomers start. */
static bool is_served_as_naive(void)
{
	const struct vnpu_fair_siblings *s = &sim.q.users;
	u32 i;

	EXPECT(s->vtime == naive_served);
	for (i = 0; i < NR_USERS; i++)
		EXPECT(sim.user[i].clients.vtime == naive_users[i].served);
	return true;
}

static bool has_turn(u32 client, u32 stream)
{
	u32 i;

	for (i = 0; i < NR_ENGINES; i++)
		if (sim.engine[i].is_busy && sim.engine[i].client == client &&
		    sim.engine[i].stream == stream)
			return true;
	return false;
}

static bool is_as_naive(void)
{
	u32 i;

	for (i = 0; i < NR_USERS; i++) {
		EXPECT(sim.user[i].fair.vtime == naive_users[i].vtime);
		EXPECT(sim.user[i].fair.is_queued == !!naive_users[i].waiting);
	}
	for (i = 0; i < ALL_CLIENTS; i++) {
		EXPECT(sim.client[i].fair.vtime == naive_clients[i].vtime);
		EXPECT(sim.client[i].fair.is_queued ==
		       !!naive_clients[i].waiting);
	}
	return true;
}

bool test_fairq_random(void)
{
	unsigned long step;
	u32 i;

	sim_init();
	memset(naive_users, 0, sizeof(naive_users));
	memset(naive_clients, 0, sizeof(naive_clients));
	naive_served = 0;
	naive_came = 0;
	for (i = 0; i < NR_USERS; i++) {
		naive_users[i].weight = 1 + tap_below(4 * VNPU_FAIR_WEIGHT);
		vnpu_fair_user_init(&sim.user[i], naive_users[i].weight);
	}
	for (i = 0; i < ALL_CLIENTS; i++) {
		naive_clients[i].weight = 1 + tap_below(4 * VNPU_FAIR_WEIGHT);
		vnpu_fair_client_init(&sim.client[i],
				      &sim.user[i / NR_CLIENTS],
				      naive_clients[i].weight);
	}
	for (step = 0; step < tap_steps; step++) {
		u32 client = tap_below(ALL_CLIENTS), dice = tap_below(100);
		u32 stream = tap_below(NR_STREAMS);
		u32 engine = tap_below(NR_ENGINES);
		/* Alternate between nearly empty and crowded. */
		u32 leave = step / 1024 % 2 ? 10 : 35;

		if (dice < leave) {
			remove_both(client, stream);
		} else if (dice < 40) {
			if (!sim.node[client][stream].is_queued &&
			    !has_turn(client, stream))
				push_both(client, stream);
		} else if (sim.engine[engine].is_busy && dice < 70) {
			EXPECT(go_on_both(engine));
		} else if (sim.engine[engine].is_busy) {
			end_both(engine);
		} else {
			EXPECT(begin_both(engine));
		}
		EXPECT(is_as_naive() && is_served_as_naive());
	}
	return true;
}
