package cli

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// asked makes random questions.
type asked struct{ *rand.Rand }

func (r asked) moment() model.Moment {
	switch r.IntN(5) {
	case 0:
		return model.MomentAt(model.Time(r.Uint64() >> (1 + r.IntN(63))))
	case 1:
		m, _ := model.ParseMoment([]string{"50%", "12.5%", "33.333%", "0%"}[r.IntN(4)])
		return m
	case 2:
		return []model.Moment{model.MomentPeak(), model.MomentEnd()}[r.IntN(2)]
	}
	return model.Moment{}
}

func (r asked) place() (p model.Place) {
	switch r.IntN(4) {
	case 0:
		p.At = r.moment()
	case 1:
		p.Over = model.Period{From: model.MomentAt(0), To: model.MomentEnd()}
	case 2:
		p.Number = r.number()
	}
	return p
}

func (r asked) number() *int {
	if r.IntN(2) == 0 {
		return nil
	}
	n := r.IntN(2000) - 1000
	return &n
}

func (r asked) name() string {
	return []string{"", "main", "-o", "--at", "operator<<(std::ostream&, int)", "a b", "/re.*x/", "x=y", "ä,b", "#1", "'"}[r.IntN(11)]
}

func (r asked) of(words ...string) string { return append(words, "")[r.IntN(len(words)+1)] }

func (r asked) cell() (c arg.Cell) {
	if r.IntN(2) == 0 {
		_ = c.UnmarshalText([]byte([]string{"64,1ms", "4K,never", "any,10us", "16,any"}[r.IntN(4)]))
	}
	return c
}

func (r asked) steps() calltree.Filter {
	var steps []calltree.Step
	for _, k := range []calltree.StepKind{calltree.Focus, calltree.Ignore, calltree.ShowFrom, calltree.HideFrame, calltree.PivotAt} { // any other order means the same
		if name := r.name(); name != "" && r.IntN(3) == 0 {
			steps = append(steps, calltree.Step{Kind: k, Name: name})
		}
	}
	return calltree.NewFilter(steps...)
}

// question asks something that a command can be asked.
func (r asked) question(command string) state.Question {
	q := state.Question{
		At: r.moment(), Over: model.Period{From: r.moment(), To: r.moment()}, Format: r.of("json", "csv"), Series: r.number(), Point: r.number(), Limit: r.number(),
		Edges: r.of("all", "roots"), Event: r.name(),
	}
	if q.Limit != nil {
		*q.Limit = max(*q.Limit, -*q.Limit)
	}
	if q.By = r.name(); command == "pages" {
		q.By, q.Event, q.Edges, q.Over = "", "", "", model.Period{}
	}
	switch command {
	case "report":
		if q.MinAge = r.moment(); !q.MinAge.IsLength() {
			q.MinAge = model.Moment{}
		}
		q.Table, q.Window, q.Group, q.Snapshot = r.of("leaks", "grid", "tree"), r.name(), r.of("function", "dso"), r.number()
		q.Cell, q.Steps = r.cell().Cell, r.steps()
		if q.Table == "tree" {
			q.Invert, q.Recursion = r.IntN(2) == 0, r.IntN(2) == 0
		}
		if q.Table != "" {
			q.Filter = r.name()
		} else {
			q.Peek = r.name()
		}
	case "diff":
		q.A, q.B, q.Cell, q.Steps, q.Group = r.place(), r.place(), r.cell().Cell, r.steps(), r.name()
		q.Filter = r.name()
		q.Match, q.Normalize, q.Swap = r.of("files"), r.of("total"), r.IntN(2) == 0
		for range r.IntN(3) {
			q.Masks = append(q.Masks, "m="+r.name())
			q.Only = append(q.Only, []string{"new", "gone"}[r.IntN(2)])
		}
	case "pages":
		q.Map, q.Snapshot, q.Table = r.IntN(2) == 0, r.number(), r.of("holes")
	}
	return q
}

// A question that is written as flags is read as the same question, and the command can be asked it.
func TestQuestionsAreReadAsTheyAreWritten(t *testing.T) {
	rng := asked{rand.New(rand.NewPCG(7, 8))}
	for command, files := range map[string][]string{"report": {"x"}, "diff": {"x", "y"}, "pages": {"x"}, "evidence": {"x"}} {
		for range 12 {
			q := rng.question(command)
			if command == "evidence" {
				q.Format = ""
			}
			args := append(append([]string{command}, q.Args()...), files...)
			a := parserOf(args, nil)
			parsed, err := a.parse()
			if err == nil {
				a.parsed, err = parsed, uses.Check(parsed)
			}
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			if got := a.question(); !reflect.DeepEqual(got, q) {
				t.Fatalf("%q:\n%+v, not\n%+v", args, got, q)
			}
		}
	}
}

// A question about a report sets the flags that its words do.
func TestQuestionsSetFlags(t *testing.T) {
	rng := asked{rand.New(rand.NewPCG(9, 10))}
	for range 15 {
		q := rng.question("report")
		q.Format, q.Limit, q.Table, q.Filter, q.Window, q.Group, q.Cell, q.Steps, q.Peek = "", nil, "", "", "", "", analysis.Cell{}, "", ""
		want := parserOf(append(append([]string{"report"}, q.Args()...), "x"), nil)
		if _, err := want.parse(); err != nil {
			t.Fatal(err)
		}
		got := parserOf(strings.Fields("report --at 3s --to 4s --by x --edges all --event e --snapshot 3 x"), nil)
		if _, err := got.parse(); err != nil {
			t.Fatal(err)
		}
		want.flags.From, want.flags.To = arg.TimeAt(want.flags.From.Moment), arg.TimeAt(want.flags.To.Moment) // however they were written
		if got.flags.ask(&q); !reflect.DeepEqual(*got.flags, *want.flags) {
			t.Fatalf("%q: %+v, not %+v", q.Args(), *got.flags, *want.flags)
		}
	}
}

// Words of the screens mean on the command line what they mean there.
func TestWordsOfScreens(t *testing.T) {
	stacks := sampleFile(t, "stacks")
	for line, other := range map[string]string{
		"report --by live FILE": "report --by live_bytes FILE", "report --cost blocks FILE": "report --by live_count FILE",
		"report --around main FILE": "report --pivot main FILE", "diff --by total --a 20% FILE --b end": "diff --by alloc_bytes --a 20% FILE --b end",
		"convert --by leaked --to folded FILE": "convert --by leaked_bytes --to folded FILE", "report --by live STACKS": "report --by live_bytes STACKS",
		"report --by count FILE": "report --by alloc_count FILE", "diff --by count STACKS#0 STACKS#1": "diff --by alloc_count STACKS#0 STACKS#1",
	} {
		files := strings.NewReplacer("FILE", sample, "STACKS", stacks)
		status, got, errs := run(t, Env{}, strings.Fields(files.Replace(line))...)
		_, want, _ := run(t, Env{}, strings.Fields(files.Replace(other))...)
		if status != 0 || got != want {
			t.Errorf("%s is not %s: status %d, %s", line, other, status, errs)
		}
	}
	for c := range analysis.CostCountOf {
		if got := state.SortKey(c.String(), orders.Shared()); got != state.CostKey(c) {
			t.Errorf("--by %s is %s", c, got)
		}
	}
}
