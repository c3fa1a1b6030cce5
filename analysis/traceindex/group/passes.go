package group

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
)

// Pass is the result of one walk over all events for the keys of a group: the peak of every key, and the history of all
// keys, or, if there are very many, of the requested ones. Read-only once made.
type Pass struct {
	Fold   *Fold
	Events int
	Peak   []uint64 // by key
	Slot   []int32  // by key: slot of its history, -1 if it has none
	max    []uint64 // HistoryColumns per slot: highest level in each column, the one carried in included

	packed [][]byte           // of a kept pass, instead of max: by slot, see packLevels
	check  func([]byte) error // of a kept pass: verifies a packed history before it is read
}

// Kept returns the peaks of all keys, and their packed histories if there are those of all keys, to be kept in a file.
func (p *Pass) Kept() (peaks []uint64, histories [][]byte) {
	if len(p.Peak) > manyKeys {
		return p.Peak, nil
	}
	if p.packed != nil {
		return p.Peak, p.packed
	}
	for from := 0; from < len(p.max); from += analysis.HistoryColumns {
		histories = append(histories, packLevels(p.max[from:from+analysis.HistoryColumns]))
	}
	return p.Peak, histories
}

// KeptHistories returns the number of histories that are kept of a group with a number of keys.
func KeptHistories(keys int) int {
	if keys > manyKeys {
		return 0
	}
	return keys
}

// KeptPass returns the pass over a number of events that Kept returned, of a group without a fold. check verifies a
// packed history before it is read.
func KeptPass(events int, peaks []uint64, histories [][]byte, check func([]byte) error) *Pass {
	slot, _ := slots(len(peaks), nil)
	return &Pass{Events: events, Peak: peaks, Slot: slot, packed: histories, check: check}
}

// levels returns the history of a slot.
func (p *Pass) levels(slot int) ([]uint64, error) {
	if p.packed == nil {
		return p.max[slot*analysis.HistoryColumns : (slot+1)*analysis.HistoryColumns], nil
	}
	if err := p.check(p.packed[slot]); err != nil {
		return nil, err
	}
	return unpackLevels(p.packed[slot])
}

// packLevels packs the levels of a history, which are often the same in many columns: the length and the level of each
// run of columns.
func packLevels(levels []uint64) (packed []byte) {
	for from := 0; from < len(levels); {
		to := from
		for to < len(levels) && levels[to] == levels[from] && to-from < math.MaxUint8 {
			to++
		}
		packed = binary.AppendUvarint(append(packed, byte(to-from)), levels[from])
		from = to
	}
	return packed
}

// errHistory means that a packed history is invalid.
var errHistory = errors.New("a history has another length")

// unpackLevels returns the HistoryColumns levels that were packed.
func unpackLevels(packed []byte) ([]uint64, error) {
	levels := make([]uint64, 0, analysis.HistoryColumns)
	for len(levels) < analysis.HistoryColumns {
		if len(packed) < 2 || packed[0] == 0 || int(packed[0]) > analysis.HistoryColumns-len(levels) {
			return nil, errHistory
		}
		level, n := binary.Uvarint(packed[1:])
		if n <= 0 {
			return nil, errHistory
		}
		for range packed[0] {
			levels = append(levels, level)
		}
		packed = packed[1+n:]
	}
	return levels, nil
}

// manyKeys is the number of keys from which histories are computed only on request: they take half a kilobyte each, and
// a hostile file has as many stacks as events.
const manyKeys = 1 << 15

// PassIn returns the last pass of a group after a filter, or nil.
func (c *groupCache) PassIn(by analysis.Group, set *StackSet) *Pass {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if set != nil {
		return set.passes[by]
	}
	return c.passes[by]
}

func (c *groupCache) KeepPass(by analysis.Group, set *StackSet, p *Pass) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if set != nil {
		set.passes[by] = p
		return
	}
	c.passes[by] = p
}

// Follows reports whether the pass has the history of every key in want that it knows.
func (p *Pass) Follows(want []analysis.Key) bool {
	for _, k := range want {
		if int(k) < len(p.Slot) && p.Slot[k] < 0 {
			return false
		}
	}
	return true
}

// SameNames reports whether two folds of one group came from the same symbols, so that their keys agree.
func SameNames(a, b *Fold) bool {
	return a == b || a != nil && b != nil && a.stacks == b.stacks
}

// slots numbers the keys whose history is computed.
func slots(keys int, want []analysis.Key) (slot []int32, n int) {
	slot = make([]int32, keys)
	if keys <= manyKeys {
		for k := range slot {
			slot[k] = int32(k)
		}
		return slot, keys
	}
	for k := range slot {
		slot[k] = -1
	}
	for _, k := range want {
		if int(k) < keys && slot[k] < 0 {
			slot[k] = int32(n)
			n++
		}
	}
	return slot, n
}

// PassBuilder tracks the level of every key from column to column.
type PassBuilder struct {
	Out  *Pass
	Live []uint64 // by key
	Now  []uint64 // by slot: the level
	Top  []uint64 // by slot: the highest level in the column
	Col  int
}

// NewPassBuilder returns a builder of a pass over a number of events and keys. want has the keys whose history is
// computed, nil for all.
func NewPassBuilder(f *Fold, events, keys int, want []analysis.Key) *PassBuilder {
	slot, followed := slots(keys, want)
	p := &Pass{Fold: f, Events: events, Peak: make([]uint64, keys), Slot: slot, max: make([]uint64, followed*analysis.HistoryColumns)}
	return &PassBuilder{
		Out: p, Live: make([]uint64, keys), Now: make([]uint64, followed), Top: make([]uint64, followed),
	}
}

// Change applies a change of a block of a key.
func (b *PassBuilder) Change(k analysis.Key, size uint64, how column.Change) {
	level := Changed(b.Live[k], size, how)
	b.Live[k] = level
	b.Out.Peak[k] = max(b.Out.Peak[k], level)
	s := b.Out.Slot[k]
	if s < 0 {
		return
	}
	b.Now[s], b.Top[s] = level, max(b.Top[s], level)
}

// EndColumn stores the levels at the end of a column.
func (b *PassBuilder) EndColumn() {
	for s, top := range b.Top {
		b.Out.max[s*analysis.HistoryColumns+b.Col] = top
	}
	copy(b.Top, b.Now)
	b.Col++
}

// Histories returns the levels of keys at the ends of n columns. It fails only where they cannot be read.
func (p *Pass) Histories(keys []analysis.Key, n int) ([][]uint64, error) {
	out := make([][]uint64, len(keys))
	for i, k := range keys {
		out[i] = make([]uint64, max(n, 0))
		s, ok := p.slotOf(k)
		if !ok {
			continue
		}
		levels, err := p.levels(s)
		if err != nil {
			return nil, err
		}
		resample(out[i], levels)
	}
	return out, nil
}

func (p *Pass) slotOf(k analysis.Key) (s int, ok bool) {
	if int(k) >= len(p.Slot) || p.Slot[k] < 0 || p.Fold != nil && p.Fold.drops && int(k) == len(p.Slot)-1 {
		return 0, false
	}
	return int(p.Slot[k]), true
}

// resample sets dst to the highest values of the equal parts of src.
func resample(dst, src []uint64) {
	for i := range dst {
		from, to := i*len(src)/len(dst), (i+1)*len(src)/len(dst)
		for _, v := range src[from:max(to, from+1)] {
			dst[i] = max(dst[i], v)
		}
	}
}

// Buckets returns the buckets without empty ones at both ends; empty ones in between stay.
func Buckets(all *[analysis.SizeClasses]analysis.Bucket) []analysis.Bucket {
	lo, hi := len(all), 0
	for i := range all {
		all[i].Min, all[i].Max = analysis.SizeBounds(uint32(i))
		if all[i].Count > 0 {
			lo, hi = min(lo, i), i+1
		}
	}
	if lo >= hi {
		return nil
	}
	return append([]analysis.Bucket(nil), all[lo:hi]...)
}
