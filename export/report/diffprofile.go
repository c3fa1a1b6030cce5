package report

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// StackSide is one profile of weighted stacks to compare. Count chooses what the fields of counts hold; nil leaves them 0.
type StackSide struct {
	Profile *model.Profile
	Weights *analysis.ProfileSelection // nil when the profile has no such event or metric
	Count   *analysis.ProfileSelection
}

// DiffStacks compares two profiles by the resolved frames of their stacks; n rows at most, 0 for all. The chosen metric fills the
// fields of bytes. New and gone are stacks of which the other profile has none.
func DiffStacks(before, after StackSide, n int) *Diff {
	m := matcher{ids: map[matchedFrame]uint32{}, at: map[uint32]int{}}
	var there [2]map[int]bool
	for i, side := range []StackSide{before, after} {
		there[i] = map[int]bool{}
		m.enter(side.Profile.Stacks)
		if side.Weights == nil {
			continue
		}
		for r := range side.Profile.Weights.Records.Len() {
			if value, ok := side.Weights.Weight(model.RecordID(r)); ok {
				row := m.profiled(i, side, model.RecordID(r), value)
				there[i][row] = true
			}
		}
	}
	side := func(s StackSide) DiffSide { return DiffSide{File: NewHeader(SchemaDiff, s.Profile).File} }
	d := newDiff(before.Profile, after.Profile, side(before), side(after))
	d.what = "stack"
	d.measured(before)
	d.measured(after)
	for i, r := range m.rows {
		r.DiffFigures = newFigures(r.BeforeBytes, r.AfterBytes, r.BeforeCount, r.AfterCount)
		r.Status = statusOf(r.DiffFigures, there[0][i], there[1][i])
		d.add(r)
	}
	d.finish(n)
	return d
}

// statusOf is the status of a stack that a side has or has not, whatever it weighs.
func statusOf(f DiffFigures, before, after bool) string {
	switch status := f.status(); {
	case !before:
		return "new"
	case !after:
		return "gone"
	case status == "new":
		return "grown"
	case status == "gone":
		return "shrunk"
	default:
		return status
	}
}

// measured says what the figures are, where a side tells.
func (d *Diff) measured(s StackSide) {
	if s.Weights == nil {
		return
	}
	p := s.Profile.Weights
	d.Event, d.Metric, d.counted = &p.Events[s.Weights.Event].Name, &p.Metrics[s.Weights.Metric].Name, "stacks"
	if s.Count != nil {
		d.counted = p.Metrics[s.Count.Metric].Name
	}
}

// profiled adds a record to the row of its stack on one side, and returns that row.
func (m *matcher) profiled(side int, s StackSide, record model.RecordID, value model.Number) int {
	leaf := s.Profile.Weights.Records.Node[record]
	id := m.node[leaf]
	i, ok := m.at[id]
	if !ok {
		i = len(m.rows)
		m.at[id] = i
		r := DiffRow{frames: Frames{s.Profile.Stacks, leaf}}
		if leaf == 0 {
			r.Key = analysis.NoFunction
		}
		m.rows = append(m.rows, r)
	}
	var sum, count model.Amount
	sum.Add(value)
	if s.Count != nil {
		n, _ := s.Count.Weight(record)
		count.Add(n)
	}
	r := &m.rows[i]
	b, c := &r.BeforeBytes, &r.BeforeCount
	if side == 1 {
		b, c = &r.AfterBytes, &r.AfterCount
	}
	*b, _ = model.SaturatingAdd(*b, sum.Uint64())
	*c, _ = model.SaturatingAdd(*c, count.Uint64())
	return i
}
