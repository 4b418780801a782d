// SPDX-License-Identifier: MIT
/*
 * Functions of the program that are called when a model ends, see end.h.
 *
 * A function may call the library.  At the end of a context that is impossible,
 * as the runtime lock is held, so the functions are dropped there.
 */
#include <stdlib.h>

#include "base/error.h"
#include "end.h"

struct vnpu_model_end {
	struct vnpu_model_end *next;
	aclrtCallback func;
	void *data;
};

static struct vnpu_model_end *take(struct vnpu_model *model)
{
	struct vnpu_model_end *first;

	pthread_mutex_lock(&model->lock);
	first = model->ends;
	model->ends = NULL;
	pthread_mutex_unlock(&model->lock);
	return first;
}

static void end_all(struct vnpu_model *model, bool calls)
{
	struct vnpu_model_end *end = take(model), *next;

	for (; end; end = next) {
		next = end->next;
		if (calls)
			end->func(end->data);
		free(end);
	}
}

void vnpu_model_call_end(struct vnpu_model *model)
{
	end_all(model, true);
}

void vnpu_model_drop_end(struct vnpu_model *model)
{
	end_all(model, false);
}

static void add_last(struct vnpu_model *model, struct vnpu_model_end *end)
{
	struct vnpu_model_end **link = &model->ends;

	while (*link)
		link = &(*link)->next;
	*link = end;
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,
					 void *userData)
{
	VNPU_CALL();
	struct vnpu_model_end *end;
	struct vnpu_model *model;
	aclError ret;

	if (!func)
		return vnpu_error_null("func");
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	end = calloc(1, sizeof(*end));
	if (end) {
		end->func = func;
		end->data = userData;
		pthread_mutex_lock(&model->lock);
		add_last(model, end);
		pthread_mutex_unlock(&model->lock);
	} else {
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a callback");
	}
	vnpu_model_put(model);
	return ret;
}

/* Remove all entries of a function; false if there are none. */
static bool remove_locked(struct vnpu_model *model, aclrtCallback func)
{
	struct vnpu_model_end **link = &model->ends, *end;
	bool ret = false;

	while ((end = *link)) {
		if (end->func != func) {
			link = &end->next;
			continue;
		}
		*link = end->next;
		free(end);
		ret = true;
	}
	return ret;
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)
{
	VNPU_CALL();
	struct vnpu_model *model;
	bool is_found;
	aclError ret;

	if (!func)
		return vnpu_error_null("func");
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	is_found = remove_locked(model, func);
	pthread_mutex_unlock(&model->lock);
	vnpu_model_put(model);
	if (is_found)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"func is not registered for model %p; pass a function of aclmdlRIDestroyRegisterCallback",
		modelRI);
}
