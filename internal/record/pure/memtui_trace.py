"""Records what a Python program allocates, by the standard library alone.

    import memtui_trace

    memtui_trace.start("app.mlyze")      # or: with memtui_trace.recording("app.mlyze"):
    ...
    memtui_trace.marker("loaded")        # a moment with a name
    ...
    memtui_trace.stop()

Then open the file: memtui app.mlyze

A thread compares snapshots of tracemalloc. So the recording has the blocks that live at a snapshot, by file and line:
what was allocated and freed between two snapshots is not in it, nor are threads, nor memory that extension modules get
from malloc. Functions are found by line. tracemalloc itself makes programs 1.2 to 13 times slower;
"memtui record python app.py" costs a few percent and records samples of everything, where its hook can be loaded.

The file is a whole recording after each snapshot, whatever ends the program.
"""

import array
import atexit
import bisect
import collections
import contextlib
import gc
import importlib.util
import itertools
import json
import marshal
import os
import struct
import sys
import threading
import time
import tracemalloc
import types
import warnings
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

__all__ = ["start", "stop", "marker", "recording"]

MOST_BLOCKS = 300000  # a snapshot of more takes too long
SHARE = 10  # snapshots take at most one part in so many of the time
OPTIMIZED = 1  # a flag of code: it is that of a function, not of a class
GENERATORS = 0x20 | 0x80 | 0x200  # flags of code: it makes a generator or a coroutine
HEADER = 256
BLOCK = 4096
SPARE = 256  # bytes of names that the reason of an early end may need
RUN = 4096  # so many addresses differ in their lowest two bytes alone
LOWEST = bytes(i % 16 * 16 for i in range(RUN)), bytes(i // 16 for i in range(RUN))

Line = Tuple[str, int]
Stack = Tuple[Line, ...]


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def _put(file: Any, data: bytes) -> None:
    """Writes all of data to a file without a buffer."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest):]


class _Functions:
    """Finds the innermost function that has a line of a file, by the code of the file. It is read from where Python
    keeps it compiled, or compiled: a tree of the source would cost far more, as each of its nodes would be traced."""

    def __init__(self) -> None:
        self.files: Dict[str, Tuple[List[int], List[Tuple[int, str]]]] = {}
        self.quiet = False

    def name(self, file: str, line: int) -> str:
        if file not in self.files:
            found: List[Tuple[int, int, str]] = []
            code = self.kept(file) or self.compiled(file)
            if code is not None:
                self.add(code, "", found)
            found.sort(key=lambda f: (f[0], -f[1]))  # outer ones first
            self.files[file] = [f[0] for f in found], [f[1:] for f in found]
        begins, ends = self.files[file]
        for last, name in reversed(ends[:bisect.bisect_right(begins, line)]):
            if line <= last:
                return name
        return "<module>"

    def kept(self, file: str) -> Optional[types.CodeType]:
        """Returns the code that Python itself would load instead of the source."""
        try:
            with open(importlib.util.cache_from_source(file), "rb") as f:
                magic, flags, when, size = struct.unpack("<4sIII", f.read(16))
                source = os.stat(file)
                if magic != importlib.util.MAGIC_NUMBER or flags or (
                        when, size) != (int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF):
                    return None
                code = marshal.loads(f.read())
        except (OSError, struct.error, EOFError, TypeError, ValueError, NotImplementedError):
            return None
        return code if isinstance(code, types.CodeType) else None

    def compiled(self, file: str) -> Optional[types.CodeType]:
        if not self.quiet:  # Python has said its warnings about the source already
            self.quiet = True
            warnings.filterwarnings("ignore", module="<memtui_trace>$")
        try:
            with open(file, "rb") as source:
                return compile(source.read(), "<memtui_trace>", "exec", dont_inherit=True)
        except (OSError, SyntaxError, UnicodeError, ValueError, RecursionError, MemoryError):
            return None

    def add(self, code: types.CodeType, prefix: str, found: List[Tuple[int, int, str]]) -> int:
        """Adds the functions in code, and returns its last line. Comprehensions and lambdas belong to what has them."""
        last = max(_lines(code), default=code.co_firstlineno)
        for inner in code.co_consts:
            if not isinstance(inner, types.CodeType):
                continue
            if inner.co_name.startswith("<"):
                end = self.add(inner, prefix, found)
            else:
                name = "".join((prefix, inner.co_name))  # a copy: the other one would count as allocated by marshal
                end = self.add(inner, name + (".<locals>." if inner.co_flags & OPTIMIZED else "."), found)
                found.append((_begin(inner), end, name))
            last = max(last, end)
        return last


def _begin(code: types.CodeType) -> int:
    """Returns the first line of code that is not the outer one's, whose line makes the function. Generators are made by
    their own code, which has that line."""
    first = code.co_firstlineno
    if code.co_flags & GENERATORS:
        return first
    return min((line for line in _lines(code) if line > first), default=first)


def _lines(code: types.CodeType) -> Iterator[int]:
    """Returns the lines of code."""
    if hasattr(code, "co_lines"):
        return (line for _, _, line in code.co_lines() if line)
    steps = array.array("b", code.co_lnotab[1::2])
    return itertools.accumulate(itertools.chain((code.co_firstlineno,), steps))


class _File:
    """An .mlyze file, whole after each write. The names of its stacks precede events, in room that is kept for them."""

    def __init__(self, path: str, overwrite: bool) -> None:
        self.path = path
        self.start_us = time.time_ns() // 1000
        self.begin = time.monotonic_ns()
        self.room = 16 * BLOCK
        self.last = 0
        self.events = 0
        self.functions: Dict[str, int] = {}
        self.files: Dict[str, int] = {"": 0}
        self.stacks: Dict[Stack, int] = {}
        self.texts: List[str] = []
        self.rss: List[Tuple[int, int]] = []
        self.stopped = ""
        self.named: List[int] = [0, 0, 0]  # the entries of texts, files and functions that the file has
        self.find = _Functions()
        self.file = open(path, "w+b" if overwrite else "x+b", buffering=0, opener=lambda p, flags: os.open(p, flags, 0o600))
        self.write(b"")

    def now(self) -> int:
        return (time.monotonic_ns() - self.begin) // 1000

    def delta(self, now: int) -> bytes:
        d = max(0, now - self.last)
        self.last += d
        self.events += 1
        return _varint(d)

    def stack(self, frames: Stack) -> int:
        number = self.stacks.get(frames)
        if number is None:
            number = self.stacks[frames] = len(self.stacks) + 1
            text = ", ".join('{"file_id": %d, "line": %d, "func_id": %d}' % (
                self.files.setdefault(f, len(self.files)), line,
                self.functions.setdefault(self.find.name(f, line), len(self.functions))) for f, line in frames)
            self.texts.append('"%d": [%s]' % (number, text))
        return number

    def metadata(self) -> bytes:
        facts: Dict[str, Any] = {"frame_order": "leaf_to_root", "recorder": "memtui", "program": sys.executable or "python"}
        if self.rss:
            facts["series"] = [{"name": "RSS", "unit": "bytes", "points": self.rss}]
        if self.stopped:
            facts["stopped"] = self.stopped
        tables = [json.dumps({str(i): name for name, i in table.items()}) for table in (self.files, self.functions)]
        text = '%s, "stack_traces": {%s}, "files": %s, "functions": %s}' % (
            json.dumps(facts)[:-1], ", ".join(self.texts), tables[0], tables[1])
        return text.encode()

    def write(self, events: bytes, ends: Sequence[Tuple[int, int]] = ()) -> None:
        """Adds events. ends are where they can be cut: the bytes up to there, and the events of the file by then. Where
        there is no room for all, those that fit are kept before the error is raised."""
        begin = self.file.seek(0, os.SEEK_END)
        try:
            self.write_names()
            begin = self.file.seek(0, os.SEEK_END)
            _put(self.file, events)
        except OSError:
            fit = self.file.seek(0, os.SEEK_END) - begin
            size, self.events = max((e for e in ends if e[0] <= fit), default=(0, self.events))
            self.file.truncate(begin + size)
            self.forget()
            raise

    def write_names(self) -> None:
        names = self.metadata()
        if HEADER + len(names) + (0 if self.stopped else SPARE) > self.room or self.file.tell() == 0:
            self.make_room(names)
        else:
            self.file.seek(HEADER)
            _put(self.file, names.ljust(self.room - HEADER))
        self.named = [len(self.texts), len(self.files), len(self.functions)]

    def forget(self) -> None:
        """Drops the names that the file has no room for, with the events that need them."""
        del self.texts[self.named[0]:]
        for table, n in (self.files, self.named[1]), (self.functions, self.named[2]):
            for name in list(table)[n:]:
                del table[name]

    def make_room(self, names: bytes) -> None:
        """Replaces the file by one with more room for names."""
        room = self.room
        while room < HEADER + 2 * len(names):
            room *= 2
        head = struct.pack("<4sIQI", b"MTRC", 1, self.start_us, room - HEADER).ljust(HEADER, b"\0")
        if self.file.tell() == 0:
            _put(self.file, head + names.ljust(room - HEADER))
            self.room = room
            return
        new = self.path + ".new"
        copy = open(new, "w+b", buffering=0, opener=lambda p, flags: os.open(p, flags, 0o600))
        try:
            _put(copy, head + names.ljust(room - HEADER))
            self.file.seek(self.room)
            for chunk in iter(lambda: self.file.read(1 << 20), b""):
                _put(copy, chunk)
            os.replace(new, self.path)
        except OSError:
            copy.close()
            os.unlink(new)
            raise
        self.file.close()
        self.file, self.room = copy, room


class _Tracer:
    def __init__(self, path: str, frames: int, interval: float, overwrite: bool, limit: float, max_size: int, report: str) -> None:
        self.file = _File(path, overwrite)
        self.interval, self.limit, self.max_size, self.report = interval, limit, max_size, report
        self.pid = os.getpid()
        self.live: Dict[Tuple[int, Stack], List[Tuple[int, int]]] = {}  # runs of addresses: the first, how many
        self.next = RUN  # addresses are made up: one for each block, in units of 16 bytes
        self.lock = threading.Lock()
        self.done = threading.Event()
        self.ours = not tracemalloc.is_tracing()
        if self.ours:
            tracemalloc.start(frames)
        self.tell()
        self.thread = threading.Thread(target=self.run, name="memtui_trace", daemon=True)
        self.thread.start()

    def tell(self) -> None:
        if self.report:
            with contextlib.suppress(OSError), open(self.report, "a") as f:
                f.write("%d %d %s\n" % (self.pid, self.file.events, self.file.path))

    def run(self) -> None:
        pause = self.interval
        while not self.done.wait(pause):
            before = time.monotonic()
            try:
                with self.lock:
                    if self.done.is_set() or not self.snapshot():
                        return
            except Exception as e:  # the program goes on without it
                self.give_up("the tracer failed: %r" % (e,))
                return
            pause = max(self.interval, SHARE * (time.monotonic() - before))

    def give_up(self, why: str) -> None:
        self.file.stopped = why
        self.done.set()
        if self.ours:
            tracemalloc.stop()
        with contextlib.suppress(OSError, ValueError):
            self.file.write(b"")
        self.tell()

    def put(self, events: bytes, ends: Sequence[Tuple[int, int]]) -> None:
        """Adds events to the file, or ends the recording where that cannot be."""
        try:
            self.file.write(events, ends)
        except OSError as e:
            print("memtui: the recording stops early: %s" % (e.strerror or e), file=sys.stderr)
            self.give_up(e.strerror or str(e))

    def snapshot(self) -> bool:
        """Writes what changed since the last snapshot, and returns whether there will be another."""
        now = self.file.now()
        size = self.resident()
        if size:
            self.file.rss.append((now, size))
        if len(self.file.rss) > 4000:
            self.file.rss = self.file.rss[::2]
        counts = self.counts()
        total = sum(counts.values())
        out = bytearray()
        ends = [(0, self.file.events)]
        for key in [k for k in self.live if k not in counts]:
            self.free(out, now, key, self.have(key))
        for key, n in counts.items():
            more = n - self.have(key)
            if more < 0:
                self.free(out, now, key, -more)
            elif more > 0:
                self.allocate(out, now, key, more)
            if len(out) > ends[-1][0] + BLOCK:
                ends.append((len(out), self.file.events))
        self.put(out, ends)
        if self.done.is_set():
            return False
        self.tell()
        if total > MOST_BLOCKS:
            self.give_up("%d blocks live: a snapshot of more than %d takes too long" % (total, MOST_BLOCKS))
        elif self.limit and now > self.limit * 1e6:
            self.give_up("the time was over")
        elif self.max_size and self.file.file.tell() > self.max_size:
            self.give_up("the file has the size that was allowed")
        return not self.done.is_set()

    def counts(self) -> Dict[Tuple[int, Stack], int]:
        """Returns how many blocks of each size live by stack. It runs in C for the most part: tracemalloc makes each
        object of Python that is allocated meanwhile dear."""
        collects = gc.isenabled()
        gc.disable()  # it would look at the list again and again
        try:
            traces = tracemalloc.take_snapshot().traces._traces  # leaf first; Traceback objects for each cost too much
            kinds = collections.Counter(traces)
        finally:
            if collects:
                gc.enable()
        own = (__file__, tracemalloc.__file__)
        counts: Dict[Tuple[int, Stack], int] = {}
        for (_, size, stack, *_), n in kinds.items():  # by domain, too
            if stack[0][0] not in own:
                counts[size, stack] = counts.get((size, stack), 0) + n
        return counts

    def have(self, key: Tuple[int, Stack]) -> int:
        return sum(n for _, n in self.live.get(key, ()))

    def free(self, out: bytearray, now: int, key: Tuple[int, Stack], less: int) -> None:
        runs = self.live[key]
        while less:
            first, n = runs.pop()
            most = min(n, less)
            if most < n:
                runs.append((first, n - most))
            self.events(out, now, b"\1", first + n - most, most, b"")
            less -= most
        if not runs:
            del self.live[key]

    def allocate(self, out: bytearray, now: int, key: Tuple[int, Stack], more: int) -> None:
        runs = self.live.setdefault(key, [])
        rest = _varint(key[0]) + _varint(self.file.stack(key[1])) + b"\1\0"
        while more:
            most = min(more, RUN - self.next % RUN)
            runs.append((self.next, most))
            self.events(out, now, b"\0", self.next, most, rest)
            self.next += most
            more -= most

    def events(self, out: bytearray, now: int, kind: bytes, first: int, n: int, rest: bytes) -> None:
        """Adds an event for each of n addresses. All but the first are equally long: the addresses are put in byte by
        byte, as they differ in the lowest two alone. No number is made for any of them: tracemalloc would trace it."""
        delta = self.file.delta(now)
        self.file.events += n - 1
        if delta != b"\0":
            out += kind + delta + struct.pack("<Q", 16 * first) + rest
            first, n = first + 1, n - 1
        many = bytearray((kind + b"\0" + struct.pack("<Q", 16 * first) + rest) * n)
        for i in range(2):
            many[2 + i::10 + len(rest)] = LOWEST[i][first % RUN:first % RUN + n]
        out += many

    def resident(self) -> int:
        try:
            with open("/proc/self/statm", "rb") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0

    def marker(self, text: str) -> None:
        with self.lock:
            if not self.done.is_set():
                name = self.file.functions.setdefault(text, len(self.file.functions))
                before = self.file.events
                self.put(b"\3" + self.file.delta(self.file.now()) + _varint(name), [(0, before)])

    def stop(self) -> None:
        if os.getpid() != self.pid:  # a forked child: the file is its parent's
            return
        with self.lock:
            if not self.done.is_set():
                self.snapshot()
                self.done.set()
                if self.ours:
                    tracemalloc.stop()
            with contextlib.suppress(OSError, ValueError):
                self.file.file.close()


_tracer: Optional[_Tracer] = None


def start(path: Optional[str] = None, *, frames: int = 1, interval: float = 1.0, overwrite: bool = False,
          limit: float = 0, max_size: int = 0, report: str = "") -> None:
    """Begins a recording.

    path is the file (python-PID.mlyze in the current folder), which must not exist unless overwrite is set; frames how
    much of each stack is recorded, and more of them cost much more; interval the seconds between snapshots, which is
    longer where they take long. limit ends recording after so many seconds, and max_size when the file has so many
    bytes; the program keeps running. report is for "memtui record".
    """
    global _tracer
    if _tracer is not None:
        raise RuntimeError("a recording goes on already")
    _tracer = _Tracer(path or "python-%d.mlyze" % os.getpid(), frames, interval, overwrite, limit, max_size, report)
    atexit.register(stop)


def stop() -> None:
    """Ends the recording, after a last snapshot. It does nothing where there is none."""
    global _tracer
    if _tracer is not None:
        tracer, _tracer = _tracer, None
        tracer.stop()
        atexit.unregister(stop)


def marker(text: str) -> None:
    """Puts a moment with a name into the recording."""
    if _tracer is not None:
        _tracer.marker(text)


@contextlib.contextmanager
def recording(path: Optional[str] = None, **options: Any) -> Iterator[None]:
    """Records what is done in a with statement; options are those of start."""
    start(path, **options)
    try:
        yield
    finally:
        stop()


def _in_child() -> None:
    """A forked child is not recorded."""
    global _tracer
    if _tracer is not None:
        if _tracer.ours:
            tracemalloc.stop()
        _tracer = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
