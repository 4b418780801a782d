# SPDX-License-Identifier: GPL-2.0-only
"""The command line."""

import argparse
import sys

from . import errors, machine

USAGE = "vnpu-vm [OPTION...] [-- COMMAND [ARG...]]"

DESCRIPTION = """\
Boot a Debian kernel in QEMU with the host's files (read-only under a
temporary overlay; the current directory is writable), load vnpu.ko, run
COMMAND as root there, and return its exit status. Without COMMAND, run a
shell."""

EPILOG = """\
exit status:
  COMMAND's own (128+N if signal N ended it, 127 if it cannot be run), or
  124  the time-out passed
  125  there was no run: bad options, or the VM failed
  126  the kernel complained: BUG, WARNING, oops, lockdep, KASAN, UBSAN, hung
       task, RCU stall, kmemleak, taint, or a module that cannot be unloaded;
       the log is on standard error, whatever COMMAND returned

SIZE is a number with an optional suffix K, M, G or T.
See vnpu-vm(1)."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"vnpu-vm: {message}\nusage: {USAGE}", file=sys.stderr)
        sys.exit(errors.VM_FAILED)


def size(text):
    try:
        machine.parse_size(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size")
    return text


def count(least, most):
    def parse(text):
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a number from {least} to {most}")
        return value
    return parse


def assignment(text):
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def parse_args(argv):
    at = argv.index("--") if "--" in argv else len(argv)
    parser = Parser(
        prog="vnpu-vm", usage=USAGE, description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    add = parser.add_argument
    add("--kernel", default="6.12", metavar="KERNEL",
        help="6.1, 6.12 (the default), debug, kcsan, rt, gcov, or a "
             "kernel image's path")
    add("--smp", type=count(1, 255), metavar="N",
        help="processors (default 2; 1 with --icount)")
    add("--mem", type=size, metavar="SIZE",
        help="memory besides the carved region (default 1G, debug kernels 2G)")
    add("--devices", type=count(1, 64), default=1, metavar="N",
        help="devices, 1 to 64 (default 1)")
    add("--arena", type=size, default="256M", metavar="SIZE",
        help="memory of each device (default 256M)")
    add("--no-carve", action="store_true",
        help="carve no region: the arenas come from the page allocator")
    add("--param", type=assignment, action="append", default=[],
        metavar="NAME=VALUE", help="a module parameter; repeatable")
    add("--cmdline", action="append", default=[], metavar="WORDS",
        help="more for the kernel's command line; repeatable")
    add("--no-module", action="store_true", help="do not load vnpu.ko")
    add("--module", metavar="FILE", help="the vnpu.ko to load")
    add("--timeout", type=count(0, 10**6), default=0, metavar="SECONDS",
        help="limit of the whole run, boot included (default 0: none)")
    add("--icount", action="store_true",
        help="count instructions as time: repeatable, one processor, slow")
    add("--dmesg", metavar="FILE", help="save the guest kernel's log")
    add("-v", "--verbose", action="store_true",
        help="show QEMU's command line and the guest's console")
    args = parser.parse_args(argv[:at])
    args.command = argv[at + 1:]

    if at < len(argv) and not args.command:
        parser.error("no COMMAND after --")
    if args.icount and (args.smp or 1) > 1:
        parser.error("--icount needs --smp 1")
    if args.module and args.no_module:
        parser.error("--module and --no-module exclude each other")
    args.smp = args.smp or (1 if args.icount else 2)
    return args
