// SPDX-License-Identifier: GPL-2.0-only
/* Fair queue of users, clients and streams. See fairq.h. */
#include "fairq.h"

static void siblings_init(struct vnpu_fair_siblings *s)
{
	s->ready = RB_ROOT_CACHED;
	s->vtime = 0;
}

static void fair_init(struct vnpu_fair *fair, u32 weight)
{
	memset(fair, 0, sizeof(*fair));
	fair->weight = weight;
}

void vnpu_fairq_init(struct vnpu_fairq *q)
{
	siblings_init(&q->users);
}

void vnpu_fair_user_init(struct vnpu_fair_user *user, u32 weight)
{
	fair_init(&user->fair, weight);
	siblings_init(&user->clients);
}

void vnpu_fair_client_init(struct vnpu_fair_client *client,
			   struct vnpu_fair_user *user, u32 weight)
{
	fair_init(&client->fair, weight);
	client->user = user;
	vnpu_readyq_init(&client->streams);
}

static bool fair_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct vnpu_fair, link)->vtime <
	       rb_entry(b, struct vnpu_fair, link)->vtime;
}

static void fair_push(struct vnpu_fair_siblings *s, struct vnpu_fair *fair)
{
	u64 least = s->vtime;

	if (fair->is_queued)
		return;
	if (fair->turns)
		least -= min(least, VNPU_FAIR_LAG);
	fair->vtime = max(fair->vtime, least);
	fair->is_queued = true;
	rb_add_cached(&fair->link, &s->ready, fair_less);
}

static void fair_remove(struct vnpu_fair_siblings *s, struct vnpu_fair *fair)
{
	fair->is_queued = false;
	rb_erase_cached(&fair->link, &s->ready);
}

static struct vnpu_fair *fair_first(const struct vnpu_fair_siblings *s)
{
	struct rb_node *first = rb_first_cached(&s->ready);

	return first ? rb_entry(first, struct vnpu_fair, link) : NULL;
}

static void fair_begin(struct vnpu_fair_siblings *s, struct vnpu_fair *fair)
{
	s->vtime = max(s->vtime, fair->vtime);
	fair->turns++;
}

static void fair_charge(struct vnpu_fair_siblings *s, struct vnpu_fair *fair,
			u64 ns)
{
	fair->vtime += div_u64(ns * VNPU_FAIR_WEIGHT, fair->weight);
	if (!fair->is_queued)
		return;
	rb_erase_cached(&fair->link, &s->ready);
	rb_add_cached(&fair->link, &s->ready, fair_less);
}

void vnpu_fairq_push(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		     struct vnpu_ready_node *node, unsigned int prio)
{
	struct vnpu_fair_user *user = client->user;

	vnpu_readyq_push(&client->streams, node, prio);
	fair_push(&user->clients, &client->fair);
	fair_push(&q->users, &user->fair);
}

/* Dequeue a client without ready streams, and a user without ready clients. */
static void settle(struct vnpu_fairq *q, struct vnpu_fair_client *client)
{
	struct vnpu_fair_user *user = client->user;

	if (!vnpu_readyq_is_empty(&client->streams))
		return;
	fair_remove(&user->clients, &client->fair);
	if (!fair_first(&user->clients))
		fair_remove(&q->users, &user->fair);
}

void vnpu_fairq_remove(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		       struct vnpu_ready_node *node)
{
	if (vnpu_readyq_remove(&client->streams, node))
		settle(q, client);
}

struct vnpu_ready_node *vnpu_fairq_pop(struct vnpu_fairq *q)
{
	struct vnpu_fair *first = fair_first(&q->users);
	struct vnpu_fair_client *client;
	struct vnpu_ready_node *node;
	struct vnpu_fair_user *user;

	if (!first)
		return NULL;
	user = container_of(first, struct vnpu_fair_user, fair);
	client = container_of(fair_first(&user->clients),
			      struct vnpu_fair_client, fair);
	fair_begin(&q->users, &user->fair);
	fair_begin(&user->clients, &client->fair);
	node = vnpu_readyq_pop(&client->streams);
	settle(q, client);
	return node;
}

void vnpu_fairq_charge(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		       struct vnpu_ready_node *node, u64 ns)
{
	struct vnpu_fair_user *user = client->user;

	/* Charge at least 1 ns, so that no turn is free. */
	ns = clamp(ns, 1ull, VNPU_FAIR_CHARGE_MAX);
	vnpu_readyq_charge(node, ns);
	fair_charge(&user->clients, &client->fair, ns);
	fair_charge(&q->users, &user->fair, ns);
}

void vnpu_fairq_end(struct vnpu_fair_client *client)
{
	client->fair.turns--;
	client->user->fair.turns--;
}

void vnpu_fairq_go_on(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		      struct vnpu_ready_node *node, unsigned int prio)
{
	vnpu_fairq_push(q, client, node, prio);
	vnpu_fairq_end(client);
	vnpu_fairq_pop(q);
}
