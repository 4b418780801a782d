// SPDX-License-Identifier: MIT
/* Graphs, pools, generators and modes of torch_npu._C. */
#include "bind.h"
#include "graph.h"

#include <torch/csrc/Generator.h>

namespace npu {

namespace {

py::object wrap(at::Generator generator)
{
	PyObject *object = THPGenerator_Wrap(std::move(generator));

	if (!object)
		throw py::error_already_set();
	return py::reinterpret_steal<py::object>(object);
}

void set_plug(uintptr_t allocate, uintptr_t free)
{
	TORCH_CHECK(holdings().empty(), "the allocator can be changed only while "
		    "there is no tensor on an NPU");
	plug = { reinterpret_cast<PlugAllocate>(allocate),
		 reinterpret_cast<PlugFree>(free) };
}

py::list snapshot()
{
	std::vector<Holding> all;
	py::list out;

	{
		py::gil_scoped_release released;

		all = holdings();
	}
	for (const Holding &h : all)
		out.append(py::make_tuple(h.device, h.address, h.size, h.stream,
					  h.pool));
	return out;
}

py::dict pinned_dict()
{
	PinnedStatistics s;
	py::dict out;

	{
		py::gil_scoped_release released;

		s = pinned_statistics();
	}

	out["allocated_bytes.current"] = s.bytes;
	out["allocated_bytes.peak"] = s.bytes_peak;
	out["allocated_bytes.allocated"] = s.bytes_total;
	out["allocated_bytes.freed"] = s.bytes_total - s.bytes;
	out["allocation.current"] = s.blocks;
	out["allocation.peak"] = s.blocks_peak;
	out["allocation.allocated"] = s.blocks_total;
	out["allocation.freed"] = s.blocks_total - s.blocks;
	return out;
}

} /* namespace */

void add_graphs(py::module &m)
{
	py::class_<PrivatePool, PrivatePoolRef>(m, "MemPool")
		.def_readonly("device", &PrivatePool::device)
		.def_readonly("number", &PrivatePool::number);
	m.def("make_pool", make_private_pool);
	m.def("exchange_pool", exchange_private_pool,
	      py::arg("pool").none(true), Released());
	py::class_<Graph>(m, "Graph")
		.def(py::init<>())
		.def("begin", &Graph::begin, py::arg("pool").none(true),
		     py::arg("mode"), Released())
		.def("end", &Graph::end, Released())
		.def("replay", &Graph::replay, Released())
		.def("reset", &Graph::reset, Released())
		.def("dump", &Graph::dump, Released())
		.def("memory", &Graph::memory);
	py::class_<Group>(m, "Group");
	m.def("begin_group", [](int device, int64_t id) {
		begin_group(stream_of(device, id));
	}, Released());
	m.def("end_group", [](int device, int64_t id) {
		return end_group(stream_of(device, id));
	}, Released());
	m.def("begin_update", [](int device, int64_t id, const Group &group) {
		begin_update(stream_of(device, id), group);
	}, Released());
	m.def("end_update", [](int device, int64_t id) {
		end_update(stream_of(device, id));
	}, Released());
	m.def("is_capturing", [] {
		return is_capturing(current_stream(current_device()));
	});
	m.def("join_streams", join_streams, Released());
}

void add_modes(py::module &m)
{
	m.def("make_generator", [](int device) {
		return wrap(make_generator(device));
	});
	m.def("default_generator", [](int device) {
		return wrap(default_generator(device));
	});
	m.def("is_autocast_enabled", is_autocast_enabled);
	m.def("set_autocast_enabled", set_autocast_enabled);
	m.def("is_autocast_to_half", [] { return autocast_type() == at::kHalf; });
	m.def("set_autocast_type", [](const at::Tensor &of_type) {
		set_autocast_type(of_type.scalar_type());
	});
}

void add_memory(py::module &m)
{
	m.def("set_plug", set_plug, Released());
	m.def("snapshot", snapshot);
	m.def("pinned_statistics", pinned_dict);
	m.def("reset_pinned", reset_pinned, Released());
}

} /* namespace npu */
