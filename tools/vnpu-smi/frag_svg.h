/* SPDX-License-Identifier: GPL-2.0-only */
/* vnpu-smi frag --svg: the memory of devices as a picture. */
#ifndef VNPU_SMI_FRAG_SVG_H
#define VNPU_SMI_FRAG_SVG_H

#include "cmd.h"
#include "model.h"

/*
 * Draw all devices, or the one that @only points to, into @file.  The state was
 * collected with COLLECT_FRAG.
 */
enum smi_exit frag_svg_write(const char *file, const struct device_list *devices,
			     const struct device *only);

#endif /* VNPU_SMI_FRAG_SVG_H */
