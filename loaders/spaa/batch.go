package spaa

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// place is the position of a record in its block.
type place struct {
	at   uint32 // bytes
	line uint32
}

// issue is a problem of records of a block.
type issue struct {
	rule     string
	severity model.Severity
	message  string // about the first one
	place    place
	count    int64
}

// weight is the value of one metric of a record; the metric is a name of the block's worker.
type weight struct {
	metric uint32
	value  model.Number
}

// unitNote is a metric's unit, as first found by a worker.
type unitNote struct {
	metric uint32
	unit   string
}

// span is a part of one of a batch's lists.
type span struct{ from, to uint32 }

type dsoRecord struct {
	place
	id  uint64
	dso model.DSO
}

type frameRecord struct {
	place
	id, dso    uint64
	dsoKnown   bool
	function   []byte
	source     []byte // of srcline
	kind       model.FrameKind
	flags      model.FrameFlags
	ip, symoff uint64 // hashes of the written text, 0 for nothing
	depth      int32  // of inlining, -1 if absent
}

type threadRecord struct {
	place
	pid, tid int64
	comm     []byte
}

// noName is the event of a record that has none.
const noName = ^uint32(0)

type stackRecord struct {
	place
	id        identifier
	frames    span // of batch.ids
	weights   span // of batch.weights
	exclusive span // of batch.weights
	related   span // of batch.related
	leaf      uint64
	hasLeaf   bool // leaf is the frame of exclusive
	event     uint32
	cpu       uint16
	pid, tid  int64
	comm      []byte
}

type sampleRecord struct {
	place
	time, period float64
	id           uint64 // an index of batch.texts if kind is IDText
	label        uint32 // index of batch.labels
	kind         model.IDKind
}

// sampleLabel is the event and place of many samples.
type sampleLabel struct {
	pid, tid int64
	event    uint32
	cpu      uint16
}

type windowRecord struct {
	place
	id         string
	start, end float64
	unit       string
	rows       []windowRow
}

type windowRow struct {
	id      identifier
	weights span // of batch.weights
}

type headerRecord struct {
	place
	header header
}

// batch is the contents of one block. Byte slices point into the block.
type batch struct {
	lines int64    // including the one that the end of the block cuts off
	lost  int64    // bytes of unusable lines
	bad   []uint32 // where unusable lines start
	first place    // of the first record
	kind  recordType
	seen  bool // there is a first record

	problems int64 // number of problems, including minor ones
	issues   []issue
	headers  []headerRecord
	dsos     []dsoRecord
	frames   []frameRecord
	threads  []threadRecord
	stacks   []stackRecord
	samples  []sampleRecord
	windows  []windowRecord

	labels  []sampleLabel // of samples; some may be duplicates
	texts   [][]byte      // ids of samples
	ids     []uint64
	weights []weight
	related []identifier
	units   []unitNote
	names   []string // events and metrics of the worker so far; only ever grows
	worker  int
}

func (b *batch) reset() {
	clear(b.issues)
	clear(b.texts)
	*b = batch{
		issues: b.issues[:0], bad: b.bad[:0], headers: b.headers[:0], dsos: b.dsos[:0], frames: b.frames[:0], threads: b.threads[:0],
		stacks: b.stacks[:0], samples: b.samples[:0], windows: b.windows[:0], labels: b.labels[:0], texts: b.texts[:0],
		ids: b.ids[:0], weights: b.weights[:0], related: b.related[:0], units: b.units[:0],
	}
}

// issue records a problem of a record. Only the first of a kind is described.
func (b *batch) issue(severity model.Severity, rule string, p place, format string, args ...any) {
	b.problems++
	for i := range b.issues {
		if q := &b.issues[i]; q.rule == rule && q.severity == severity {
			q.count++
			return
		}
	}
	b.issues = append(b.issues, issue{rule, severity, fmt.Sprintf(format, args...), p, 1})
}

// keep stores the id of a sample for [batch.idOf].
func (b *batch) keep(id identifier) (kind model.IDKind, value uint64) {
	if id.kind != model.IDText {
		return id.kind, id.value
	}
	b.texts = append(b.texts, id.text)
	return id.kind, uint64(len(b.texts) - 1)
}

// idOf returns the id of the stack that a sample names.
func (b *batch) idOf(r *sampleRecord) identifier {
	if r.kind == model.IDText {
		return identifier{kind: r.kind, text: b.texts[r.id]}
	}
	return identifier{kind: r.kind, value: r.id}
}

// nameTable numbers the names of events and metrics found by one worker.
type nameTable struct {
	number map[string]uint32
	list   []string
	last   [8]uint32 // recently used numbers, by length
}

// find returns the number of a name.
func (t *nameTable) find(name []byte) uint32 {
	slot := &t.last[len(name)%len(t.last)]
	if int(*slot) < len(t.list) && t.list[*slot] == string(name) {
		return *slot
	}
	n, ok := t.number[string(name)]
	if !ok {
		if t.number == nil {
			t.number = map[string]uint32{}
		}
		n = uint32(len(t.list))
		t.list = append(t.list, string(name))
		t.number[t.list[n]] = n
	}
	*slot = n
	return n
}
