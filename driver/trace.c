// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints that trace.h and trace_mem.h declare. */
#define CREATE_TRACE_POINTS
#include "trace.h"
#include "trace_mem.h"
