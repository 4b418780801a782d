/* SPDX-License-Identifier: MIT */
/* Descriptions of operators, which aclopStartDumpArgs() requests. */
#ifndef ACLNN_DESCRIBE_H
#define ACLNN_DESCRIBE_H

#include "step.h"

/* Write the description of an operator. The caller has made its steps. */
void aclnn_describe(const struct aclnn_build *b);

#endif /* ACLNN_DESCRIBE_H */
