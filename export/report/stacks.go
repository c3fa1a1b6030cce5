package report

import (
	"cmp"
	"context"
	"iter"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// Stacks holds the results for a profile of weighted stacks.
type Stacks struct {
	SourceTool  string `json:"source_tool,omitzero"`
	Command     string `json:"command,omitzero"`
	FrameOrder  string `json:"frame_order,omitzero"`
	StackIDMode string `json:"stack_id_mode,omitzero"`

	Events    []StackEvent      `json:"events"`           // in the file's order
	Event     *string           `json:"event,omitzero"`   // event of the tables; nil if the file has none
	Metric    *string           `json:"metric,omitzero"`  // metric of the tables
	Unit      string            `json:"unit,omitzero"`    // of Metric, as the file states it
	Total     *Amount           `json:"total,omitzero"`   // of Metric under Event; nil if a sum is meaningless
	Window    *string           `json:"window,omitzero"`  // window of the tables; nil for none
	Filters   []string          `json:"filters,omitzero"` // of stacks: "focus main"
	Owners    []StackGroup      `json:"owners,omitzero"`  // of bytes, by self: the functions of the program that allocate
	Top       []WeightedStack   `json:"top"`              // heaviest first
	Functions []WeighedFunction `json:"functions"`        // all, by self; empty for peaks, which do not add up
	Inclusive []WeighedFunction `json:"total_functions"`  // all, by total
	Counts    StackCounts       `json:"counts"`           // of records
	Rows      StackRows         `json:"row_counts"`       // of the tables before the limit
	Threads   []ProfiledThread  `json:"threads,omitzero"` // by weight
	Windows   []StackWindow     `json:"windows,omitzero"` // in the file's order
	Groups    []StackGroup      `json:"groups,omitzero"`  // by self; only if grouping was requested

	groupedBy string
	measure   model.Measure // of Metric
	apart     error         // why Metric has no sum; nil if it has one
	estimate  string        // how figures of the event were scaled from samples, "" if they were not
	left      leftOut       // tables that did not fit into memory
}

// Measure returns the format of figures of the metric.
func (out *Stacks) Measure() model.Measure { return out.measure }

// StackCounts holds numbers of records in the file.
type StackCounts struct {
	DSOs    int64 `json:"dsos"`
	Frames  int64 `json:"frames"`
	Threads int64 `json:"threads"`
	Stacks  int64 `json:"stacks"`
	Samples int64 `json:"samples"`
	Windows int64 `json:"windows"`
}

// StackRows holds the length of each table before the limit.
type StackRows struct {
	Owners    int `json:"owners,omitzero"`
	Top       int `json:"top"`
	Functions int `json:"functions"`
	Inclusive int `json:"total_functions"`
	Threads   int `json:"threads"`
	Windows   int `json:"windows,omitzero"`
	Groups    int `json:"groups,omitzero"`

	left *leftOut
}

// StackEvent is one event with the unscaled sums of its metrics.
type StackEvent struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind,omitzero"`
	Mode    string  `json:"mode,omitzero"`
	Sampled string  `json:"sampled,omitzero" csv:"-"` // how figures are estimated: "sampled every 512 KiB"
	Primary *string `json:"primary_metric,omitzero"`
	Stacks  int     `json:"stacks"`
	Totals  Totals  `json:"totals"`
}

// Totals are sums by metric, an object in JSON.
type Totals []MetricTotal

// MetricTotal is one sum.
type MetricTotal struct {
	Metric  string
	Sum     Amount
	measure model.Measure
	unit    string

	estimated bool
}

// AppendJSON implements [object.Appender].
func (t Totals) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range t {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = m.Sum.AppendJSON(append(object.Quote(dst, m.Metric), ": "...))
	}
	return append(dst, '}')
}

func (t Totals) Cell() string {
	out := ""
	for i, m := range t {
		if i > 0 {
			out += ";"
		}
		out += model.Clean(m.Metric) + "=" + m.Sum.String()
	}
	return out
}

// Amount is an exact sum.
type Amount = object.Amount

// WeightedStack is one record.
type WeightedStack struct {
	Stack  object.RecordName `json:"stack,omitzero"` // absent if the file has no id
	Value  Amount            `json:"value"`
	Labels StackLabels       `json:"labels,omitzero"`
	Frames ProfileFrames     `json:"frames"`
}

// StackLabels are all labels of a stack.
type StackLabels []StackLabel

func (l StackLabels) text() string {
	set := make([]model.Label, len(l))
	for i := range l {
		set[i] = l[i].label()
	}
	return model.LabelText(set)
}

func (l StackLabels) Cell() string { return model.Clean(l.text()) }

// StackLabel is a label of a stack, recorded in addition to its frames. A stack may have several with the same key.
type StackLabel struct {
	Key    string `json:"key"`
	Text   string `json:"text,omitzero"`
	Number *int64 `json:"number,omitzero"` // in place of a text
	Unit   string `json:"unit,omitzero"`
}

// label returns the label of the recording.
func (l *StackLabel) label() model.Label {
	v := model.Label{Key: l.Key, Text: l.Text, Unit: l.Unit, Numeric: l.Number != nil}
	if v.Numeric {
		v.Number = *l.Number
	}
	return v
}

// stackLabels returns the labels of a record.
func stackLabels(w *model.StackProfile, r model.RecordID) (out StackLabels) {
	for _, l := range w.LabelsOf(r) {
		label := StackLabel{Key: l.Key, Text: l.Text, Unit: l.Unit}
		if l.Numeric {
			label.Number = &l.Number
		}
		out = append(out, label)
	}
	return out
}

// WeighedFunction is one function of one DSO. Parts that the file does not record are nil.
type WeighedFunction struct {
	Function string  `json:"function"`
	DSO      *string `json:"dso,omitzero"`
	Self     Amount  `json:"self"`
	Total    Amount  `json:"total"`
}

// StackGroup holds the weight of a binary, a source line, a thread or a kind of frames.
type StackGroup struct {
	Name  string `json:"name"`
	Self  Amount `json:"self"`
	Total Amount `json:"total"`
}

// ProfiledThread holds the weight of one thread. Parts that the file does not record are nil.
type ProfiledThread struct {
	PID   *int64 `json:"pid,omitzero"`
	TID   *int64 `json:"tid,omitzero"`
	Comm  string `json:"comm,omitzero"`
	Value Amount `json:"value"`
}

// ProfileFrames is a stack, leaf first, resolved only while it is written.
type ProfileFrames struct {
	p      *model.Profile
	stacks *model.Stacks // of p, or the result of a filter
	leaf   model.NodeID
}

// All yields the numbers of the frames, leaf first.
func (f ProfileFrames) All() iter.Seq[model.FrameID] {
	return func(yield func(model.FrameID) bool) {
		for n := f.leaf; n != 0; n = f.stacks.Parent[n] {
			if !yield(f.stacks.Frame[n]) {
				return
			}
		}
	}
}

// AppendJSON implements [object.Appender].
func (f ProfileFrames) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	sep := ""
	s, w := f.p.Stacks, f.p.Weights
	for id := range f.All() {
		dst = object.Quote(append(append(dst, sep...), `{"function": `...), s.Functions[s.FrameFunc[id]])
		if d := w.FrameDSO[id]; d != 0 {
			dst = object.Quote(append(dst, `, "dso": `...), w.DSOs[d].Name)
		}
		if source := w.Source(s, id); source != "" {
			dst = object.Quote(append(dst, `, "source": `...), source)
		}
		dst = object.Quote(append(dst, `, "kind": `...), w.FrameKind[id].String())
		if w.FrameFlags[id]&model.FrameInlined != 0 {
			dst = append(dst, `, "inlined": true`...)
		}
		dst = append(dst, '}')
		sep = ", "
	}
	return append(dst, ']')
}

func (f ProfileFrames) Cell() string { return places.Frames{Stacks: f.stacks, Leaf: f.leaf}.Cell() }

// StackOptions configures a report about weighted stacks.
type StackOptions struct {
	Selection    *weights.Selection // nil if the file has no event or no metric
	weights.Part                    // of Selection
	Filter       calltree.Filter    // filter that was applied to Selection
	Group        bool               // also build a table of groups
	By           weights.By         // of that table
	Limit        int                // rows per table, 0 is all
	Libraries    *regexp.Regexp     // functions and files that own no memory, in addition to the built-in ones; may be nil
}

// BuildStacks returns the report about the weighted stacks of p. The only errors are those of ctx.
func BuildStacks(ctx context.Context, p *model.Profile, opt StackOptions) (*Report, error) {
	w := p.Weights
	r := &Report{Header: NewHeader(SchemaReport, p), Stacks: &Stacks{
		SourceTool: w.SourceTool, Command: w.Command, FrameOrder: w.FrameOrder, StackIDMode: w.StackIDMode,
		Counts: StackCounts(w.Counts),
	}}
	if w.End != model.NoTime {
		duration := w.End - w.Start
		r.Time.Duration, r.Time.Unit = &duration, w.AxisUnit
	}
	if p.Timeline != nil {
		from, to, at := opt.Over(pages.TimelineEnd(p.Timeline))
		for i := range p.Timeline.Series {
			r.Series = append(r.Series, dump.NewSeries(p.Timeline, i, from, to, at, historyColumns))
		}
	}
	out := r.Stacks
	for i, t := range weights.Totals(w) {
		out.Events = append(out.Events, newStackEvent(w, uint16(i), t))
	}
	if opt.Selection == nil {
		return r, nil
	}
	s := opt.Selection
	event, metric := w.Events[s.Event].Name, w.Metrics[s.Metric].Name
	out.Event, out.Metric, out.Unit, out.measure = &event, &metric, w.Metrics[s.Metric].Unit, w.Metrics[s.Metric].Measure()
	out.estimate = w.Events[s.Event].Estimate()
	r.File.weighed = w.Estimates(s.Event, s.Metric)
	if out.apart = noSum(&w.Metrics[s.Metric]); out.apart == nil {
		out.Total = &Amount{Amount: s.Total()}
	}
	if opt.Window != nil {
		out.Window = &opt.Window.ID
	}
	out.Filters = FilterLines(analysis.Cell{Stacks: opt.Filter})
	var err error
	if r.NoMatch, err = places.UnmatchedIn(ctx, opt.Filter, p.Stacks); err != nil {
		return nil, err
	}
	for _, part := range out.parts(p, opt) {
		left, err := fits(ctx, part.tables, part.fill)
		if err != nil {
			return nil, err
		}
		out.left = append(out.left, left...)
	}
	r.leaveOut(ctx, out.left)
	return r, nil
}

// stackPart is a part of the report that is left out if it does not fit into memory.
type stackPart struct {
	tables []string
	fill   func(context.Context) error
}

func (out *Stacks) parts(p *model.Profile, opt StackOptions) []stackPart {
	s := opt.Selection
	list := []stackPart{{[]string{"top"}, func(ctx context.Context) error { return out.top(ctx, p, s, opt.Limit) }}}
	if s.Profile.Metrics[s.Metric].NoSum() { // parts of a program do not add up, either
		return list
	}
	list = append(list,
		stackPart{[]string{"functions", "total_functions"}, func(ctx context.Context) error { return out.functions(ctx, p, s, opt.Limit) }},
		stackPart{[]string{"threads"}, func(ctx context.Context) error { return out.threads(ctx, s, opt.Limit) }})
	if len(p.Weights.Windows) > 0 {
		list = append(list, stackPart{[]string{"windows"}, func(ctx context.Context) error { return out.windows(ctx, s, opt.Limit) }})
	}
	if s.Profile.Metrics[s.Metric].Measure().Bytes {
		list = append(list, stackPart{[]string{"owners"}, func(ctx context.Context) (err error) {
			out.Owners, out.Rows.Owners, err = grouped(ctx, s, weights.ByOwner, opt)
			return err
		}})
	}
	if opt.Group {
		list = append(list, stackPart{[]string{"groups"}, func(ctx context.Context) (err error) {
			out.groupedBy = opt.By.String()
			out.Groups, out.Rows.Groups, err = grouped(ctx, s, opt.By, opt)
			return err
		}})
	}
	return list
}

// top fills the table of records.
func (out *Stacks) top(ctx context.Context, p *model.Profile, s *weights.Selection, n int) error {
	list := s.Top()
	var rows []WeightedStack
	for _, t := range limit(list, n) {
		name, number := s.Profile.Records.Name(t.Record)
		rows = append(rows, WeightedStack{object.RecordName{Text: name, Number: number,
			Known: s.Profile.Records.IDKind[t.Record] != model.IDNone}, Amount{Amount: t.Value}, stackLabels(s.Profile, t.Record),
			ProfileFrames{p, s.Stacks, s.Node(t.Record)}})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out.Rows.Top, out.Top = len(list), rows
	return nil
}

// FilterLines returns the filters of stacks and blocks as reports state them, or nil for none.
func FilterLines(c analysis.Cell) (out []string) {
	for _, s := range c.Stacks.Steps() {
		out = append(out, s.String())
	}
	if c.Rectangle() != (analysis.Cell{}) {
		out = append(out, "blocks of "+c.Text())
	}
	return out
}

// GroupedBy returns the grouping of Groups, such as "owner".
func (out *Stacks) GroupedBy() string { return out.groupedBy }

// grouped returns the first groups by self, and how many there are.
func grouped(ctx context.Context, s *weights.Selection, by weights.By, opt StackOptions) (list []StackGroup, all int, err error) {
	rows, err := weights.Table(ctx, by, opt.Libraries, s)
	if err != nil {
		return nil, 0, err
	}
	slices.SortStableFunc(rows, func(a, b weights.Row) int {
		x, y := &a.Weights[0], &b.Weights[0]
		return cmp.Or(y.Self.Compare(x.Self), y.Total.Compare(x.Total), cmp.Compare(a.Name, b.Name))
	})
	list = []StackGroup{}
	for _, r := range limit(rows, opt.Limit) {
		list = append(list, StackGroup{r.Name, Amount{Amount: r.Weights[0].Self}, Amount{Amount: r.Weights[0].Total}})
	}
	return list, len(rows), nil
}

// functions fills both tables of functions.
func (out *Stacks) functions(ctx context.Context, p *model.Profile, s *weights.Selection, n int) error {
	list, err := s.Functions(ctx)
	if err != nil {
		return err
	}
	out.Rows.Functions, out.Rows.Inclusive = len(list), len(list)
	for _, f := range limit(list, n) {
		out.Functions = append(out.Functions, newWeighedFunction(p, f))
	}
	slices.SortStableFunc(list, func(a, b weights.Function) int { return b.Total.Compare(a.Total) })
	for _, f := range limit(list, n) {
		out.Inclusive = append(out.Inclusive, newWeighedFunction(p, f))
	}
	return nil
}

func newStackEvent(w *model.StackProfile, event uint16, t weights.EventTotals) StackEvent {
	e := &w.Events[event]
	out := StackEvent{Name: e.Name, Kind: e.Kind, Mode: e.Mode, Sampled: e.Sampled(), Stacks: t.Stacks}
	if e.PrimaryName != "" {
		out.Primary = &e.PrimaryName
	}
	for _, m := range t.Sums {
		out.Totals = append(out.Totals, MetricTotal{w.Metrics[m.Metric].Name, Amount{Amount: m.Sum},
			w.Metrics[m.Metric].Measure(), w.Metrics[m.Metric].Unit, w.Estimates(event, m.Metric)})
	}
	return out
}

func newWeighedFunction(p *model.Profile, f weights.Function) WeighedFunction {
	out := WeighedFunction{Function: p.Stacks.Functions[f.Function], Self: Amount{Amount: f.Self}, Total: Amount{Amount: f.Total}}
	if f.DSO != 0 {
		out.DSO = &p.Weights.DSOs[f.DSO].Name
	}
	return out
}

// threads lists threads by weight, if records name more than one.
func (out *Stacks) threads(ctx context.Context, s *weights.Selection, n int) error {
	w := s.Profile
	sums := make([]model.Amount, len(w.Threads))
	for r, t := range w.Records.Thread {
		if n, ok := s.Weight(model.RecordID(r)); ok {
			sums[t].Add(n)
		}
	}
	var rows []ProfiledThread
	for t, sum := range sums {
		if t == 0 || sum.IsZero() {
			continue
		}
		th := &w.Threads[t]
		row := ProfiledThread{Comm: th.Comm, Value: Amount{Amount: sum}}
		if th.PID >= 0 {
			row.PID = &th.PID
		}
		if th.TID >= 0 {
			row.TID = &th.TID
		}
		rows = append(rows, row)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	slices.SortStableFunc(rows, func(a, b ProfiledThread) int { return b.Value.Compare(a.Value.Amount) })
	out.Rows.Threads, out.Threads = len(rows), slices.Clone(limit(rows, n)) // the rest can be freed
	return nil
}

// StackTables returns the names of the tables of stack profiles that [WriteCSV] can write, the default first.
func StackTables() []string {
	return []string{"functions", "total_functions", "top", "events", "threads", "windows", "groups", "owners", "treemap",
		treeTable, linesTable}
}

// CurvesTable is the name of the table of curves, which few formats of stack profiles have.
const CurvesTable = "series"

// ProfileTables returns the names of the tables of stack profiles, including [CurvesTable].
func ProfileTables() []string { return append(StackTables(), CurvesTable) }

func (out *Stacks) list(table string) (any, bool) {
	switch cmp.Or(table, "functions") {
	case "functions":
		return &out.Functions, true
	case "total_functions":
		return &out.Inclusive, true
	case "top":
		return &out.Top, true
	case "events":
		return &out.Events, true
	case "threads":
		return &out.Threads, true
	case "windows":
		return &out.Windows, true
	case "owners":
		return &out.Owners, true
	case "groups":
		return &out.Groups, true
	case treeTable:
		return new([]TreeRow), true
	case "treemap":
		return new([]singleRow), true
	case linesTable:
		return new([]SourceLine), true
	}
	return nil, false
}
