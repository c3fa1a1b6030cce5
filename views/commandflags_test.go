package views

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// everyFlag returns the names of the flags of questions.
func everyFlag(t *testing.T) (names []string) {
	t.Helper()
	n, at := 1, model.MomentAt(1)
	q := state.Question{
		Map: true, At: at, Over: model.Period{From: at, To: at}, A: model.Place{At: at}, B: model.Place{At: at}, Window: "x",
		Cell: analysis.Cell{SizeFrom: 1, SizeTo: 2}, Steps: calltree.NewFilter(calltree.Step{Kind: calltree.Focus, Name: "f"},
			calltree.Step{Kind: calltree.Ignore, Name: "f"}, calltree.Step{Kind: calltree.ShowFrom, Name: "f"},
			calltree.Step{Kind: calltree.HideFrame, Name: "f"}, calltree.Step{Kind: calltree.PivotAt, Name: "f"}),
		Format: "csv", Table: "x", Filter: "x", Snapshot: &n, Series: &n, Point: &n, Edges: "x", Values: true, MinAge: at, Event: "x", Group: "x", Per: "x", Type: "x", Exact: true, Kind: "x", By: "x",
		Masks: []string{"x"}, Match: "x", Normalize: "x", Only: []string{"x"}, Swap: true, Limit: &n, Stacked: &n, Peek: "x", Lines: "x", Order: "x", Below: &n, Within: []string{"x"}, Invert: true, Recursion: true,
	}
	for i, v := 0, reflect.ValueOf(q); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the test does not know %s of questions", v.Type().Field(i).Name)
		}
	}
	for _, word := range q.Args() {
		switch name, _, _ := strings.Cut(word, "="); {
		case word == "-f":
			names = append(names, "format")
		case strings.HasPrefix(name, "--"):
			names = append(names, name[2:])
		}
	}
	return names
}

// What can be typed on the screens is a flag and the other way round, but for what docs/commands.md says the reason of.
func TestTypedCommandsAreFlags(t *testing.T) {
	page, err := os.ReadFile("../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "| screens | command line |")
	part, _, _ = strings.Cut(part, "\n\n")
	told := map[string]bool{}
	for _, word := range regexp.MustCompile("`(:|--)([a-z-]+)").FindAllStringSubmatch(part, -1) {
		told[word[1]+word[2]] = true
	}
	flags, typed := everyFlag(t), []string{}
	for _, c := range commands() {
		typed = append(typed, c.name)
		if c.flag != "" {
			typed = append(typed, c.flag)
		}
		program := c.name == "theme" // of every command, about no file
		if is := slices.Contains(flags, c.name); !program && is == told[":"+c.name] && c.name != "from" {
			t.Errorf(":%s: a flag: %v, one without a counterpart: %v", c.name, is, !is)
		}
		if c.flag != "" && !slices.Contains(flags, c.flag) {
			t.Errorf(":%s stands for --%s, which there is not", c.name, c.flag)
		}
	}
	for _, f := range flags {
		if is := slices.Contains(typed, f); is == told["--"+f] && !slices.Contains([]string{"from", "to", "show-from", "pivot", "by"}, f) {
			t.Errorf("--%s: can be typed: %v", f, is)
		}
	}
	for word := range told {
		name := strings.TrimLeft(word, ":-")
		action := slices.ContainsFunc(keymap.Default().Actions(keymap.Scopes()...), func(e keymap.Entry) bool { return string(e.Action) == name })
		if name != "output" && !slices.Contains(typed, name) && !slices.Contains(flags, name) && !action {
			t.Errorf("the table names %s, which there is not", word)
		}
	}
}
