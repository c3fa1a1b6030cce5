"""Programs that allocate much, to measure what recording costs: workloads.py MODE."""
import asyncio
import json
import re
import sys


def churn():
    rows = {str(i): {"name": "row %d" % i, "tags": list(range(i % 20))} for i in range(1500)}
    words = re.compile(r"[a-z]+ \d+")
    for _ in range(180):
        text = json.dumps(rows)
        found = words.findall(text)
        back = json.loads(text)
        counts = {}
        for word in found:
            counts[word] = counts.get(word, 0) + len(back)


def big_list():
    keep = [{"id": i, "name": str(i)} for i in range(1500000)]
    return len(keep)


async def serve(reader, writer):
    while True:
        line = await reader.readline()
        if not line:
            break
        writer.write(json.dumps({"length": len(line)}).encode() + b"\n")
        await writer.drain()
    writer.close()


async def ask(port, n):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for i in range(n):
        writer.write(b"x" * (i % 100) + b"\n")
        await reader.readline()
    writer.close()


async def server():
    s = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = s.sockets[0].getsockname()[1]
    await asyncio.gather(*(ask(port, 1500) for _ in range(10)))
    s.close()


def million():
    """Allocates a million blocks, of which a fifth lives at once."""
    for _ in range(5):
        keep = None
        keep = [b"%08d" % i for i in range(200000)]
    return len(keep)


modes = {"million": million, "churn": churn, "list": big_list, "asyncio": lambda: asyncio.run(server())}
modes[sys.argv[1]]()
