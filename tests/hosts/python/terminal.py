"""Runs `mpit run --crash-safe` (arguments: mpit, the preload library, a directory) with a program that prints its signals: on a
terminal, in another process group, signaled process by process or twice, killed. Each check prints a line."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

MPIT, LIBRARY, DIR = sys.argv[1:]
RUN = [MPIT, "run", "--preload", LIBRARY, "--output", f"{DIR}/run", "--crash-safe", "--"]

# Prints each signal, and each line that it reads.
PROGRAM = """
import os, signal, sys
for name in 'INT', 'TERM', 'USR1':
    signal.signal(getattr(signal, 'SIG' + name), lambda *_, name=name: os.write(1, (name.lower() + '\\n').encode()))
print('up', os.getpid(), flush=True)
for line in sys.stdin:
    if line == 'end\\n':
        sys.exit(7)
    print('read', line, end='', flush=True)
"""
COMMAND = [sys.executable, "-c", PROGRAM]


def read_until(source, text, seen=""):
    """Returns the output of the command up to a text; fails if nothing comes for long."""
    while text not in seen:
        ready, _, _ = select.select([source], [], [], 20)
        assert ready, f"no {text!r} in {seen!r}"
        seen += os.read(source, 1000).decode().replace("\r", "")
    return seen


def on_terminal():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(RUN[0], RUN + COMMAND)
    read_until(terminal, "up ")
    os.write(terminal, b"\x03")
    seen = read_until(terminal, "int\n")
    os.write(terminal, b"one\n")
    seen = read_until(terminal, "read one\n", seen)
    os.kill(pid, signal.SIGTERM)
    seen = read_until(terminal, "term\n", seen)
    # A terminal does not stop the group of a session leader, so the signal is sent.
    os.killpg(pid, signal.SIGSTOP)
    _, status = os.waitpid(pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.kill(pid, signal.SIGTERM)
    os.killpg(pid, signal.SIGCONT)
    seen = read_until(terminal, "term\n", seen[seen.index("term\n") + 5:])
    os.write(terminal, b"two\n")
    seen = read_until(terminal, "read two\n", seen)
    os.killpg(pid, signal.SIGTERM)
    seen = read_until(terminal, "term\n", seen[seen.index("read two\n"):])
    os.kill(pid, signal.SIGUSR1)
    seen = read_until(terminal, "usr1\n", seen)
    assert seen.count("term\n") == 1 and "int" not in seen, seen
    os.write(terminal, b"end\n")
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 7, status
    print("terminal")


def start(*command):
    return subprocess.Popen(RUN + list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def in_another_group():
    run = start("setsid", *COMMAND)
    read_until(run.stdout.fileno(), "up ")
    os.killpg(run.pid, signal.SIGTERM)
    read_until(run.stdout.fileno(), "term\n")
    run.stdin.write(b"end\n")
    run.stdin.flush()
    assert run.wait() == 7
    print("another group")


def members(group):
    """Returns the processes of a group, the oldest first."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.getpgid(int(pid)) == group:
                found.append(int(pid))
        except ProcessLookupError:
            pass
    return sorted(found)


def one_by_one():
    """Signals each process of the job by itself, as some batch systems do."""
    for _ in range(10):
        run = start(*COMMAND)
        read_until(run.stdout.fileno(), "up ")
        group, begin = members(run.pid), time.monotonic()
        for pid in group:
            os.kill(pid, signal.SIGINT)
        took = time.monotonic() - begin
        os.kill(run.pid, signal.SIGTERM)
        seen = read_until(run.stdout.fileno(), "term\n")
        run.stdin.write(b"end\n")
        run.stdin.flush()
        assert run.wait() == 7
        # `mpit run` waits 200 ms for the other processes' signals. If this process was interrupted, the run shows nothing.
        if took < 0.1:
            assert seen.count("int\n") == 1, seen
            print("one by one")
            return
    raise AssertionError("this machine does not send three signals within 100 ms")


def twice():
    """Sends a signal to the group and then to `mpit run` alone, which handles another signal in between."""
    run = start(*COMMAND)
    read_until(run.stdout.fileno(), "up ")
    os.kill(run.pid, signal.SIGSTOP)
    _, status = os.waitpid(run.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.killpg(run.pid, signal.SIGTERM)
    os.kill(run.pid, signal.SIGUSR1)
    os.kill(run.pid, signal.SIGCONT)
    seen = read_until(run.stdout.fileno(), "usr1\n")
    assert seen.count("term\n") == 1, seen
    os.kill(run.pid, signal.SIGTERM)
    read_until(run.stdout.fileno(), "term\n")
    run.stdin.write(b"end\n")
    run.stdin.flush()
    assert run.wait() == 7
    print("twice")


def killed():
    run = start(*COMMAND)
    seen = read_until(run.stdout.fileno(), "\n")
    # Signals are forwarded once `mpit run` has started the command.
    os.kill(run.pid, signal.SIGUSR1)
    read_until(run.stdout.fileno(), "usr1\n")
    command = os.pidfd_open(int(seen.split()[1]))
    run.kill()
    ready, _, _ = select.select([command], [], [], 20)
    assert ready, "the command was left"
    print("killed")


for check in on_terminal, in_another_group, one_by_one, twice, killed:
    check()
