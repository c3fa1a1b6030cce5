package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/manual"
)

type guideCmd struct{}

// guide is for scripts and other callers that are no people: which command answers which question, and what they may rely on.
type guide struct {
	Schema   string         `json:"schema"`
	Rules    []guideRule    `json:"rules"`
	Commands []guideCommand `json:"commands"`
	Status   []guideStatus  `json:"exit_status"`
}

type guideRule struct {
	About string `json:"about"`
	Text  string `json:"text"`
}

type guideCommand struct {
	Command string    `json:"command"` // with its arguments
	Help    string    `json:"help"`
	Flags   []string  `json:"flags"` // its own, beside those of all commands
	Answers []example `json:"answers"`
}

// example is a question and the command that answers it.
type example struct {
	Question string `json:"question"`
	Command  string `json:"command"`
}

type guideStatus struct {
	Status  int    `json:"status"`
	Meaning string `json:"meaning"`
}

// Run prints a short guide for scripts and automated callers. Commands, arguments, flags and their help are the grammar's own.
func (c *guideCmd) Run(a *app) error {
	if err := a.formats("guide", "text", "markdown", "json"); err != nil {
		return err
	}
	g := newGuide(a.parser.Model)
	switch a.flags.Format {
	case "json":
		return report.WriteJSON(a.out, g)
	case "markdown":
		g.write(a, "# memtui for scripts\n", "## %s\n\n%s\n\n", "### `memtui %s`\n\n%s\n", "\nOwn flags: %s.\n", "- %s\n  `%s`\n")
	default:
		g.write(a, "memtui for scripts\n", "%s: %s\n", "memtui %s\n  %s\n", "  own flags: %s\n", "  %s\n    %s\n")
	}
	return nil
}

func (g *guide) write(a *app, title, rule, command, flags, answer string) {
	fmt.Fprintf(a.out, "%s\n", title)
	for _, r := range g.Rules {
		fmt.Fprintf(a.out, rule, r.About, r.Text)
	}
	for _, c := range g.Commands {
		fmt.Fprintln(a.out)
		fmt.Fprintf(a.out, command, c.Command, c.Help)
		if len(c.Flags) > 0 {
			fmt.Fprintf(a.out, flags, strings.Join(c.Flags, " "))
		}
		for _, e := range c.Answers {
			fmt.Fprintf(a.out, answer, e.Question, e.Command)
		}
	}
}

// newGuide describes every command of the grammar.
func newGuide(app *kong.Application) *guide {
	g := &guide{Schema: "memtui.guide/1", Rules: guideRules(app), Commands: []guideCommand{}, Status: []guideStatus{}}
	for _, c := range leaves(app) {
		path := commandPath(c)
		out := guideCommand{Command: path + arguments(c), Help: c.Help, Flags: []string{}, Answers: []example{}}
		for _, f := range c.Flags {
			if !f.Hidden {
				out.Flags = append(out.Flags, manual.FlagNames(f)[0])
			}
		}
		for _, q := range questions() {
			if commandOf(q.words) == path {
				out.Answers = append(out.Answers, example{q.question, html.CommandLine(append([]string{"memtui"}, q.words...))})
			}
		}
		g.Commands = append(g.Commands, out)
	}
	for _, s := range exitStatuses() {
		g.Status = append(g.Status, guideStatus{int(s[0] - '0'), s[2:]})
	}
	return g
}

// leaves are the commands that can be run, in the order of the grammar.
func leaves(app *kong.Application) []*kong.Node {
	var out []*kong.Node
	for _, c := range app.Children {
		if len(c.Children) == 0 {
			out = append(out, c)
		}
		out = append(out, c.Children...)
	}
	return out
}

// commandPath is a command with the one that it belongs to: "heap types".
func commandPath(c *kong.Node) string {
	if c.Parent != nil && c.Parent.Type == kong.CommandNode {
		return c.Parent.Name + " " + c.Name
	}
	return c.Name
}

// commandOf is the path of the command in a line.
func commandOf(words []string) string {
	if words[0] == "heap" {
		return strings.Join(words[:2], " ")
	}
	return words[0]
}

// arguments are what follows a command: " IN OUT".
func arguments(c *kong.Node) string {
	out := ""
	for _, p := range c.Positional {
		name := strings.ToUpper(p.Name)
		if p.IsSlice() {
			name += "…"
		}
		if !p.Required {
			name = "[" + name + "]"
		}
		out += " " + name
	}
	return out
}

// guideRules are what holds for all commands.
func guideRules(app *kong.Application) []guideRule {
	var shared []string
	for _, f := range manual.Visible(app, nil) {
		if slices.Contains(append(viewFlagNames(), "--format", "--max-memory"), "--"+f.Name) {
			shared = append(shared, "--"+f.Name)
		}
	}
	return []guideRule{
		{"Output", "-f json is one object on standard output, and nothing else is there; messages go to standard error. -f csv writes one table, chosen by --table. Text and markdown are for people: do not parse them. Nothing ever asks a question, and without a terminal nothing is drawn full-screen."},
		{"Bounds", "Every table has at most --limit rows (20; pages and evidence 200); --limit 0 is all. Always whole are what is small by nature: sizes, lifetimes, grid, holes and runs (classes of powers of two), curve (72 columns), snapshots, types of pages, steps of a path, the frames of a stack, problems; and what convert writes: every row. row_counts, row_count of diff and grown_count of check say how many rows there are, so what was cut is known. Sums never depend on the limit. info reads headers only and says what a full read will cost; --max-memory bounds what every command takes: what does not fit is left out, complete is false then, and the problem memory-limit says what; where nothing fits the status is 3. The second read of a large trace is fast: its index is kept (--index), and memtui index makes it in advance."},
		{"Numbers", "Integers are exact up to 2^64-1, changes and the figures of check up to 2^63-1; read them with a parser that keeps them. bytes are bytes, *_us are microseconds since the start of the file, start_us since 1970. What is unknown is absent, never 0. " + manual.TimesAndSizes},
		{"Truth", `Look at "complete" and "problems" first: of a damaged file everything readable is reported, with status 0, complete false and lower bounds. live_upper_bound says that some blocks can never be freed. severity is error, warning or note; code is stable, message is not.`},
		{"Stable ids", "Stay the same for one file whatever is asked: stack (the file's own id), row (of one snapshot), snapshot and layout numbers from 0 (negative ones count from the end), series and point (the file's order), thread, event and metric names, table and field names, problem codes. Keys of diff are names, so they hold between files. Not stable: the order of rows with equal figures beyond count and id, texts, and stand-ins of --redact, which hold within one evidence only."},
		{"Shared flags", strings.Join(shared, " ") + ": the same everywhere they mean something."},
		{"Schemas", `Each object names its schema, such as memtui.report/1; the number rises when a name changes its meaning. Fields may be added.`},
		{"Exit status", strings.Join(exitStatuses(), "; ") + "."},
	}
}

// exitStatuses are the numbers and what they mean.
func exitStatuses() []string {
	return []string{
		"0 done", "1 done, and validate found violations or check a limit exceeded", "2 the command line or the config file is wrong",
		"3 the input cannot be used at all: missing, empty, of no known format, or nothing in it can be read; or diff, check or validate can say nothing, as a limit kept a part of it from being read",
	}
}
