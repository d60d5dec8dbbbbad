#!/usr/bin/env python3
"""typed.py - runs a program in a terminal of its own, types keys, and ends with its status; what it shows goes to
standard output.

    typed.py KEYS COMMAND...        KEYS as in Python: '/stats\\r', '\\x1b[A' for the arrow up, '\\x03' for Ctrl-C

A key is typed when the program waits: after each piece between two '|' nothing has come for a moment, and the terminal
takes keys one by one (or lines, where the program edits none).
"""
import os
import pty
import select
import sys
import time


def shown(fd, quiet, last):
    """All that comes until nothing has for `quiet` seconds; None at the end."""
    out = b''
    while select.select([fd], [], [], last if not out else quiet)[0]:
        try:
            piece = os.read(fd, 4096)
        except OSError:
            piece = b''
        if not piece:
            return None, out
        out += piece
    return True, out


def main():
    keys = sys.argv[1].encode().decode('unicode_escape').encode('latin-1').split(b'|')
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    alive, out = True, b''
    for piece in keys:
        while alive and not out.rstrip().endswith(b'>'):
            alive, more = shown(fd, 0.2, 20)
            out += more
            if not more:
                break
        sys.stdout.buffer.write(out)
        out = b''
        if alive:
            os.write(fd, piece)
    while alive:
        alive, out = shown(fd, 0.2, 20)
        sys.stdout.buffer.write(out)
        if alive and not out:
            os.kill(pid, 9)
    sys.stdout.flush()
    end = time.time() + 10
    while time.time() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            sys.exit(os.waitstatus_to_exitcode(status) & 255)
        time.sleep(0.01)
    os.kill(pid, 9)
    sys.exit(255)


if __name__ == '__main__':
    main()
