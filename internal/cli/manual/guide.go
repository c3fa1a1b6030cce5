package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/internal/cli/uses"
)

// Guide is a description of the program for scripts and other automated callers: which command answers which question,
// and what is guaranteed.
type Guide struct {
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
	Flags   []string  `json:"flags"` // its own, in addition to shared ones
	Shared  []string  `json:"shared_flags"`
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

// WriteText writes the guide as text.
func (g *Guide) WriteText(w io.Writer) {
	g.write(w, "memtui for scripts\n", "%s: %s\n", "memtui %s\n  %s\n", "  own flags: %s\n", "  shared flags: %s\n",
		"  %s\n    %s\n")
}

// WriteMarkdown writes the guide as Markdown.
func (g *Guide) WriteMarkdown(w io.Writer) {
	g.write(w, "# memtui for scripts\n", "## %s\n\n%s\n\n", "### `memtui %s`\n\n%s\n", "\nOwn flags: %s.\n",
		"\nShared flags: %s.\n", "- %s\n  `%s`\n")
}

func (g *Guide) write(w io.Writer, title, rule, command, flags, shared, answer string) {
	fmt.Fprintf(w, "%s\n", title)
	for _, r := range g.Rules {
		fmt.Fprintf(w, rule, r.About, r.Text)
	}
	for _, c := range g.Commands {
		fmt.Fprintln(w)
		fmt.Fprintf(w, command, c.Command, c.Help)
		if len(c.Flags) > 0 {
			fmt.Fprintf(w, flags, strings.Join(c.Flags, " "))
		}
		if len(c.Shared) > 0 {
			fmt.Fprintf(w, shared, strings.Join(c.Shared, " "))
		}
		for _, e := range c.Answers {
			fmt.Fprintf(w, answer, e.Question, e.Command)
		}
	}
}

// NewGuide describes every command of the grammar.
func NewGuide(app Grammar) *Guide {
	g := &Guide{Schema: "memtui.guide/1", Rules: guideRules(), Commands: []guideCommand{}, Status: []guideStatus{}}
	for _, c := range uses.Leaves(app.Application) {
		path := uses.Path(c)
		out := guideCommand{Command: path + Arguments(c), Help: c.Help, Flags: []string{}, Shared: []string{}, Answers: []example{}}
		for _, f := range c.Flags {
			if !f.Hidden {
				out.Flags = append(out.Flags, flagNames(f)[0])
			}
		}
		for _, f := range app.Shared(c) {
			if !slices.Contains(uses.Harmless(), flagNames(f)[0]) && f.Name != "help" {
				out.Shared = append(out.Shared, flagNames(f)[0])
			}
		}
		for _, q := range Questions() {
			if CommandOf(q.Words) == path {
				out.Answers = append(out.Answers, example{q.Question, html.CommandLine(append([]string{"memtui"}, q.Words...))})
			}
		}
		g.Commands = append(g.Commands, out)
	}
	for _, s := range ExitStatuses() {
		g.Status = append(g.Status, guideStatus{int(s[0] - '0'), s[2:]})
	}
	return g
}

// CommandOf returns the path of the command in a line.
func CommandOf(words []string) string {
	if words[0] == "heap" || words[0] == "fleet" {
		return strings.Join(words[:2], " ")
	}
	return words[0]
}

// Arguments returns what follows a command: " IN OUT".
func Arguments(c *kong.Node) string {
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

// guideRules returns the rules that apply to all commands.
func guideRules() []guideRule {
	return []guideRule{
		{"Output", "-f json prints one object to standard output and nothing else; messages go to standard error. Every report begins with findings. --table chooses one table; -f csv without it writes the findings, an empty line, and the default table. Text and markdown are for people: do not parse them. The program never asks a question, and it draws full-screen only in a terminal."},
		{"Bounds", "Every table has at most --limit rows (20; pages and evidence 200); --limit 0 prints all. Some lists are small by nature and always complete: sizes, lifetimes, grid, holes and runs (classes of powers of two), curve (72 columns), snapshots, page types, steps of a path, the frames of a stack, problems. convert always writes every row. row_counts, row_count of diff and grown_count of check are the numbers of rows before the limit. Sums never depend on the limit. info reads headers only and estimates what a full read will cost. --max-memory bounds the memory of every command: what does not fit is left out, complete is then false, and the problem memory-limit names it; where nothing fits the status is 3. The second read of a large trace is fast: its index is kept (--index), and memtui index builds it in advance."},
		{"Numbers", "Integers are exact up to 2^64-1, changes and the figures of check up to 2^63-1; read them with a parser that keeps them. bytes are bytes, *_us are microseconds since the start of the file, start_us since 1970. What is unknown is absent, never 0. Where a side of diff is sampled, delta_error_bytes is by how much delta_bytes may be off, in 19 of 20 cases. " + timesAndSizes},
		{"Truth", `Look at "complete" and "problems" first: everything readable in a damaged file is reported, with status 0, complete false and lower bounds. live_upper_bound is true where some blocks have no address, so their frees cannot be matched. severity is error, warning or note; code is stable, message is not.`},
		{"Stable ids", "These stay the same for one file, whatever the question: stack (the file's own id), row (of one snapshot), snapshot and layout numbers from 0 (negative ones count from the end), series and point (the file's order), thread, event and metric names, table and field names, problem codes. Keys of diff are names, so they are comparable between files. Not stable: the order of rows that are equal in value, count and id; texts; and the placeholders of --redact, which are the same within one evidence archive only."},
		{"Shared flags", "They mean the same for all commands that list them. A flag that does not apply to a command or to the file, contradicts another one, or needs one that is missing is refused with status 2 before the file is read; settings of the environment and the config file that do not apply are ignored. " + strings.Join(uses.Harmless(), " ") + " may be given to every command."},
		{"Schemas", `Each object names its schema, such as memtui.report/1; the number rises when a name changes its meaning. Fields may be added.`},
		{"Exit status", strings.Join(ExitStatuses(), "; ") + "."},
	}
}

// ExitStatuses returns the exit statuses with their meanings.
func ExitStatuses() []string {
	return []string{
		"0 done", "1 done, and validate found violations or check a limit exceeded or a leak",
		"2 the command line or the config file is wrong",
		"3 the input cannot be used at all: missing, empty, of no known format, or nothing in it can be read; or diff, check or validate has no answer, because a limit kept part of it from being read",
	}
}

// Question is a user's question, and the command that answers it.
type Question struct {
	Question string
	Words    []string
}

// Questions returns the questions of the guide, in the order in which users ask them. A test parses every command.
func Questions() []Question {
	ask := func(text, command string) Question { return Question{text, strings.Fields(command)} }
	return []Question{
		ask("What is this file, how large, and what will reading it cost?", "info -f json FILE"),
		ask("Can I trust it?", "validate -f json FILE"),
		ask("How do I make later commands about a large trace fast?", "index -f json FILE"),
		ask("What does the program need, and who allocates? (traces: .mlyze, heaptrack; start here)", "report -f json FILE"),
		ask("Who held the memory at the peak?", "report -f csv --table peak_sites FILE"),
		ask("Who holds it at an instant?", "report -f csv --table live_sites --at 12.5s FILE"),
		ask("What leaks, since when, and how does it grow?", "report -f csv --table leaks --min-age 1s FILE"),
		ask("What was allocated in a range and is still there at its end?", "report -f json --from 10s --to 20s FILE"),
		ask("Which functions, files or threads cost most?", "report -f json --group file FILE"),
		ask("Which calls lead to the memory, as a tree? (--invert: from allocating functions up)",
			"report -f json --table tree --by live_bytes FILE"),
		ask("Who calls a function, and what does it call?", "report -f json --peek FUNCTION FILE"),
		ask("Which source lines cost most? (--lines FUNCTION or FILE.c: its source with figures at each line)",
			"report -f json --table lines --source DIR FILE"),
		ask("Which modules, files and functions hold what is live, as parts within parts?",
			"report -f json --table treemap --by live_bytes FILE"),
		ask("Which sites held memory when? (--table lifetime_heatmap: how long its blocks lived)",
			"report -f json --table heatmap --by live_bytes FILE"),
		ask("Which events happened from 20 ms on?", "report -f json --table events --from 20ms --limit 100 FILE"),
		ask("Which blocks are live?", "report -f csv --table blocks --limit 1000 FILE"),
		ask("What holds memory, by stack? (profiles: pprof, jemalloc, tcmalloc, massif, DHAT, V8, leak reports; start here)", "report -f json FILE"),
		ask("Which functions hold most in a Go heap profile?", "report -f csv --table total_functions --by inuse_space FILE"),
		ask("What does a running Go service hold now?", "report -f json http://localhost:6060/debug/pprof/heap"),
		ask("What belongs to each value of a label of pprof?", "report -f json --group label:KEY FILE"),
		ask("Which functions cost most in a stack profile?", "report -f csv --table total_functions --event cpu-clock FILE"),
		ask("How did the measured curves develop?", "report -f csv --table series FILE"),
		ask("How can a person view all of it in a browser?", "report -f html -o page.html FILE"),
		ask("How can a person look at any instant of it in a browser?", "serve FILE"),
		ask("Which sites leak on how many hosts? (fleet diff, outliers, trend, stack: the same of versions, hosts)",
			"fleet top -f json --from http://HOST:8123/DATABASE"),
		ask("Which sites do several services have?", "fleet shared -f json --from http://HOST:8123/DATABASE"),
		ask("How does live memory change while the programs of a fleet run, from version to version?", "fleet curve -f json --service NAME --from http://HOST:8123/DATABASE"),
		ask("How large is each snapshot?", "heap snapshots -f json FILE"),
		ask("What should be examined first in a heap, and what retains it?", "heap suspects -f json FILE"),
		ask("What grows over several heap dumps of one Java process?", "heap suspects -f json 1.hprof 2.hprof 3.hprof"),
		ask("Which types fill the heap?", "heap types -f json --by retained_bytes FILE#-1"),
		ask("Which routines have frames on the heap?", "heap frames -f json FILE"),
		ask("Which objects retain most memory?", "heap dominators -f json --limit 10 FILE"),
		ask("Which objects are of a type?", "heap find -f json --type Session FILE"),
		ask("What holds the objects of a type, and what do they hold?", "heap peek -f json FILE Session"),
		ask("What is in an object, and what refers to it?", "heap object -f json FILE 40929"),
		ask("Why is an object alive?", "heap path -f json FILE 40929"),
		ask("How full are the pages?", "pages -f json FILE#-1"),
		ask("When was memory fragmented worst?", "pages --worst -f json FILE"),
		ask("What changed between two runs or snapshots?", "diff -f json BEFORE AFTER"),
		ask("Which types grew?", "diff -f csv FILE#0 FILE#-1"),
		ask("Does it leak, apart from known leaks?", "check --no-leaks --baseline leaks.json -f json FILE"),
		ask("Does it stay within its memory limits?", "check --max-peak 512M --max-leak 1M -f json FILE"),
		ask("Does it need more than before?", "check --base OLD --max-peak +5% -f json FILE"),
		ask("How do I get it into another tool?", "convert FILE out.pprof"),
		ask("What do I attach to a ticket?", "evidence -o ticket.tar.gz FILE"),
		ask("How do I keep the names of my program out of it?", "evidence --redact -o ticket.tar.gz FILE"),
		ask("What can I try without a file?", "demo --list"),
		ask("Which version is this?", "version -f json"),
		ask("Which keys does the full screen have?", "keys -f json"),
		ask("How does a program read this guide?", "guide -f json"),
	}
}
