/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: the memory planner.
 *
 * A plan assigns each tensor of a computation an offset in one pool.  The time
 * in which each tensor is needed must be known in advance.  Tensors that are
 * alive at the same time do not overlap; all others may.
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
 * No call needs a device.  Different threads may use different plans at the
 * same time, but only one thread at a time may use the same plan.
 *
 * Calls return 0 or a negative errno.  If a call rejects its input,
 * vnpu_plan_fault() describes the reason.
 *
 * The same plan with the same options gives the same result on every machine,
 * unless time_limit_ns is set.
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

/* The offset of a tensor without memory, see VNPU_PLAN_ON_CHIP. */
#define VNPU_PLAN_NO_OFFSET	UINT64_MAX

/* Limit on the tensors of a plan, and on its gaps. */
#define VNPU_PLAN_MAX_TENSORS	(1U << 22)

/* The sum of all sizes, each with its alignment, is below this. */
#define VNPU_PLAN_MAX_BYTES	(UINT64_C(1) << 60)

/* Limit on the cost of an operator. */
#define VNPU_PLAN_MAX_COST	(UINT64_C(1) << 40)

/* Limit on the bytes of a guard. */
#define VNPU_PLAN_MAX_GUARD	(UINT64_C(1) << 32)

/* Flags of a tensor. */
#define VNPU_PLAN_FIXED		(1U << 0)	/* lies at @offset */
#define VNPU_PLAN_ON_CHIP	(1U << 1)	/* takes no pool memory */
#define VNPU_PLAN_VIEW		(1U << 2)	/* part of @of, from @offset */
#define VNPU_PLAN_INPLACE	(1U << 3)	/* may take over @of */
#define VNPU_PLAN_OF_OPS	(1U << 4)	/* lifetime set by operators */
#define VNPU_PLAN_KEEP		(1U << 5)	/* lives to the last operator */
#define VNPU_PLAN_PINNED	(1U << 6)	/* used between operators, too */

/**
 * struct vnpu_plan_tensor - a tensor to be placed
 * @size: bytes; a tensor of 0 bytes has offset 0 and overlaps with none
 * @lower: the time at which its memory is first needed
 * @upper: the time from which it is no longer needed, later than @lower.  The
 *	unit of time is arbitrary.  A tensor that ends when another begins may
 *	lie in the same place.
 * @align: the offset is a multiple of this; 0 means 1
 * @offset: with VNPU_PLAN_FIXED its offset in the pool; with VNPU_PLAN_VIEW its
 *	offset in the tensor @of; else 0
 * @of: with VNPU_PLAN_VIEW or VNPU_PLAN_INPLACE, the index of a tensor that was
 *	added before; else 0
 *	VNPU_PLAN_INPLACE; else 0
 * @flags: VNPU_PLAN_*, or 0
 *
 * A view keeps the tensor that it is part of alive.  A tensor with
 * VNPU_PLAN_INPLACE takes over the memory of @of if @of is at least as large,
 * is not needed after the start of the new tensor, and has not been taken over
 * yet.  Otherwise it is placed like all others.
 *
 * With VNPU_PLAN_OF_OPS, @lower and @upper are 0, and the planner derives them
 * from the operators: see vnpu_plan_add_op().  With VNPU_PLAN_PINNED as well,
 * something other than an operator, such as a transfer, may use the tensor from
 * its creation until its last reader has ended.  Such a tensor is never dropped
 * and recomputed in between.
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
 * @lower: when it begins, not before the tensor
 * @upper: when it ends, not after the tensor
 * @from: the first byte of the tensor that is needed in the gap
 * @to: the byte after the last one that is needed; equal to @from if none is
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
 * @outputs: tensors that it makes; each tensor is made by one operator only
 * @waits: operators that it waits for, in addition to those that make its
 *	inputs and those before it in its stream; they may be added later
 * @num_inputs: length of @inputs
 * @num_outputs: length of @outputs
 * @num_waits: length of @waits
 * @stream: the stream on which it runs, below 64
 * @cost: the cost of running it once more, in any unit, up to
 *	VNPU_PLAN_MAX_COST; 0 if it must not run again: see
 *	vnpu_plan_recompute()
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
#define VNPU_PLAN_GREEDY	(1U << 0)	/* fast heuristics; no search */
#define VNPU_PLAN_REORDER	(1U << 1)	/* operators may be reordered */
#define VNPU_PLAN_LIMITED	(1U << 2)	/* @capacity counts even if 0 */

/**
 * struct vnpu_plan_options - how to solve a plan; all zero is a good choice
 * @capacity: bytes of the pool: the search ends with the first plan that fits.
 *	0 searches for the smallest pool, unless VNPU_PLAN_LIMITED is set.
 * @effort: limit on the nodes of the search tree; 0 for a million, which take
 *	about a second, or for no limit if @time_limit_ns is set.  A larger one
 *	never gives a larger peak.
 * @time_limit_ns: limit on the time of the search, too; 0 for none.  It counts
 *	from the call, and covers all attempts of vnpu_plan_recompute()
 *	together.  If it is too short even for the first heuristic, the plan is
 *	valid, but poor.  With a limit the result may differ from run to run.
 * @align: every offset is a multiple of this and of the tensor's own alignment;
 *	0 means 1
 * @flags: VNPU_PLAN_*, or 0
 *
 * With VNPU_PLAN_REORDER the planner looks for another order of the operators,
 * also within a stream, in which fewer bytes are alive at a time.  It keeps
 * that order if the lower bound decreases; the program then has to run the
 * operators by vnpu_plan_get_position().  The plan stays in that order, also
 * when it is solved again.  A failed call may discard an earlier solution.
 * Plans with more than 16384 operators, or 2^18 inputs, outputs and waits, keep
 * their order.
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
 * @bound: lower bound on the peak of any plan
 * @bound_time: a time at which the live tensors add up to the most bytes
 * @greedy: the peak before the search
 * @nodes: nodes of the search tree; where time has many sections, each node
 *	counts several times
 * @optimal: 1 if @peak is proven to be minimal: it equals @bound, or the search
 *	has excluded all alternatives
 * @reruns: number of operators that run again: see vnpu_plan_recompute()
 * @cost: the total cost of these
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
 * @tensor: the tensor that is dropped and made again
 * @op: the operator that makes it
 * @before: the operator directly before which @op runs again, on the stream of
 *	@before
 * @copy: the tensor that @op makes this time.  @before and all later operators
 *	in the order read this one instead, and wait for it.
 */
struct vnpu_plan_rerun {
	uint32_t tensor;
	uint32_t op;
	uint32_t before;
	uint32_t copy;
};

/**
 * vnpu_plan_create() - create an empty plan
 * @plan: set to the plan, to be destroyed by vnpu_plan_destroy()
 *
 * Return: 0, -EINVAL for NULL, -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_create(struct vnpu_plan **plan);

/**
 * vnpu_plan_destroy() - destroy a plan
 * @plan: a plan, or NULL
 */
VNPU_PUBLIC void vnpu_plan_destroy(struct vnpu_plan *plan);

/**
 * vnpu_plan_fault() - describe the failure of the last call
 * @plan: a plan
 *
 * Return: a clause without a full stop, like "tensor 3: its life is empty", or
 * "" if the last call that checks its input accepted it; valid until the next
 * call for @plan.
 */
VNPU_PUBLIC const char *vnpu_plan_fault(const struct vnpu_plan *plan);

/**
 * vnpu_plan_add_tensor() - add a tensor
 * @plan: a plan
 * @tensor: the tensor, which is copied; indices count from 0 in the order of
 *	these calls
 *
 * Discards any earlier solution.
 *
 * Return: 0; -EINVAL for NULL, an unknown flag, flags that exclude each other,
 * an empty lifetime, a non-zero field without meaning, or a fixed offset that
 * is not aligned; -ENOENT if @of is not a tensor; -ERANGE for a view that is
 * not inside its tensor; -EOVERFLOW beyond VNPU_PLAN_MAX_BYTES; -E2BIG beyond
 * VNPU_PLAN_MAX_TENSORS; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_tensor(struct vnpu_plan *plan,
	const struct vnpu_plan_tensor *tensor);

/**
 * vnpu_plan_add_gap() - declare a time in which part of a tensor is not needed
 * @plan: a plan
 * @tensor: its index; not a view, nor a tensor with views or with
 *	VNPU_PLAN_INPLACE
 * @gap: the time and the bytes; it is copied
 *
 * Return: 0; -EINVAL for NULL, an empty gap, or a tensor that cannot have gaps;
 * -ENOENT for an unknown tensor; -ERANGE for a gap that is not inside the
 * tensor; -EEXIST for one that overlaps with another; -E2BIG; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_gap(struct vnpu_plan *plan, uint32_t tensor,
	const struct vnpu_plan_gap *gap);

/**
 * vnpu_plan_add_separation() - keep two tensors apart
 * @plan: a plan
 * @tensor: the index of a tensor
 * @other: that of another one
 *
 * The two never use the same bytes, even if they are not alive at the same
 * time.  The two halves of a double buffer are an example: a transfer may still
 * write one of them while an operator reads the other.  All of their bytes
 * count, in gaps too.  For a view they are those of the tensor that it is a part
 * of.  Neither of the two takes over the memory of the other in place, directly
 * or by others.  A separation that exists already changes nothing.  A tensor
 * that vnpu_plan_recompute() makes again keeps its separations.
 *
 * Return: 0; -EINVAL for NULL, the same tensor twice, or two that share memory
 * as views; -ENOENT for an unknown tensor; -E2BIG beyond VNPU_PLAN_MAX_TENSORS
 * separations; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_separation(struct vnpu_plan *plan,
	uint32_t tensor, uint32_t other);

/**
 * vnpu_plan_add_op() - add an operator
 * @plan: a plan
 * @op: the operator, which is copied with its lists; indices count from 0 in
 *	the order of these calls
 *
 * Its tensors have VNPU_PLAN_OF_OPS.  They live from the start of the operator
 * that makes them, or from the beginning if none does, until their last reader
 * has ended.  A barrier, or the wait for an event, is an operator like any
 * other.  If a tensor has to live until then, as the buffer of a communication
 * that a barrier completes, it has VNPU_PLAN_PINNED and is an input of that
 * operator.  An operator that works in place makes a tensor with
 * VNPU_PLAN_INPLACE from one of its inputs.  That input is not taken over if
 * another operator may read it at the same time, or if it is kept.
 *
 * With several streams, an operator may run at the same time as any other that
 * it does not wait for, directly or indirectly.  A tensor then lives until no
 * later operator in the order can run at the same time as its last reader.
 * Therefore streams that seldom wait for each other need more memory.
 *
 * Return: 0; -EINVAL for NULL or a tensor without VNPU_PLAN_OF_OPS; -ENOENT for
 * an unknown tensor; -ERANGE for the stream or the cost; -E2BIG; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_add_op(struct vnpu_plan *plan,
	const struct vnpu_plan_op *op);

/**
 * vnpu_plan_set_guard() - keep streams apart in memory
 * @plan: a plan
 * @bytes: up to VNPU_PLAN_MAX_GUARD; 0 for none, the default
 *
 * The planner leaves at least @bytes unused between two tensors that are alive
 * at the same time, unless all their users are on one stream.  A write beyond
 * the end of one tensor then does not change the input of another stream.  A
 * tensor without operators, such as one with a lifetime of its own, is on no
 * stream, and is kept apart from those on a stream.
 *
 * If any two tensors of a plan need it, vnpu_plan_solve() leaves @bytes behind
 * every tensor but the uppermost, the fixed ones included. vnpu_plan_check()
 * only requires the rule above.
 *
 * Return: 0; -EINVAL for NULL; -ERANGE.
 */
VNPU_PUBLIC int vnpu_plan_set_guard(struct vnpu_plan *plan, uint64_t bytes);

/**
 * vnpu_plan_solve() - place all tensors
 * @plan: a plan
 * @options: the options, or NULL for the defaults
 * @result: set to the result, even if the plan does not fit; or NULL
 *
 * Return: 0; -EINVAL for invalid options, fixed tensors that overlap or are
 * closer than the guard, or a VNPU_PLAN_OF_OPS tensor without operators;
 * -EEXIST for a tensor that two operators make; -ENOENT for a wait for an
 * operator that does not exist; -ELOOP for an operator that depends on itself;
 * -ENOSPC if no plan was found that fits into the capacity; -EOVERFLOW;
 * -ENOMEM.
 *
 * After -ENOSPC, vnpu_plan_fault() lists the tensors that are alive at the
 * peak, and the plan that was found stays.  If result->bound is above the
 * capacity, no plan fits.
 */
VNPU_PUBLIC int vnpu_plan_solve(struct vnpu_plan *plan,
	const struct vnpu_plan_options *options,
	struct vnpu_plan_result *result);

/**
 * vnpu_plan_recompute() - fit a plan into a capacity by running operators again
 * @plan: a plan of operators, some of which have a cost
 * @options: the options, with a capacity
 * @fits: set to a new plan that is solved and fits, to be destroyed by
 *	vnpu_plan_destroy()
 * @result: set to the result of the new plan, or to that of @plan if no plan
 *	fits; or NULL
 *
 * A tensor that is not read for some time is dropped and made again later.  Its
 * operator must have a cost and no other output, and must not read a tensor
 * that is on the chip.  The tensor itself must not be fixed, kept, a view,
 * viewed, or computed in place.  The new plan has the tensors and operators of
 * @plan.  After these it has one tensor and one operator for each operator that
 * runs again, in the order of vnpu_plan_get_rerun().  Those may be dropped and
 * run again, too.
 *
 * The planner selects the operators one by one, by the memory and time that
 * they free for their cost.  A cheaper choice may exist.  At most as many
 * operators run again as @plan has.  VNPU_PLAN_REORDER reorders the operators
 * of @plan before any runs again, and leaves @plan itself unchanged.
 *
 * Return: 0; -EINVAL for NULL, or a capacity of 0 without VNPU_PLAN_LIMITED;
 * otherwise as vnpu_plan_solve().  After -ENOSPC vnpu_plan_fault() describes @plan.
 */
VNPU_PUBLIC int vnpu_plan_recompute(struct vnpu_plan *plan,
	const struct vnpu_plan_options *options, struct vnpu_plan **fits,
	struct vnpu_plan_result *result);

/**
 * vnpu_plan_get_rerun() - get an operator that runs again
 * @plan: a plan of vnpu_plan_recompute()
 * @index: from 0 to result.reruns - 1
 * @rerun: set to the operator and its tensors
 *
 * @rerun->tensor and @rerun->op are indices of the first plan; @rerun->before
 *	may be an operator that runs again itself.
 *
 * Return: 0; -EINVAL for NULL; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_rerun(const struct vnpu_plan *plan,
	uint32_t index, struct vnpu_plan_rerun *rerun);

/**
 * vnpu_plan_get_offset() - get the offset of a tensor
 * @plan: a plan that is solved
 * @tensor: its index
 * @offset: set to the bytes from the beginning of the pool, or to
 *	VNPU_PLAN_NO_OFFSET for a tensor on the chip
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_offset(const struct vnpu_plan *plan,
	uint32_t tensor, uint64_t *offset);

/**
 * vnpu_plan_get_life() - get the time in which a tensor is needed
 * @plan: a plan that is solved
 * @tensor: its index
 * @lower: set to the time at which it is first needed
 * @upper: set to the time from which it is no longer needed; for tensors of
 *	operators these are positions
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_life(const struct vnpu_plan *plan,
	uint32_t tensor, uint64_t *lower, uint64_t *upper);

/**
 * vnpu_plan_get_position() - get the position of an operator in the order
 * @plan: a plan that is solved
 * @op: its index
 * @position: set to the number of operators before it.  The order is that of
 *	VNPU_PLAN_REORDER, or else that in which the operators were added,
 *	changed where an operator was added before one that it depends on
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved; -ENOENT.
 */
VNPU_PUBLIC int vnpu_plan_get_position(const struct vnpu_plan *plan,
	uint32_t op, uint32_t *position);

/**
 * vnpu_plan_get_peak() - list the tensors that are alive at the peak
 * @plan: a plan that is solved
 * @tensors: filled with their indices, the largest tensor first; may be NULL if
 *	@count is 0
 * @count: the length of @tensors; set to the number of these tensors
 *
 * Return: 0; -EINVAL for NULL or a plan that is not solved.
 */
VNPU_PUBLIC int vnpu_plan_get_peak(const struct vnpu_plan *plan,
	uint32_t *tensors, uint32_t *count);

/**
 * vnpu_plan_check() - verify a placement
 * @plan: a plan; it need not be solved
 * @offsets: the offset of each tensor; NULL for those of the solution
 * @align: every offset has to be a multiple of this; 0 means 1
 * @peak: set to the bytes of the pool that are needed; or NULL
 *
 * The check shares no code with the solver, and works on the tensors as they
 * were added.
 *
 * Return: 0; -EINVAL if @offsets is NULL and the plan is not solved; the errors
 * of vnpu_plan_solve() about operators; -EEXIST if two tensors overlap, are
 * closer than the guard or not apart as they have to be, or a tensor is in a
 * wrong place: vnpu_plan_fault() names them; -ENOMEM.
 */
VNPU_PUBLIC int vnpu_plan_check(struct vnpu_plan *plan,
	const uint64_t *offsets, uint64_t align, uint64_t *peak);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_PLAN_H */
