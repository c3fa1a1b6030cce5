package pprof

import (
	"math"

	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// recordKey is the key by which samples become one record.
type recordKey struct {
	node   model.NodeID
	labels model.LabelSetID
	thread model.ThreadID
}

// sums are the future records, in order of appearance.
type sums struct {
	at     map[recordKey]int
	keys   []recordKey
	offset []int64
	values []int64 // of each record, one value for each sample type
}

// sample adds a sample to the sums.
func (r *reader) sample(m message) error {
	at := m.of
	r.leafFirst, r.values, r.labels = r.leafFirst[:0], r.values[:0], r.labels[:0]
	deep := false
	for m.next() {
		switch m.number {
		case 1:
			if !m.numbers(func(id uint64) { deep = r.call(id, at) || deep }) {
				r.damaged(&m, "a list of locations is truncated")
			}
		case 2:
			if !m.numbers(func(v uint64) {
				if len(r.values) <= len(r.tables.types) {
					r.values = append(r.values, int64(v))
				}
			}) {
				r.damaged(&m, "a list of values is truncated")
			}
		case 3:
			r.label(m.inner())
		}
	}
	r.checkComplete(&m)
	if deep {
		r.Say(model.Warning, "stack-depth", at, 0,
			"a stack has more frames than the limit of %d: those nearest its root were left out; it cannot be raised", weighted.MaxDepth)
	}
	if len(r.values) != len(r.tables.types) {
		r.Say(model.Error, "values", at, 0, "a sample has %s%d values for %d sample types",
			map[bool]string{true: "at least "}[len(r.values) > len(r.tables.types)], len(r.values), len(r.tables.types))
	}
	r.add(at)
	if r.steps += 1 + len(r.leafFirst); r.steps >= model.AskEvery {
		r.steps = 0
		return r.Ask()
	}
	return nil
}

// call adds the frames of a location; it reports whether there are too many.
func (r *reader) call(id uint64, at int64) (deep bool) {
	l := r.tables.locations[id]
	if l == nil {
		r.Say(model.Error, "reference", at, 0, "a sample names location %d, which does not exist", id)
		l = &r.missing
	}
	frames := r.framesOf(l)
	room := weighted.MaxDepth - len(r.leafFirst)
	r.leafFirst = append(r.leafFirst, frames[:min(len(frames), room)]...)
	return len(frames) > room
}

// maxLabels is how many labels of a sample are kept.
const maxLabels = 256

func (r *reader) label(m message) {
	var l model.Label
	var text, number, unit uint64
	at := m.of
	for m.next() {
		switch m.number {
		case 1:
			l.Key = r.name(m.value, at)
		case 2:
			text = m.value
		case 3:
			number = m.value
		case 4:
			unit = m.value
		}
	}
	r.checkComplete(&m)
	switch {
	case text != 0 && number != 0:
		r.Say(model.Warning, "label", at, 0, "a label has a text and a number: the text is used")
		fallthrough
	case text != 0:
		l.Text = r.name(text, at)
	default:
		l.Numeric, l.Number, l.Unit = true, int64(number), r.name(unit, at)
		if l.Unit == "" && l.Key == "bytes" {
			l.Unit = "bytes"
		}
	}
	if len(r.labels) == maxLabels {
		r.Say(model.Warning, "label", at, 0, "a sample has more labels than the limit of %d: the others were left out; it cannot be raised", maxLabels)
		return
	}
	r.labels = append(r.labels, l)
}

// add adds the current sample to its record.
func (r *reader) add(at int64) {
	k := recordKey{r.LeafStack(r.leafFirst), r.Labels(r.labels), r.thread()}
	n := len(r.tables.types)
	i, known := r.sums.at[k]
	if !known {
		i = len(r.sums.keys)
		r.sums.at[k] = i
		r.sums.keys, r.sums.offset = append(r.sums.keys, k), append(r.sums.offset, at)
		r.sums.values = append(r.sums.values, make([]int64, n)...)
	}
	row := r.sums.values[i*n : (i+1)*n]
	for j := range min(n, len(r.values)) {
		row[j] = r.plus(row[j], r.values[j], at)
	}
}

// plus adds values, saturating.
func (r *reader) plus(a, b, at int64) int64 {
	sum := a + b
	if (sum > a) == (b > 0) || b == 0 {
		return sum
	}
	r.Say(model.Error, "values", at, 0, "the sum of a stack's values is too large for a 64-bit number")
	if b > 0 {
		return math.MaxInt64
	}
	return math.MinInt64
}

// thread returns the thread that labels name.
func (r *reader) thread() model.ThreadID {
	pid, tid, comm := int64(-1), int64(-1), ""
	for i := range r.labels {
		l := &r.labels[i]
		switch part, number := l.OfThread(); part {
		case model.ProcessNumber:
			pid = number
		case model.ThreadNumber:
			tid = number
		case model.ThreadName:
			comm = l.Text
		}
	}
	return r.Thread(pid, tid, comm)
}
