package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/sources"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// linesTable is the name of the table of source lines, which is printed alone.
const linesTable = "lines"

// LinesQuery states which source lines are printed.
type LinesQuery struct {
	Name    string // of a function or a file, whose source is printed; "" for the costliest lines of all files
	Sources *sources.Finder
}

// SourceLines are lines of source files with what the stacks weigh that pass them.
type SourceLines struct {
	Event    *string      `json:"event,omitzero"`   // of a stack profile
	Metric   string       `json:"metric"`           // of all figures
	Filters  []string     `json:"filters,omitzero"` // of stacks
	All      Amount       `json:"all"`              // of all stacks that filters leave
	Name     *string      `json:"name,omitzero"`    // as requested
	Files    []SourceFile `json:"files"`            // that rows are of, in their order
	Rows     []SourceLine `json:"rows"`             // of a name in the order of the source, else the costliest first
	RowCount int          `json:"row_count"`        // lines with a weight, without the limit

	measure model.Measure // of Metric
}

// SourceFile is a source file, or says why it was not found.
type SourceFile struct {
	File    string  `json:"file"`                   // as the recording names it
	Path    *string `json:"path,omitzero"`          // of what was read
	Missing *string `json:"missing,omitzero"`       // where it was looked for
	Also    int     `json:"also_fit,omitzero"`      // number of other files that fit the name
	Other   bool    `json:"other_version,omitzero"` // it has fewer lines than the recording names
	note    string  // what is wrong with it, for tables
}

// SourceLine is a line. Those next to lines with a weight have none.
type SourceLine struct {
	places.Place
	Self  Amount  `json:"self"`  // of the stacks whose site it is
	Total Amount  `json:"total"` // of the stacks that pass it
	Text  *string `json:"text,omitzero"`
}

// BuildLines returns source lines of a trace, by the figure opt.By as [BuildTree]. Errors are a [lines.UnknownNameError] and
// those of ctx and of trace.
func BuildLines(ctx context.Context, p *model.Profile, trace analysis.Trace, ask LinesQuery, opt Options) (*Report, error) {
	r, _, err := opening(ctx, p, trace.Status(), &opt)
	if err != nil {
		return nil, err
	}
	if r.NoMatch, err = emptied(ctx, opt.Cell, p.Stacks, trace); err != nil {
		return nil, err
	}
	var view *calltree.FilteredStacks
	if opt.Cell.Stacks != "" && p.Stacks != nil {
		if view, err = calltree.FilterStacks(ctx, p.Stacks, opt.Cell.Stacks, calltree.FullStacks); err != nil {
			return nil, err
		}
	}
	cost := TreeCost(opt.By)
	t, err := lines.OfTrace(ctx, trace, p.Stacks, view, analysis.Query{At: opt.At, Range: opt.Range, Cell: opt.Cell.Rectangle()}, cost)
	if err != nil {
		return nil, err
	}
	metric := TreeMetrics()[cost]
	r.Lines = &SourceLines{Metric: metric, Filters: FilterLines(opt.Cell), measure: (&model.ProfileMetric{Name: metric}).Measure()}
	return r, r.Lines.fill(ctx, t, ask, opt.Limit)
}

// BuildStacksLines is [BuildLines] for the selection of a stack profile. The error is [ErrNoSum], too.
func BuildStacksLines(ctx context.Context, p *model.Profile, ask LinesQuery, opt StackOptions) (*Report, error) {
	r, event, metric, err := SelectionReport(ctx, p, &opt)
	if err != nil {
		return nil, err
	}
	if opt.Selection == nil {
		r.Lines = &SourceLines{}
		return r, nil
	}
	t, err := lines.OfSelection(ctx, opt.Selection)
	if err != nil {
		return nil, err
	}
	r.Lines = &SourceLines{Event: &event, Metric: metric.Name,
		Filters: FilterLines(analysis.Cell{Stacks: opt.Filter}), measure: metric.Measure()}
	return r, r.Lines.fill(ctx, t, ask, opt.Limit)
}

// fill selects lines and reads their sources.
func (l *SourceLines) fill(ctx context.Context, t *lines.Table, ask LinesQuery, limit int) (err error) {
	l.All, l.Rows, l.Files = object.Unscaled(t.Totals[0], t.Factor), []SourceLine{}, []SourceFile{}
	if t.Stacks == nil {
		return nil
	}
	in := listing{SourceLines: l, table: t, from: ask.Sources, files: map[model.FileID]*sources.File{}}
	in.findFrames()
	if ask.Name == "" {
		return in.costliest(ctx, limit)
	}
	l.Name = &ask.Name
	return in.named(ctx, ask.Name, limit)
}

// listing selects the lines of a report.
type listing struct {
	*SourceLines
	table *lines.Table
	from  *sources.Finder
	files map[model.FileID]*sources.File // nil for what was not found

	frames map[lines.Place]model.FrameID // the first one at each line that weighs anything
}

// findFrames sets frames.
func (l *listing) findFrames() {
	s := l.table.Stacks
	l.frames = make(map[lines.Place]model.FrameID, len(l.table.Rows))
	for i := range l.table.Rows {
		l.frames[l.table.Rows[i].Place] = 0
	}
	for f := 1; f < len(s.FrameFile); f++ {
		at := lines.Place{File: s.FrameFile[f], Line: s.FrameLine[f]}
		if first, weighs := l.frames[at]; weighs && first == 0 {
			l.frames[at] = model.FrameID(f)
		}
	}
}

// costliest lists the lines with the most weight of their own.
func (l *listing) costliest(ctx context.Context, limit int) error {
	rows := slices.DeleteFunc(slices.Clone(l.table.Rows), func(w lines.Weights) bool { return w.Self[0] == 0 })
	slices.SortStableFunc(rows, func(a, b lines.Weights) int { return cmp.Compare(b.Self[0], a.Self[0]) })
	if l.RowCount = len(rows); limit > 0 {
		rows = rows[:min(limit, len(rows))]
	}
	for i := range rows {
		file, err := l.read(ctx, rows[i].File)
		if err != nil {
			return err
		}
		l.add(file, rows[i].Place, &rows[i])
	}
	return nil
}

// aroundLine is the number of lines that are printed before and after one with a weight.
const aroundLine = 2

// named lists the lines of a file, or of the functions of a name: those with a weight and what is next to them, or all
// if there is no limit. Of more than limit lines with a weight, the costliest are listed.
func (l *listing) named(ctx context.Context, name string, limit int) error {
	ranges, err := l.matching(ctx, name)
	if err != nil {
		return err
	}
	var weighted []*lines.Weights
	for _, r := range ranges {
		for i, w := range l.table.File(r.file) {
			if w.Line >= r.from && w.Line <= r.to && w.Total[0] > 0 {
				weighted = append(weighted, &l.table.File(r.file)[i])
			}
		}
	}
	if l.RowCount = len(weighted); limit > 0 && len(weighted) > limit {
		slices.SortStableFunc(weighted, func(a, b *lines.Weights) int { return cmp.Compare(b.Total[0], a.Total[0]) })
		weighted = weighted[:limit]
	}
	shown := map[lines.Place]*lines.Weights{}
	for _, w := range weighted {
		shown[w.Place] = w
	}
	for _, r := range ranges {
		file, err := l.read(ctx, r.file)
		if err != nil {
			return err
		}
		l.list(file, r, shown, limit <= 0)
	}
	return nil
}

// list lists the lines of a range that are shown, with those next to them, or all.
func (l *listing) list(file *sources.File, r lineRange, shown map[lines.Place]*lines.Weights, all bool) {
	var numbers []int64
	for at := range shown {
		if at.File == r.file && at.Line >= r.from && at.Line <= r.to {
			numbers = append(numbers, at.Line)
			for d := int64(-aroundLine); d <= aroundLine && file != nil && at.Line != model.NoLine; d++ {
				numbers = append(numbers, at.Line+d)
			}
		}
	}
	if all && file != nil && len(numbers) > 0 {
		for n := max(r.from, 1); n <= min(r.to, int64(len(file.Lines))); n++ {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		at := lines.Place{File: r.file, Line: n}
		if w := shown[at]; w != nil || n >= 1 && n <= int64(len(file.Lines)) {
			l.add(file, at, w)
		}
	}
}

// add adds a row.
func (l *listing) add(file *sources.File, at lines.Place, w *lines.Weights) {
	s := l.table.Stacks
	row := SourceLine{Place: places.Place{File: &s.Files[at.File]}}
	if at.Line != model.NoLine {
		row.Line = &at.Line
	}
	if w != nil {
		row.Self, row.Total = object.Unscaled(w.Self[0], l.table.Factor), object.Unscaled(w.Total[0], l.table.Factor)
		if f := s.FrameFunc[l.frames[at]]; f != 0 {
			row.Function = &s.Functions[f]
		}
	}
	if file != nil && at.Line >= 1 && at.Line <= int64(len(file.Lines)) {
		row.Text = &file.Lines[at.Line-1]
	}
	l.Rows = append(l.Rows, row)
}

// read returns the source of a file, nil where it is not found; then why is listed. The error is that of ctx.
func (l *listing) read(ctx context.Context, id model.FileID) (*sources.File, error) {
	if file, ok := l.files[id]; ok {
		return file, nil
	}
	name := l.table.Stacks.Files[id]
	out := SourceFile{File: name}
	file, err := l.from.Open(ctx, name)
	if missing := (*sources.NotFoundError)(nil); errors.As(err, &missing) {
		why := missing.Error()
		out.Missing, out.note = &why, model.Clean(missing.Short())
	} else if err != nil {
		return nil, err
	} else {
		out.Path, out.Also = &file.Path, len(file.Also)
		if out.Other = l.table.Beyond(id, len(file.Lines)) && !file.Cut; out.Other {
			out.note = model.Clean(file.Path) + " has fewer lines than the recording names: it is another version"
		}
	}
	l.files[id] = file
	l.Files = append(l.Files, out)
	return file, nil
}

// lineRange is a part of a file.
type lineRange struct {
	file     model.FileID
	from, to int64
}

// everyLine is the range of all lines, also of those without a number.
const everyLine = int64(1<<62 - 1)

// matching returns the parts of files that a name means: a file by the end of its path, with a line as in main.c:42, or
// functions, from the first to the last line that stacks name. Errors are a [lines.UnknownNameError] and that of ctx.
func (l *listing) matching(ctx context.Context, name string) (out []lineRange, err error) {
	s, file, line := l.table.Stacks, name, int64(0)
	if base, n, ok := strings.Cut(path.Base(name), ":"); ok && base != "" {
		if _, err := fmt.Sscanf(n, "%d", &line); err == nil {
			file = strings.TrimSuffix(name, ":"+n)
		}
	}
	for id := 1; id < len(s.Files); id++ {
		if s.Files[id] != file && !strings.HasSuffix(s.Files[id], "/"+strings.TrimPrefix(file, "/")) ||
			len(l.table.File(model.FileID(id))) == 0 {
			continue
		}
		r := lineRange{model.FileID(id), model.NoLine, everyLine}
		if line > 0 {
			r.from, r.to = line-10, line+10
		}
		out = append(out, r)
	}
	if base := path.Base(file); len(out) == 0 && base != file { // the folders are those of another machine
		return l.matching(ctx, strings.Replace(name, file, base, 1))
	}
	if len(out) > 0 {
		return out, nil
	}
	if out = l.functions(name); len(out) > 0 {
		return out, nil
	}
	like, err := calltree.Near(ctx, s, name, near.Names)
	if err != nil {
		return nil, err
	}
	for i := range like {
		like[i] = strings.TrimPrefix(like[i], calltree.FilePrefix)
	}
	return nil, &lines.UnknownNameError{Name: name, Near: like}
}

// functions returns the parts of files that the functions of a name have.
func (l *listing) functions(name string) (out []lineRange) {
	s, matches := l.table.Stacks, calltree.FunctionMatcher(name)
	meant := make([]bool, len(s.Functions))
	for id := 1; id < len(s.Functions); id++ {
		meant[id] = matches(s.Functions[id])
	}
	at := map[model.FuncID]map[model.FileID]int{} // index in out
	for f := 1; f < len(s.FrameFunc); f++ {
		fn, file, line := s.FrameFunc[f], s.FrameFile[f], s.FrameLine[f]
		if !meant[fn] || file == 0 || line == model.NoLine {
			continue
		}
		if at[fn] == nil {
			at[fn] = map[model.FileID]int{}
		}
		i, ok := at[fn][file]
		if !ok {
			i = len(out)
			at[fn][file], out = i, append(out, lineRange{file, line, line})
		}
		out[i].from, out[i].to = min(out[i].from, line), max(out[i].to, line)
	}
	return out
}

// table lays the lines out.
func (l *SourceLines) table(s cells.Style, full bool) table {
	out := table{name: linesTable, title: "Source", more: l.RowCount - l.weighted(), empty: noRows}
	out.answer = fmt.Sprintf("%s %s", s.Amount(l.measure, l.All.Amount), model.Clean(l.Metric))
	if len(l.Files) == 1 && l.Files[0].Path != nil {
		out.title += ": " + model.Clean(*l.Files[0].Path)
	}
	notes := map[string]string{}
	for _, f := range l.Files {
		notes[f.File] = f.note
	}
	out.cols = []col{{titles.Self, number}, {titles.Total, number}, {titles.Share, number}, {titles.Line, where}, {titles.Source, name}}
	amount := func(a Amount) string {
		if a.Amount.IsZero() {
			return ""
		}
		return s.Amount(l.measure, a.Amount)
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		at, text := r.Base(), ""
		if full {
			at = r.Where()
		}
		switch {
		case r.Text != nil:
			text = model.Clean(strings.ReplaceAll(*r.Text, "\t", "    "))
		case r.Function != nil:
			text = "in " + (stackWriter{style: s, full: full}).name(*r.Function)
		}
		share := ""
		if !r.Total.Amount.IsZero() {
			share = r.Total.ShareOf(l.All.Amount).String()
		}
		out.rows = append(out.rows, []string{amount(r.Self), amount(r.Total), share, at, text})
		var note []string
		if why := notes[*r.File]; why != "" && r.Line != nil { // once for each file; a library has no lines
			note = []string{why}
			delete(notes, *r.File)
		}
		out.notes = append(out.notes, note)
	}
	return out
}

// follow restricts what is said about rows to those that a filter leaves, limit of them, 0 for all.
func (l *SourceLines) follow(limit int) {
	l.RowCount = l.weighted()
	rows := l.Rows[:min(len(l.Rows), cmp.Or(limit, len(l.Rows)))]
	l.Files = slices.DeleteFunc(l.Files, func(f SourceFile) bool {
		return !slices.ContainsFunc(rows, func(r SourceLine) bool { return *r.File == f.File })
	})
}

// weighted returns the number of rows with a weight.
func (l *SourceLines) weighted() (n int) {
	for i := range l.Rows {
		if !l.Rows[i].Total.Amount.IsZero() {
			n++
		}
	}
	return n
}

// scope returns what the lines are about.
func (l *SourceLines) scope() []string {
	return (&Around{Metric: l.Metric, Event: l.Event, Filters: l.Filters}).scope()
}
