package spaa

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// frameFacts is the data of a frame that only the rules about order and inlining need.
type frameFacts struct {
	line       int64
	ip, symoff uint64
	dso        uint64
	depth      int32
}

// orders checks records against the rules about their order.
type orders struct {
	begun  bool
	passed bool             // the first record is too long: it may be the header
	deep   bool             // a frame states that it is inlined into another one
	dso    map[uint64]int64 // line of the definition
	frames map[uint64]frameFacts
	waits  map[uint64]*waiting // by DSO
	more   waiting             // the first frame whose DSO does not fit waits

	most int // DSOs in waits

	threads map[int64]spot     // by tid, of those listed
	named   map[int64]struct{} // tids of records before their thread, if that is listed at all
}

// spot is the position of a record in the file.
type spot struct{ at, line int64 }

// waiting are frames of a DSO that had not been defined: the first of them, and their number.
type waiting struct {
	frame    uint64
	at, line int64
	count    int64
}

func (o *orders) init() {
	o.dso, o.frames, o.threads, o.named = map[uint64]int64{}, map[uint64]frameFacts{}, map[int64]spot{}, map[int64]struct{}{}
	o.waits, o.most = map[uint64]*waiting{}, maxWaiting
}

// maxWaiting bounds how many undefined DSOs are remembered.
const maxWaiting = 1 << 16

// wait remembers a frame whose DSO is not defined.
func (o *orders) wait(b *builder, dso uint64, p place, frame uint64) {
	w := o.waits[dso]
	if w == nil && len(o.waits) >= o.most {
		w = &o.more
	}
	if w == nil {
		w = &waiting{}
		o.waits[dso] = w
	}
	if w.count == 0 {
		*w = waiting{frame: frame, at: b.at(p), line: b.line(p)}
	}
	w.count++
}

// lists records a thread of the dictionary.
func (o *orders) lists(b *builder, tid int64, p place) {
	here := spot{b.at(p), b.line(p)}
	if _, early := o.named[tid]; early {
		b.lateThread(tid, here)
	}
	if _, twice := o.threads[tid]; !twice {
		o.threads[tid] = here
	}
}

// names records a thread that a record names.
func (o *orders) names(b *builder, tid int64, p place) {
	if t, ok := o.threads[tid]; !ok {
		o.named[tid] = struct{}{}
	} else if t.line > b.line(p) { // of the same block
		b.lateThread(tid, t)
	}
}

func (b *builder) lateThread(tid int64, s spot) {
	b.found.record(model.Error, "order", s.at, s.line, "thread %d comes after records that name it", tid)
}

func (o *orders) finish(b *builder) {
	for dso, w := range o.waits {
		rule, text := "reference", fmt.Sprintf("frame %d names the dso %d, which does not exist", w.frame, dso)
		if _, ok := o.dso[dso]; ok {
			rule, text = "order", fmt.Sprintf("frame %d comes before its dso %d", w.frame, dso)
		}
		b.found.join(model.Problem{Severity: model.Error, Code: rule, Message: text, Count: w.count, Offset: w.at, Line: w.line})
	}
	if w := o.more; w.count > 0 {
		b.found.add(model.Problem{Severity: model.Error, Code: "too-large", Count: w.count, Offset: w.at,
			Line: w.line, Message: fmt.Sprintf(
				"frames name more dsos not yet defined than the limit of %s: whether the others exist was not checked; it cannot be raised", model.Group(uint64(o.most)))})
	}
}

// inOrder checks that the frames of a stack precede it and that inlined frames are ordered by their depth.
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
			b.problem(model.Error, "order", r.place, "stack %s comes before its frame %d", r.id, id)
		}
		if f.ip != 0 && f.ip == last.ip && f.depth >= 0 && last.depth > 0 {
			if f.dso != last.dso {
				b.problem(model.Warning, "inline-order", r.place, "inlined frames of stack %s at one address differ in dso", r.id)
			} else if f.depth >= last.depth {
				b.problem(model.Error, "inline-order", r.place, "inlined frames of stack %s are not deepest first", r.id)
			}
			if f.symoff != last.symoff {
				b.problem(model.Warning, "inline-order", r.place, "inlined frames of stack %s at one address differ in symoff", r.id)
			}
		}
		last = f
	}
}
