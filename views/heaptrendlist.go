package views

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
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
	trendRepr
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
func (l *trendList) Len() int          { return len(l.rows) }
func (l *trendList) ID(row int) uint64 { return uint64(row) }

func (l *trendList) Cell(row, col int) widget.Cell {
	t := &l.rows[row]
	at := l.p.state.snapshot()
	text := func(n uint64) string {
		if t.bytes {
			return bytesText(n, l.p.state.Exact)
		}
		return model.Group(n)
	}
	switch col {
	case trendName:
		if t.total {
			return widget.Cell{Text: t.name, Style: l.p.look.Title}
		}
		return widget.Cell{Text: heapName(t.name)}
	case trendRepr:
		if t.frame {
			return widget.Cell{Text: "frame", Style: l.p.look.Muted}
		}
		return widget.Cell{Text: t.repr, Style: l.p.look.Muted}
	case trendSpark:
		return widget.Cell{Kind: widget.SparkCell, Spark: t.values}
	case trendNow:
		if at < 0 || at >= len(t.values) {
			return widget.Cell{}
		}
		if t.values[at] == 0 && !t.total {
			return widget.Cell{Text: "-", Style: l.p.look.Muted}
		}
		return widget.Cell{Text: text(t.values[at])}
	}
	if at < 0 || at >= len(t.values) || !t.total && (t.values[at] == 0 || t.values[0] == 0) {
		return widget.Cell{}
	}
	return l.p.deltaCell(t.values[0], t.values[at], text)
}

func (l *trendList) draw(s tcell.Screen) {
	if l.area.Empty() {
		return
	}
	title, body := l.area.CutTop(1)
	look := *l.p.look
	if l.p.inTrends {
		look.Title = look.Sorted
	}
	l.Focused = l.p.inTrends
	widget.TitleLine(s, title, &look, "Trends", l.answer())
	const right = widget.Right
	b := 9
	if l.p.state.Exact {
		b = 14
	}
	l.Columns = []widget.Column{
		trendName: {Title: "TYPE OR FRAME", Width: 14, Grow: 3, MaxWidth: 44, Cut: widget.CutMiddle}, trendRepr: {Title: "REPR", Width: 10, Drop: 3},
		trendSpark:  {Title: fmt.Sprintf("#0 %s #%d", l.p.look.Glyphs.ArrowRight, len(l.p.rows)-1), Width: 10, Grow: 3, MaxWidth: 60},
		trendNow:    {Title: fmt.Sprintf("AT #%d", l.p.state.snapshot()), Width: b, Align: right, Drop: 1},
		trendChange: {Title: "SINCE #0", Width: b + 1, Align: right, Drop: 2},
	}
	l.Empty = []string{"Reading high scores…"}
	if why := unanswered(l.p.scores); why != nil {
		l.Empty = why
	}
	l.List.Draw(s, body, l.p.look)
}

// answer says what the trends are made from.
func (l *trendList) answer() string {
	set, ok := l.p.scores.get()
	switch {
	case l.p.scores.failure() != nil:
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

// deltaCell is a change: its sign and glyph stand beside its colour.
func (e *env) deltaCell(before, after uint64, text func(uint64) string) widget.Cell {
	switch {
	case after > before:
		return widget.Cell{Text: "+" + text(after-before), Style: e.style(themes.Loss)}
	case after < before:
		return widget.Cell{Text: minus(e.look) + text(before-after), Style: e.style(themes.Gain)}
	}
	return widget.Cell{Text: "=", Style: e.look.Muted}
}

// minus is the sign of what shrank.
func minus(k *widget.Look) string {
	if k.Glyphs.Plain {
		return "-"
	}
	return "−"
}

// filterFor is a filter that a name passes, whatever is in it.
func filterFor(name string) string {
	if strings.ContainsAny(name, " !/<>=") || name == "" {
		return "/" + regexp.QuoteMeta(name) + "/"
	}
	return name
}
