# SPDX-License-Identifier: GPL-2.0-only
"""One run of the machine: QEMU's process and the exchange with the guest's
init. The protocol is described at the top of talk.c.
"""

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import tty

from . import errors
from .errors import VmError
from .kernlog import Console, KernelLog, find_splat

HEAD = struct.Struct("<cI")
CHUNK = 64 * 1024
MAX_QUEUE = 4 * CHUNK       # of standard input on its way
POLL_MS = 250               # how late a deadline or a new size may be noticed


class BootTimeout(Exception):
    """The guest was not ready in time."""


class RunTimeout(Exception):
    """The run has not ended in time."""


class Job:
    """The job of the guest."""

    def __init__(self, argv, environ, cwd, modules, module, params, terminal):
        self.argv = argv            # all bytes
        self.environ = environ
        self.cwd = cwd
        self.modules = modules
        self.module = module        # image, or None
        self.params = params
        self.terminal = terminal    # run it in one

    def frames(self):
        yield b"c", self.cwd
        if self.modules:
            yield b"l", os.fsencode(self.modules)
        if self.module:
            yield b"m", self.module
            yield b"p", os.fsencode(self.params)
        if self.terminal:
            yield b"t", terminal_size()
        for arg in self.argv:
            yield b"a", arg
        for name, value in self.environ.items():
            yield b"n", name + b"=" + value
        yield b"g", b""


def terminal_size():
    rows, columns = 24, 80
    with contextlib.suppress(OSError):
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8)
        rows, columns = struct.unpack_from("HH", size)
    return struct.pack("<HH", rows, columns)


@contextlib.contextmanager
def raw_terminal(resized):
    """Hand the terminal to the guest; resized is called when its size
    changes. With no callback the terminal is left alone."""
    if not resized:
        yield
        return
    saved = termios.tcgetattr(0)
    signal.signal(signal.SIGWINCH, lambda *_: resized())
    try:
        tty.setraw(0, termios.TCSADRAIN)    # keeps what is typed ahead
        yield
    finally:
        signal.signal(signal.SIGWINCH, signal.SIG_DFL)
        termios.tcsetattr(0, termios.TCSADRAIN, saved)


def can_read_stdin():
    """Whether reading is possible: open, and not a terminal that some other
    job has (which would stop us)."""
    try:
        return not os.isatty(0) or os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def write_out(fd, data):
    """The caller's stream may be closed, or a pipe set non-blocking."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view):]
        except BlockingIOError:
            select.select([], [fd], [])
        except BrokenPipeError:
            raise
        except OSError as e:
            raise VmError(f"cannot write the command's output: {e.strerror}")


class Session:
    """Runs one job. Use as a context manager: leaving it ends QEMU."""

    def __init__(self, job, verbose):
        self.job = job
        self.verbose = verbose
        self.log = KernelLog()
        self.console = Console()
        self.findings = []
        self.ready = False
        self.status = None          # the command's, at the end
        self.failure = None         # why there was no run
        self.timed_out = False
        self.qemu = None
        self.qemu_said = bytearray()
        self.incoming = bytearray()
        self.outgoing = bytearray()
        self.stdin_open = can_read_stdin()
        self.resized = False
        self.poll = select.poll()

    def start(self, command):
        """Start QEMU; command(console, channel) gives its arguments."""
        self.channel, guest_channel = socket.socketpair()
        self.serial, guest_serial = socket.socketpair()
        read_end, write_end = os.pipe()
        self.qemu_output = open(read_end, "rb", buffering=0)
        with guest_channel, guest_serial, open(write_end, "wb") as output:
            fds = (guest_serial.fileno(), guest_channel.fileno())
            args = command(*fds)
            if self.verbose:
                print("vnpu-vm:", *args, file=sys.stderr)
            # A session of its own: the terminal's ^C is for us to handle.
            self.qemu = subprocess.Popen(
                args, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                pass_fds=fds, start_new_session=True)
        for f in (self.channel, self.serial, self.qemu_output):
            os.set_blocking(f.fileno(), False)
            self.poll.register(f, select.POLLIN)
        for kind, data in self.job.frames():
            self.send(kind, data)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self.qemu:
            self.qemu.kill()
            self.qemu.wait()
            for f in (self.channel, self.serial, self.qemu_output):
                f.close()

    def send(self, kind, data):
        self.outgoing += HEAD.pack(kind, len(data)) + data

    def resize(self):
        """For a signal handler: takes effect soon."""
        self.resized = True

    def flush(self):
        with contextlib.suppress(BlockingIOError, BrokenPipeError,
                                 ConnectionResetError):
            while self.outgoing:
                sent = self.channel.send(memoryview(self.outgoing)[:CHUNK])
                del self.outgoing[:sent]

    def run(self, boot_seconds):
        """Relay until the guest has reported its end or QEMU has ended."""
        deadline = time.monotonic() + boot_seconds
        while self.status is None and self.failure is None:
            wanted = select.POLLIN | (select.POLLOUT if self.outgoing else 0)
            self.poll.modify(self.channel, wanted)
            self.watch_stdin()
            if not self.ready and time.monotonic() > deadline:
                raise BootTimeout
            ready = dict(self.poll.poll(POLL_MS))

            if ready.get(self.qemu_output.fileno()):
                self.read_output()
            if ready.get(self.serial.fileno()):
                self.read_console()
            if ready.get(0) and self.stdin_open:
                self.read_stdin()
            if self.resized:
                self.resized = False
                self.send(b"t", terminal_size())
            self.flush()
            if ready.get(self.channel.fileno(), 0) & ~select.POLLOUT:
                if not self.read_channel():
                    break
        self.drain()

    def watch_stdin(self):
        with contextlib.suppress(KeyError):
            self.poll.unregister(0)
        if self.stdin_open and self.ready and len(self.outgoing) < MAX_QUEUE:
            self.poll.register(0, select.POLLIN)

    def read_stdin(self):
        try:
            data = os.read(0, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.stdin_open = bool(data)
        self.send(b"i", data)

    def read_console(self):
        try:
            data = self.serial.recv(CHUNK)
        except (BlockingIOError, ConnectionResetError):
            data = b""
        if not data:
            self.forget(self.serial)
        self.console.data += data
        if self.verbose:
            sys.stderr.buffer.write(data)
            sys.stderr.flush()
        return data

    def read_output(self):
        data = self.qemu_output.read(CHUNK)
        if not data:
            self.forget(self.qemu_output)
        self.qemu_said += data or b""
        return data

    def forget(self, f):
        with contextlib.suppress(KeyError):
            self.poll.unregister(f)

    def drain(self):
        """QEMU has ended or is not needed: read its remaining output."""
        if self.status is None and self.failure is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.qemu.wait(timeout=10)
            while self.read_console():
                pass
            while self.read_output():
                pass

    def read_channel(self):
        """Take data of the guest; false when QEMU has closed the channel."""
        try:
            data = self.channel.recv(4 * CHUNK)
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False
        self.incoming += data
        start = 0
        while len(self.incoming) - start >= HEAD.size:
            kind, length = HEAD.unpack_from(self.incoming, start)
            end = start + HEAD.size + length
            if len(self.incoming) < end:
                break
            self.take(kind, bytes(self.incoming[start + HEAD.size:end]))
            start = end
        del self.incoming[:start]
        return bool(data)

    def take(self, kind, data):
        if kind == b"R":
            self.ready = True
            if not self.stdin_open:
                self.send(b"i", b"")
        elif kind == b"o":
            write_out(1, data)
        elif kind == b"e":
            write_out(2, data)
        elif kind == b"k":
            self.log.feed(data)
        elif kind == b"v":
            self.findings.append(data.decode(errors="replace"))
        elif kind == b"f":
            self.failure = data.decode(errors="replace")
        elif kind == b"x":
            self.status = data[0]
        else:
            raise VmError(f"the guest sent a frame of unknown type {kind}")

    # The verdict

    def panic(self):
        """Return the console's log if the guest panicked.

        A guest that ended in order did not panic, whatever a program printed.
        """
        return self.console.panic() if self.status is None else []

    def log_lines(self):
        """The kernel's log as far as it is available."""
        return self.panic() or self.log.lines

    def splat(self):
        if not self.ready:
            return []
        panic = self.panic()
        if panic:
            return find_splat(panic) or panic[-50:]
        if self.status is None:
            # A hung guest may not have sent its whole log.
            return self.log.splat() or find_splat(self.console.lines())
        return self.log.splat()

    def verdict(self, timeout):
        """The exit code and the messages about it, line by line."""
        failure = self.failure
        if self.timed_out:
            failure = f"timed out after {timeout} s"
        said = [f"vnpu-vm: {failure}"] if failure else []
        splat = self.splat()
        if splat or self.findings:
            said += [f"vnpu-vm: {text}" for text in self.findings]
            if splat:
                said += ["vnpu-vm: the guest kernel complained:", *splat]
            return errors.BAD_KERNEL, said
        if self.timed_out:
            return errors.TIMEOUT, said
        if self.failure:
            # Only the module's log explains why it refuses parameters.
            return errors.VM_FAILED, said + self.log.module_errors
        if self.status is None:
            return errors.VM_FAILED, self.explain_death()
        return self.status, said

    def died_booting(self):
        """Whether the kernel started, and ended before it had the job."""
        return bool(self.console.data) and not (
            self.ready or self.failure or self.timed_out)

    def explain_death(self):
        """Lines about a machine, if its init reported nothing."""
        said = self.qemu_said.decode(errors="replace").strip().splitlines()
        if self.qemu.returncode < 0:
            return [f"vnpu-vm: signal {-self.qemu.returncode} ended QEMU"]
        if self.ready:
            return ["vnpu-vm: the guest powered off or reset before the "
                    "command ended"] + said
        if self.console.data:
            return ["vnpu-vm: the guest did not boot; its console said:",
                    *self.console_said(), *said]
        return ["vnpu-vm: QEMU failed: " + (said[-1] if said else
                                            "it ended without a message")]

    def console_said(self):
        """Lines of the console that may explain a failed boot."""
        lines = self.console.panic() or self.console.lines()
        return find_splat(lines) or lines[-15:]


@contextlib.contextmanager
def time_limit(seconds):
    """Raises RunTimeout, even out of a blocked write."""
    def expire(*_):
        raise RunTimeout

    if not seconds:
        yield
        return
    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
