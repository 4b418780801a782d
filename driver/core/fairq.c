// SPDX-License-Identifier: GPL-2.0-only
/* Fair queue of users, clients, contexts and streams. See fairq.h. */
#include "fairq.h"

static void siblings_init(struct vnpu_fair_siblings *s)
{
	s->ready = RB_ROOT_CACHED;
	s->vtime = 0;
}

static void fair_set_weight(struct vnpu_fair *fair, u32 weight)
{
	fair->weight = weight;
	fair->lag = div_u64(VNPU_FAIR_LAG * VNPU_FAIR_WEIGHT, weight);
}

static void fair_init(struct vnpu_fair *fair, struct vnpu_fair_siblings *s,
		      struct vnpu_fair *parent, u32 weight)
{
	memset(fair, 0, sizeof(*fair));
	fair->siblings = s;
	fair->parent = parent;
	fair_set_weight(fair, weight);
}

void vnpu_fairq_init(struct vnpu_fairq *q)
{
	siblings_init(&q->users);
	siblings_init(&q->urgent);
	q->ahead = 0;
}

void vnpu_fair_user_init(struct vnpu_fair_user *user, struct vnpu_fairq *q,
			 u32 weight)
{
	fair_init(&user->fair, &q->users, NULL, weight);
	siblings_init(&user->clients);
}

void vnpu_fair_client_init(struct vnpu_fair_client *client,
			   struct vnpu_fair_user *user, u32 weight)
{
	fair_init(&client->fair, &user->clients, &user->fair, weight);
	siblings_init(&client->contexts);
}

void vnpu_fair_context_init(struct vnpu_fair_context *context,
			    struct vnpu_fair_client *client, u32 weight)
{
	fair_init(&context->fair, &client->contexts, &client->fair, weight);
	vnpu_readyq_init(&context->streams);
}

void vnpu_fair_context_init_urgent(struct vnpu_fair_context *context,
				   struct vnpu_fairq *q, u32 weight)
{
	fair_init(&context->fair, &q->urgent, NULL, weight);
	vnpu_readyq_init(&context->streams);
}

static bool fair_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct vnpu_fair, link)->vtime <
	       rb_entry(b, struct vnpu_fair, link)->vtime;
}

/* Return the lowest virtual time that saves up no more than @lag. */
static u64 fair_least(const struct vnpu_fair *fair, u64 lag)
{
	u64 served = fair->siblings->vtime;

	return served - min(served, lag);
}

static void fair_push(struct vnpu_fair *fair)
{
	if (fair->is_queued)
		return;
	fair->vtime = max(fair->vtime,
			  fair_least(fair, fair->turns ? fair->lag : 0));
	fair->is_queued = true;
	rb_add_cached(&fair->link, &fair->siblings->ready, fair_less);
}

static void fair_remove(struct vnpu_fair *fair)
{
	fair->is_queued = false;
	rb_erase_cached(&fair->link, &fair->siblings->ready);
}

static struct vnpu_fair *fair_first(const struct vnpu_fair_siblings *s)
{
	struct rb_node *first = rb_first_cached(&s->ready);

	return first ? rb_entry(first, struct vnpu_fair, link) : NULL;
}

static void fair_begin(struct vnpu_fair *fair)
{
	struct vnpu_fair_siblings *s = fair->siblings;

	s->vtime = max(s->vtime, fair->vtime);
	fair->turns++;
}

static void fair_set_vtime(struct vnpu_fair *fair, u64 vtime)
{
	fair->vtime = vtime;
	if (!fair->is_queued)
		return;
	rb_erase_cached(&fair->link, &fair->siblings->ready);
	rb_add_cached(&fair->link, &fair->siblings->ready, fair_less);
}

static void fair_charge(struct vnpu_fair *fair, u64 ns)
{
	u64 time = div_u64(ns * VNPU_FAIR_WEIGHT, fair->weight);

	/* A short turn is not free at a high weight either. */
	fair_set_vtime(fair, fair->vtime + max(time, 1ull));
}

void vnpu_fair_context_set_weight(struct vnpu_fair_context *context, u32 weight)
{
	struct vnpu_fair *fair = &context->fair;
	u64 served = fair->siblings->vtime;
	u32 old = fair->weight;

	fair_set_weight(fair, weight);
	if (fair->vtime <= served) {
		/* Saved time is worth more at a higher weight. */
		if (fair->turns || fair->is_queued)
			fair_set_vtime(fair, max(fair->vtime,
						 fair_least(fair, fair->lag)));
		return;
	}
	/* Round up, so that no sequence of changes reduces the debt. */
	fair_set_vtime(fair, served + div_u64((fair->vtime - served) * old +
					      weight - 1, weight));
}

void vnpu_fairq_push(struct vnpu_fair_context *context,
		     struct vnpu_ready_node *node, unsigned int prio)
{
	struct vnpu_fair *fair;

	vnpu_readyq_push(&context->streams, node, prio);
	for (fair = &context->fair; fair; fair = fair->parent)
		fair_push(fair);
}

/*
 * Dequeue a context without ready streams, and each level above that is empty
 * then.
 */
static void settle(struct vnpu_fair_context *context)
{
	struct vnpu_fair *fair = &context->fair;

	if (!vnpu_readyq_is_empty(&context->streams))
		return;
	do {
		fair_remove(fair);
		if (fair_first(fair->siblings))
			return;
		fair = fair->parent;
	} while (fair);
}

void vnpu_fairq_remove(struct vnpu_fair_context *context,
		       struct vnpu_ready_node *node)
{
	if (vnpu_readyq_remove(&context->streams, node))
		settle(context);
}

static struct vnpu_fair *first_context(const struct vnpu_fairq *q)
{
	struct vnpu_fair *urgent = fair_first(&q->urgent);
	struct vnpu_fair *first = fair_first(&q->users);

	if (!first || (urgent && q->ahead < VNPU_FAIR_URGENT_NS))
		return urgent;
	first = fair_first(&container_of(first, struct vnpu_fair_user,
					 fair)->clients);
	return fair_first(&container_of(first, struct vnpu_fair_client,
					fair)->contexts);
}

struct vnpu_ready_node *vnpu_fairq_pop(struct vnpu_fairq *q)
{
	struct vnpu_fair *first = first_context(q), *fair;
	struct vnpu_fair_context *context;
	struct vnpu_ready_node *node;

	if (!first)
		return NULL;
	for (fair = first; fair; fair = fair->parent)
		fair_begin(fair);
	context = container_of(first, struct vnpu_fair_context, fair);
	node = vnpu_readyq_pop(&context->streams);
	settle(context);
	return node;
}

/*
 * Urgent contexts get ahead while other streams wait, and turns of other
 * streams reduce that. A turn counts for longer than VNPU_FAIR_CHARGE_MAX here:
 * each part is for all contexts of a kind, and they all wait for the engine.
 */
static void balance(struct vnpu_fairq *q, bool is_urgent, u64 ns)
{
	ns = min(ns, VNPU_FAIR_URGENT_NS);
	if (!is_urgent)
		q->ahead -= min(q->ahead, ns * (VNPU_FAIR_URGENT_PARTS - 1));
	else if (fair_first(&q->users))
		q->ahead = min(q->ahead + ns, VNPU_FAIR_URGENT_MAX);
}

void vnpu_fairq_charge(struct vnpu_fairq *q, struct vnpu_fair_context *context,
		       struct vnpu_ready_node *node, u64 ns)
{
	struct vnpu_fair *fair;

	/* Charge at least 1 ns, so that no turn is free. */
	ns = max(ns, 1ull);
	balance(q, context->fair.siblings == &q->urgent, ns);
	ns = min(ns, VNPU_FAIR_CHARGE_MAX);
	vnpu_readyq_charge(node, ns);
	for (fair = &context->fair; fair; fair = fair->parent)
		fair_charge(fair, ns);
}

void vnpu_fairq_end(struct vnpu_fair_context *context)
{
	struct vnpu_fair *fair;

	for (fair = &context->fair; fair; fair = fair->parent)
		fair->turns--;
}

void vnpu_fairq_go_on(struct vnpu_fairq *q, struct vnpu_fair_context *context,
		      struct vnpu_ready_node *node, unsigned int prio)
{
	vnpu_fairq_push(context, node, prio);
	vnpu_fairq_end(context);
	vnpu_fairq_pop(q);
}
