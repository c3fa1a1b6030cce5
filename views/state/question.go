package state

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Question is a user's question about a file: the flags of the command line as a value. The zero Question is that of a
// report without flags. Fields that do not apply to a file's kind keep their zero values.
type Question struct {
	Map    bool         // draw a page layout
	At     model.Moment // the instant
	Over   model.Period // the range
	A, B   model.Place  // of comparisons
	Window string       // of a stack profile
	Cell   analysis.Cell
	Peek   string // a function whose callers and callees are requested
	Lines  string // a file or function whose source is requested
	Order  string // of these lines
	Steps  calltree.Filter
	Format string
	Table  string
	Filter string // of rows of the table

	Invert, Recursion bool // of the tree: bottom-up, direct recursion is one row

	Snapshot *int     // or page layout
	Below    *int     // row whose directly dominated rows are listed
	Within   []string // parts of a treemap, from the top, below which it is listed
	Series   *int
	Point    *int
	Edges    string
	Values   bool
	MinAge   model.Moment
	Event    string
	Group    string
	Per      string // what objects found are counted by
	Type     string // of objects that are selected, or whose retainers are
	Exact    bool   // Type is the complete name
	Kind     string // of rows
	By       string

	Masks     []string
	Match     string
	Normalize string
	Only      []string
	Swap      bool

	Limit   *int
	Stacked *int // number of groups that divide the curve
}

// Args returns the flags of the question, in the order of the fields.
func (q *Question) Args() []string {
	var a args
	a.on("map", q.Map)
	a.text("at", q.At.String())
	a.text("from", q.Over.From.String())
	a.text("to", q.Over.To.String())
	a.text("a", q.A.String())
	a.text("b", q.B.String())
	a.text("window", q.Window)
	a.text("peek", q.Peek)
	a.text("lines", q.Lines)
	a.text("order", q.Order)
	if c := q.Cell.Rectangle(); !c.IsAll() {
		a.text("cell", c.Argument())
	}
	for _, step := range q.Steps.Steps() {
		a.words = append(a.words, "--"+step.Kind.String()+"="+step.Name)
	}
	if q.Format != "" {
		a.words = append(a.words, "-f", q.Format)
	}
	a.text("table", q.Table)
	a.text("filter", q.Filter)
	a.on("invert", q.Invert)
	a.on("recursion", q.Recursion)
	a.number("snapshot", q.Snapshot)
	a.number("below", q.Below)
	for _, part := range q.Within {
		a.text("below", part)
	}
	a.number("series", q.Series)
	a.number("point", q.Point)
	a.text("edges", q.Edges)
	a.on("values", q.Values)
	a.text("min-age", q.MinAge.String())
	a.text("event", q.Event)
	a.text("group", q.Group)
	a.text("per", q.Per)
	a.text("type", q.Type)
	a.on("exact", q.Exact)
	a.text("kind", q.Kind)
	a.text("by", q.By)
	for _, mask := range q.Masks {
		a.text("mask", mask)
	}
	a.text("match", q.Match)
	a.text("normalize", q.Normalize)
	a.text("only", strings.Join(q.Only, ","))
	a.on("swap", q.Swap)
	a.number("limit", q.Limit)
	a.number("stacked", q.Stacked)
	return a.words
}

// OrderOf returns the sort key in the flags of a command; ok is false if they have none.
func OrderOf(words []string) (by string, ok bool) {
	for _, flag := range []string{"--order", "--by"} {
		if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
			return words[i+1], true
		}
	}
	return "", false
}

// HasFilter reports whether the flags of a command filter rows.
func HasFilter(words []string) bool { return slices.Contains(words, "--filter") }

// args builds a list of flags. Empty values are left out.
type args struct{ words []string }

func (a *args) text(flag, value string) {
	switch {
	case value == "":
	case value[0] == '-': // otherwise treated as a flag
		a.words = append(a.words, "--"+flag+"="+value)
	default:
		a.words = append(a.words, "--"+flag, value)
	}
}

func (a *args) number(flag string, n *int) {
	if n != nil {
		a.text(flag, strconv.Itoa(*n))
	}
}

func (a *args) on(flag string, is bool) {
	if is {
		a.words = append(a.words, "--"+flag)
	}
}

// Over returns a range as a question has it, on an axis of that unit; the zero value for the complete recording.
func Over(r analysis.Range, unit string) model.Period {
	if r.IsFull() {
		return model.Period{}
	}
	axis := model.Axis{Unit: unit}
	return model.Period{From: axis.Moment(r.From), To: axis.Moment(r.To)}
}

// Instant returns an instant of a trace as a question has it: the zero value for the end, or the peak.
func Instant(at analysis.Instant) model.Moment {
	switch {
	case at.Events != 0:
		return model.MomentPeak()
	case at == analysis.End:
		return model.Moment{}
	}
	return model.MomentAt(at.T)
}
