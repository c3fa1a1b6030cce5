package profile

import (
	"cmp"
	"context"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// heavyStacks are the stacks with the most weight. Read-only once made.
type heavyStacks struct {
	ui.ProfileKey
	list []weights.Stack
	all  model.Amount // what all stacks weigh
}

const (
	maxHeavyStacks = 8  // stacks that are listed; their screen has all
	maxHeavyFrames = 12 // frames of each
	besideEvents   = 150
)

// fetchHeavy finds the heaviest stacks.
func fetchHeavy(ctx context.Context, k ui.ProfileKey) (*heavyStacks, error) {
	out := &heavyStacks{ProfileKey: k}
	sel, _, err := k.Selection(ctx)
	if err != nil || sel == nil {
		return out, err
	}
	out.all, out.list = sel.Total(), sel.Heaviest(maxHeavyStacks)
	return out, ctx.Err()
}

// fetchHeavyRows computes the first n rows by self weight.
func fetchHeavyRows(n int) func(context.Context, RowsKey) (*rows, error) {
	return func(ctx context.Context, k RowsKey) (*rows, error) {
		t, err := FetchProfRows(ctx, k)
		if err != nil {
			return nil, err
		}
		var first []weights.Row
		for _, r := range t.Rows {
			first = weights.KeepFirst(first, r, n, func(a, b weights.Row) int {
				return cmp.Or(b.Weights[0].Self.Compare(a.Weights[0].Self), strings.Compare(a.Name, b.Name))
			})
		}
		t.Rows = first
		return t, nil
	}
}

// lines returns the frames of the heaviest stacks, leaf first, each below what the stack weighs.
func (t *heavyStacks) lines(p *ui.Pane) (stacks [][]widget.Line) {
	if t == nil || t.Of == nil || t.None {
		return nil
	}
	w, s := t.Of.Weights, t.Of.Profile.Stacks
	unit := t.Unit()
	for _, x := range t.list {
		node := w.Records.Node[x.Record]
		if x.Value.IsZero() || node == 0 {
			continue
		}
		head := unit.Text(x.Value, p.State.Exact)
		if !w.Metrics[t.Metric].NoSum() {
			head += "  " + ui.AmountShare(x.Value, t.all)
		}
		lines := []widget.Line{{Spans: []widget.Span{{Text: head, Style: p.Look.Sorted}}}}
		for i, f := range s.Frames(nil, node, maxHeavyFrames) {
			name := strings.Repeat(" ", 1+min(i, 1)) + ui.FrameName(f, p.State.FullName)
			place := widget.Span{Text: "  " + ui.FramePlace(f), Style: p.Look.Muted}
			lines = append(lines, widget.Line{Indent: 4, Spans: []widget.Span{{Text: name}, place}})
		}
		if more := int(s.Depth[node]) - maxHeavyFrames; more > 0 {
			rest := widget.Span{Text: "  … " + model.Counted(more, "more frame"), Style: p.Look.Muted}
			lines = append(lines, widget.Line{Spans: []widget.Span{rest}})
		}
		stacks = append(stacks, lines)
	}
	return stacks
}

// draw draws as many of the heaviest stacks as fit completely.
func (t *heavyStacks) draw(s tcell.Screen, r widget.Rect, p *ui.Pane, heading string) {
	title, body := r.CutTop(1)
	answer := p.Hint("{stacks} has all")
	if widget.Width(heading)+widget.Width(answer)+3 > title.W {
		answer = ""
	}
	widget.TitleLine(s, title, p.Look, heading, answer)
	body = body.Inset(1, 0)
	var text widget.TextView
	var lines []widget.Line
	rows := 0
	for i, stack := range t.lines(p) {
		high := 0
		for _, line := range stack {
			all := ""
			for _, span := range line.Spans {
				all += span.Text
			}
			high += len(widget.Wrap(all, max(body.W-line.Indent, 1)))
		}
		if rows += high; rows > body.H && i > 0 {
			break
		}
		lines = append(lines, stack...)
	}
	text.SetLines(lines)
	text.Draw(s, body, p.Look)
}
