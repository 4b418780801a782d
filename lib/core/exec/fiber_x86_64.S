/* SPDX-License-Identifier: MIT */
/*
 * Fibers on x86-64.  A position is the address of
 *
 *	 0	MXCSR, and the control word of the x87
 *	 8	r15, r14, r13, r12, rbx, rbp
 *	56	return address
 */
#ifdef __x86_64__

	.text

	.globl	exec_fiber_switch
	.hidden	exec_fiber_switch
	.type	exec_fiber_switch, @function
	.p2align 4
exec_fiber_switch:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 48
	.cfi_rel_offset %rbx, 40
	.cfi_rel_offset %r12, 32
	.cfi_rel_offset %r13, 24
	.cfi_rel_offset %r14, 16
	.cfi_rel_offset %r15, 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
.Lresume:
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r15
	.cfi_adjust_cfa_offset -8
	popq	%r14
	.cfi_adjust_cfa_offset -8
	popq	%r13
	.cfi_adjust_cfa_offset -8
	popq	%r12
	.cfi_adjust_cfa_offset -8
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	exec_fiber_switch, . - exec_fiber_switch

	/* The kernel may have left values on the x87's stack. */
	.globl	exec_fiber_abandon
	.hidden	exec_fiber_abandon
	.type	exec_fiber_abandon, @function
exec_fiber_abandon:
	cld
	fninit
	jmp	.Lresume
	.size	exec_fiber_abandon, . - exec_fiber_abandon

	/* rbx is the function, r12 its argument: see exec_fiber_init(). */
	.globl	exec_fiber_begin
	.hidden	exec_fiber_begin
	.type	exec_fiber_begin, @function
exec_fiber_begin:
	.cfi_startproc
	.cfi_undefined %rip
	movq	%r12, %rdi
	call	*%rbx
	ud2
	.cfi_endproc
	.size	exec_fiber_begin, . - exec_fiber_begin

	/* Debuggers know a frame of a signal by these instructions. */
	.globl	exec_fiber_sigreturn
	.hidden	exec_fiber_sigreturn
	.type	exec_fiber_sigreturn, @function
	nop
exec_fiber_sigreturn:
	movq	$15, %rax		/* __NR_rt_sigreturn */
	syscall
	.globl	exec_fiber_sigreturn_end
	.hidden	exec_fiber_sigreturn_end
exec_fiber_sigreturn_end:
	ud2
	.size	exec_fiber_sigreturn, . - exec_fiber_sigreturn

#endif

	.section .note.GNU-stack, "", @progbits
