// SPDX-License-Identifier: GPL-2.0-only
/* Engines that serve a fair queue, in steps. See fairq_sim.h. */
#include "fairq_sim.h"

struct fairq_sim sim;

void sim_init(void)
{
	u32 i;

	memset(&sim, 0, sizeof(sim));
	vnpu_fairq_init(&sim.q);
	for (i = 0; i < NR_USERS; i++)
		vnpu_fair_user_init(&sim.user[i], &sim.q, VNPU_FAIR_WEIGHT);
	for (i = 0; i < ALL_CLIENTS; i++)
		vnpu_fair_client_init(&sim.client[i],
				      &sim.user[i / NR_CLIENTS],
				      VNPU_FAIR_WEIGHT);
	for (i = 0; i < ALL_CONTEXTS; i++) {
		if (i < URGENT)
			vnpu_fair_context_init(&sim.context[i],
					       &sim.client[i / NR_CONTEXTS],
					       VNPU_FAIR_WEIGHT);
		else
			vnpu_fair_context_init_urgent(&sim.context[i], &sim.q,
						      VNPU_FAIR_WEIGHT);
		sim.turn[i] = 100000;
	}
}

void sim_push(u32 context, u32 stream)
{
	vnpu_fairq_push(&sim.context[context],
			&sim.node[context][stream], 0);
}

void sim_push_all(u32 context, u32 streams)
{
	u32 i;

	for (i = 0; i < streams; i++)
		sim_push(context, i);
}

bool sim_pop(u32 *context, u32 *stream)
{
	struct vnpu_ready_node *node = vnpu_fairq_pop(&sim.q);
	u32 index;

	if (!node)
		return false;
	index = node - &sim.node[0][0];
	*context = index / NR_STREAMS;
	*stream = index % NR_STREAMS;
	return true;
}

void sim_charge(u32 context, u32 stream, u64 ns)
{
	vnpu_fairq_charge(&sim.q, &sim.context[context],
			  &sim.node[context][stream], ns);
	sim.used[context] += ns;
}

void sim_go_on(u32 context, u32 stream)
{
	vnpu_fairq_go_on(&sim.q, &sim.context[context],
			 &sim.node[context][stream], 0);
}

void sim_end(u32 context, u32 stream, bool again)
{
	sim_charge(context, stream, sim.turn[context]);
	if (again)
		sim_push(context, stream);
	vnpu_fairq_end(&sim.context[context]);
}

void sim_run_alone(u32 context, u32 stream, u64 ns)
{
	u64 now;

	for (now = 0; now < ns; now += sim.turn[context]) {
		sim_charge(context, stream, sim.turn[context]);
		sim_go_on(context, stream);
	}
}

void sim_run(u32 engines, u64 ns)
{
	u64 now = 0;
	u32 i, next;

	for (;;) {
		for (i = 0; i < engines; i++) {
			if (sim.engine[i].is_busy ||
			    !sim_pop(&sim.engine[i].context,
				     &sim.engine[i].stream))
				continue;
			sim.engine[i].is_busy = true;
			sim.engine[i].end = now +
				sim.turn[sim.engine[i].context];
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
			u32 context = sim.engine[next].context;

			sim_run_alone(context, sim.engine[next].stream,
				      sim.turn[context]);
			sim.engine[next].end += sim.turn[context];
			continue;
		}
		sim.engine[next].is_busy = false;
		sim_end(sim.engine[next].context, sim.engine[next].stream,
			now < ns);
	}
}
