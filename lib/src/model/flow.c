// SPDX-License-Identifier: MIT
/* The turns of built models, and the calls that make them; see flow.h. */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "stream/build.h"
#include "flow.h"

bool vnpu_flow_branches(const struct vnpu_model *model)
{
	const struct vnpu_capture *capture = model->capture;

	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		if (!capture->lanes[i]->is_head && capture->lanes[i]->count)
			return true;
	return model->flow->nr_turns;
}

bool vnpu_flow_find(const struct vnpu_model *model, uint32_t lane,
		    uint32_t index, struct vnpu_place *place)
{
	const struct vnpu_lane *from = model->capture->lanes[lane];

	if (!model->flow || !model->flow->nr_graphs) {
		*place = (struct vnpu_place){ model->graph->id, lane, index };
		return true;
	}
	for (uint32_t i = 0; i < model->flow->nr_graphs; i++) {
		const struct vnpu_graph *graph = model->flow->graphs[i];
		uint32_t first = graph->source.first;

		if (graph->source.lane == from &&
		    index - first < graph->source.count) {
			*place = (struct vnpu_place){ graph->id, 0,
						      index - first };
			return true;
		}
	}
	return false;
}

void vnpu_flow_free(struct vnpu_model *model)
{
	struct vnpu_flow *flow = model->flow;

	if (!flow)
		return;
	vnpu_flow_drop(flow);
	for (uint32_t i = 0; i < flow->nr_turns; i++)
		if (flow->turns[i].list)
			vnpu_label_list_put(flow->turns[i].list);
	free(flow->turns);
	free(flow);
	model->flow = NULL;
}

/* Add a turn; if it is a label, the label is set there. */
static aclError add_locked(struct vnpu_model *model,
			   const struct vnpu_stream *stream,
			   struct vnpu_turn *turn, struct vnpu_label *label)
{
	const struct vnpu_task nop = { .op = VNPU_TASK_NOP };
	struct vnpu_flow *flow = model->flow;
	struct vnpu_turn *more = reallocarray(flow->turns, flow->nr_turns + 1,
					      sizeof(*more));
	aclError ret;

	if (!more)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	flow->turns = more;
	ret = vnpu_build_add(model->capture, stream, &nop, &turn->lane,
			     &turn->index);
	if (ret)
		return ret;
	if (label) {
		label->lane = turn->lane;
		label->index = turn->index;
		label->is_set = true;
	}
	if (turn->list)
		vnpu_handle_ref(turn->list->handle);
	more[flow->nr_turns++] = *turn;
	return ACL_SUCCESS;
}

/* Get the model to which a stream is bound. */
static aclError get_model(const struct vnpu_stream *stream,
			  struct vnpu_model **model)
{
	uint64_t handle;
	aclError ret = vnpu_build_model(stream, &handle);

	return ret ? ret : vnpu_model_get(vnpu_u64_to_ptr(handle), model);
}

/* Add a turn to a stream; @target is the stream of the turn, or NULL. */
static aclError add(aclrtStream handle, struct vnpu_turn *turn,
		    const struct vnpu_stream *target)
{
	struct vnpu_stream *stream;
	struct vnpu_model *model;
	aclError ret;

	if (!handle)
		return vnpu_error_null("stream");
	ret = vnpu_stream_get(handle, false, &stream);
	if (ret)
		return ret;
	ret = get_model(stream, &model);
	if (!ret) {
		if (target)
			ret = vnpu_build_lane(model->capture, target,
					      &turn->target);
		if (!ret) {
			pthread_mutex_lock(&model->lock);
			ret = add_locked(model, stream, turn, NULL);
			pthread_mutex_unlock(&model->lock);
		}
		vnpu_model_put(model);
	}
	vnpu_stream_put(stream);
	return ret;
}

static aclError add_to(aclrtStream stream, struct vnpu_turn *turn,
		       aclrtStream target)
{
	struct vnpu_stream *found;
	aclError ret = vnpu_stream_get(target, false, &found);

	if (ret)
		return ret;
	ret = add(stream, turn, found);
	vnpu_stream_put(found);
	return ret;
}

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_turn turn = { .kind = VNPU_TURN_ACTIVATE };

	vnpu_gate_pass();
	if (!activeStream)
		return vnpu_error_null("activeStream");
	return add_to(stream, &turn, activeStream);
}

aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond,
			   void *rightValue, aclrtCompareDataType dataType,
			   aclrtStream trueStream, aclrtStream falseStream,
			   aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_turn turn = {
		.kind = VNPU_TURN_STREAM,
		.left = vnpu_ptr_to_u64(leftValue),
		.right = vnpu_ptr_to_u64(rightValue),
		.cond = cond,
		.type = dataType,
	};

	vnpu_gate_pass();
	if (!leftValue)
		return vnpu_error_null("leftValue");
	if (!rightValue)
		return vnpu_error_null("rightValue");
	if (!trueStream)
		return vnpu_error_null("trueStream");
	if (falseStream)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"falseStream = %p is reserved; pass NULL", falseStream);
	if ((unsigned int)cond > ACL_RT_LESS_OR_EQUAL)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"cond = %d is not known; use a value of aclrtCondition",
			cond);
	if ((unsigned int)dataType > ACL_RT_SWITCH_INT64)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"dataType = %d is not known; use a value of aclrtCompareDataType",
			dataType);
	return add_to(stream, &turn, trueStream);
}

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue,
				 aclrtLabelList labelList, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_turn turn = {
		.kind = VNPU_TURN_INDEX,
		.left = vnpu_ptr_to_u64(ptr),
		.count = maxValue,
	};
	aclError ret;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	ret = vnpu_label_list_get(labelList, &turn.list);
	if (ret)
		return ret;
	if (maxValue && maxValue <= turn.list->count)
		ret = add(stream, &turn, NULL);
	else
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"maxValue = %u: pass 1 to %u, the number of labels of the list",
			maxValue, turn.list->count);
	vnpu_label_list_put(turn.list);
	return ret;
}

/* Set a label; of several threads, only one succeeds. */
static aclError set_label(struct vnpu_model *model,
			  const struct vnpu_stream *stream,
			  struct vnpu_label *label)
{
	struct vnpu_turn turn = { .kind = VNPU_TURN_LABEL };
	uint64_t none = 0;
	aclError ret;

	if (!atomic_compare_exchange_strong(&label->model, &none,
					    model->handle))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the label was set before; create another one");
	pthread_mutex_lock(&model->lock);
	ret = add_locked(model, stream, &turn, label);
	pthread_mutex_unlock(&model->lock);
	if (ret)
		atomic_store(&label->model, 0);
	return ret;
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_label *mark;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_label_get(label, &mark);
	if (ret)
		return ret;
	ret = vnpu_stream_get(stream, false, &found);
	if (!ret) {
		ret = get_model(found, &model);
		if (!ret) {
			ret = set_label(model, found, mark);
			vnpu_model_put(model);
		}
		vnpu_stream_put(found);
	}
	vnpu_label_put(mark);
	return ret;
}
