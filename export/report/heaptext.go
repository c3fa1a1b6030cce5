package report

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// heapScope returns the snapshot that everything below describes.
func (t *TextWriter) heapScope() []string {
	h := t.r.Heap
	if h.Snapshot == nil {
		return nil
	}
	parts := []string{model.SnapshotText(*h.Snapshot, h.count)}
	if h.shown.File != "" {
		parts = append(parts, model.Clean(h.shown.File))
	}
	if h.shown.GC != nil {
		parts = append(parts, "GC "+model.Group(uint64(max(*h.shown.GC, 0))))
	}
	if h.shown.Time != nil {
		parts = append(parts, "at "+h.shown.Time.String())
	}
	if !h.shown.Complete {
		parts = append(parts, "INCOMPLETE")
	}
	if h.policy != nil && h.policy.Note != "" {
		parts = append(parts, h.policy.Note)
	}
	return parts
}

// heapFigures writes the sums of the chosen snapshot.
func (t *TextWriter) heapFigures() {
	s := t.r.Heap.shown
	if t.r.Heap.Snapshot == nil || s.Bytes == nil || t.r.Schema != SchemaReport {
		return
	}
	t.Line()
	exact := ""
	if !t.Style.Exact {
		exact = "  " + model.Bytes(*s.Bytes).Exact()
	}
	split := ""
	if s.Managed != nil && s.Unmanaged != nil {
		split = fmt.Sprintf(": %s managed, %s unmanaged", t.Style.Bytes(*s.Managed), t.Style.Bytes(*s.Unmanaged))
	}
	width := 12
	for _, c := range s.counts() {
		width = max(width, utf8.RuneCountInString(c.name))
	}
	t.Line(" ", cells.Pad("heap", width, false), cells.Pad(t.Style.Bytes(*s.Bytes), 10, true), exact, split)
	for _, c := range s.counts() {
		t.Line(" ", cells.Pad(c.name, width, false), cells.Pad(t.Style.Count(c.n), 10, true))
	}
}

// heapFigures writes the table of sums, rounded and exact.
func (m *MarkdownWriter) heapFigures() {
	s, style := m.text.r.Heap.shown, m.text.Style
	if m.text.r.Heap.Snapshot == nil || m.text.r.Schema != SchemaReport {
		return
	}
	m.Printf("\n| | | exact |\n|---|---:|---:|\n")
	for _, b := range []struct {
		name string
		n    *uint64
	}{{"heap", s.Bytes}, {"managed", s.Managed}, {"unmanaged", s.Unmanaged}} {
		if b.n != nil {
			m.Printf("| %s | %s | %s |\n", b.name, style.Bytes(*b.n), model.Bytes(*b.n).Exact())
		}
	}
	for _, c := range s.counts() {
		m.Printf("| %s | %s | |\n", c.name, style.Count(c.n))
	}
}

// counted is one of a snapshot's counts.
type counted struct {
	name string
	n    uint64
}

// counts returns the counts that are known.
func (s *Snapshot) counts() []counted {
	var out []counted
	add := func(name string, n *int64) {
		if n != nil {
			out = append(out, counted{name, uint64(max(*n, 0))})
		}
	}
	for _, c := range s.Counts {
		add(c.Set.Many, c.N)
	}
	add("references", s.References)
	return out
}

// heapTables returns the lists about snapshots, in the order of the text report.
func (r *Report) heapTables(s cells.Style, full bool) []table {
	var list []table
	w := heapWriter{r.Heap, s, full}
	if r.AroundType != nil {
		return append(list, w.around(r.AroundType))
	}
	if r.Object != nil {
		list = append(list, w.object(r.Object))
		if r.Object.FieldCount != nil && *r.Object.FieldCount > 0 {
			list = append(list, w.fields(r.Object))
		}
		list = append(list, w.edges("References from it", r.Object.Out, r.Object.OutCount),
			w.edges("References to it", r.Object.In, r.Object.InCount))
	}
	if r.Path != nil {
		list = append(list, w.path(r.Path))
	}
	if r.FoundBy != nil {
		list = append(list, w.foundBy(r.FoundBy, *r.FoundAll))
	}
	if r.Found != nil {
		list = append(list, w.found(r.Found, *r.FoundAll))
	}
	if r.Heap != nil {
		list = append(list, w.threads()...)
		if r.Heap.Waste != nil {
			list = append(list, w.waste(r.Heap.Waste)...)
		}
		if r.Heap.Owners != nil {
			list = append(list, w.owners(r.Heap.Owners))
		}
		list = append(list, w.suspects(), w.types(), w.groups(), w.frames(), w.dominators(), w.snapshots(), w.trends())
	}
	return list
}

type heapWriter struct {
	h     *Heap
	style cells.Style
	full  bool // unabbreviated names and paths: for markdown
}

func (w heapWriter) total() uint64 {
	if w.h == nil || w.h.shown.Bytes == nil {
		return 0
	}
	return *w.h.shown.Bytes
}

// bytes renders a size, or "" if it is unknown.
func (w heapWriter) bytes(n *uint64) string {
	if n == nil {
		return ""
	}
	return w.style.Bytes(*n)
}

func (w heapWriter) count(n *int64) string {
	if n == nil {
		return ""
	}
	return w.style.Count(uint64(max(*n, 0)))
}

// length returns the length of a list before the limit, or 0 if it was not requested.
func (w heapWriter) length(of func(*HeapLengths) *int) int {
	if w.h.Counts == nil || of(w.h.Counts) == nil {
		return 0
	}
	return *of(w.h.Counts)
}

func (w heapWriter) name(s string) string {
	if w.full {
		return model.Clean(s)
	}
	return w.style.Shorten(model.Clean(s))
}

// snapshots returns a table without the number of rows, which has the recorder's own root in addition to what is counted.
func (w heapWriter) snapshots() table {
	out := table{
		name: "snapshots", title: "Snapshots", answer: model.Counted(len(w.h.Snapshots), "snapshot"),
		cols: []col{{titles.Number, number}, {titles.GC, number}, {titles.Time, number}, {titles.Bytes, number},
			{"", sketch}, {titles.References, number}},
	}
	for _, set := range w.columns() {
		out.cols = append(out.cols, col{strings.ToUpper(set.Many), number})
	}
	out.cols = append(out.cols, col{"", word})
	several := slices.ContainsFunc(w.h.Snapshots, func(s Snapshot) bool { return s.File != "" })
	if several {
		out.cols = append(out.cols, col{titles.File, name})
	}
	top := uint64(0)
	for _, s := range w.h.Snapshots {
		if s.Bytes != nil {
			top = max(top, *s.Bytes)
		}
	}
	for _, s := range w.h.Snapshots {
		bar, time, note := "", "", ""
		if s.Bytes != nil {
			bar = w.style.Bar(*s.Bytes, top, snapshotBar)
		}
		if s.Time != nil {
			time = w.style.Time(*s.Time)
		}
		if !s.Complete {
			note = "incomplete"
		}
		row := []string{fmt.Sprint(s.Index), w.count(s.GC), time, w.bytes(s.Bytes), bar, w.count(s.References)}
		for _, c := range s.Counts {
			if c.Set.Column {
				row = append(row, w.count(c.N))
			}
		}
		if row = append(row, note); several {
			row = append(row, w.name(s.File))
		}
		out.rows = append(out.rows, row)
	}
	return out
}

func (w heapWriter) trends() table {
	axis, _, _ := w.h.Words()
	out := table{
		name: "trends", title: "Trends", cols: []col{{titles.Growth, number}, {titles.AtEnd, number},
			{titles.Count, number}, {titles.Trend, sketch}, {strings.ToUpper(axis.One), name}},
	}
	x := w.h.Trends
	if x == nil {
		return out
	}
	out.answer, out.more = "growth of types from their smallest snapshot to the last", x.Count-len(x.Types)
	for i := range x.Types {
		t := &x.Types[i]
		last := len(t.Bytes) - 1
		out.rows = append(out.rows, []string{
			w.style.Bytes(t.GrownBytes), w.style.Bytes(t.Bytes[last]), w.style.Count(t.Count[last]),
			w.style.Spark(t.Bytes, min(len(t.Bytes), trendCells)), w.name(t.Type),
		})
	}
	return out
}

// trendCells is the maximum width of a curve over snapshots, in cells.
const trendCells = 16

// columns returns the sets that have a column in lists of snapshots.
func (w heapWriter) columns() (sets []*model.HeapSet) {
	for i := range w.h.schema.Sets {
		if set := &w.h.schema.Sets[i]; set.Column {
			sets = append(sets, set)
		}
	}
	return sets
}

// snapshotBar is the width of the bars of snapshots, in cells.
const snapshotBar = 12

// byAxis returns the table of groups of objects without rows, shown of n.
func (w heapWriter) byAxis(id string, axis model.HeapAxis, n, shown int) table {
	out := table{name: id, title: model.Capital(axis.Many), more: n - shown,
		answer: model.CountedAs(n, axis.One, axis.Many) + " of " + w.h.schema.Objects().Many,
		cols:   []col{{titles.Bytes, number}, {titles.Share, number}, {titles.Count, number}}}
	if w.h.schema.Split {
		out.cols = append(out.cols, col{titles.Unmanaged, number})
	}
	out.cols = append(out.cols, col{titles.Retained, number}, col{strings.ToUpper(axis.One), name})
	return out
}

// figures returns the cells of a group of objects before its name, and explains a group that retains less than it is.
func (w heapWriter) figures(out *table, bytes, count uint64, unmanaged *uint64, r *HeapRetained) []string {
	const why = "; unreachable ones count as bytes, but nothing retains them"
	if r.Retained != nil && *r.Retained < bytes && !strings.HasSuffix(out.answer, why) {
		out.answer += why
	}
	row := []string{w.style.Bytes(bytes), w.style.Share(bytes, w.total()), w.style.Count(count)}
	if unmanaged != nil {
		row = append(row, w.style.Bytes(*unmanaged))
	}
	return append(row, r.text(w.style))
}

func (w heapWriter) types() table {
	axis, _, _ := w.h.Words()
	second := w.h.schema.Distinct()
	out := w.byAxis("types", *axis, w.length(func(c *HeapLengths) *int { return c.Types }), len(w.h.Types))
	if second > 0 {
		out.cols = append(out.cols, col{strings.ToUpper(w.h.schema.Axes[second].One), where})
	}
	for _, t := range w.h.Types {
		row := append(w.figures(&out, t.Bytes, t.Count, t.Unmanaged, &t.HeapRetained), w.name(t.Type))
		if second > 0 {
			row = append(row, model.Clean(t.on(second, w.h.schema)))
		}
		out.rows = append(out.rows, row)
	}
	return out
}

func (w heapWriter) groups() table {
	axis := model.HeapAxis{One: "kind", Many: "kinds"}
	if i, ok := w.h.schema.AxisNamed(w.h.Group); ok {
		axis = w.h.schema.Axes[i]
	}
	out := w.byAxis("groups", axis, w.length(func(c *HeapLengths) *int { return c.Groups }), len(w.h.Groups))
	if out.ends = axis.ByRow; axis.Unstated {
		out.empty = axis.NotStated("the file")
	}
	for i := range w.h.Groups {
		g := &w.h.Groups[i]
		out.rows = append(out.rows, append(w.figures(&out, g.Bytes, g.Count, g.Unmanaged, &g.HeapRetained),
			w.name(axis.Text(g.Value))))
	}
	return out
}

func (w heapWriter) frames() table {
	out := table{
		name: "frames", title: "Frames",
		cols: []col{{titles.Bytes, number}, {titles.Share, number}, {titles.Count, number}, {titles.Retained, number},
			{titles.Frame, name}, {titles.Where, where}},
	}
	n := w.length(func(c *HeapLengths) *int { return c.Frames })
	out.more, out.answer = n-len(w.h.Frames), "frames of "+model.Counted(n, "block")
	for _, f := range w.h.Frames {
		frame, at := w.name(f.Frame), ""
		if frame == "" {
			frame = "<anon>"
		}
		if f.File != nil {
			at = model.Clean(*f.File)
			if !w.full {
				at = path.Base(at)
			}
		}
		if f.Line != nil && at != "" {
			at += fmt.Sprintf(":%d", *f.Line)
		}
		out.rows = append(out.rows, []string{
			w.style.Bytes(f.Bytes), w.style.Share(f.Bytes, w.total()), w.style.Count(f.Count), f.text(w.style), frame, at,
		})
	}
	if w.h.running > 0 { // they weigh nothing
		out.answer = "calls of " + model.Counted(w.h.running, "thread")
		out.cols = []col{out.cols[2], out.cols[4], out.cols[5]}
		for i, row := range out.rows {
			out.rows[i] = []string{row[2], row[4], row[5]}
		}
	}
	return out
}

func (w heapWriter) dominators() table {
	out := table{
		name: "dominators", title: "Dominators", answer: "objects by retained size",
		cols: []col{{titles.Retained, number}, {titles.Share, number}, {titles.Objects, number},
			{titles.Bytes, number}, {titles.Row, number}, {titles.What, name}, {titles.Kind, word}},
	}
	if w.h.Below != nil {
		out.answer = fmt.Sprintf("what object #%d dominates directly, by retained size", *w.h.Below)
	}
	out.more = w.length(func(c *HeapLengths) *int { return c.Dominators }) - len(w.h.Dominators)
	for _, d := range w.h.Dominators {
		out.rows = append(out.rows, []string{
			w.style.Bytes(d.RetainedBytes), w.style.Share(d.RetainedBytes, w.total()), w.style.Count(d.RetainedCount),
			w.style.Bytes(d.Bytes),
			fmt.Sprint(d.Row), w.name(d.Label), d.Kind,
		})
	}
	return out
}

func (w heapWriter) object(o *HeapObject) table {
	out := table{
		name: "object", title: fmt.Sprintf("Object #%d", o.Row), answer: w.name(o.Label),
		cols: []col{{titles.What, word}, {titles.Is, name}},
	}
	add := func(what, is string) { out.rows = append(out.rows, []string{what, is}) }
	add("kind", o.Kind)
	add("name", model.Clean(o.Label))
	for _, id := range o.ID {
		if id != nil {
			add("identity", *id)
		}
	}
	for _, p := range o.Places {
		add(p.Axis.Word, model.Clean(p.Text))
	}
	if o.Text != nil {
		text := model.Clean(*o.Text)
		if !*o.TextComplete {
			text += "…"
		}
		add("text", text)
	}
	bytes := w.style.Bytes(o.Bytes)
	if o.Managed != nil {
		bytes += fmt.Sprintf(": %s managed, %s unmanaged", w.style.Bytes(*o.Managed), w.style.Bytes(*o.Unmanaged))
	}
	add("bytes", bytes)
	if !o.Lacks("retained_bytes") {
		add("retained", fmt.Sprintf("%s in %s", w.style.Bytes(o.RetainedBytes), model.Counted(o.RetainedCount, "object")))
	}
	if o.Dominator != nil {
		add("dominator", fmt.Sprintf("#%d", *o.Dominator))
	}
	return out
}

// fields returns a table of the fields of an object.
func (w heapWriter) fields(o *HeapObject) table {
	out := table{
		name: "fields", title: "Fields", answer: model.Counted(*o.FieldCount, "field"), more: *o.FieldCount - len(o.Fields),
		cols: []col{{titles.Field, symbol}, {titles.Type, word}, {titles.Row, number}, {titles.What, name}},
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		field, row := model.Clean(f.Name), ""
		if f.Index != nil {
			field = fmt.Sprintf("[%d]", *f.Index)
		}
		if f.Of != "" {
			field += " (" + model.Clean(f.Of) + ")"
		}
		if f.Row != nil {
			row = fmt.Sprint(*f.Row)
		}
		out.rows = append(out.rows, []string{field, model.Clean(f.Type), row, w.value(f)})
	}
	return out
}

// value returns the value of a field, or the object that it refers to.
func (w heapWriter) value(f *HeapField) string {
	switch {
	case f.Null:
		return "null"
	case f.Dangling != nil:
		return *f.Dangling + ", which is not in the file"
	case f.Value != nil:
		return model.Clean(*f.Value)
	case f.Text != nil && *f.TextComplete:
		return "“" + model.Clean(*f.Text) + "” " + w.name(*f.Label)
	case f.Text != nil:
		return "“" + model.Clean(*f.Text) + "…” " + w.name(*f.Label)
	}
	return w.name(*f.Label)
}

// edges returns a table of references and their other ends.
func (w heapWriter) edges(title string, edges []HeapEdge, count int) table {
	out := table{
		name: "references", title: title, answer: model.Counted(count, "reference"), more: count - len(edges),
		cols: []col{{titles.Reference, symbol}, {titles.Row, number}, {titles.What, name}},
	}
	for _, e := range edges {
		out.rows = append(out.rows, []string{w.edge(e.Edge, e.EdgeKind), fmt.Sprint(e.Row), w.name(e.Label)})
	}
	return out
}

// edge returns a reference's text, with its kind if that is worth showing.
func (w heapWriter) edge(text string, kind members.EdgeKind) string {
	if len(kind) == 0 || !kind[0].Marked {
		return w.name(text)
	}
	return w.name(text) + " (" + kind[0].Name + ")"
}

func (w heapWriter) path(steps []HeapStep) table {
	out := table{
		name: "path", title: "Path from the root", answer: model.Counted(len(steps)-1, "step"),
		cols: []col{{titles.Reference, symbol}, {titles.Row, number}, {titles.What, name}, {titles.Kind, word}},
	}
	for _, s := range steps {
		edge := ""
		if s.Edge != nil {
			edge = w.edge(*s.Edge, s.EdgeKind)
		}
		out.rows = append(out.rows, []string{edge, fmt.Sprint(s.Row), w.name(s.Label), s.Kind})
	}
	return out
}

func (w heapWriter) found(rows []HeapRow, all int) table {
	out := table{
		name: "rows", title: "Found", answer: model.Counted(all, "object"), more: all - len(rows), empty: "no object matches",
		cols: []col{{titles.Row, number}, {titles.Bytes, number}, {titles.What, name}, {titles.Kind, word}},
	}
	for _, r := range rows {
		what := w.name(r.Label)
		if r.Text != nil {
			what = "“" + model.Clean(*r.Text) + "” " + what
		}
		out.rows = append(out.rows, []string{fmt.Sprint(r.Row), w.style.Bytes(r.Bytes), what, r.Kind})
	}
	return out
}

// foundBy returns a table of the properties that found rows have in common.
func (w heapWriter) foundBy(list []members.Found, all int) table {
	out := table{
		name: "row_groups", title: "Found", answer: model.Counted(all, "object"), empty: "no object matches",
		cols: []col{{titles.Count, number}, {titles.Bytes, number}, {titles.What, name}}, ends: true,
	}
	for i := range list {
		out.rows = append(out.rows, []string{w.style.Count(list[i].Count), w.style.Bytes(list[i].Bytes), w.name(list[i].Text())})
	}
	return out
}
