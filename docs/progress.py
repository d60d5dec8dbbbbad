"""How far a long step is: a line on stderr when it has run for some seconds, and each time that as many have passed again.

    with Line("figures", 38) as line: ... line.add(1)       figures: 12 of 38, 1:40, about 3:30 left
    with Line("the playground"): ...                        the playground: 0:40"""
import sys
import threading
import time

SECONDS = 10


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Line:
    def __init__(self, what, total=0, out=None):
        self.what, self.total, self.done, self.out = what, total, 0, out or sys.stderr

    def __enter__(self):
        self.began, self.over, self.told = time.monotonic(), threading.Event(), False
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *problem):
        self.over.set()
        self.thread.join()
        if self.told and not any(problem):
            self.say(", done")

    def add(self, some):
        self.done += some

    def watch(self):
        while not self.over.wait(SECONDS):
            self.told = True
            self.say("")

    def text(self, seconds):
        counted = f" {self.done} of {self.total}," if self.total else ""
        rest = seconds / self.done * (self.total - self.done) if self.done else 0
        left = f", about {clock(rest)} left" if rest >= 5 else ""
        return f"{self.what}:{counted} {clock(seconds)}{left}"

    def say(self, end):
        print(f"docs: {self.text(time.monotonic() - self.began)}{end}", file=self.out, flush=True)
