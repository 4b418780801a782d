// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convolutions of oneDNN, in one thread. It chooses the layouts, and data are converted
 * beforehand. See peer.h.
 */
#include <oneapi/dnnl/dnnl.hpp>

#include <unordered_map>

#include "peer.h"

using dnnl::memory;

/* What a call needs. */
struct made {
	dnnl::engine engine{ dnnl::engine::kind::cpu, 0 };
	dnnl::stream stream{ engine };
	dnnl::convolution_forward primitive;
	std::unordered_map<int, memory> arguments;
};

static memory::dims sizes(const struct vnpu_tensor *t)
{
	return memory::dims(t->dims, t->dims + t->rank);
}

/* Have a tensor in the layout that the primitive wants. */
static memory convert(struct made *m, const struct vnpu_tensor *t,
		      memory::format_tag tag, const memory::desc &wanted)
{
	memory given({ sizes(t), memory::data_type::f32, tag }, m->engine,
		     (void *)(uintptr_t)t->data);
	memory result(wanted, m->engine);

	dnnl::reorder(given, result).execute(m->stream, given, result);
	m->stream.wait();
	return result;
}

void *peer_make(const struct vnpu_op_launch *l)
{
	const struct vnpu_tensor *t = l->tensor;
	memory::dims one{ 1, 1 }, pad;
	struct made *m;

	if (l->op != VNPU_OP_CONVOLUTION || l->inputs != 2)
		return nullptr;
	m = new made;
	pad = { t[1].dims[2] / 2, t[1].dims[3] / 2 };
	dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference,
		dnnl::algorithm::convolution_auto,
		{ sizes(&t[0]), memory::data_type::f32, memory::format_tag::any },
		{ sizes(&t[1]), memory::data_type::f32, memory::format_tag::any },
		{ sizes(&t[2]), memory::data_type::f32, memory::format_tag::any },
		one, pad, pad);
	dnnl::convolution_forward::primitive_desc plan(desc, m->engine);

	m->primitive = dnnl::convolution_forward(plan);
	m->arguments = {
		{ DNNL_ARG_SRC, convert(m, &t[0], memory::format_tag::nchw,
					plan.src_desc()) },
		{ DNNL_ARG_WEIGHTS, convert(m, &t[1], memory::format_tag::oihw,
					    plan.weights_desc()) },
		{ DNNL_ARG_DST, memory(plan.dst_desc(), m->engine) },
	};
	return m;
}

void peer_call(void *data)
{
	struct made *m = static_cast<struct made *>(data);

	m->primitive.execute(m->stream, m->arguments);
	m->stream.wait();
}
