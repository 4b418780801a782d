// SPDX-License-Identifier: GPL-2.0-only
/* Tasks of graphs that are replaced, by a call and in the order of a stream. */
#include "graph_fixture.h"

TEST_F(graph, updates_take_effect)
{
	const struct vnpu_task old[] = {
		task_wait(self->id, 1), task_write(AT(0), 1), task_write(AT(2), 1),
	}, new[] = { task_write(AT(0), 2), task_write(AT(2), 2) };
	struct vnpu_task *inside = ptr(self->va + 2 * PAGE - 32);

	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, old, 3));
	/* Tasks of a run that has begun, but has not come to them. */
	ASSERT_EQ(0, stream_run(&self->s, task_graph(&self->g)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	EXPECT_EQ(0, graph_update(&self->g, 0, 2, &new[1], 1));
	/* In the order of a stream, from memory across two pages. */
	inside[0] = task_write(AT(0), 3);
	inside[1] = task_write(AT(2), 3);
	EXPECT_EQ(0, stream_do(&self->other, task_graph_update(
		&self->g, 0, 1, addr(&inside[0]), 1)));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 1, 0));
	EXPECT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(3, self->mem[0]);
	EXPECT_EQ(2, self->mem[2]);
	/* The run after it has the new tasks, the one before it the old. */
	stream_put(&self->s, task_graph(&self->g));
	stream_put(&self->s, task_copy(AT(4), AT(0), 24));
	stream_put(&self->s, task_copy(addr(&inside[0]), self->va + 4 * PAGE,
				       128));
	stream_put(&self->s, task_graph_update(&self->g, 0, 1,
					       addr(&inside[0]), 2));
	stream_put(&self->s, task_graph(&self->g));
	memcpy(ptr(self->va + 4 * PAGE), new, sizeof(new));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(3, self->mem[4]);
	EXPECT_EQ(2, self->mem[0]);
	EXPECT_EQ(2, self->mem[2]);
}

TEST_F(graph, updates_are_checked)
{
	const struct vnpu_task two[] = { NOP, NOP };
	struct vnpu_task *inside = ptr(self->va + PAGE), t;
	struct vnpu_task bad[] = { NOP, { .op = 255 } };
	struct vnpu_graph_update a = { .size = sizeof(a), .tasks = addr(bad),
				       .count = 2 };

	ASSERT_EQ(0, graph_create_one(&self->g, &self->c, two, 2));
	a.id = self->g.id;
	EXPECT_EQ(0, graph_update(&self->g, 0, 0, two, 2));
	EXPECT_EQ(0, graph_update(&self->g, 0, 2, two, 0));
	EXPECT_EQ(-EINVAL, graph_update(&self->g, 1, 0, two, 1));
	EXPECT_EQ(-EINVAL, graph_update(&self->g, 0, 1, two, 2));
	EXPECT_EQ(-EINVAL, graph_update(&self->g, 0, 3, two, 0));
	EXPECT_EQ(-EFAULT, graph_update(&self->g, 0, 0, NULL, 1));
	EXPECT_EQ(-EINVAL, call(self->c.fd, VNPU_IOCTL_GRAPH_UPDATE, &a));
	EXPECT_EQ(2, a.out_task);
	a.stride = 60;
	EXPECT_EQ(-EINVAL, call(self->c.fd, VNPU_IOCTL_GRAPH_UPDATE, &a));
	a.id++;
	a.stride = 0;
	EXPECT_EQ(-ENOENT, call(self->c.fd, VNPU_IOCTL_GRAPH_UPDATE, &a));

	memcpy(inside, bad, sizeof(bad));
	t = task_graph_update(&self->g, 0, 0, addr(inside), 1);
	EXPECT_EQ(0, stream_do(&self->s, t));
	t.length = 2;
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t.length = 3;
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t.length = ~0ULL;
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t = task_graph_update(&self->g, 1, 0, addr(inside), 1);
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t = task_graph_update(&self->g, 0, 0, addr(inside) + 4, 1);
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t = task_graph_update(&self->g, 0, 0, self->bad, 1);
	EXPECT_EQ(-EFAULT, stream_do(&self->s, t));
	t = task_graph_update(&self->g, 0, 0, ~0ULL << 3, 2);
	EXPECT_EQ(-EOVERFLOW, stream_do(&self->s, t));
	t = task_graph_update(&self->g, 0, 0, addr(inside), 1);
	t.dst++;
	EXPECT_EQ(-ENOENT, stream_do(&self->s, t));
}

TEST_HARNESS_MAIN
