/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiled models: .om files, and what they contain.
 */
#ifndef VNPU_MODEL_MODEL_H
#define VNPU_MODEL_MODEL_H

#include "file.h"
#include "out.h"
#include "om/om.h"

/**
 * struct model - a compiled model
 * @file: its bytes
 * @om: what is in them
 * @gears: its programs, one for each set of shapes
 * @gear_count: their number, at least 1
 */
struct model {
	struct file file;
	struct om om;
	struct program *gears;
	unsigned int gear_count;
};

/* Read and check a model; return NULL, or a message that the caller frees. */
char *model_open(struct model *m, const char *path);

/* Likewise, but of a file in memory, which becomes the model's. */
char *model_take(struct model *m, const char *path, struct file *file);

void model_close(struct model *m);

/* Get the name of an input or output. */
static inline const char *tensor_name(const struct program *p, uint32_t index)
{
	return p->text + p->tensors[index].name;
}

/* Print inputs, outputs, steps and memory. */
void model_print(struct out *o, const struct model *m);

#endif
