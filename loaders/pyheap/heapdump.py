"""Writes every object of this Python process, its size and what it refers to, as text: one JSON object on a line.

    import heapdump
    heapdump.dump("app.pydump")                  # from within the program

    python3 -c "import heapdump, app; app.main(); heapdump.dump('app.pydump')"

    # into a running process, Python 3.14 and later: it writes /tmp/PID.pydump, which must not be there yet
    python3.14 -c "import sys; sys.remote_exec(PID, '/path/of/heapdump.py')"

Needs nothing but the standard library, of Python 3.6 and later. It changes nothing in the program and runs none of its code: no
repr, no __len__ or __getattr__ of a class of the program's, and no __dict__ that is not there yet. Texts, bytes, numbers and the keys of
dicts that are no namespaces may be secrets: they are written only with values=True. The file is readable by its owner only.

memtui shows it: memtui app.pydump
"""

import gc
import json
import os
import sys
import time
import types
from typing import Any, Dict, Iterable, List, Optional, Set, Union

VERSION = 1
TEXT = 200  # characters of a text that are kept
DIGITS = 1 << 4096  # integers beyond are not written: their digits would take long

Key = Union[str, int, None]

_type_module = type.__dict__["__module__"].__get__
_type_name = type.__dict__["__qualname__"].__get__
_type_dict = type.__dict__["__dict__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_type_flags = type.__dict__["__flags__"].__get__
_module_dict = types.ModuleType.__dict__["__dict__"].__get__

HEAP_TYPE = 1 << 9  # a class that is made while the program runs, of those of Python code
def _cell() -> Any:
    """returns the type of cells, which Python before 3.8 has no name for"""
    x = 0
    return type((lambda: x).__closure__[0])  # type: ignore


_CELL = _cell()
INLINE_VALUES = sys.version_info >= (3, 11)  # instances may have attributes without a dict


def _text(value: Any) -> str:
    """returns a value that should be a str, without asking subclasses for anything"""
    return value if type(value) is str else "?"


def _name_of(cls: type) -> str:
    """returns the name of a class with its module, that of builtins left out"""
    module = _namespace(cls).get("__module__")
    if _type_flags(cls) & HEAP_TYPE == 0:
        module = _type_module(cls)
    name = _text(_type_name(cls))
    return name if type(module) is not str or module == "builtins" else module + "." + name


def _namespace(cls: type) -> Any:
    """returns the namespace of a class; Python before 3.10 lists classes that have none yet"""
    return _type_dict(cls) or {}


def _mro(cls: type) -> Any:
    """returns a class and its bases"""
    return _type_mro(cls) or ()


def _slots(cls: type) -> List[str]:
    """returns the names of the slots of a class, in the order of the collector"""
    names: List[str] = []
    for base in reversed(_mro(cls)):
        own = _namespace(base)
        for name, value in own.items():
            if type(value) is types.MemberDescriptorType and type(name) is str:
                names.append(name)
    return names


class _Dump:
    """is one dump on its way into a file"""

    def __init__(self, out: Any, values: bool) -> None:
        self.out = out
        self.values = values
        self.seen: Set[int] = set()
        self.own: Set[int] = set()  # what the dump itself allocates
        self.todo: List[Any] = []
        self.namespaces: Set[int] = set()  # dicts whose keys are names of the program's code
        self.slots: Dict[int, List[str]] = {}
        self.own.update(map(id, (self, out, self.seen, self.own, self.todo, self.namespaces, self.slots)))
        for part in (getattr(out, "buffer", None), getattr(getattr(out, "buffer", None), "raw", None)):
            self.own.add(id(part) if part is not None else 0)

    def write(self, line: Dict[str, Any]) -> None:
        self.out.write(json.dumps(line, separators=(",", ":")) + "\n")

    def mine(self, o: Any) -> bool:
        """reports whether an object is the dump's own"""
        if id(o) in self.own:
            return True
        kind = type(o)
        if kind is types.FrameType:
            return True
        return kind is dict and id(o) == id(self.__dict__)

    def root(self, kind: str, name: str, objects: Iterable[Any], **more: Any) -> None:
        kept = [o for o in objects if not self.mine(o)]
        self.write(dict({"root": kind, "name": name, "refs": [id(o) for o in kept]}, **more))
        self.todo.extend(kept)

    def roots(self) -> None:
        for name, module in sorted(((n, m) for n, m in list(sys.modules.items()) if type(n) is str), key=lambda pair: pair[0]):
            if module is not None:
                if type(module) is types.ModuleType:
                    self.namespaces.add(id(_module_dict(module)))
                self.root("module", name, [module])
        self.frames()
        self.root("builtins", "types", [type, object])

    def frames(self) -> None:
        threads = self.threads()
        for number, frame in sys._current_frames().items():
            depth = 0
            while frame is not None:
                code = frame.f_code
                if frame.f_globals is not globals():
                    module = frame.f_locals is frame.f_globals
                    named = {} if module else dict(frame.f_locals)
                    held = {k: v for k, v in named.items() if not self.mine(v)}
                    more = {"thread": number, "depth": depth, "file": code.co_filename, "line": frame.f_lineno or 0, "keys": list(held)}
                    more.update(threads.get(number, {}))
                    self.root("frame", code.co_name, held.values(), **more)
                    self.own.update((id(named), id(held)))
                    depth += 1
                frame = frame.f_back

    @staticmethod
    def threads() -> Dict[int, Dict[str, Any]]:
        """returns what threading knows of the threads, where the program uses it"""
        known: Dict[int, Dict[str, Any]] = {}
        threading = sys.modules.get("threading")
        for number, thread in list(getattr(threading, "_active", {}).items()):
            try:
                known[number] = {"thread_name": _text(object.__getattribute__(thread, "_name")), "thread_object": id(thread)}
            except AttributeError:
                pass
        return known

    def walk(self) -> None:
        while self.todo:
            o = self.todo.pop()
            if id(o) in self.seen or self.mine(o):
                continue
            self.seen.add(id(o))
            refs = [r for r in gc.get_referents(o) if not self.mine(r)]
            self.write(self.describe(o, refs))
            self.todo.extend(refs)
            self.todo.append(type(o))

    def describe(self, o: Any, refs: List[Any]) -> Dict[str, Any]:
        kind = type(o)
        d: Dict[str, Any] = {"address": id(o), "type": _name_of(kind), "class": id(kind), "size": self.size(o)}
        for base in (str, bytes, bytearray, list, tuple, dict, set, frozenset):
            if kind is base:
                d["len"] = base.__len__(o)
        if self.values:
            self.value(d, o)
        self.name(d, o)
        if gc.is_tracked(o):
            d["gc"] = 1
        d["refs"] = [id(r) for r in refs]
        keys = self.keys(o, refs)
        if keys is not None and any(k is not None for k in keys):
            d["keys"] = keys
        return d

    @staticmethod
    def size(o: Any) -> int:
        """returns the bytes of an object, asking no __sizeof__ of the program's"""
        for base in _mro(type(o)):
            if _type_flags(base) & HEAP_TYPE == 0:
                break
            if "__sizeof__" in _namespace(base):
                return object.__sizeof__(o) + (16 if gc.is_tracked(o) else 0)
        return sys.getsizeof(o, 0)

    @staticmethod
    def value(d: Dict[str, Any], o: Any) -> None:
        kind = type(o)
        if kind is str:
            d["value"] = o[:TEXT]
        elif kind in (bytes, bytearray):
            d["value"] = bytes(o[:TEXT]).decode("latin-1")
        elif kind in (bool, float, complex) or kind is int and -DIGITS < o < DIGITS:
            d["value"] = repr(o)[:TEXT]

    def name(self, d: Dict[str, Any], o: Any) -> None:
        kind = type(o)
        if issubclass(kind, type):
            d["name"] = _name_of(o)
            self.namespaces.update(id(r) for r in gc.get_referents(o) if type(r) is dict)
        elif kind in (types.FunctionType, types.BuiltinFunctionType):
            d["name"] = _text(o.__qualname__)
        elif kind is types.ModuleType:
            d["name"] = _text(_module_dict(o).get("__name__"))
            self.namespaces.add(id(_module_dict(o)))
        elif kind is types.CodeType:
            d.update(name=o.co_name, file=o.co_filename, line=o.co_firstlineno)
        elif _type_flags(kind) & HEAP_TYPE:
            self.namespaces.update(id(r) for r in gc.get_referents(o) if type(r) is dict and self.is_dict_of(o, r))

    def is_dict_of(self, o: Any, d: Dict[Any, Any]) -> bool:
        """reports whether a dict that an instance refers to is sure to hold its attributes. An attribute may be a dict, too, whose keys may
        be secret: it can be the one where attributes stand in the object, or in slots"""
        return not INLINE_VALUES and not self.slots_of(type(o)) and not issubclass(type(o), (dict, list, tuple, set)) \
            and all(type(k) is str for k in dict.keys(d))

    def slots_of(self, kind: type) -> List[str]:
        slots = self.slots.get(id(kind))
        if slots is None:
            slots = self.slots[id(kind)] = _slots(kind)
        return slots

    def keys(self, o: Any, refs: List[Any]) -> Optional[List[Key]]:
        """returns the names of references, None where none is known"""
        kind = type(o)
        if issubclass(kind, dict):
            return self.keys_of_dict(o, refs)
        if kind in (list, tuple):
            return self.matched({id(v): n for n, v in reversed(list(enumerate(o)))}, refs)
        if kind is types.FunctionType:
            parts = ("__code__", "__globals__", "__defaults__", "__kwdefaults__", "__closure__")
            return self.matched({id(getattr(o, p)): p for p in parts if getattr(o, p) is not None}, refs)
        if kind is _CELL:
            return ["cell_contents"] * len(refs)
        if kind is types.ModuleType:
            return self.matched({id(_module_dict(o)): "__dict__"}, refs)
        if _type_flags(kind) & HEAP_TYPE and not issubclass(kind, type):
            return self.keys_of_instance(o, kind, refs)
        return None

    @staticmethod
    def matched(names: Dict[int, Key], refs: List[Any]) -> List[Key]:
        return [names.get(id(r)) for r in refs]

    def keys_of_dict(self, o: Any, refs: List[Any]) -> List[Key]:
        named = self.values or id(o) in self.namespaces
        names: Dict[int, Key] = {}
        for key, value in dict.items(o):
            names.setdefault(id(value), key[:TEXT] if named and type(key) is str else "<value>")
        for key in dict.keys(o):
            names.setdefault(id(key), "<key>")
        return self.matched(names, refs)

    def keys_of_instance(self, o: Any, kind: type, refs: List[Any]) -> Optional[List[Key]]:
        """names attributes in slots by asking for them, and those in the object itself by the names that its class keeps"""
        names: Dict[int, Key] = {}
        for name in self.slots_of(kind):
            for base in _mro(kind):
                member = _namespace(base).get(name)
                if type(member) is types.MemberDescriptorType:
                    try:
                        names.setdefault(id(member.__get__(o, kind)), name)
                    except AttributeError:
                        pass
                    break
        for r in refs:
            if type(r) is dict and id(r) in self.namespaces:
                names.setdefault(id(r), "__dict__")
        if INLINE_VALUES:
            self.inline(o, kind, refs, names)
        names.setdefault(id(kind), None)
        return self.matched(names, refs)

    def inline(self, o: Any, kind: type, refs: List[Any], names: Dict[int, Key]) -> None:
        """names attributes that stand in the object. Asking for its __dict__ would make one: each is asked for by the names that the code
        of the class uses"""
        if any(type(r) is dict and id(r) in self.namespaces for r in refs):
            return
        for name in self.attributes(kind):
            if any(name in _namespace(base) for base in _mro(kind)):
                continue  # a method, or what would run code
            try:
                names.setdefault(id(object.__getattribute__(o, name)), name)
            except AttributeError:
                pass

    def attributes(self, kind: type) -> List[str]:
        """returns the names that methods of a class and of its bases use"""
        key = id(kind) ^ 1
        known = self.slots.get(key)
        if known is None:
            found: Dict[str, None] = {}
            for base in _mro(kind):
                for value in list(_namespace(base).values()):
                    if type(value) is types.FunctionType:
                        found.update(dict.fromkeys(value.__code__.co_names))
            known = self.slots[key] = list(found)
        return known


def dump(path: str, values: bool = False, new: bool = False) -> int:
    """writes all objects of the process to a new file at path, and returns how many there are. values says that texts, numbers and
    keys of dicts are written, too, which may be secret; new that the file must not be there yet"""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    number = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_EXCL if new else os.O_TRUNC), 0o600)
    try:
        os.fchmod(number, 0o600)  # of a file that was there, too
        tracked = gc.get_objects()
        with os.fdopen(number, "w", encoding="ascii", buffering=1 << 20) as out:
            d = _Dump(out, values)
            d.own.add(id(tracked))
            d.write({"format": "memtui-pydump", "version": VERSION, "python": sys.version.split()[0], "implementation": sys.implementation.name,
                     "pid": os.getpid(), "time": time.time(), "pointer": 8 if sys.maxsize > 2**32 else 4, "values": values})
            d.roots()
            d.walk()
            lost = [o for o in tracked if id(o) not in d.seen and not d.mine(o)]
            d.own.add(id(lost))
            d.root("unknown", "tracked, not reached", lost)
            d.walk()
            return len(d.seen)
    finally:
        if enabled:
            gc.enable()


if __name__ == "builtins":  # injected: code that sys.remote_exec runs is in no module
    dump("/tmp/%d.pydump" % os.getpid(), new=True)
