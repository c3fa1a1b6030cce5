package cli

import (
	"encoding/json"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/loaders/all"
)

// Every command of the grammar is in the guide, and every command of the guide is one that the grammar takes.
func TestGuideIsTheGrammar(t *testing.T) {
	status, out, errs := run(t, Env{}, "guide", "-f", "json")
	var g manual.Guide
	if err := json.Unmarshal([]byte(out), &g); err != nil || status != 0 || errs != "" {
		t.Fatalf("status %d, %v, %q", status, err, errs)
	}
	var commands grammar
	parser, err := kong.New(&commands, kong.Name("memtui"), kong.Exit(func(int) {}), grammarVars(all.Formats()))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for i, c := range uses.Leaves(parser.Model) {
		path := uses.Path(c)
		known[path] = true
		if i >= len(g.Commands) || g.Commands[i].Command != path+manual.Arguments(c) || g.Commands[i].Help != c.Help {
			t.Errorf("the guide does not have %q", path)
		}
	}
	answers := 0
	for _, c := range g.Commands {
		answers += len(c.Answers)
	}
	if answers != len(manual.Questions()) {
		t.Errorf("%d of %d questions have their place", answers, len(manual.Questions()))
	}
	for _, q := range manual.Questions() {
		if !known[manual.CommandOf(q.Words)] {
			t.Errorf("%q: there is no such command", q.Words)
		}
		if _, err := parser.Parse(q.Words); err != nil {
			t.Errorf("%q: %v", q.Words, err)
		}
	}
}

func TestGuideIsShort(t *testing.T) {
	for _, format := range []string{"text", "markdown", "json"} {
		status, out, _ := run(t, Env{}, "guide", "-f", format)
		if status != 0 || len(out) > 24<<10 || len(out) < 4<<10 {
			t.Errorf("%s: status %d, %d bytes", format, status, len(out))
		}
	}
	if status, _, _ := run(t, Env{}, "guide", "-f", "csv"); status != fail.StatusUsage {
		t.Errorf("csv: status %d", status)
	}
}
