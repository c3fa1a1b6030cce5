import sys, threading, time
sys.path.insert(0, sys.argv[1])
import heapdump
class Boom:
    def __repr__(self): raise SystemExit("repr was run")
    def __len__(self): raise SystemExit("len was run")
    def __getattr__(self, n): raise SystemExit("getattr was run: " + n)
    def __eq__(self, o): raise SystemExit("eq was run")
    __hash__ = None
    def __sizeof__(self): raise SystemExit("sizeof was run")
    @property
    def __class__(self): raise SystemExit("class was run")
class Token:
    def __init__(self, n):
        self.text = "secret-%d" % n
        self.number = n
class Slotted:
    __slots__ = ("left", "right")
    def __init__(self): self.left, self.right = [1], (2,)
class Cache:
    TOKENS = {}
for i in range(500): Cache.TOKENS["key-%d" % i] = Token(i)
class Holder:
    def __init__(self): self.table = {"secret_user": 1}
KEPT = [Boom(), Slotted(), Holder()]
def wait(mine):
    local = bytearray(123456)
    ready.set(); time.sleep(60); print(mine, local)
ready = threading.Event()
threading.Thread(target=wait, args=([1, 2],), daemon=True, name="waiter").start()
ready.wait()
heapdump.dump(sys.argv[2])
print("ok")
sys.stdout.flush()
import os; os._exit(0)
