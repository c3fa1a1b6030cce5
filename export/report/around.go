package report

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report/calls"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Around is one function with its callers and callees. Every stack counts once: for the caller of the function's
// outermost call, and for the callee of its innermost call. So the callers add up to Total, and so do the callees and
// Self.
type Around struct {
	Function  string       `json:"function"`          // as requested, if several match
	Matched   int          `json:"matched_functions"` // number of names that matched, without arguments of templates
	Event     *string      `json:"event,omitzero"`    // of a stack profile
	Metric    string       `json:"metric"`            // of all figures
	Filters   []string     `json:"filters,omitzero"`  // of stacks: "focus main"
	All       Amount       `json:"all"`               // of all stacks that filters leave
	Total     Amount       `json:"total"`             // of the stacks that pass the function
	Self      Amount       `json:"self"`              // of those that end in it
	Callers   []Neighbor   `json:"callers"`           // heaviest first
	Callees   []Neighbor   `json:"callees"`           // heaviest first
	RowCounts AroundCounts `json:"row_counts"`        // without the limit

	measure model.Measure // of Metric
}

// Neighbor is a caller or callee of a function. The end of a stack has no name.
type Neighbor struct {
	Function *string `json:"function,omitzero"`
	Weight   Amount  `json:"weight"`
}

// AroundCounts are the numbers of callers and callees without the limit.
type AroundCounts struct {
	Callers int `json:"callers"`
	Callees int `json:"callees"`
}

// aroundRow is a row of the table: a caller, the function itself, or a callee.
type aroundRow struct {
	Relation string `json:"relation"`
	Neighbor
}

// AroundTable is the name of the only table that a report about one function has.
const AroundTable = "around"

// NoFunctionError reports that no stack passes a function.
type NoFunctionError struct {
	Name string
	Near []string // names that the user may have meant, nearest first
}

func (e *NoFunctionError) Error() string {
	text := fmt.Sprintf("no stack contains the function %s", model.Clean(e.Name))
	for i, n := range e.Near {
		if text += ", "; i == 0 {
			text += "near: "
		}
		text += model.Clean(n)
	}
	return text
}

// ErrNoSum reports that figures of stacks do not add up for a function.
var ErrNoSum = errors.New("peaks of stacks are reached at different times and do not add up")

// errApart is the same for figures that are each stack's own, such as means.
var errApart error = apartError{}

type apartError struct{}

func (apartError) Error() string        { return "these figures belong to single stacks and do not add up" }
func (apartError) Is(target error) bool { return target == ErrNoSum }

// noSum returns why figures of a metric do not add up, nil if they do.
func noSum(m *model.ProfileMetric) error {
	switch {
	case !m.NoSum():
		return nil
	case m.Name == "peak_bytes":
		return ErrNoSum
	}
	return errApart
}

// BuildAround returns the callers and callees of a function of a trace, by the figure opt.By. Errors are [ErrNoSum], a
// [NoFunctionError], and those of ctx and of trace.
func BuildAround(ctx context.Context, p *model.Profile, trace analysis.Trace, name string, opt Options) (*Report, error) {
	key := orders.Named(opt.By)
	if key.Name == "peak_bytes" {
		return nil, fmt.Errorf("%w; --at peak --by live_bytes has what lived at the peak", ErrNoSum)
	}
	r, stacks, err := opening(ctx, p, trace.Status(), &opt)
	if err != nil {
		return nil, err
	}
	rows, err := trace.Sites(ctx, analysis.Query{At: opt.At, Range: opt.Range, Cell: opt.Cell, NoPeaks: true})
	if err != nil {
		return nil, err
	}
	q := aroundQuery{stacks: stacks, name: name, limit: opt.Limit, scale: 1}
	for i := range rows {
		leaf, _ := stacks.Node(rows[i].Stack)
		q.add(leaf, key.Value(&rows[i]))
	}
	r.Around, err = q.ask(ctx)
	if err != nil {
		return nil, err
	}
	r.Around.Metric, r.Around.Filters = key.Name, FilterLines(opt.Cell)
	r.Around.measure = (&model.ProfileMetric{Name: key.Name}).Measure()
	return r, nil
}

// BuildStacksAround is [BuildAround] for the selection of a stack profile.
func BuildStacksAround(ctx context.Context, p *model.Profile, name string, opt StackOptions) (*Report, error) {
	s := opt.Selection
	if s == nil {
		return nil, &NoFunctionError{Name: name}
	}
	w := p.Weights
	event, metric := w.Events[s.Event].Name, w.Metrics[s.Metric].Name
	if err := noSum(&w.Metrics[s.Metric]); err != nil {
		return nil, err
	}
	r := &Report{Header: NewHeader(SchemaReport, p)}
	picked, scale := calls.Selected(s)
	q := aroundQuery{picked.Stacks, picked.Leaves, picked.Weights, scale, name, opt.Limit}
	var err error
	if r.Around, err = q.ask(ctx); err != nil {
		return nil, err
	}
	r.Around.Event, r.Around.Metric, r.Around.measure = &event, metric, w.Metrics[s.Metric].Measure()
	r.Around.Filters = FilterLines(analysis.Cell{Stacks: opt.Filter})
	return r, nil
}

// aroundQuery is the input of a search for a function.
type aroundQuery struct {
	stacks  *model.Stacks
	leaves  []model.NodeID
	weights []uint64
	scale   float64 // factor of the weights
	name    string
	limit   int
}

func (q *aroundQuery) add(leaf model.NodeID, weight uint64) {
	if weight > 0 {
		q.leaves, q.weights = append(q.leaves, leaf), append(q.weights, weight)
	}
}

// ask merges all functions with the name into one, and sums up its callers and callees. Names are those of the screens.
func (q *aroundQuery) ask(ctx context.Context) (*Around, error) {
	if q.stacks == nil {
		return nil, &NoFunctionError{Name: q.name}
	}
	matches := calltree.FunctionMatcher(q.name)
	meant, of := map[string]bool{}, map[string]string{}
	name := func(n string) string {
		if matches(n) {
			meant[n], of[n] = true, funcname.ShortenTemplates(n)
			return "\x00" + q.name // a name that no function has
		}
		return funcname.ShortenTemplates(n)
	}
	tree, err := calltree.NewLeafTree(ctx, q.stacks, q.leaves, calltree.TreeOptions{Name: name})
	if err != nil {
		return nil, err
	}
	folded := tree.Fold(q.weights)
	node := int32(0)
	for n := int32(1); n < int32(folded.Len()) && node == 0; n++ {
		if folded.Name(n) == "\x00"+q.name {
			node = n
		}
	}
	if node == 0 {
		like, err := calltree.Near(ctx, q.stacks, q.name, near.Names)
		if err != nil {
			return nil, err
		}
		return nil, &NoFunctionError{q.name, like}
	}
	a := folded.Around(node, false)
	names := map[string]bool{}
	for n := range meant {
		names[of[n]] = true
	}
	out := &Around{
		Function: q.name, Matched: len(names), All: q.amount(folded.Total[0]), Total: q.amount(a.Total), Self: q.amount(a.Self),
		Callers: q.neighbors(a.Callers), Callees: q.neighbors(a.Callees), RowCounts: AroundCounts{len(a.Callers), len(a.Callees)},
	}
	if len(names) == 1 {
		for n := range names {
			out.Function = n
		}
	}
	return out, nil
}

func (q *aroundQuery) amount(n uint64) (a Amount) { return object.Unscaled(n, q.scale) }

func (q *aroundQuery) neighbors(list []calltree.Neighbor) []Neighbor {
	out := []Neighbor{}
	for _, n := range limit(list, q.limit) {
		x := Neighbor{Weight: q.amount(n.Weight)}
		if n.Name != "" {
			x.Function = &n.Name
		}
		out = append(out, x)
	}
	return out
}

// rows returns callers, the function and what it calls, in the order of the screen.
func (a *Around) rows() (list []aroundRow) {
	for _, n := range a.Callers {
		list = append(list, aroundRow{"caller", n})
	}
	list = append(list, aroundRow{"function", Neighbor{&a.Function, a.Total}}, aroundRow{"self", Neighbor{&a.Function, a.Self}})
	for _, n := range a.Callees {
		list = append(list, aroundRow{"callee", n})
	}
	return list
}

// table lays the function out: callers above it, callees below.
func (a *Around) table(s cells.Style, full bool) table {
	out := table{
		name: AroundTable, title: "Callers and callees", more: a.RowCounts.Callers + a.RowCounts.Callees - len(a.Callers) - len(a.Callees),
		answer: fmt.Sprintf("%s of %s %s go through it", s.Amount(a.measure, a.Total.Amount),
			s.Amount(a.measure, a.All.Amount), model.Clean(a.Metric)),
		cols: []col{{titles.Weight, number}, {titles.Share, number}, {"", word}, {titles.Function, name}},
	}
	if a.Matched > 1 {
		out.answer += ", " + model.Counted(a.Matched, "function") + " of that name combined"
	}
	words := map[string]string{"caller": "called by", "function": "", "self": "itself", "callee": "calls"}
	for _, r := range a.rows() {
		label := "no callers: stacks begin here"
		if r.Function != nil {
			label = (stackWriter{style: s, full: full}).name(*r.Function)
		}
		out.rows = append(out.rows, []string{
			s.Amount(a.measure, r.Weight.Amount), r.Weight.ShareOf(a.Total.Amount).String(), words[r.Relation], label,
		})
	}
	return out
}

func (a *Around) scope() []string {
	about := "by " + model.Clean(a.Metric)
	if a.Event != nil {
		about = "event " + model.Clean(*a.Event) + " " + about
	}
	return slices.Concat([]string{about}, FilterText(a.Filters))
}
