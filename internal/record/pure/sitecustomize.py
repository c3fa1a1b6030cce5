# Starts the tracer of memtui record --pure, then makes way for the sitecustomize that would have been loaded instead.
import json
import os
import sys


def _start():
    here = os.path.dirname(os.path.abspath(__file__))
    options = os.environ.pop("MEMTUI_TRACE", None)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != here]
    rest = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and os.path.abspath(p) != here]
    if rest:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)
    if options and sys.version_info >= (3, 8):
        import importlib.util

        try:
            spec = importlib.util.spec_from_file_location("memtui_trace", os.path.join(here, "memtui_trace.py"))
            module = importlib.util.module_from_spec(spec)
            sys.modules["memtui_trace"] = module
            spec.loader.exec_module(module)
            options = json.loads(options)
            options["path"] = options["path"].replace("{pid}", str(os.getpid()))
            module.start(**options)
        except Exception as e:
            sys.stderr.write("memtui: cannot trace this Python: %s\n" % (e,))
    own = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        if own is not None:
            sys.modules["sitecustomize"] = own


_start()
