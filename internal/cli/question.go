package cli

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/views/state"
)

// question returns what the command line asks about the file. What it leaves at its default is not asked for.
func (a *app) question() state.Question {
	g := a.flags
	q := state.Question{
		At: g.At, Event: g.Event, By: g.By, MinAge: g.MinAge.Moment, Snapshot: g.Snapshot, Series: g.Series, Point: g.Point,
		Edges: g.Edges,
	}
	q.Over.From, q.Over.To = g.From, g.To.Moment
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
		q.Table, q.Window, q.Cell = c.Table, c.Window, c.Cell.Cell
		q.Steps, _ = c.filter() // commands check it
		if c.Group != analysis.ByStack.String() {
			q.Group = c.Group
		}
	case *diffCmd:
		q.A, q.B, q.Cell, q.Group, q.Match, q.Normalize, q.Swap = c.A, c.B, c.Cell.Cell, c.Group, c.Match, c.Normalize, c.Swap
		q.Masks, q.Only = c.Mask, c.Only
		q.Steps, _ = c.filter()
	case *pagesCmd:
		q.Map, q.Table = c.Map, c.Table
	}
	return q
}

// ask makes the flags those of a question about a report.
func (g *globals) ask(q *state.Question) {
	g.At, g.From, g.To = q.At, q.Over.From, goal{Moment: q.Over.To}
	g.Event, g.By, g.MinAge = q.Event, q.By, length{q.MinAge}
	g.Snapshot, g.Series, g.Point, g.Edges = q.Snapshot, q.Series, q.Point, q.Edges
}
