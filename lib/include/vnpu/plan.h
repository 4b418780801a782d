/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: the memory planner.
 *
 * A plan says where in one pool each tensor of a computation lies, when it is
 * known beforehand from when to when each is needed.  Tensors that are alive at
 * the same time do not overlap; all others may.
 *
 *	struct vnpu_plan *plan;
 *	struct vnpu_plan_result result;
 *
 *	vnpu_plan_create(&plan);
 *	for (...)
 *		vnpu_plan_add_tensor(plan, &tensor[i]);
 *	vnpu_plan_solve(plan, NULL, &result);
 *	...				a pool of result.peak bytes
 *	vnpu_plan_get_offset(plan, i, &offset);
 *	vnpu_plan_destroy(plan);
 *
 * Nothing here needs a device.  Different plans may be used by different
 * threads at the same time; one plan by one thread at a time.
 *
 * Calls return 0 or a negative errno, and those that can find a fault in what
 * they were given put it into words: vnpu_plan_fault().
 *
 * The same plan, solved with the same options, has the same result on every
 * machine, unless time_limit_ns is set.
 */
#ifndef VNPU_PLAN_H
#define VNPU_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef VNPU_PUBLIC
#ifdef __GNUC__
#define VNPU_PUBLIC __attribute__((visibility("default")))
#else
#define VNPU_PUBLIC
#endif
#endif

struct vnpu_plan;

/* The offset of a tensor that has none: see VNPU_PLAN_ON_CHIP. */
#define VNPU_PLAN_NO_OFFSET	UINT64_MAX

/* A plan has so many tensors at most, and as many gaps. */
#define VNPU_PLAN_MAX_TENSORS	(1U << 22)

/* All sizes of a plan together, each with its alignment, are below this. */
#define VNPU_PLAN_MAX_BYTES	(UINT64_C(1) << 60)

/* An operator costs this at most. */
#define VNPU_PLAN_MAX_COST	(UINT64_C(1) << 40)

/* A guard has so many bytes at most. */
#define VNPU_PLAN_MAX_GUARD	(UINT64_C(1) << 32)

/* Flags of a tensor. */
#define VNPU_PLAN_FIXED		(1U << 0)	/* lies at @offset */
#define VNPU_PLAN_ON_CHIP	(1U << 1)	/* takes no memory of the pool */
#define VNPU_PLAN_VIEW		(1U << 2)	/* is part of @of, from @offset */
#define VNPU_PLAN_INPLACE	(1U << 3)	/* may take over @of */
#define VNPU_PLAN_OF_OPS	(1U << 4)	/* lives as operators need it */
#define VNPU_PLAN_KEEP		(1U << 5)	/* and to the end of all of them */
#define VNPU_PLAN_PINNED	(1U << 6)	/* and others use it meanwhile */

/**
 * struct vnpu_plan_tensor - what is to be placed
 * @size: bytes; a tensor of none has an offset of 0 and is in no one's way
 * @lower: when its memory is needed first
 * @upper: from when on it is not needed any more, later than @lower.  Times are
 *	numbers of any meaning; a tensor that ends when another begins may lie in
 *	the same place.
 * @align: its offset is a multiple of this, of 1 for 0
 * @offset: with VNPU_PLAN_FIXED its offset in the pool; with VNPU_PLAN_VIEW
 *	its offset in the tensor @of; else 0
 * @of: index of a tensor that was added before, with VNPU_PLAN_VIEW or
 *	VNPU_PLAN_INPLACE; else 0
 * @flags: VNPU_PLAN_*, or 0
 *
 * A view keeps the tensor that it is part of alive.  A tensor that is computed
 * in place takes over the memory of @of, if that is as large, is not needed
 * after the first moment of the new one, and no other has taken it; otherwise
 * it is placed like all others.
 *
 * With VNPU_PLAN_OF_OPS @lower and @upper are 0 and follow from the operators:
 * see vnpu_plan_add_op().  With VNPU_PLAN_PINNED, too, something that is no
 * operator, like a transfer, may use it from when it is made until the last that
 * reads it has ended: it is never dropped in between to be made again.
 */
struct vnpu_plan_tensor {
	uint64_t size;
	uint64_t lower;
	uint64_t upper;
	uint64_t align;
	uint64_t offset;
	uint32_t of;
	uint32_t flags;
};

/**
 * struct vnpu_plan_gap - a time in which a tensor needs less memory
 * @lower: when it begins, not before the tensor does
 * @upper: when it ends, not after the tensor does
 * @from: the first byte of the tensor that is needed in the gap
 * @to: the byte after the last one; nothing is needed if this is @from
 */
struct vnpu_plan_gap {
	uint64_t lower;
	uint64_t upper;
	uint64_t from;
	uint64_t to;
};

/**
 * struct vnpu_plan_op - an operator
 * @inputs: tensors that it reads
 * @outputs: tensors that it makes, each of which no other does
 * @waits: operators that it waits for, beside those that make its inputs and
 *	those of its stream that were added before; may be added later
 * @num_inputs: how many
 * @num_outputs: how many
 * @num_waits: how many
 * @stream: on which it runs, below 64
 * @cost: of running it once more, in any unit, up to VNPU_PLAN_MAX_COST; 0 if it
 *	must not: see vnpu_plan_recompute()
 */
struct vnpu_plan_op {
	const uint32_t *inputs;
	const uint32_t *outputs;
	const uint32_t *waits;
	uint32_t num_inputs;
	uint32_t num_outputs;
	uint32_t num_waits;
	uint32_t stream;
	uint64_t cost;
};

/* Flags of struct vnpu_plan_options. */
#define VNPU_PLAN_GREEDY	(1U << 0)	/* only what is fast; no search */
#define VNPU_PLAN_REORDER	(1U << 1)	/* operators may change places */

/**
 * struct vnpu_plan_options - how to solve a plan; all zero is a good choice
 * @capacity: bytes of the pool: the first plan that fits is taken.  0 for the
 *	smallest pool that is found.
 * @effort: how much to search: nodes of the search tree, about a million of
 *	which take a second or some; 0 for a million
 * @time_limit_ns: end the search after this time, too; 0 for no such limit.
 *	It begins with the call, and is for all that vnpu_plan_recompute() tries
 *	together; what is greedy is done in any case.  The result may then differ
 *	from run to run.
 * @align: what every offset is a multiple of, beside the tensor's own
 *	alignment; 0 for 1
 * @flags: VNPU_PLAN_*, or 0
 *
 * With VNPU_PLAN_REORDER another order of operators, also of those of one
 * stream, is looked for in which less is alive at a time, and kept if the bound
 * is lower: the program then has to run them by vnpu_plan_get_position().  The
 * plan stays in that order, also when it is solved again.  A call that fails may
 * leave no solution where there was one.  Plans of more than 16384 operators, or
 * 2^18 inputs, outputs and waits, stay as they are.
 */
struct vnpu_plan_options {
	uint64_t capacity;
	uint64_t effort;
	uint64_t time_limit_ns;
	uint64_t align;
	uint32_t flags;
	uint32_t reserved;
};

/**
 * struct vnpu_plan_result - what was found
 * @peak: bytes of the pool
 * @bound: no plan has a smaller peak than this
 * @bound_time: when the tensors that this is the sum of are alive
 * @greedy: the peak before the search
 * @nodes: nodes of the search tree; where time has many sections, each counts
 *	for several
 * @optimal: 1 if no plan has a smaller peak than @peak: it is @bound, or the
 *	search has seen all others fail
 * @reruns: how many operators run again: see vnpu_plan_recompute()
 * @cost: of these together
 */
struct vnpu_plan_result {
	uint64_t peak;
	uint64_t bound;
	uint64_t bound_time;
	uint64_t greedy;
	uint64_t nodes;
	uint32_t optimal;
	uint32_t reruns;
	uint64_t cost;
};

/**
 * struct vnpu_plan_rerun - an operator that runs once more
 * @tensor: what is dropped, and made again
 * @op: the operator that makes it
 * @before: the operator right before which that one runs again, on the stream
 *	of @before
 * @copy: the tensor that it makes this time.  @before and all that come after
 *	it in the order read this one instead, and wait for it.
 */
struct vnpu_plan_rerun {
	uint32_t tensor;
	uint32_t op;
	uint32_t before;
	uint32_t copy;
};

/**
 * vnpu_plan_create() - an empty plan
 * @plan: set to it; freed by vnpu_plan_destroy()
 *
 * Return: 0, -EINVAL for NULL, -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_create(struct vnpu_plan **plan);

/**
 * vnpu_plan_destroy() - free a plan
 * @plan: a plan, or NULL
 */
VNPU_PUBLIC void vnpu_plan_destroy(struct vnpu_plan *plan);

/**
 * vnpu_plan_fault() - what was wrong with the last call
 * @plan: a plan
 *
 * Return: a sentence without an end, like "tensor 3: its life is empty", or ""
 * where the last call that can fail for what it was given did not; valid until
 * the next call for @plan.
 */
VNPU_PUBLIC const char *vnpu_plan_fault(const struct vnpu_plan *plan);

/**
 * vnpu_plan_add_tensor() - add a tensor
 * @plan: a plan
 * @tensor: it is copied; indices count from 0 in the order of these calls
 *
 * Any solution that there was is forgotten.
 *
 * Return: 0; -EINVAL for NULL, an unknown flag, flags that exclude each other,
 * an empty life, a field that is set but has no meaning, or a fixed offset that
 * is not aligned; -ENOENT where @of is no tensor; -ERANGE for a view that is
 * not inside of it; -EOVERFLOW beyond VNPU_PLAN_MAX_BYTES; -E2BIG beyond
 * VNPU_PLAN_MAX_TENSORS; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_tensor(struct vnpu_plan *plan,
	const struct vnpu_plan_tensor *tensor);

/**
 * vnpu_plan_add_gap() - tell that a tensor is not needed for some time
 * @plan: a plan
 * @tensor: its index; neither a view nor one that has views, and not one that
 *	may be in place of another
 * @gap: when, and what of it; it is copied
 *
 * Return: 0; -EINVAL for NULL, an empty gap, or a tensor that can have none;
 * -ENOENT for no such tensor; -ERANGE for a gap that is not inside the tensor;
 * -EEXIST for one that overlaps with another; -E2BIG; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_gap(struct vnpu_plan *plan, uint32_t tensor,
	const struct vnpu_plan_gap *gap);

/**
 * vnpu_plan_add_op() - add an operator
 * @plan: a plan
 * @op: it is copied, with its lists; indices count from 0 in the order of these
 *	calls
 *
 * Its tensors have VNPU_PLAN_OF_OPS, and live from the operator that makes them,
 * or from the beginning without one, until the last that reads them has ended.
 * A barrier, or the wait for an event, is an operator like others: what is to
 * live until then, as the buffer of a communication that it ends, has
 * VNPU_PLAN_PINNED and is an input of it.  An operator that works in place makes
 * a tensor with VNPU_PLAN_INPLACE of one that it reads; that is not taken over
 * where another may read it at the same time, or where it is kept.
 *
 * Where there are several streams, an operator runs beside all others that it
 * does not wait for, directly or not.  A tensor then lives until nothing that
 * comes later in the order can run beside the last that reads it; so streams
 * that seldom wait for each other need more memory.
 *
 * Return: 0; -EINVAL for NULL or a tensor that is not of operators; -ENOENT for
 * no such tensor; -ERANGE for the stream or the cost; -E2BIG; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_op(struct vnpu_plan *plan,
	const struct vnpu_plan_op *op);

/**
 * vnpu_plan_set_guard() - keep streams apart in memory
 * @plan: a plan
 * @bytes: up to VNPU_PLAN_MAX_GUARD; 0 for none, as at first
 *
 * Between two tensors that are alive at the same time so many bytes at least
 * are nobody's, unless all that uses them is on one stream: so what is written
 * beyond the end of one does not change what another stream reads.  A tensor that
 * no operator uses, as one that has a life of its own, is on no stream, and kept
 * apart from what is on one.
 *
 * If any two of a plan need it, vnpu_plan_solve() leaves as much behind every
 * tensor but the uppermost, the fixed ones included; vnpu_plan_check() asks for
 * no more than is said above.
 *
 * Return: 0; -EINVAL for NULL; -ERANGE.
 */
VNPU_PUBLIC int vnpu_plan_set_guard(struct vnpu_plan *plan, uint64_t bytes);

/**
 * vnpu_plan_solve() - place all tensors
 * @plan: a plan
 * @options: how, or NULL for the default
 * @result: set to what was found, also where it does not fit; or NULL
 *
 * Return: 0; -EINVAL for options that are none, fixed tensors that overlap or
 * are closer than the guard, or a tensor that no operator has; -EEXIST for one that two operators make;
 * -ENOENT for an operator that is waited for and not there; -ELOOP for one that
 * depends on itself;
 * -ENOSPC where no plan was found that fits into the capacity, and
 * vnpu_plan_fault() says what is alive when most is (the plan that was found
 * stays, and if result->bound is above the capacity there is none that fits);
 * -EOVERFLOW; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_solve(struct vnpu_plan *plan,
	const struct vnpu_plan_options *options,
	struct vnpu_plan_result *result);

/**
 * vnpu_plan_recompute() - run operators again where memory does not do
 * @plan: a plan, of operators some of which have a cost
 * @options: how to place, with a capacity
 * @fits: set to another plan, which is solved and fits; freed by
 *	vnpu_plan_destroy()
 * @result: set to what was found, or to that of @plan as it is where that could
 *	not be made to fit; or NULL
 *
 * A tensor that is not read for some time is dropped and then made again, if its
 * operator has a cost, no other output, and reads nothing that is on the chip,
 * and if the tensor is neither fixed, kept, a view, viewed, nor computed in
 * place.  The new plan has the tensors and operators of @plan, and after these, in the order
 * of vnpu_plan_get_rerun(), one tensor and one operator for each that runs
 * again.  Those may be dropped and run again, too.
 *
 * Which ones is decided by the memory and time they free for their cost, one
 * after the other; there may be a cheaper choice.  There are at most as many as
 * @plan has operators.  VNPU_PLAN_REORDER is for the operators of @plan, before any
 * runs again, and leaves @plan itself as it is.
 *
 * Return: 0; -EINVAL for NULL or no capacity, and what vnpu_plan_solve() says.
 * With -ENOSPC vnpu_plan_fault() tells of @plan as it is.
 */
VNPU_PUBLIC int vnpu_plan_recompute(struct vnpu_plan *plan,
	const struct vnpu_plan_options *options, struct vnpu_plan **fits,
	struct vnpu_plan_result *result);

/**
 * vnpu_plan_get_rerun() - what runs again
 * @plan: a plan of vnpu_plan_recompute()
 * @index: from 0 to result.reruns - 1
 * @rerun: set to it
 *
 * @rerun->tensor and @rerun->op are of the first plan; @rerun->before may be an
 * operator that runs again itself.
 *
 * Return: 0; -EINVAL for NULL; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_rerun(const struct vnpu_plan *plan,
	uint32_t index, struct vnpu_plan_rerun *rerun);

/**
 * vnpu_plan_get_offset() - where a tensor lies
 * @plan: a plan that is solved
 * @tensor: its index
 * @offset: set to the bytes from the beginning of the pool, or to
 *	VNPU_PLAN_NO_OFFSET for what is on the chip
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_offset(const struct vnpu_plan *plan,
	uint32_t tensor, uint64_t *offset);

/**
 * vnpu_plan_get_life() - when a tensor is needed
 * @plan: a plan that is solved
 * @tensor: its index
 * @lower: set to when it is needed first
 * @upper: set to from when on it is not needed any more; for tensors of
 *	operators these are positions
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_life(const struct vnpu_plan *plan,
	uint32_t tensor, uint64_t *lower, uint64_t *upper);

/**
 * vnpu_plan_get_position() - when an operator is to run
 * @plan: a plan that is solved
 * @op: its index
 * @position: set to how many are before it in the order; it is that in which
 *	they were added, as far as none comes before what it depends on, or that
 *	of VNPU_PLAN_REORDER
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_position(const struct vnpu_plan *plan,
	uint32_t op, uint32_t *position);

/**
 * vnpu_plan_get_peak() - the tensors that are alive when most is
 * @plan: a plan that is solved
 * @tensors: filled with their indices, the largest first; may be NULL if
 *	@count is 0
 * @count: how many there is room for; set to how many there are
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved.
 */
VNPU_PUBLIC int vnpu_plan_get_peak(const struct vnpu_plan *plan,
	uint32_t *tensors, uint32_t *count);

/**
 * vnpu_plan_check() - prove that a placement is one
 * @plan: a plan; it need not be solved
 * @offsets: of each tensor; NULL for those of the solution
 * @align: what every offset is to be a multiple of; 0 for 1
 * @peak: set to the bytes of the pool that are needed; or NULL
 *
 * It shares no code with what finds placements, and works on the tensors as
 * they were given.
 *
 * Return: 0; -EINVAL for a plan that is not solved where @offsets is NULL, and
 * what vnpu_plan_solve() says of operators;
 * -EEXIST where two tensors overlap or are closer than the guard, or one is not
 * where it has to be, which vnpu_plan_fault() names; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_check(struct vnpu_plan *plan,
	const uint64_t *offsets, uint64_t align, uint64_t *peak);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_PLAN_H */
