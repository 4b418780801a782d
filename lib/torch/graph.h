/* SPDX-License-Identifier: MIT */
/* Work of a stream that is captured, and replayed as one task. */
#ifndef TORCH_NPU_GRAPH_H
#define TORCH_NPU_GRAPH_H

#include <string>
#include <vector>

#include "memory.h"

namespace npu {

/*
 * A graph. Its memory is of a private pool, so the tensors that it writes stay where
 * they are until the graph and they end. One thread at a time uses a graph.
 */
class Graph {
public:
	Graph() = default;
	~Graph();
	Graph(const Graph &) = delete;

	/* Capture the current stream, in the mode global, thread_local or relaxed. */
	void begin(PrivatePoolRef shared, const std::string &mode);

	/* End that capture, whatever the current stream is. */
	void end();

	/* Run the work, in the order of the current stream. */
	void replay();

	/* Forget the work; the graph may capture other work then. */
	void reset();

	/* Write the tasks to a file of JSON. */
	void dump(const std::string &path);

	PrivatePoolRef memory() const;

	/* Keep the memory of a group of launches for as long as the work. */
	void keep(PrivatePoolRef pool);

private:
	friend void fill_random(const at::Tensor &, double, double, Fill,
				const c10::optional<at::Generator> &);

	/* Random numbers that the work reads. */
	struct Numbers {
		at::Tensor out;
		double a, b;
		Fill fill;
		c10::optional<at::Generator> generator;
	};

	void check_complete() const;

	PrivatePoolRef pool;
	aclmdlRI model = nullptr;
	bool is_active = false;
	c10::optional<c10::Stream> origin;	/* the captured stream */
	c10::optional<c10::Stream> last;	/* that of the last run */
	std::vector<Numbers> numbers;
	std::vector<PrivatePoolRef> kept;
};

/*
 * Launches of a graph that an update replaces. Replays use the memory that operators
 * took during the update, so the group has a pool, and no other work gets it.
 */
struct Group {
	aclrtTaskGrp tasks;
	PrivatePoolRef pool;
};

/* Begin or end a group, in a stream that a graph captures. */
void begin_group(const c10::Stream &stream);
Group end_group(const c10::Stream &stream);

/*
 * Replace the launches of a group by those that this thread submits to another stream
 * until the end of the update.
 */
void begin_update(const c10::Stream &stream, const Group &group);
void end_update(const c10::Stream &stream);

} /* namespace npu */

#endif /* TORCH_NPU_GRAPH_H */
