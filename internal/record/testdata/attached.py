"""A program that runs: for each line it gets, it allocates blocks that are known, and says when it has."""
import sys
import threading

keep = [bytes(200) for _ in range(4000)]


def block(n):
    return bytes(n)


def leaking(n):
    keep.append(block(n))


def churn(rounds):
    for i in range(rounds):
        block(1000 + i % 10)


def work():
    churn(100)
    for i in range(50):
        leaking(100 + i)
    del keep[:500]  # blocks from before


for line in sys.stdin:
    for _ in range(100):  # Python does between these what was left for it
        pass
    work()
    t = threading.Thread(target=work)
    t.start()
    t.join()
    print("done", flush=True)
