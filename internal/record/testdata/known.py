"""A program whose allocations are known: known.py MODE."""
import asyncio
import os
import sys
import threading

keep = []


def block(n):
    """Allocates n bytes and what a bytes object needs beside them."""
    return bytes(n)


def leaking(n):
    keep.append(block(n))


def churn(rounds):
    for i in range(rounds):
        block(1000 + i % 10)


def plain():
    churn(2000)
    for i in range(50):
        leaking(100 + i)


def large():
    for _ in range(20):
        leaking(100000)
    grown = bytearray()
    for _ in range(100):
        grown += b"x" * 1000


def much():
    for _ in range(20972):
        leaking(1000)


def threads():
    def worker():
        churn(1000)
        leaking(500)

    started = [threading.Thread(target=worker) for _ in range(4)]
    for t in started:
        t.start()
    for t in started:
        t.join()


def fork():
    leaking(111)
    child = os.fork()
    if child == 0:
        churn(50)
        leaking(222)
        os._exit(0)
    os.waitpid(child, 0)
    leaking(333)


class Failure(Exception):
    pass


def raises(depth):
    if depth == 0:
        leaking(700)
        raise Failure
    raises(depth - 1)


def exceptions():
    for _ in range(100):
        try:
            raises(20)
        except Failure:
            pass


def numbers(n):
    for i in range(n):
        leaking(600)
        yield i


def generators():
    total = sum(x for x in numbers(100))
    assert total == 4950
    a, b = numbers(10), numbers(10)
    for _ in zip(a, b):
        pass


async def waits(n):
    for _ in range(n):
        await asyncio.sleep(0)
        leaking(800)


async def all_wait():
    await asyncio.gather(*(waits(10) for _ in range(10)))


def coroutines():
    asyncio.run(all_wait())


def evaluated():
    for i in range(300):  # code that is made and freed
        exec(compile("def made():\n  leaking(900)\nmade()", "made.py", "exec"), {"leaking": leaking})


def deep(n=200):
    if n == 0:
        leaking(1100)
    else:
        deep(n - 1)


class Größe:
    def __init__(self):
        self.block = block(1200)


def letters():
    keep.append(Größe())


def ways():
    for way in threads, exceptions, generators, coroutines, evaluated, deep, letters:
        way()


def killed():
    plain()
    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    globals()[sys.argv[1] if len(sys.argv) > 1 else "plain"]()
