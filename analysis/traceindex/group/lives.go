package group

import "github.com/memtui/memtui/analysis"

// LifeSums counts the lifetimes of the blocks of some stacks.
type LifeSums struct {
	slot []int32 // by stack: its number in Sums + 1, 0 for none
	Keys []analysis.Key
	Sums []analysis.Lives // by number
}

// NewLifeSums returns empty sums of the stacks of keys, of a number of stacks in all.
func NewLifeSums(stacks int, keys []analysis.Key) *LifeSums {
	l := &LifeSums{slot: make([]int32, stacks)}
	for _, k := range keys {
		if int(k) < stacks && l.slot[k] == 0 {
			l.Keys = append(l.Keys, k)
			l.slot[k] = int32(len(l.Keys))
		}
	}
	l.Sums = make([]analysis.Lives, len(l.Keys))
	return l
}

// Stack returns the counts of a stack, nil if it has none.
func (l *LifeSums) Stack(stack uint32) *analysis.Lives {
	if s := l.slot[stack]; s != 0 {
		return &l.Sums[s-1]
	}
	return nil
}

// Fresh returns empty sums of the same stacks.
func (l *LifeSums) Fresh() *LifeSums {
	return &LifeSums{slot: l.slot, Keys: l.Keys, Sums: make([]analysis.Lives, len(l.Keys))}
}

// Add adds the counts of other blocks of the same stacks.
func (l *LifeSums) Add(o *LifeSums) {
	for i := range l.Sums {
		l.Sums[i].Add(&o.Sums[i])
	}
}

// Of returns the counts of some stacks, or false if it lacks one.
func (l *LifeSums) Of(keys []analysis.Key) ([]analysis.Lives, bool) {
	if l == nil {
		return nil, false
	}
	out := make([]analysis.Lives, len(keys))
	for i, k := range keys {
		if int(k) >= len(l.slot) { // no block has it
			continue
		}
		if l.slot[k] == 0 {
			return nil, false
		}
		out[i] = l.Sums[l.slot[k]-1]
	}
	return out, true
}
