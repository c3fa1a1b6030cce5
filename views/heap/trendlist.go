package heap

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// trendList shows the development of the heap, its types and its frames over all snapshots.
type trendList struct {
	ui.ListPane
	*ui.Table[trendData, trend]
	p *snapshots
}

// trendData determines the list of trends.
type trendData struct {
	snaps  *snapSet
	scores *scoreSet     // nil before they are known
	types  *ui.HeapTypes // of the snapshot, if the format has no scores; nil before they are known
	at     int           // the snapshot that all screens are about
	counts bool          // types and frames by count, not by bytes
	arrow  string        // from the first snapshot to the last
}

func (d trendData) rows() []trend {
	list := totalTrends(d.snaps.schema, d.snaps.rows)
	if d.scores != nil {
		list = append(list, d.scores.trends...)
	}
	if d.types != nil {
		list = append(list, d.typeTrends()...)
	}
	return list
}

// typeTrends returns the types of the snapshot as trends: other snapshots are not decoded for that. Their ids are from
// their names: while the snapshot is decoded, types have other numbers than then.
func (d trendData) typeTrends() []trend {
	list, used := make([]trend, len(d.types.List)), map[uint64]bool{}
	for i := range list {
		g, n := &d.types.List[i], uint64(0)
		if n = g.Bytes(); d.counts {
			n = g.Count
		}
		id := trendNames | maphash.String(nameSeed, g.Name) ^ maphash.String(subSeed, g.Sub)
		for used[id] {
			id++
		}
		used[id] = true
		list[i] = trend{id: id, name: g.Name, sub: g.Sub, bytes: !d.counts, alone: true,
			values: make([]uint64, len(d.snaps.rows))}
		list[i].values[d.types.I] = n
	}
	return list
}

var nameSeed, subSeed = maphash.MakeSeed(), maphash.MakeSeed()

// one reports whether there is nothing to compare: the file has one snapshot.
func (d trendData) one() bool { return len(d.snaps.rows) == 1 }

// whole returns the total for shares of a figure, 0 if there is none.
func (d trendData) whole(t *trend) uint64 {
	switch {
	case t.bytes && d.types != nil:
		return d.types.Bytes
	case t.bytes:
		return d.snaps.largest
	case t.total || d.types == nil:
		return 0
	}
	return d.types.Count
}

// figureWidth returns the width of a column of sums: counts of the complete heap are not shortened.
func (d trendData) figureWidth() int {
	w := 9
	for i := range d.snaps.rows {
		w = max(w, len(model.Group(uint64(max(d.snaps.rows[i].info.References, 0)))))
	}
	return w
}

// trendSpark is the column of the curves.
const trendSpark = 2

// spec returns the list of trends: those of the complete heap, of types, of frames, the highest first.
func (l *trendList) spec() ui.Spec[trendData, trend] {
	return ui.Spec[trendData, trend]{
		Rows:    trendData.rows,
		Columns: l.columns,
		ID:      func(_ trendData, t *trend) uint64 { return t.id },
		Words: func(trendData) func(t *trend) []string {
			return func(t *trend) []string { return []string{t.name, t.sub} }
		},
		First: trendSpark,
		Last: func(a, b *trend) int {
			return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.sub, b.sub), cmp.Compare(a.id, b.id))
		},
		Pinned: func(t *trend) int {
			switch {
			case t.total:
				return 2
			case !t.frame:
				return 1
			}
			return 0
		},
		Most: func(d trendData) (bytes, count uint64) { return d.snaps.largest, 0 },
	}
}

// value returns the figure at a snapshot; ok is false where there is none.
func (t *trend) value(at int) (v uint64, ok bool) {
	if at < 0 || at >= len(t.values) {
		return 0, false
	}
	return t.values[at], true
}

// change returns the difference of the figure at a snapshot from the first; figures that are not among the highest of
// both are not compared.
func (t *trend) change(at int) (before, after uint64, ok bool) {
	after, ok = t.value(at)
	if !ok {
		return 0, 0, false
	}
	before = t.values[0]
	return before, after, t.total || !t.alone && before > 0 && after > 0
}

func (l *trendList) columns(d trendData) []ui.Column[trend] {
	schema := d.snaps.schema
	what, second := strings.ToUpper(schema.Axes[0].One), schema.Distinct() > 0
	frames, framed := schema.Frames()
	if framed {
		what += " OR " + strings.ToUpper(frames.One)
	}
	field := "bytes"
	if d.counts {
		field = "count"
	}
	course := fmt.Sprintf("#0 %s #%d", d.arrow, len(d.snaps.rows)-1)
	if d.one() {
		course = "SHARE"
	}
	return []ui.Column[trend]{
		{Title: what, Width: 14, Grow: 3, MaxWidth: 64, Cut: widget.CutPackage,
			Text: func(t *trend) string { return t.name }, Cell: l.nameCell},
		{Title: secondTitle(schema), Width: 10, Grow: 1, MaxWidth: 40, Drop: 3, Hidden: !framed && !second,
			Cut: widget.CutPackage, Muted: true, Text: func(t *trend) string {
				if t.frame {
					return "frame"
				}
				return t.sub
			}},
		{Title: course, Width: 10, Grow: 3, MaxWidth: 60, Rank: (*trend).top, Cell: d.courseCell},
		{Title: fmt.Sprintf("AT #%d", d.at), Fields: []string{field}, Figure: ui.BytesFigure, Width: d.figureWidth(), Drop: 1,
			Value: func(t *trend) uint64 { v, _ := t.value(d.at); return v },
			Known: func(t *trend) bool {
				v, ok := t.value(d.at)
				return ok && (v > 0 || t.total) &&
					t.bytes != d.counts
			}, Cell: func(t *trend) widget.Cell { return l.valueCell(t, d.at) }},
		{Title: titles.Since, Hidden: d.one(), Fields: []string{"change"}, Figure: ui.BytesFigure, Width: 10, Drop: 2,
			Known:  func(t *trend) bool { _, _, ok := t.change(d.at); return ok && t.bytes != d.counts },
			Number: func(t *trend) float64 { b, a, _ := t.change(d.at); return float64(a) - float64(b) },
			Rank:   func(t *trend) uint64 { b, a, _ := t.change(d.at); return ui.Sortable(float64(a) - float64(b)) },
			Cell:   func(t *trend) widget.Cell { return l.changeCell(t, d.at) }},
	}
}

// courseCell returns the curve of a figure over all snapshots, or its share of the heap if it is known for one only.
func (d trendData) courseCell(t *trend) widget.Cell {
	if !t.alone && !d.one() {
		return widget.Cell{Kind: widget.SparkCell, Spark: t.values}
	}
	v, ok := t.value(d.at)
	if whole := d.whole(t); ok && whole > 0 {
		return ui.ShareCell(v, whole)
	}
	return widget.Cell{}
}

func (l *trendList) nameCell(t *trend) widget.Cell {
	if t.total {
		return widget.Cell{Text: t.name, Style: l.p.Look.Title}
	}
	return widget.Cell{Text: ui.HeapName(t.name)}
}

// text returns the format of a trend's figures.
func (l *trendList) text(t *trend) func(n uint64) string {
	if t.bytes {
		return func(n uint64) string { return ui.BytesText(n, l.p.State.Exact) }
	}
	return model.Group
}

func (l *trendList) valueCell(t *trend, at int) widget.Cell {
	switch v, ok := t.value(at); {
	case !ok:
		return widget.Cell{}
	case v == 0 && !t.total:
		return widget.Cell{Text: "-", Style: l.p.Look.Muted}
	default:
		return widget.Cell{Text: l.text(t)(v)}
	}
}

func (l *trendList) changeCell(t *trend, at int) widget.Cell {
	before, after, ok := t.change(at)
	if !ok {
		return widget.Cell{}
	}
	return l.p.DeltaCell(before, after, l.text(t))
}

func (l *trendList) Draw(s tcell.Screen) {
	if l.ListAt.Empty() {
		return
	}
	title, body := l.ListAt.CutTop(1)
	look := *l.p.Look
	if l.p.focus == onTrends {
		look.Title = look.Sorted
	}
	widget.TitleLine(s, title, &look, filteredTitle(l.heading(), l.p.State.Filter), l.answer())
	l.Layout(body.W, &l.p.State)
	l.List.Focused = l.p.focus == onTrends
	l.List.Empty = []string{"Reading what types there are in each snapshot…"}
	if why := ui.Unanswered(l.p.scores); why != nil {
		l.List.Empty = why
	} else if t := l.Now(); t != nil && len(t.Rows) > 0 {
		l.List.Empty = []string{"No matches for “" + l.p.State.Filter + "”.", l.p.FilterHint()}
	}
	l.List.Draw(s, body, l.p.Look)
}

// heading returns the heading of the list: with one snapshot, there are no trends.
func (l *trendList) heading() string {
	if l.Blank.one() {
		return "Totals and " + schemaOf(&l.p.State).Axes[0].Many
	}
	return "Trends"
}

// copyText returns the selected trend: its figures in all snapshots.
func (l *trendList) copyText() string {
	t, ok := l.Selected()
	if !ok {
		return ""
	}
	text, write := model.Clean(ui.HeapName(t.name))+":", model.Group
	if t.bytes {
		write = func(n uint64) string { return model.Bytes(n).Exact() }
	}
	sep := " "
	for i, v := range t.values {
		if t.alone && i != l.p.State.Snapshot() {
			continue
		}
		text += fmt.Sprintf("%s#%d %s", sep, i, write(v))
		sep = " · "
	}
	return text
}

// answer returns the data that the trends are made from.
func (l *trendList) answer() string {
	set, ok := l.p.scores.Get()
	switch {
	case l.p.scores.Failure() != nil:
		return "unknown"
	case !ok:
		return "reading…"
	case set.none && l.Blank.types == nil:
		return cmp.Or(l.p.Loads.Progress(), "types are not known")
	}
	text := "by bytes"
	if l.p.counts {
		text = "by count"
	}
	switch l.Sorted().Title {
	case l.Columns()[trendSpark].Title:
		text += ", largest first"
	case titles.Since:
		text += ", most grown first"
	}
	if !l.List.Descending {
		text += ", reversed"
	}
	switch types := l.Blank.types; {
	case types != nil && types.SoFar:
		text = "counted so far · " + text
	case l.Blank.one():
		text = "one snapshot: nothing to compare · " + text
	}
	return text
}
