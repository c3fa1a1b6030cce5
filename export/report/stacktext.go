package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// part returns a share of a total in percent.
func (out *Stacks) part(a model.Amount) string {
	if out.Total == nil {
		return ""
	}
	return a.ShareOf(out.Total.Amount).String()
}

// stackScope returns the recorder of the profile, and the subject of the tables.
func (t *TextWriter) stackScope() string {
	s := t.r.Stacks
	var parts []string
	if s.SourceTool != "" {
		parts = append(parts, "recorded by "+model.Clean(s.SourceTool))
	}
	if s.Command != "" {
		parts = append(parts, "of "+model.Clean(s.Command))
	}
	if s.Event != nil {
		by := "event " + model.Clean(*s.Event) + " by " + model.Clean(*s.Metric)
		if s.Unit != "" && !model.Measured(s.Unit) {
			by += " in " + model.Clean(s.Unit)
		}
		if s.estimate != "" {
			by += ", " + s.estimate
		}
		parts = append(parts, by)
	}
	if s.apart != nil {
		parts = append(parts, s.apart.Error())
	}
	if s.Window != nil {
		parts = append(parts, "window "+model.Clean(*s.Window))
	}
	parts = append(append(parts, FilterText(s.Filters)...), t.r.unmatchedText()...)
	return strings.Join(parts, " · ")
}

// stackTables returns the tables about weighted stacks, in the order of the text report.
func (r *Report) stackTables(s cells.Style, full bool) []table {
	if r.Stacks == nil {
		return nil
	}
	w := stackWriter{r.Stacks, r.File.Style(s), full, orZero(r.Stacks.Metric), r.Time.Unit}
	list := []table{w.events(), w.functions(), w.inclusive(), w.top(), w.threads()}
	if r.Stacks.Owners != nil {
		list = slices.Insert(list, 1, w.owners())
	}
	if len(r.Stacks.Windows) > 0 {
		list = append(list, w.windows())
	}
	if r.Stacks.Groups != nil {
		list = append(list, w.groups())
	}
	return list
}

type stackWriter struct {
	r      *Stacks
	style  cells.Style
	full   bool
	metric string
	unit   string // of times, "" for microseconds
}

func (w stackWriter) name(s string) string {
	if s = model.Clean(s); s == "" {
		s = calltree.NoFunction
	}
	if w.full {
		return s
	}
	return w.style.Shorten(s)
}

// function returns a function's name. The name has no arguments and no return type unless full is set.
func (w stackWriter) function(s string) string {
	if w.full || s == "" {
		return w.name(s)
	}
	return w.style.Function(model.Clean(s))
}

func (w stackWriter) events() table {
	out := table{
		name: "events", title: "Events", answer: model.Counted(len(w.r.Events), "event"),
		cols: []col{{titles.Stacks, number}, {titles.Sum, number}, {titles.Metric, word}, {titles.Event, name}, {titles.Kind, word}},
	}
	for _, e := range w.r.Events {
		label, kind, stacks := w.name(e.Name), model.Clean(e.Kind), w.style.Count(uint64(e.Stacks))
		if len(e.Totals) == 0 {
			out.rows = append(out.rows, []string{stacks, "", "", label, kind})
		}
		for _, m := range e.Totals {
			metric := model.Clean(m.Metric)
			if m.unit != "" && !model.Measured(m.unit) {
				metric += " in " + model.Clean(m.unit)
			}
			if e.Primary != nil && *e.Primary == m.Metric {
				metric += " (primary)"
			}
			style := w.style
			style.Estimated, style.Scaled = m.estimated, m.estimated
			out.rows = append(out.rows, []string{stacks, style.Amount(m.measure, m.Sum.Amount), metric, label, kind})
		}
	}
	return out
}

func (w stackWriter) functions() table {
	return w.functionTable("functions", "Functions by self", w.r.Functions, w.r.Rows.Functions)
}

func (w stackWriter) inclusive() table {
	return w.functionTable("total_functions", "Functions by total", w.r.Inclusive, w.r.Rows.Inclusive)
}

func (w stackWriter) functionTable(id, title string, list []WeighedFunction, all int) table {
	out := table{
		name: id, title: title, more: all - len(list), answer: model.Counted(all, "function") + " by " + model.Clean(w.metric),
		cols: []col{{titles.Self, number}, {"", number}, {titles.Total, number}, {"", number},
			{titles.Function, name}, {titles.DSO, where}},
	}
	for _, f := range list {
		dso := ""
		if f.DSO != nil {
			dso = model.Clean(*f.DSO)
			if !w.full {
				dso = dso[strings.LastIndexByte(dso, '/')+1:]
			}
		}
		out.rows = append(out.rows, []string{
			w.style.Amount(w.r.measure, f.Self.Amount), w.r.part(f.Self.Amount),
			w.style.Amount(w.r.measure, f.Total.Amount), w.r.part(f.Total.Amount), w.function(f.Function), dso,
		})
	}
	return out
}

func (w stackWriter) top() table {
	out := table{
		name: "top", title: "Stacks", more: w.r.Rows.Top - len(w.r.Top),
		answer: model.Counted(w.r.Rows.Top, "stack") + " by " + model.Clean(w.metric),
		cols:   []col{{titles.Weight, number}, {"", number}, {titles.Stack, name}, {titles.ID, word}},
	}
	labeled := slices.ContainsFunc(w.r.Top, func(s WeightedStack) bool { return len(s.Labels) > 0 })
	if labeled {
		out.cols = append(out.cols, col{titles.Labels, name})
	}
	for _, s := range w.r.Top {
		row := []string{w.style.Amount(w.r.measure, s.Value.Amount), w.r.part(s.Value.Amount), w.frames(s.Frames),
			cells.Fit(s.Stack.Cell(), 24, w.style.Cut())}
		if labeled {
			row = append(row, w.name(s.Labels.text()))
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// FilterText returns the filters of stacks, as text.
func FilterText(filters []string) []string {
	if len(filters) == 0 {
		return nil
	}
	clean := make([]string, len(filters))
	for i, f := range filters {
		clean[i] = model.Clean(f)
	}
	return []string{"filters: " + strings.Join(clean, ", ")}
}

func (w stackWriter) owners() table {
	return w.grouped(table{name: "owners", title: "Owners", answer: model.Counted(w.r.Rows.Owners, "owner") + " by " + model.Clean(w.metric) +
		": what allocates, excluding libraries", more: w.r.Rows.Owners - len(w.r.Owners)}, w.r.Owners)
}

func (w stackWriter) groups() table {
	return w.grouped(table{name: "groups", title: "Groups", answer: model.Counted(w.r.Rows.Groups, "group") + " by " + w.r.groupedBy,
		more: w.r.Rows.Groups - len(w.r.Groups)}, w.r.Groups)
}

// grouped adds the rows of groups to a table.
func (w stackWriter) grouped(out table, list []StackGroup) table {
	out.cols = []col{{titles.Self, number}, {"", number}, {titles.Total, number}, {"", number}, {titles.Name, name}}
	for _, g := range list {
		out.rows = append(out.rows, []string{
			w.style.Amount(w.r.measure, g.Self.Amount), w.r.part(g.Self.Amount),
			w.style.Amount(w.r.measure, g.Total.Amount), w.r.part(g.Total.Amount), cmp.Or(model.Clean(g.Name), calltree.Unnamed),
		})
	}
	return out
}

// frames returns a stack as text: as many frames as fit between the other columns.
func (w stackWriter) frames(f ProfileFrames) string {
	const others = 40
	names, width := []string{}, 0
	for id := range f.All() {
		name := w.function(f.p.Stacks.Functions[f.p.Stacks.FrameFunc[id]])
		if width += cells.Width(name) + 3; width > w.style.LineWidth()-others && len(names) > 0 {
			names = append(names, w.style.Cut())
			break
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return calltree.NoFunction
	}
	return strings.Join(names, w.style.Text(" ← "))
}

func (w stackWriter) threads() table {
	out := table{
		name: "threads", title: "Threads", more: w.r.Rows.Threads - len(w.r.Threads), answer: model.Counted(w.r.Rows.Threads, "thread"),
		cols: []col{{titles.Weight, number}, {"", number}, {titles.PID, number}, {titles.TID, number}, {titles.Name, name}},
	}
	id := func(n *int64) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}
	for _, t := range w.r.Threads {
		out.rows = append(out.rows, []string{w.style.Amount(w.r.measure, t.Value.Amount), w.r.part(t.Value.Amount),
			id(t.PID), id(t.TID), model.Clean(t.Comm)})
	}
	return out
}
