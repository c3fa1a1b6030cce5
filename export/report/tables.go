package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// table is one table of the text and markdown reports, formatted but not yet laid out.
type table struct {
	name   string // name for --table
	title  string
	answer string // summary in a few words, next to the title
	more   int    // rows that the limit omitted
	each   string // unit of the limit: "level"; "" if the limit applies to the entire table
	empty  string // text if there are no rows; if it is "", the table is omitted
	cols   []col
	rows   [][]string // one cell per column; all clean
	notes  [][]string // lines below a row, by row; nil for none
	ends   bool       // names keep both ends where they are cut: they are places
	spare  []string   // heads of columns that are dropped, the first one first, if names need the room in text
}

type col struct {
	head string
	kind colKind
}

// colKind is how a column is laid out, whichever package lays out the table.
type colKind = cells.Kind

const (
	number  = cells.Number
	word    = cells.Word
	name    = cells.Name
	where   = cells.Where
	symbol  = cells.Symbol
	prosaic = cells.Prosaic
	sketch  = cells.Sketch
)

// tables returns all tables that are not empty, in the order of the text report.
func (r *Report) tables(s cells.Style, full bool) []table {
	blocks := r.File.Style(s)
	switch {
	case len(r.Alone) > 0:
		return []table{r.laid(blocks, full)}
	case r.Tree != nil:
		return []table{r.Tree.table(blocks, full)}
	case r.Around != nil:
		return []table{r.Around.table(blocks, full)}
	case r.Lines != nil:
		return []table{r.Lines.table(blocks, full)}
	case r.Events != nil:
		return []table{r.Events.table(blocks, full)}
	}
	list := append(r.heapTables(s, full), r.dumpTables(s, full)...)
	list = append(list, r.stackTables(s, full)...)
	if r.Trace != nil {
		w := r.traceWriter(blocks, full)
		list = append(list, w.curveSites(), w.findings(), w.leaks(), w.sites(), w.live(), w.peak(), w.lateFreed(),
			w.groups(), w.functions(), w.threads(),
			w.markers(), w.sizes(), w.lifetimes())
	}
	return r.finish(list)
}

// finish adds to tables what limits, filters, orders and sampling change. It leaves out those without rows.
func (r *Report) finish(list []table) []table {
	out := list[:0]
	for _, t := range list {
		if r.File.Sampled != "" {
			t.countSamples()
		}
		for i := range r.rowsLeft {
			if f := &r.rowsLeft[i]; f.table == t.name && f.all > 0 {
				t.more, t.answer, t.empty = f.left-len(t.rows), f.answer(), "no matches"
			}
		}
		for _, o := range r.sorted {
			if o.table == t.name {
				t.orderBy(o.by)
			}
		}
		if len(t.rows) > 0 || t.empty != "" {
			out = append(out, t)
		}
	}
	return out
}

// orderBy says in the title which column the rows are sorted by, in place of their usual order.
func (t *table) orderBy(column string) {
	title, _, _ := strings.Cut(t.title, " by ")
	t.title = title + " by " + strings.ReplaceAll(column, "_", " ")
}

// countSamples names the columns that count blocks by what they count, and says so. Figures about samples alone are left out.
func (t *table) countSamples() {
	t.title, t.answer = model.AsEstimates(t.title), model.AsEstimates(t.answer)
	t.drop(titles.Temporary) // two events in a row are those of two samples
	for i := range t.cols {
		if c := &t.cols[i]; c.head == titles.Blocks || c.head == titles.Allocs {
			c.head = titles.Samples
		}
	}
}

// errors adds how far a column of bytes is off, where blocks were sampled, before column at. of returns these bytes of a
// row, and their samples.
func (w tableWriter) errors(t table, at int, of func(row int) (bytes, samples uint64)) table {
	if !w.style.Estimated {
		return t
	}
	t.cols = slices.Insert(slices.Clone(t.cols), at, col{titles.Error, number})
	for i := range t.rows {
		t.rows[i] = slices.Insert(t.rows[i], at, w.style.Text(w.sampling.ErrorText(of(i))))
	}
	return t
}

// drop removes a column.
func (t *table) drop(head string) {
	at := slices.IndexFunc(t.cols, func(c col) bool { return c.head == head })
	if at < 0 {
		return
	}
	t.cols = slices.Delete(slices.Clone(t.cols), at, at+1)
	for i := range t.rows {
		t.rows[i] = slices.Delete(t.rows[i], at, at+1)
	}
}

// findingsTable returns the name of the table that says what to look at first, "" if r has none.
func (r *Report) findingsTable() string {
	switch {
	case r.Schema != SchemaReport, r.Tree != nil, r.Around != nil, r.AroundType != nil, r.Lines != nil, r.Events != nil, len(r.Alone) > 0:
		return ""
	case r.Trace != nil:
		return "findings"
	case r.Heap != nil && r.Heap.Suspects != nil:
		return "suspects"
	}
	return ""
}

// findingsFirst divides tables into the one that reports begin with, if there is one, and the rest.
func (r *Report) findingsFirst(s cells.Style, full bool) (first, rest []table) {
	for _, t := range r.tables(s, full) {
		if t.name == r.findingsTable() {
			first = append(first, t)
		} else {
			rest = append(rest, t)
		}
	}
	return first, rest
}

type tableWriter struct {
	t      *Trace
	style  cells.Style
	full   bool   // unabbreviated paths and names: for Markdown
	at     string // the instant in words
	narrow bool   // the range is not the complete file

	sampling model.Sampling
}

func (r *Report) traceWriter(s cells.Style, full bool) tableWriter {
	return tableWriter{r.Trace, s, full, r.instant(), r.Time.From != nil || r.Time.To != nil, r.File.sampling}
}

// instant returns the name of the instant: "at the end", "at 20.0 ms".
func (r *Report) instant() string {
	if r.Time.At == nil || r.Time.Duration == nil || *r.Time.At == *r.Time.Duration {
		return "at the end"
	}
	return "at " + r.Time.At.In(r.Time.Unit)
}

// place returns the last two cells of a row: the owner, and the first frame that is not an allocation function if that
// is another one, with the owner's line. Unabbreviated names are those of the frame alone.
func (w tableWriter) place(p places.Place, f places.Frames, owner places.Owner) []string {
	f = f.Site()
	if f.Depth() > 0 {
		p = f.Place(0)
	}
	if w.full {
		return []string{p.Name(), p.Where()}
	}
	name := p.InModule(w.style.Function)
	if _, there := f.From(owner); there && owner.Name() != p.Name() {
		return []string{owner.Place.InModule(w.style.Function) + w.style.Text(" › ") + funcname.Last(name), owner.Place.Base()}
	}
	return []string{name, p.Base()}
}

// function returns a function's name, unabbreviated for Markdown.
func (w tableWriter) function(name string) string {
	if w.full {
		return name
	}
	return w.style.Function(name)
}

// group returns a group's name, shortened like those of other tables if it is a function.
func (w tableWriter) group(name string) string {
	if w.t.grouped == analysis.ByFunction || w.t.grouped == analysis.ByOwner {
		return w.function(name)
	}
	return name
}

// verdictCols returns the columns of a verdict, which is about the complete run, and its confidence.
func (w tableWriter) verdictCols() []col {
	if w.narrow {
		return []col{{titles.RunsVerdict, word}, {titles.Sure, number}}
	}
	return []col{{titles.Verdict, word}, {titles.Sure, number}}
}

func placeCols() []col { return []col{{titles.Function, name}, {titles.Where, where}} }

func (w tableWriter) sites() table {
	t := w.t
	out := table{
		name: "sites", title: "Top sites", more: t.Rows.Sites - len(t.Sites),
		answer: w.ofAll(t.kept.alloc) + w.style.Bytes(t.AllocBytes) + " allocated at " + model.Counted(t.Rows.Sites, "site"),
		cols: slices.Concat([]col{{titles.Allocated, number}, {titles.Allocs, number}, {titles.Temporary, number},
			{titles.Live, number}, {titles.Peak, number}},
			w.verdictCols(), placeCols()),
		spare: []string{titles.Sure, titles.Temporary, titles.Peak},
	}
	for _, s := range t.Sites {
		out.rows = append(out.rows, append([]string{
			w.style.Bytes(s.AllocBytes), w.style.Count(s.AllocCount), w.style.Share(s.TemporaryCount, s.AllocCount),
			w.style.Bytes(s.LiveBytes), w.style.Bytes(s.PeakBytes), s.Verdict, s.Sure.String(),
		}, w.place(s.Place, s.Frames, s.Owner)...))
		out.notes = append(out.notes, w.found(s.Stack, s.Frames, s.Owner))
	}
	return w.errors(out, 2, func(i int) (bytes, samples uint64) { return t.Sites[i].AllocBytes, t.Sites[i].AllocCount })
}

func (w tableWriter) live() table {
	out := w.levels(w.t.LiveSites, w.t.Live.Bytes)
	out.name, out.title, out.more = "live_sites", "Live "+w.style.Text(w.at), w.t.Rows.LiveSites-len(w.t.LiveSites)
	out.answer = w.ofAll(w.t.kept.live) + w.style.Bytes(w.t.Live.Bytes) + " in " + model.Counted(w.t.Live.Count, "block")
	return out
}

func (w tableWriter) peak() table {
	if w.t.Peak == nil {
		return table{}
	}
	out := w.levels(w.t.PeakSites, w.t.Peak.Bytes)
	out.name, out.title, out.more = "peak_sites", "At the peak", w.t.Rows.PeakSites-len(w.t.PeakSites)
	out.answer = fmt.Sprintf("%s%s in %s at %s", w.ofAll(w.t.kept.peak), w.style.Bytes(w.t.Peak.Bytes),
		model.Counted(w.t.Peak.Count, "block"), w.style.Time(w.t.Peak.Time))
	return out
}

// levels returns a table of what is live at an instant; total is its bytes.
func (w tableWriter) levels(sites []Site, total uint64) table {
	trend := titles.Trend
	if w.narrow {
		trend = titles.RunsTrend
	}
	out := table{
		cols: slices.Concat([]col{{titles.Live, number}, {titles.Blocks, number}, {titles.Share, number}},
			w.verdictCols(), []col{{trend, sketch}}, placeCols()),
		spare: []string{titles.Sure, titles.Share, trend},
	}
	for _, s := range sites {
		out.rows = append(out.rows, append([]string{
			w.style.Bytes(s.LiveBytes), w.style.Count(s.LiveCount), w.style.Share(s.LiveBytes, total),
			s.Verdict, s.Sure.String(), w.style.Spark(w.t.histories[s.Stack], historyColumns),
		}, w.place(s.Place, s.Frames, s.Owner)...))
		out.notes = append(out.notes, w.found(s.Stack, s.Frames, s.Owner))
	}
	return w.errors(out, 2, func(i int) (bytes, samples uint64) { return sites[i].LiveBytes, sites[i].LiveCount })
}

// leakStacks is the number of leaks in the text report that show their stack, leakFrames the number of its frames.
const (
	leakStacks  = 3
	leakFrames  = 5
	leakColumns = 10 // of their curves, as the row has many other cells
)

func (w tableWriter) leaks() table {
	l := w.t.Leaks
	out := w.leakRows(l.Sites, titles.LeakShare)
	out.name, out.title, out.more = "leaks", "Never freed", w.t.Rows.Leaks-len(l.Sites)
	out.answer = fmt.Sprintf("%s in %s at %s", w.style.Bytes(l.Bytes), model.Counted(l.Count, "block"),
		model.Counted(w.t.Rows.Leaks, "site"))
	if w.narrow {
		out.title = "Allocated in the range, not freed by its end"
	}
	if l.MinAge > 0 {
		out.answer += ", at least " + w.style.Time(l.MinAge) + " old"
	}
	for i, s := range l.Sites {
		if i < leakStacks && out.notes[i] == nil {
			out.notes[i] = w.stackLines(s.Frames.Site(), leakFrames)
		}
	}
	return out
}

func (w tableWriter) lateFreed() table {
	l := w.t.LateFreed
	out := w.leakRows(l.Sites, titles.Share)
	out.name, out.title, out.more = "late_freed", "Freed only at the end of the run", w.t.Rows.LateFreed-len(l.Sites)
	of := "it"
	if w.narrow {
		of = "the whole run"
	}
	out.answer = fmt.Sprintf("%s in %s that had lived for half of %s", w.style.Bytes(l.Bytes), model.Counted(l.Count, "block"), of)
	return out
}

// leakRows returns a table of leaked blocks; share is the title of the column with their share of the site's blocks.
func (w tableWriter) leakRows(sites []LeakSite, share string) table {
	out := table{
		cols: slices.Concat([]col{{titles.Bytes, number}, {titles.Blocks, number}, {share, number}, {titles.Oldest, number}},
			w.verdictCols(), []col{{titles.Births, sketch}}, placeCols()),
		spare: []string{share, titles.Births, titles.Oldest},
	}
	for _, s := range sites {
		out.rows = append(out.rows, append([]string{
			w.style.Bytes(s.Bytes), w.style.Count(s.Count), w.style.Share(s.Count, s.allocs), w.style.Time(s.Oldest),
			w.verdict(s), s.Sure.String(), w.style.Spark(s.history, leakColumns),
		}, w.place(s.Place, s.Frames, s.Owner)...))
		out.notes = append(out.notes, w.found(s.Stack, s.Frames, s.Owner))
	}
	return w.errors(out, 2, func(i int) (bytes, samples uint64) { return sites[i].Bytes, sites[i].Count })
}

// verdict returns the verdict, with how fast a leak grows.
func (w tableWriter) verdict(s LeakSite) string {
	if s.Growth != nil {
		return s.Verdict + " " + w.style.Rate(*s.Growth)
	}
	return s.Verdict
}

// found returns the lines below a row that has a finding: the callers of its owner. It is nil for other rows.
func (w tableWriter) found(stack uint64, f places.Frames, owner places.Owner) []string {
	about := func(x Finding) bool { return slices.Contains(x.Stacks, stack) }
	if !slices.ContainsFunc(w.t.Findings, about) {
		return nil
	}
	f, _ = f.From(owner)
	return w.stackLines(f, leakFrames)
}

// stackLines draws the callers of a stack's first frame, at most n of them.
func (w tableWriter) stackLines(f places.Frames, n int) []string {
	var lines []string
	skipLeaf := true
	for p := range f.All() {
		if skipLeaf {
			skipLeaf = false
			continue
		}
		if len(lines) == n {
			lines = append(lines, w.style.Cut()+" "+model.Counted(f.Depth()-1-n, "more frame"))
			break
		}
		at := p.Base()
		if at != "" {
			at = "  " + at
		}
		lines = append(lines, w.style.Text("← ")+w.style.Function(p.Name())+at)
	}
	return lines
}

// ofAll returns the text for sums of all blocks above filtered tables: how much passes the filters.
func (w tableWriter) ofAll(left uint64) string {
	if len(w.t.Filters) > 0 {
		return "filters leave " + w.style.Bytes(left) + " of "
	}
	return ""
}

// unless returns the note for a table that filters do not apply to.
func (w tableWriter) unless(table string) string {
	if slices.Contains(w.t.Unfiltered, table) {
		return ", all stacks: filters do not apply"
	}
	return ""
}

func (w tableWriter) groups() table {
	out := table{
		name: "groups", title: "Groups", more: w.t.Rows.Groups - len(w.t.Groups),
		answer: model.Counted(w.t.Rows.Groups, "group") + " by " + w.groupedBy(),
		cols: []col{{titles.Allocated, number}, {titles.Allocs, number}, {titles.Temporary, number},
			{titles.Live, number}, {titles.Peak, number}, {titles.Leaked, number}},
	}
	ofSites := !w.t.grouped.Divides()
	if ofSites {
		out.cols = slices.Concat(out.cols, []col{{titles.Sites, number}}, w.verdictCols())
		out.spare = []string{titles.Sure, titles.Temporary, titles.Peak}
	}
	out.cols = append(out.cols, col{titles.Group, name})
	for _, g := range w.t.Groups {
		row := []string{
			w.style.Bytes(g.AllocBytes), w.style.Count(g.AllocCount), w.style.Share(g.TemporaryCount, g.AllocCount),
			w.style.Bytes(g.LiveBytes), w.style.Bytes(g.PeakBytes), w.style.Bytes(g.LeakedBytes),
		}
		if ofSites {
			row = append(row, w.style.Count(g.Sites), g.Verdict, g.Sure.String())
		}
		out.rows = append(out.rows, append(row, w.group(model.Clean(g.Group))))
	}
	return w.errors(out, 2, func(i int) (bytes, samples uint64) { return w.t.Groups[i].AllocBytes, w.t.Groups[i].AllocCount })
}

// groupedBy returns what groups have in common. Of samples that is not a size.
func (w tableWriter) groupedBy() string {
	if w.style.Estimated && w.t.grouped == analysis.BySizeClass {
		return "weight: what samples represent, as sizes are not known"
	}
	return w.t.grouped.String()
}

func (w tableWriter) functions() table {
	out := table{
		name: "functions", title: "Functions", more: w.t.Rows.Functions - len(w.t.Functions),
		answer: "allocated by the function itself and below it",
		cols: []col{{titles.Total, number}, {titles.Allocs, number}, {titles.Self, number}, {titles.Allocs, number},
			{titles.Share, number}, {titles.Function, name}},
	}
	for _, f := range w.t.Functions {
		out.rows = append(out.rows, []string{
			w.style.Bytes(f.TotalBytes), w.style.Count(f.TotalCount), w.style.Bytes(f.SelfBytes), w.style.Count(f.SelfCount),
			w.style.Share(f.TotalBytes, w.t.AllocBytes), w.function(places.Place{Function: &f.Function}.Name()),
		})
	}
	return w.errors(out, 2, func(i int) (bytes, samples uint64) { return w.t.Functions[i].TotalBytes, w.t.Functions[i].TotalCount })
}

func (w tableWriter) threads() table {
	out := table{
		name: "threads", title: "Threads", answer: model.Counted(w.t.Rows.Threads, "thread"), more: w.t.Rows.Threads - len(w.t.Threads),
		cols: []col{{titles.Thread, number}, {titles.Allocated, number}, {titles.Allocs, number}, {titles.Share, number}},
	}
	for _, t := range w.t.Threads {
		out.rows = append(out.rows, []string{
			fmt.Sprint(t.Thread), w.style.Bytes(t.AllocBytes), w.style.Count(t.AllocCount), w.style.Share(t.AllocBytes, w.t.AllocBytes),
		})
	}
	return w.errors(out, 3, func(i int) (bytes, samples uint64) { return w.t.Threads[i].AllocBytes, w.t.Threads[i].AllocCount })
}

func (w tableWriter) markers() table {
	out := table{
		name: "markers", title: "Markers", answer: model.Counted(w.t.Rows.Markers, "marker"), more: w.t.Rows.Markers - len(w.t.Markers),
		cols: []col{{titles.Time, number}, {titles.Name, name}},
	}
	for _, m := range w.t.Markers {
		out.rows = append(out.rows, []string{w.style.Time(m.Time), model.Clean(m.Name)})
	}
	return out
}

// barCells is the width of the bars in histograms.
const barCells = 24

// weighed is what sizes of samples are.
const weighed = "what samples represent: sizes of allocations are not known"

func (w tableWriter) sizes() table {
	out := table{
		name: "sizes", title: "Sizes", answer: "allocated blocks by size",
		cols: []col{{titles.From, number}, {titles.To, number}, {titles.Blocks, number}, {titles.Bytes, number}, {"", sketch}},
	}
	if w.style.Estimated {
		out.title, out.answer = "Weights", weighed
	}
	top := uint64(0)
	for _, s := range w.t.Sizes {
		top = max(top, s.Count)
	}
	exact := w.style.Stated()
	for _, s := range w.t.Sizes {
		out.rows = append(out.rows, []string{
			exact.Bytes(s.Min), exact.Bytes(s.Max), w.style.Count(s.Count), w.style.Bytes(s.Bytes), w.style.Bar(s.Count, top, barCells),
		})
	}
	return out
}

func (w tableWriter) lifetimes() table {
	out := table{
		name: "lifetimes", title: "Lifetimes", answer: "freed blocks by how long they lived" + w.unless("lifetimes"),
		cols: []col{{titles.From, number}, {titles.To, number}, {titles.Blocks, number}, {titles.Bytes, number}, {"", sketch}},
	}
	top := uint64(0)
	for _, l := range w.t.Lifetimes {
		top = max(top, l.Count)
	}
	for _, l := range w.t.Lifetimes {
		out.rows = append(out.rows, []string{
			w.style.Time(saturate(l.Min)), w.style.Time(saturate(l.Max)), w.style.Count(l.Count),
			w.style.Bytes(l.Bytes), w.style.Bar(l.Count, top, barCells),
		})
	}
	return out
}

func saturate(us uint64) model.Time { return model.Time(min(us, uint64(model.MaxTime))) }

// Tables returns the names of the tables of traces that [WriteCSV] can write, the default first.
func Tables() []string {
	return strings.Fields("sites live_sites peak_sites leaks late_freed findings functions groups threads markers sizes lifetimes grid blocks born_blocks events curve treemap heatmap lifetime_heatmap " + treeTable + " " + linesTable)
}

// HeapTables returns the names of the tables of heap snapshots that [WriteCSV] can write, the default first.
func HeapTables() []string {
	return strings.Fields("types frames dominators suspects snapshots trends treemap dominator_treemap")
}

// EveryTable returns the names of the tables of all kinds of files, each once.
func EveryTable() (all []string) {
	for _, name := range slices.Concat(Tables(), HeapTables(), DumpTables(), StackTables()) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// TableNames returns the tables that [WriteCSV] can write of this report.
func (r *Report) TableNames() []string {
	switch {
	case r.Trace != nil:
		return Tables()
	case r.Stacks != nil && r.Series != nil:
		return ProfileTables()
	case r.Stacks != nil:
		return StackTables()
	case r.DumpCounts != nil:
		return DumpTables()
	case r.Pages != nil:
		return PageTables()
	}
	return HeapTables()
}

// noRows replaces the rows of a requested table that has none.
const noRows = "no rows"

// leftOut returns how many rows the limit omitted, and their unit.
func (t *table) leftOut() string {
	how := ""
	if t.each != "" {
		how = "counts for each " + t.each + ", "
	}
	return fmt.Sprintf("%s more (--limit %s0 shows all)", model.Group(uint64(t.more)), how)
}
