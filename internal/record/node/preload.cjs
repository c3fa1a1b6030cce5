'use strict';
// Preloaded into Node.js by memtui record: tells the recorder which objects live, by the stack that allocated them.
//
// V8's sampling heap profiler chooses objects at random, one every so many allocated bytes, and lists those that live.
// Looking at that list forces a collection, so it is done seldom: at most a fiftieth of the processor time. An object that is new
// in the list was allocated since the last look, one that is missing was collected. Objects that came and went between
// two looks are not seen.
//
// Lines of JSON go to the pipe that MEMTUI_LINES names:
//   {"pid": 7}                                           first
//   {"frame": {"function": "f", "file": "a.js", "line": 1}}   frames count from 1
//   {"stack": [2, 1]}                                    numbers of frames, leaf first; stacks count from 1
//   {"at": 5, "take": [1, 80, 1]}                        microseconds; an object, its bytes, its stack
//   {"at": 6, "free": 1}                                 an object
//   {"looked": 6}                                        all that lived then was told
//   {"at": 6, "gc": 4096}                                bytes that a full collection freed
//   {"at": 6, "values": {"heapUsed": 80}}                bytes

const fs = require('fs');
const path = require('path');

const pipe = process.env.MEMTUI_LINES;
const wrappers = ['npm-cli.js', 'npx-cli.js', 'yarn.js', 'pnpm.cjs', 'corepack.js'];
const self = path.basename(__filename);
const wraps = wrappers.includes(path.basename(process.argv[1] || ''));

if (pipe && !wraps && require('worker_threads').isMainThread) {
  if (!process.env.MEMTUI_FOLLOW) {
    delete process.env.MEMTUI_LINES;
    const left = (process.env.NODE_OPTIONS || '').replace(/--require "[^"]*memtui-preload\.cjs"/, '').trim();
    if (left) process.env.NODE_OPTIONS = left;
    else delete process.env.NODE_OPTIONS;
  }
  try {
    start(fs.openSync(pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  } catch {
    // The recorder is gone: the program goes on without it.
  }
}

function start(out) {
  const inspector = require('inspector');
  const { PerformanceObserver } = require('perf_hooks');
  const session = new inspector.Session();
  const frames = new Map(), stacks = new Map();
  let live = new Set(), failed = false, used = 0, due = 0;

  const now = () => Number(process.hrtime.bigint() / 1000n);

  // put writes text, and waits while the pipe is full.
  function put(text) {
    let b = Buffer.from(text);
    while (b.length > 0 && !failed) {
      try {
        b = b.subarray(fs.writeSync(out, b));
      } catch (e) {
        if (e.code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        else failed = true;
      }
    }
  }
  const line = (o) => JSON.stringify(o) + '\n';

  // nameOf names functions without a name by where they are: V8 knows the others, also by what they are assigned to.
  function nameOf(call, file) {
    if (call.functionName || !file) return call.functionName || '(anonymous)';
    if (call.lineNumber === 0 && call.columnNumber === 0) return `(module ${path.basename(file)})`;
    return `(anonymous ${path.basename(file)}:${call.lineNumber + 1})`;
  }

  function frameOf(call, add) {
    const file = call.url.replace(/^file:\/\//, '');
    const frame = { function: nameOf(call, file), file, line: call.lineNumber + 1 };
    const key = JSON.stringify(frame);
    let n = frames.get(key);
    if (!n) {
      n = frames.size + 1;
      frames.set(key, n);
      add(line({ frame }));
    }
    return n;
  }

  // look tells what is new in the list of sampled objects and, unless the program ends, what is missing.
  function look(ends) {
    session.post('HeapProfiler.getSamplingProfile', (err, result) => {
      if (err) return;
      const at = now(), text = [], add = (s) => text.push(s), stackOf = new Map(), seen = new Set();
      (function walk(node, above) {
        let path = above;
        if (node.callFrame.url.endsWith(self)) return; // of this module
        if (node.callFrame.functionName !== '(root)') path = [frameOf(node.callFrame, add), ...above];
        const key = path.join();
        if (!stacks.has(key)) {
          stacks.set(key, stacks.size + 1);
          add(line({ stack: path }));
        }
        stackOf.set(node.id, stacks.get(key));
        for (const child of node.children) walk(child, path);
      })(result.profile.head, []);
      for (const s of result.profile.samples) {
        if (!stackOf.has(s.nodeId)) continue;
        seen.add(s.ordinal);
        if (!live.has(s.ordinal)) add(line({ at, take: [s.ordinal, Math.round(s.size), stackOf.get(s.nodeId)] }));
      }
      for (const ordinal of live) if (!ends && !seen.has(ordinal)) add(line({ at, free: ordinal }));
      live = seen;
      add(line({ looked: at }));
      put(text.join(''));
    });
  }

  function measure() {
    const m = process.memoryUsage();
    used = m.heapUsed;
    put(line({ at: now(), values: { heapUsed: m.heapUsed, heapTotal: m.heapTotal, external: m.external, arrayBuffers: m.arrayBuffers } }));
  }

  put(line({ pid: process.pid }));
  session.connect();
  session.post('HeapProfiler.enable');
  session.post('HeapProfiler.startSampling', {
    samplingInterval: Number(process.env.MEMTUI_PERIOD) || 32768,
    stackDepth: Number(process.env.MEMTUI_FRAMES) || 64,
  });
  measure();
  setInterval(() => {
    measure();
    if (now() < due) return;
    const before = process.cpuUsage(); // on a busy machine, a look takes long without costing more
    look(false);
    const cost = process.cpuUsage(before);
    due = now() + Math.max(250000, 50 * (cost.user + cost.system));
  }, 100).unref();
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) {
      if (e.detail && e.detail.kind === 4) { // mark-sweep-compact
        const before = used;
        measure();
        put(line({ at: now(), gc: Math.max(0, before - used) }));
      }
    }
  }).observe({ entryTypes: ['gc'] });
  let dumps = 0;
  process.on('SIGUSR2', () => {
    const file = `${process.env.MEMTUI_SNAPSHOTS || 'node'}-${process.pid}-${++dumps}.heapsnapshot`;
    require('v8').writeHeapSnapshot(file);
    put(line({ wrote: path.resolve(file) }));
  });
  process.on('exit', () => {
    look(true); // what the program drops now is no concern of its memory
    measure();
  });
}
