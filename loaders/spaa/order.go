package spaa

import "github.com/memtui/memtui/model"

// frameFacts is what only the rules about order and inlining ask of a frame.
type frameFacts struct {
	line       int64
	ip, symoff uint64
	dso        uint64
	depth      int32
}

// orders holds records against the rules about their order.
type orders struct {
	begun  bool
	deep   bool             // a frame says that it is inlined in another one
	dso    map[uint64]int64 // line of the definition
	frames map[uint64]frameFacts
	waits  []waiting

	threads map[int64]spot     // by tid, of those listed
	named   map[int64]struct{} // tids of records that came before their thread, if that comes at all
}

// spot is where a record stands in the file.
type spot struct{ at, line int64 }

// waiting is a frame that names a DSO which had not been defined.
type waiting struct {
	frame, dso uint64
	at, line   int64
}

func (o *orders) init() {
	o.dso, o.frames, o.threads, o.named = map[uint64]int64{}, map[uint64]frameFacts{}, map[int64]spot{}, map[int64]struct{}{}
}

// maxWaiting bounds what is remembered: the first such frame is as good as a million.
const maxWaiting = 1 << 16

// wait remembers a frame whose DSO is not defined.
func (o *orders) wait(b *builder, dso uint64, p place, frame uint64) {
	if len(o.waits) < maxWaiting {
		o.waits = append(o.waits, waiting{frame, dso, b.at(p), b.line(p)})
	}
}

// lists notes a thread of the dictionary.
func (o *orders) lists(b *builder, tid int64, p place) {
	here := spot{b.at(p), b.line(p)}
	if _, early := o.named[tid]; early {
		b.lateThread(tid, here)
	}
	if _, twice := o.threads[tid]; !twice {
		o.threads[tid] = here
	}
}

// names notes a thread that a record names.
func (o *orders) names(b *builder, tid int64, p place) {
	if t, ok := o.threads[tid]; !ok {
		o.named[tid] = struct{}{}
	} else if t.line > b.line(p) { // of the same block
		b.lateThread(tid, t)
	}
}

func (b *builder) lateThread(tid int64, s spot) {
	b.found.say(model.Error, "order", s.at, s.line, "thread %d stands behind records that name it", tid)
}

func (o *orders) finish(b *builder) {
	for _, w := range o.waits {
		if _, ok := o.dso[w.dso]; ok {
			b.found.say(model.Error, "order", w.at, w.line, "frame %d stands before its dso %d", w.frame, w.dso)
		} else {
			b.found.say(model.Error, "reference", w.at, w.line, "frame %d names the dso %d, which does not exist", w.frame, w.dso)
		}
	}
}

// inOrder holds a stack against the rules that its frames come before it and that inlined frames stand by their depth.
func (b *builder) inOrder(r *stackRecord, ids []uint64) {
	var last frameFacts
	for i := range ids {
		id := ids[i]
		if !b.leafFirst {
			id = ids[len(ids)-1-i]
		}
		f, ok := b.order.frames[id]
		if !ok {
			last = frameFacts{}
			continue
		}
		if f.line > b.line(r.place) {
			b.problem(model.Error, "order", r.place, "stack %s stands before its frame %d", r.id, id)
		}
		if f.ip != 0 && f.ip == last.ip && f.depth >= 0 && last.depth > 0 {
			if f.dso != last.dso {
				b.problem(model.Warning, "inline-order", r.place, "inlined frames of stack %s at one address differ in dso", r.id)
			} else if f.depth >= last.depth {
				b.problem(model.Error, "inline-order", r.place, "inlined frames of stack %s do not stand deepest first", r.id)
			}
			if f.symoff != last.symoff {
				b.problem(model.Warning, "inline-order", r.place, "inlined frames of stack %s at one address differ in symoff", r.id)
			}
		}
		last = f
	}
}
