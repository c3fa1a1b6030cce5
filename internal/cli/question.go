package cli

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/views/state"
)

// question returns the question of the command line. Default values are left out.
func (a *app) question() state.Question {
	g := a.flags
	q := state.Question{
		At: g.At, Event: g.Event, By: g.By, MinAge: g.MinAge.Moment, Snapshot: g.Snapshot, Series: g.Series, Point: g.Point,
		Edges: g.Edges,
	}
	q.Over.From, q.Over.To = g.From.Moment, g.To.Moment
	if a.isGiven("limit") {
		q.Limit = &g.Limit
	}
	if a.isGiven("format") {
		q.Format = g.Format
	}
	if a.parsed == nil {
		return q
	}
	switch c := a.parsed.Selected().Target.Addr().Interface().(type) {
	case *reportCmd:
		q.Table, q.Filter, q.Window, q.Cell, q.Peek = string(c.Table), c.Rows, c.Window, c.Cell.Cell, c.Peek
		q.Invert, q.Recursion = c.Invert, c.Recursion
		q.Steps, _ = c.Filter() // commands check it
		if string(c.Group) != analysis.ByStack.String() {
			q.Group = string(c.Group)
		}
	case *diffCmd:
		q.A, q.B, q.Cell, q.Group, q.Match, q.Normalize, q.Swap = c.A, c.B, c.Cell.Cell, c.Group, c.Match, c.Normalize, c.Swap
		q.Masks, q.Only, q.Filter = c.Mask, c.Only, c.Rows
		q.Steps, _ = c.Filter()
	case *pagesCmd:
		q.Map, q.Table, q.Filter = c.Map, string(c.Table), c.Rows
	}
	return q
}

// ask sets the flags to those of a question about a report.
func (g *globals) ask(q *state.Question) {
	g.At, g.From, g.To = q.At, arg.TimeAt(q.Over.From), arg.TimeAt(q.Over.To)
	g.Event, g.By, g.MinAge = q.Event, q.By, arg.Length{Moment: q.MinAge}
	g.Snapshot, g.Series, g.Point, g.Edges = q.Snapshot, q.Series, q.Point, q.Edges
}
