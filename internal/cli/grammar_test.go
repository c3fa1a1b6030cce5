package cli

import (
	"bufio"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/keymap"
)

// parserOf makes an app that has nothing but a command line.
func parserOf(args []string, env map[string]string) *app {
	return &app{
		env: Env{Args: args, Stderr: io.Discard, Getenv: func(name string) string { return env[name] }},
		out: bufio.NewWriter(io.Discard), config: &keymap.Config{},
	}
}

// TestShortGrammar proves that a command line that a short grammar reads means what the whole one says.
func TestShortGrammar(t *testing.T) {
	modeltest.Plain(t)
	env := map[string]string{"MEMTUI_LIMIT": "7", "MEMTUI_INDEX": "beside"}
	opening, commands := 0, 0
	for _, line := range []string{
		"a.mlyze", "a b", "a b c", "-", "--", "-- a", "-- --help", "--index none a", "--index=beside a", "a --theme light", "--no-mouse a",
		"--at 50% a", "--from 1s --to 2s a", "a --to speedscope", "--limit 3 a", "-f json a", "-fjson a", "--ascii a", "--snapshot=-1 a#2",
		"--max-memory 64MiB a", "--frame-order leaf-first a", "--min-age 3s a", "reprt", "a --limt 3", "--limit x a", "--list a", "--json",
		"report a", "a report", "analyze a", "--theme report a", "--help", "-h", "a -h", "help", "", "--index", "open a", "Report", "--color never a",
		"index a b", "index", "index --index none a", "info a", "report --top 3 a", "report -f json --limit 2 a report", "report a -h", "report --no-mouse -",
		"diff a b --by live", "diff a", "convert a --to speedscope", "convert --to 3s --to folded a", "check a --max-peak 3M", "heap types a", "heap object a 3",
		"heap", "heap types", "pages a --map", "evidence a -o b", "guide", "man", "completion bash", "keys", "version", "validate a b", "demo", "demo trace",
	} {
		args := strings.Fields(line)
		g, flags, more := shortGrammar(args)
		if g == nil {
			continue
		}
		got, _, err := parserOf(args, env).parseBy(g, more...)
		if err != nil {
			continue
		}
		var whole grammar
		want, _, err := parserOf(args, env).parseBy(&whole)
		if err != nil || got.Command() != want.Command() {
			t.Errorf("%q: %q, not %q (%v)", line, got.Command(), want.Command(), err)
			continue
		}
		if !reflect.DeepEqual(*flags, whole.globals) {
			t.Errorf("%q: %+v, not %+v", line, *flags, whole.globals)
		}
		if open, is := g.(*openGrammar); is {
			opening++
			if !reflect.DeepEqual(open.Open, whole.Open) {
				t.Errorf("%q: %+v, not %+v", line, open.Open, whole.Open)
			}
			continue
		}
		commands++
		if short, all := got.Selected().Target.Interface(), want.Selected().Target.Interface(); !reflect.DeepEqual(short, all) {
			t.Errorf("%q: %+v, not %+v", line, short, all)
		}
	}
	if opening < 20 || commands < 20 {
		t.Errorf("%d and %d command lines only are read by short grammars", opening, commands)
	}
}

// TestCommandNames proves that the parser knows the commands by the same words.
func TestCommandNames(t *testing.T) {
	_, parser, err := parserOf([]string{"version"}, nil).parseBy(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	var names, aliases []string
	for _, c := range parser.Model.Children {
		if c.Type == kong.CommandNode {
			names, aliases = append(names, c.Name), append(aliases, c.Aliases...)
		}
	}
	if n, a := commandNames(); !reflect.DeepEqual(n, names) || !reflect.DeepEqual(a, aliases) {
		t.Errorf("%q %q, not %q %q", n, a, names, aliases)
	}
}
