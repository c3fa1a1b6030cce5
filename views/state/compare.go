package state

import (
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
)

// The two sides of a comparison.
const (
	SideA = iota // before
	SideB        // after
)

// Mark is a moment that was chosen as one side of a comparison. The zero mark follows the state.
type Mark struct {
	Set   bool
	Other bool // of the second file
	At    analysis.Instant
	Range analysis.Range
	Prof  Profile // of stack profiles: event, metric and window

	Number int // index of a snapshot or page layout, NoNumber for none; 0 for other files
}

// noNumber is the number of a mark without a snapshot or page layout, in a file that has such.
const noNumber = -1

// Compare describes what is compared, and how the difference is shown, for every kind of file.
type Compare struct {
	On       bool // every screen shows the difference
	Marks    [2]Mark
	Swapped  bool
	Per      diff.Normal
	Match    diff.FrameMatch
	Align    diff.Align    // of curves
	Moments  [2]model.Time // that are at the same place with [diff.AlignMarker]
	Masks    string        // texts of [diff.ParseMask], one per line
	Target   model.NodeID  // of the joined stacks: the node that Stacks must show
	Requests int           // number of requests to show Target
	Only     int           // 0 for all rows, 1 for changed ones, 2 for new, 3 for gone, 4 for grown, 5 for shrunk ones

	before weighing // the costs on screens when the difference was opened
}

// weighing is the choice of figures on screens.
type weighing struct {
	set           bool
	cost          analysis.Cost
	event, metric int
	figure        diff.PageFigure
}

// The intents about comparisons. Their fields are documented by Compare's.
type (
	MarkSide struct {
		Side int
		M    Mark
	}
	ClearMarks     struct{}
	ShowDifference struct{ On bool }
	SwapCompared   struct{}
	SetPer         struct{ Per diff.Normal }
	SetMatch       struct{ Match diff.FrameMatch }
	SetAlign       struct {
		Align   diff.Align
		Moments [2]model.Time
	}
	SetMasks  struct{ Masks string }
	NextOnly  struct{}
	NextCost  struct{} // also works if keys are typed faster than screens are drawn
	NextGroup struct{}
	SeekNode  struct{ Node model.NodeID }
)

func (i MarkSide) apply(s State) State { s.Compare.Marks[i.Side] = i.M; return s }

// apply begins or ends the difference. What was weighed before it is weighed again after it.
func (i ShowDifference) apply(s State) State {
	c := &s.Compare
	switch {
	case i.On && !c.On:
		c.before = weighing{true, s.Cost, s.Prof.Event, s.Prof.Metric, s.Dump.Figure}
	case !i.On && c.On && c.before.set:
		b := c.before
		s.Cost, s.Prof.Event, s.Prof.Metric, s.Dump.Figure, c.before = b.cost, b.event, b.metric, b.figure, weighing{}
	}
	c.On = i.On
	return s
}

func (SwapCompared) apply(s State) State { s.Compare.Swapped = !s.Compare.Swapped; return s }

func (i SetPer) apply(s State) State { s.Compare.Per = i.Per; return s }

func (i SetMatch) apply(s State) State { s.Compare.Match = i.Match; return s }

func (i SetMasks) apply(s State) State { s.Compare.Masks = i.Masks; return s }

func (i SeekNode) apply(s State) State {
	s.Compare.Target = i.Node
	s.Compare.Requests++
	return s
}

func (i SetAlign) apply(s State) State {
	s.Compare.Align, s.Compare.Moments = i.Align, i.Moments
	return s
}

func (ClearMarks) apply(s State) State {
	s.Compare.On, s.Compare.Marks, s.Compare.Swapped = false, [2]Mark{}, false
	return s
}

func (NextCost) apply(s State) State {
	s.Cost = (s.Cost + 1) % analysis.CostCountOf
	return s
}

func (NextGroup) apply(s State) State {
	s.Group = s.Group.Next()
	return s
}

// apply goes from all rows through those that changed to each kind of change; what stayed the same is no change,
// and unknown ones are among those that changed.
func (NextOnly) apply(s State) State {
	s.Compare.Only = (s.Compare.Only + 1) % (int(diff.ChangeUnknown) + 1)
	return s
}

// Signs returns the letters of the sides before and after.
func (c *Compare) Signs() (before, after string) {
	if c.Swapped {
		return "B", "A"
	}
	return "A", "B"
}

// Shows reports whether rows with a status are shown.
func (c *Compare) Shows(status diff.ChangeStatus) bool {
	switch c.Only {
	case 0:
		return true
	case 1:
		return status != diff.ChangeSame
	}
	return int(status) == c.Only-1
}

// OnlyText returns which rows are shown, "" for all of them.
func (c *Compare) OnlyText() string {
	if c.Only == 0 {
		return ""
	}
	return c.OnlyWord() + " only"
}

// OnlyWord returns the status of the rows that are shown.
func (c *Compare) OnlyWord() string {
	if c.Only == 1 {
		return "changed"
	}
	return diff.ChangeStatus(max(c.Only-1, 0)).String()
}

// ParseMasks parses masks, which make names of two files alike. Invalid ones are rejected when they are typed, so they
// are ignored here.
func ParseMasks(text string) (out []diff.Mask) {
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

// Moment is the instant and the range of one side.
type Moment struct {
	Other bool
	At    analysis.Instant
	Over  analysis.Range
	Prof  Profile
}

// Moments returns the moments of both sides, before and after as marked, not swapped. With one file and no mark A is
// its beginning. With two files an unmarked side is at the moment of the other one; m maps times of A to times of B.
func (s *State) Moments(two bool, m diff.TimeMap) [2]Moment {
	here := Moment{At: s.At, Over: s.Range, Prof: s.Prof}
	out := [2]Moment{here, here}
	if two {
		out[SideB].Other = true
		out[SideB].At, out[SideB].Over = counterpart(m, s.At), counterpartRange(m, s.Range)
		out[SideB].Prof = NewProfile()
	} else {
		out[SideA].At, out[SideA].Over = analysis.At(0), analysis.Range{From: model.NoTime, To: 0}
		if !s.Range.IsFull() && s.Range.From > 0 { // the time before the range
			out[SideA].At, out[SideA].Over = analysis.At(s.Range.From), analysis.Range{From: model.NoTime, To: s.Range.From}
		}
	}
	for i, k := range s.Compare.Marks {
		if k.Set {
			out[i] = Moment{k.Other, k.At, k.Range, k.Prof}
		}
	}
	return out
}

// Until returns the moment limited to a file that ends at end: the moment of the other file may be beyond that.
func (m Moment) Until(end model.Time) Moment {
	if m.At.Events == 0 && m.At.T > end {
		m.At = analysis.End
	}
	if !m.Over.IsFull() {
		m.Over.From, m.Over.To = min(m.Over.From, end), min(m.Over.To, end)
	}
	return m
}

// counterpart returns the instant of B for one of A. The end and the peak are each file's own.
func counterpart(m diff.TimeMap, at analysis.Instant) analysis.Instant {
	if at == analysis.End || at.Events != 0 {
		return at
	}
	return analysis.At(max(m.After(at.T), 0))
}

func counterpartRange(m diff.TimeMap, r analysis.Range) analysis.Range {
	if r.IsFull() {
		return r
	}
	return Between(max(m.After(max(r.From, 0)), 0), max(m.After(r.To), 0))
}

// Ask adds to a question how the difference is shown; mixed reports that a trace is compared with a profile.
func (c *Compare) Ask(q *Question, mixed bool) {
	for mask := range strings.SplitSeq(c.Masks, "\n") {
		if mask != "" {
			q.Masks = append(q.Masks, mask)
		}
	}
	if usual := map[bool]diff.FrameMatch{true: diff.MatchFunctions}[mixed]; c.Match != usual {
		q.Match = c.Match.String()
	}
	if c.Per != diff.NormalNone {
		q.Normalize = c.Per.String()
	}
	switch {
	case c.Only == 1:
		q.Only = []string{"new", "gone", "grown", "shrunk"}
	case c.Only > 1:
		q.Only = []string{diff.ChangeStatus(c.Only - 1).String()}
	}
	q.Swap = c.Swapped
}
