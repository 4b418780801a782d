// SPDX-License-Identifier: MIT
/* Graphs: see graph.h. */
#include "graph.h"

namespace npu {

namespace {

std::mutex graphs_lock;
std::vector<std::pair<aclmdlRI, Graph *>> graphs;	/* being captured */

aclmdlRICaptureMode mode_of(const std::string &mode)
{
	if (mode == "global")
		return ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
	if (mode == "thread_local")
		return ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
	TORCH_CHECK(mode == "relaxed", "unknown mode of capture ", mode,
		    ": it is global, thread_local or relaxed");
	return ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
}

/* Whether this thread updates a group: it then has the group's pool, not that before. */
thread_local bool is_updating;
thread_local PrivatePoolRef before_update;

aclmdlRI captured_model(aclrtStream stream)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	NPU_CHECK(aclmdlRICaptureGetInfo(stream, &status, &model));
	return model;
}

Graph *captured_graph(aclrtStream stream)
{
	aclmdlRI model = captured_model(stream);
	std::lock_guard<std::mutex> guard(graphs_lock);

	for (auto &entry : graphs)
		if (entry.first == model)
			return entry.second;
	return nullptr;
}

} /* namespace */

/* The device may be gone. */
Graph::~Graph()
{
	without_python([this] {
		try {
			if (is_active)
				end();
			reset();
		} catch (const c10::Error &) {
		}
	});
}

void Graph::begin(PrivatePoolRef shared, const std::string &mode)
{
	int device = current_device();
	c10::Stream stream = current_stream(device);

	TORCH_CHECK(!model && !is_active, "this graph has work already: call reset() "
		    "first");
	TORCH_CHECK(stream.id(), "the default stream cannot be captured: use "
		    "torch.npu.graph(), or another stream");
	TORCH_CHECK(!shared || shared->device == device, "the pool is of npu:",
		    shared ? shared->device : 0, ", and the graph of npu:", device);
	pool = shared ? shared : make_private_pool(device);
	NPU_CHECK(aclmdlRICaptureBegin(handle(stream), mode_of(mode)));
	is_active = true;
	origin = stream;
	model = captured_model(handle(stream));
	begin_private(model, pool);
	std::lock_guard<std::mutex> guard(graphs_lock);

	graphs.push_back({ model, this });
}

void Graph::end()
{
	aclmdlRI captured = model;

	TORCH_CHECK(is_active, "this graph does not capture");
	c10::DeviceGuard on(origin->device());

	model = nullptr;
	is_active = false;
	aclError error = aclmdlRICaptureEnd(handle(*origin), &model);
	{
		std::lock_guard<std::mutex> guard(graphs_lock);

		for (size_t i = 0; i < graphs.size(); i++)
			if (graphs[i].first == captured) {
				graphs.erase(graphs.begin() + i);
				break;
			}
	}
	std::string text = error ? aclGetRecentErrMsg() ?: "" : "";

	end_private(captured);
	if (error) {
		model = nullptr;
		numbers.clear();
		kept.clear();
		pool.reset();
	}
	TORCH_CHECK(!error, "ACL runtime error ", error, " in aclmdlRICaptureEnd: ",
		    text);
}

void Graph::check_complete() const
{
	TORCH_CHECK(model && !is_active, "this graph has not captured any work");
}

void Graph::replay()
{
	check_complete();
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)pool->device));
	c10::Stream here = current_stream(pool->device);

	/* The last run may still read its numbers. */
	if (!numbers.empty() && last)
		order(*last, here);
	last = here;
	for (const Numbers &n : numbers)
		n.fill(n.out, n.a, n.b,
		       draw(pool->device, n.out.numel(), n.generator));
	NPU_CHECK(aclmdlRIExecuteAsync(model, handle(here)));
}

void Graph::reset()
{
	TORCH_CHECK(!is_active, "this graph is capturing");
	if (model) {
		c10::DeviceGuard on(c10::Device(TYPE,
			(c10::DeviceIndex)pool->device));

		NPU_CHECK(aclmdlRIDestroy(model));
	}
	model = nullptr;
	last.reset();
	numbers.clear();
	kept.clear();
	pool.reset();
}

void Graph::dump(const std::string &path)
{
	check_complete();
	NPU_CHECK(aclmdlRIDebugJsonPrint(model, path.c_str(),
					 ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE));
}

PrivatePoolRef Graph::memory() const
{
	return pool;
}

void Graph::keep(PrivatePoolRef group_pool)
{
	kept.push_back(std::move(group_pool));
}

void begin_group(const c10::Stream &stream)
{
	c10::DeviceGuard on(stream.device());

	NPU_CHECK(aclmdlRICaptureTaskGrpBegin(handle(stream)));
}

Group end_group(const c10::Stream &stream)
{
	c10::DeviceGuard on(stream.device());
	Group group = { nullptr, make_private_pool(stream.device_index()) };

	NPU_CHECK(aclmdlRICaptureTaskGrpEnd(handle(stream), &group.tasks));
	Graph *graph = captured_graph(handle(stream));

	TORCH_CHECK(graph, "only torch.npu.NPUGraph can capture groups");
	graph->keep(group.pool);
	return group;
}

void begin_update(const c10::Stream &stream, const Group &group)
{
	c10::DeviceGuard on(stream.device());

	TORCH_CHECK(!is_updating, "this thread already updates a group: end that update "
		    "first");
	NPU_CHECK(aclmdlRICaptureTaskUpdateBegin(handle(stream), group.tasks));
	before_update = exchange_private_pool(group.pool);
	is_updating = true;
}

void end_update(const c10::Stream &stream)
{
	c10::DeviceGuard on(stream.device());

	TORCH_CHECK(is_updating, "this thread updates no group");
	exchange_private_pool(std::move(before_update));
	is_updating = false;
	NPU_CHECK(aclmdlRICaptureTaskUpdateEnd(handle(stream)));
}

void fill_random(const at::Tensor &out, double a, double b, Fill fill,
		 const c10::optional<at::Generator> &generator)
{
	int device = out.device().index();

	if (!is_capturing(current_stream(device))) {
		fill(out, a, b, draw(device, out.numel(), generator));
		return;
	}
	Graph *graph = captured_graph(stream_now());

	TORCH_CHECK(graph, "only torch.npu.NPUGraph can capture random numbers");
	/* Its memory is that of the graph, and never that of other work. */
	at::Tensor kept = at::empty(out.sizes(), out.options());

	graph->numbers.push_back({ kept, a, b, fill, generator });
	copy_tensor(kept, out, false);
}

} /* namespace npu */
