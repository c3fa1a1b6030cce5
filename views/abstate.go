package views

import (
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
)

// The two sides of a comparison.
const (
	sideA = iota // before
	sideB        // after
)

// mark is a moment that was chosen as one side of a comparison. The zero mark follows what every screen is about.
type mark struct {
	Set   bool
	Other bool // of the second file
	At    analysis.Instant
	Range analysis.Range
	Prof  ProfState // of stack profiles: event, metric and window
}

// CompareState is what the difference is between, and how it is shown.
type CompareState struct {
	On      bool // every screen shows the difference
	Marks   [2]mark
	Swapped bool
	Per     diff.Normal
	Match   diff.FrameMatch
	Align   diff.Align    // of curves
	Moments [2]model.Time // that stand at the same place with analysis.AlignMarker
	Masks   string        // texts of analysis.ParseMask, one per line
	Sought  model.NodeID  // of the joined stacks: what Stacks was sent to
	Sent    int           // how often it was
	Only    int           // 0 for all rows, 1 for changed ones, 2 for new, 3 for gone, 4 for grown, 5 for shrunk ones
}

// The intents about comparisons. Their fields are documented by CompareState's.
type (
	markSide struct {
		side int
		m    mark
	}
	clearMarks     struct{}
	showDifference struct{ on bool }
	swapCompared   struct{}
	setPer         struct{ per diff.Normal }
	setMatch       struct{ match diff.FrameMatch }
	setAlign       struct {
		align   diff.Align
		moments [2]model.Time
	}
	setMasks  struct{ masks string }
	nextOnly  struct{}
	nextCost  struct{} // also of keys typed faster than screens are drawn
	nextGroup struct{}
	seekNode  struct{ node model.NodeID }
)

func (i markSide) apply(s State) State       { s.Compare.Marks[i.side] = i.m; return s }
func (i showDifference) apply(s State) State { s.Compare.On = i.on; return s }
func (swapCompared) apply(s State) State     { s.Compare.Swapped = !s.Compare.Swapped; return s }
func (i setPer) apply(s State) State         { s.Compare.Per = i.per; return s }
func (i setMatch) apply(s State) State       { s.Compare.Match = i.match; return s }
func (i setMasks) apply(s State) State       { s.Compare.Masks = i.masks; return s }

func (i seekNode) apply(s State) State {
	s.Compare.Sought = i.node
	s.Compare.Sent++
	return s
}

func (i setAlign) apply(s State) State {
	s.Compare.Align, s.Compare.Moments = i.align, i.moments
	return s
}

func (clearMarks) apply(s State) State {
	s.Compare.On, s.Compare.Marks, s.Compare.Swapped = false, [2]mark{}, false
	return s
}

func (nextCost) apply(s State) State {
	s.Cost = (s.Cost + 1) % analysis.CostCountOf
	return s
}

func (nextGroup) apply(s State) State {
	s.Group = (s.Group + 1) % analysis.GroupCount
	return s
}

// nextOnly goes from all rows through those that changed to each kind of change; what stayed the same is no change.
func (nextOnly) apply(s State) State {
	s.Compare.Only = (s.Compare.Only + 1) % (int(diff.ChangeCount) + 1)
	return s
}

// shows reports whether a row of a comparison is among those that are wanted.
func (c *CompareState) shows(status diff.ChangeStatus) bool {
	switch c.Only {
	case 0:
		return true
	case 1:
		return status != diff.ChangeSame
	}
	return int(status) == c.Only-1
}

// onlyText says which rows are shown, "" for all.
func (c *CompareState) onlyText() string {
	switch c.Only {
	case 0:
		return ""
	case 1:
		return "changed only"
	}
	return diff.ChangeStatus(c.Only-1).String() + " only"
}

// parseMasks reads masks that make names of two files alike. Those that do not parse were refused when they were typed.
func parseMasks(text string) (out []diff.Mask) {
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			continue
		}
		if m, err := diff.ParseMask(line); err == nil {
			out = append(out, m)
		}
	}
	return out
}

// moment is the instant and the range that one side is about.
type moment struct {
	other bool
	at    analysis.Instant
	over  analysis.Range
	prof  ProfState
}

// moments are what both sides are about, before and after as they are marked, not swapped. With one file and no mark A stands for
// its beginning. With two files an unmarked side is where the other one is: m says which time of B belongs to one of A.
func (s *State) moments(two bool, m diff.TimeMap) [2]moment {
	here := moment{at: s.At, over: s.Range, prof: s.Prof}
	out := [2]moment{here, here}
	if two {
		out[sideB].other = true
		out[sideB].at, out[sideB].over = counterpart(m, s.At), counterpartRange(m, s.Range)
		out[sideB].prof = newProfState()
	} else {
		out[sideA].at, out[sideA].over = analysis.At(0), analysis.Range{From: model.NoTime, To: 0}
		if !s.Range.IsWhole() && s.Range.From > 0 { // what was before the range
			out[sideA].at, out[sideA].over = analysis.At(s.Range.From), analysis.Range{From: model.NoTime, To: s.Range.From}
		}
	}
	for i, k := range s.Compare.Marks {
		if k.Set {
			out[i] = moment{k.Other, k.At, k.Range, k.Prof}
		}
	}
	return out
}

// until is the moment in a file that ends at end: the place of the other file's moment may be beyond that.
func (m moment) until(end model.Time) moment {
	if m.at.Events == 0 && m.at.T > end {
		m.at = analysis.End
	}
	if !m.over.IsWhole() {
		m.over.From, m.over.To = min(m.over.From, end), min(m.over.To, end)
	}
	return m
}

// counterpart is the instant of B at the place of one of A. The end and the peak are each file's own.
func counterpart(m diff.TimeMap, at analysis.Instant) analysis.Instant {
	if at == analysis.End || at.Events != 0 {
		return at
	}
	return analysis.At(max(m.After(at.T), 0))
}

func counterpartRange(m diff.TimeMap, r analysis.Range) analysis.Range {
	if r.IsWhole() {
		return r
	}
	return between(max(m.After(max(r.From, 0)), 0), max(m.After(r.To), 0))
}
