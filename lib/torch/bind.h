/* SPDX-License-Identifier: MIT */
/* The parts of torch_npu._C: module.cpp, bind_event.cpp and bind_graph.cpp. */
#ifndef TORCH_NPU_BIND_H
#define TORCH_NPU_BIND_H

#include "npu.h"

#include <torch/csrc/utils/pybind.h>

namespace npu {

namespace py = pybind11;

/* Calls that wait for the device or for a lock release the lock of Python. */
using Released = py::call_guard<py::gil_scoped_release>;

inline c10::Stream stream_of(int device, int64_t id)
{
	return c10::Stream(c10::Stream::UNSAFE,
			   c10::Device(TYPE, (c10::DeviceIndex)device), id);
}

void add_events(py::module &m);
void add_graphs(py::module &m);
void add_modes(py::module &m);
void add_memory(py::module &m);

} /* namespace npu */

#endif /* TORCH_NPU_BIND_H */
