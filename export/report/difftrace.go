package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// TraceSide is one trace to compare.
type TraceSide struct {
	Profile *model.Profile
	Trace   analysis.Trace
	Options Options // At, AtTime, Range
}

// DiffTraces compares two traces by the resolved frames of their stacks; n rows at most, 0 for all. by is one of [SortKeys],
// "" is live_bytes: its value fills the fields of bytes.
func DiffTraces(ctx context.Context, before, after TraceSide, by string, n int) (*Diff, error) {
	key := keyNamed(cmp.Or(by, "live_bytes"))
	m := matcher{ids: map[matchedFrame]uint32{}, at: map[uint32]int{}}
	for i, side := range []TraceSide{before, after} {
		sites, err := side.Trace.Sites(ctx, analysis.Query{At: side.Options.At, Range: side.Options.Range})
		if err != nil {
			return nil, err
		}
		m.enter(side.Profile.Stacks)
		for _, s := range sites {
			if bytes, count := key.value(&s), key.count(&s); bytes > 0 || count > 0 {
				m.site(i, side.Profile.Stacks, &s, bytes, count)
			}
		}
	}
	side := func(s TraceSide) DiffSide {
		return DiffSide{File: NewHeader(SchemaDiff, s.Profile).File, At: &s.Options.AtTime}
	}
	d := newDiff(before.Profile, after.Profile, side(before), side(after))
	d.what = "stack"
	for _, r := range m.rows {
		r.DiffFigures = newFigures(r.BeforeBytes, r.AfterBytes, r.BeforeCount, r.AfterCount)
		d.add(r)
	}
	d.finish(n)
	return d, nil
}

// matchedFrame is a frame below a stack that was matched already: equal ones of both files are one.
type matchedFrame struct {
	caller         uint32
	function, file string
	line           int64
}

// matcher gives equal stacks of two files the same number, callers before callees.
type matcher struct {
	ids  map[matchedFrame]uint32
	node []uint32 // numbers by node, of the file entered last
	at   map[uint32]int
	rows []DiffRow
}

// enter numbers the stacks of a file. nil is fine.
func (m *matcher) enter(s *model.Stacks) {
	m.node = m.node[:0]
	if s == nil {
		return
	}
	m.node = slices.Grow(m.node, len(s.Parent))
	for n := range s.Parent {
		if n == 0 {
			m.node = append(m.node, 0)
			continue
		}
		f := s.Frame[n]
		m.node = append(m.node, m.number(matchedFrame{
			m.node[s.Parent[n]], s.Functions[s.FrameFunc[f]], s.Files[s.FrameFile[f]], s.FrameLine[f],
		}))
	}
}

func (m *matcher) number(f matchedFrame) uint32 {
	id, ok := m.ids[f]
	if !ok {
		id = uint32(len(m.ids)) + 1
		m.ids[f] = id
	}
	return id
}

// site adds the figures of a site to those of its stack on one side, 0 or 1.
func (m *matcher) site(side int, s *model.Stacks, site *analysis.Site, bytes, count uint64) {
	frames, id, key := newFrames(s, site.Stack), uint32(0), ""
	switch {
	case frames.IsZero():
		key = model.UnknownStack(site.Stack)
		id = m.number(matchedFrame{math.MaxUint32, key, "", 0})
	default:
		if id = m.node[frames.leaf]; id == 0 {
			key = analysis.NoFunction
		}
	}
	i, ok := m.at[id]
	if !ok {
		i = len(m.rows)
		m.at[id] = i
		m.rows = append(m.rows, DiffRow{Key: key, frames: frames})
	}
	r := &m.rows[i]
	b, c := &r.BeforeBytes, &r.BeforeCount
	if side == 1 {
		b, c = &r.AfterBytes, &r.AfterCount
	}
	*b, _ = model.SaturatingAdd(*b, bytes)
	*c, _ = model.SaturatingAdd(*c, count)
}
