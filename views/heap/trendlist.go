package heap

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// trendList shows how the heap, its types and its frames develop over all snapshots.
type trendList struct {
	widget.List
	p    *heapSnapshots
	rows []trend
	area widget.Rect
}

// The columns of the list.
const (
	trendName = iota
	trendSecond
	trendSpark
	trendNow
	trendChange
)

func (l *trendList) selected() (*trend, bool) {
	i, ok := l.Selected()
	if !ok || i >= len(l.rows) {
		return nil, false
	}
	return &l.rows[i], true
}

// Len, ID and Cell implement widget.Table.
func (l *trendList) Len() int { return len(l.rows) }

func (l *trendList) ID(row int) uint64 { return uint64(row) }

func (l *trendList) Cell(row, col int) widget.Cell {
	t := &l.rows[row]
	at := l.p.State.Snapshot()
	text := func(n uint64) string {
		if t.bytes {
			return ui.BytesText(n, l.p.State.Exact)
		}
		return model.Group(n)
	}
	switch col {
	case trendName:
		if t.total {
			return widget.Cell{Text: t.name, Style: l.p.Look.Title}
		}
		return widget.Cell{Text: ui.HeapName(t.name)}
	case trendSecond:
		if t.frame {
			return widget.Cell{Text: "frame", Style: l.p.Look.Muted}
		}
		return widget.Cell{Text: t.sub, Style: l.p.Look.Muted}
	case trendSpark:
		return widget.Cell{Kind: widget.SparkCell, Spark: t.values}
	case trendNow:
		if at < 0 || at >= len(t.values) {
			return widget.Cell{}
		}
		if t.values[at] == 0 && !t.total {
			return widget.Cell{Text: "-", Style: l.p.Look.Muted}
		}
		return widget.Cell{Text: text(t.values[at])}
	}
	if at < 0 || at >= len(t.values) || !t.total && (t.values[at] == 0 || t.values[0] == 0) {
		return widget.Cell{}
	}
	return l.p.DeltaCell(t.values[0], t.values[at], text)
}

func (l *trendList) Draw(s tcell.Screen) {
	if l.area.Empty() {
		return
	}
	title, body := l.area.CutTop(1)
	look := *l.p.Look
	if l.p.inTrends {
		look.Title = look.Sorted
	}
	l.Focused = l.p.inTrends
	widget.TitleLine(s, title, &look, "Trends", l.answer())
	const right = widget.Right
	b := 9
	if l.p.State.Exact {
		b = 14
	}
	schema := schemaOf(&l.p.State)
	what := strings.ToUpper(schema.Axes[0].One)
	frames, framed := schema.Frames()
	if framed {
		what += " OR " + strings.ToUpper(frames.One)
	}
	l.Columns = []widget.Column{
		trendName: {Title: what, Width: 14, Grow: 3, MaxWidth: 44, Cut: widget.CutMiddle}, trendSecond: {Title: secondTitle(schema), Width: 10, Drop: 3},
		trendSpark:  {Title: fmt.Sprintf("#0 %s #%d", l.p.Look.Glyphs.ArrowRight, len(l.p.rows)-1), Width: 10, Grow: 3, MaxWidth: 60},
		trendNow:    {Title: fmt.Sprintf("AT #%d", l.p.State.Snapshot()), Width: b, Align: right, Drop: 1},
		trendChange: {Title: "SINCE #0", Width: b + 1, Align: right, Drop: 2},
	}
	if !framed && schema.Distinct() == 0 {
		ui.Hide(&l.Columns[trendSecond])
	}
	l.Empty = []string{"Reading high scores…"}
	if why := ui.Unanswered(l.p.scores); why != nil {
		l.Empty = why
	}
	l.List.Draw(s, body, l.p.Look)
}

// answer says what the trends are made from.
func (l *trendList) answer() string {
	set, ok := l.p.scores.Get()
	switch {
	case l.p.scores.Failure() != nil:
		return "unknown"
	case !ok:
		return "reading…"
	case set.none:
		return "the file has no high scores of types"
	}
	text := "by bytes"
	if l.p.counts {
		text = "by count"
	}
	if l.p.grown {
		return text + ", most grown first"
	}
	return text + ", largest first"
}
