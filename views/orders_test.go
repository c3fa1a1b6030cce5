package views

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/profile"
	"github.com/memtui/memtui/views/stacks"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/trace"
	"github.com/memtui/memtui/views/ui"
)

// RunCommand runs a command line without the program's name, and returns what it prints. It is set by the tests that
// may import commands.
var RunCommand func(t testing.TB, args ...string) (status int, stdout, stderr string)

// tableSource is a file that tables are opened on: what command lines call it, and where it is.
type tableSource struct{ name, path string }

// tableSources are the files of [tableCases].
func tableSources(t testing.TB) []tableSource {
	dir := t.TempDir()
	list := []tableSource{{"small_kvleak.mlyze", filepath.Join("..", "testdata", "small_kvleak.mlyze")}}
	for name, data := range map[string][]byte{
		"records.mvmheap": records(t), "server.spaa": serverProfile(t), "python.spaa": pythonProfile(t), "process.mb": processDump(t),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, tableSource{name, path})
	}
	return append(list, tableSource{javaName, filepath.Join("..", "loaders", "hprof", "testdata", javaName)})
}

// ran runs the command on screen as CSV with all rows, and returns its rows by the names of the columns.
func (u *program) ran(t *testing.T, files []tableSource, words []string) (rows []map[string]string) {
	t.Helper()
	args := append(slices.Clone(words[1:]), "-f", "csv")
	if !slices.Contains(words, "snapshots") && !slices.Contains(words, "--map") && !slices.Contains(words, "path") {
		args = append(args, "--limit", "0")
	}
	for i := range args {
		for _, f := range files {
			if rest, ok := strings.CutPrefix(args[i], f.name); ok {
				args[i] = f.path + rest
			}
		}
	}
	status, out, errs := RunCommand(t, args...)
	if status != 0 {
		t.Errorf("%q: status %d, %s", words, status, errs)
		return nil
	}
	if _, table, ok := strings.Cut(out, "\n\n"); ok { // findings come first
		out = table
	}
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("%q: %v\n%s", words, err, out)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// figures reads what the rows of a table are sorted by, from top to bottom; ok is false where that is no number.
func figuresOf(table any) (figures []float64, ok bool) {
	v := reflect.ValueOf(table)
	if !v.MethodByName("Sorted").IsValid() {
		return nil, false
	}
	col := v.MethodByName("Sorted").Call(nil)[0].Elem()
	for i := range int(v.MethodByName("Len").Call(nil)[0].Int()) {
		row := []reflect.Value{v.MethodByName("Row").Call([]reflect.Value{reflect.ValueOf(i)})[0]}
		call := func(name string) (x reflect.Value, ok bool) {
			if f := col.FieldByName(name); !f.IsNil() {
				return f.Call(row)[0], true
			}
			return x, false
		}
		if known, ok := call("Known"); ok && !known.Bool() {
			figures = append(figures, math.NaN())
		} else if x, ok := call("Amounts"); ok {
			figures = append(figures, x.Index(0).Interface().(model.Amount).Float64())
		} else if x, ok := call("Number"); ok {
			figures = append(figures, x.Float())
		} else if x, ok := call("Value"); ok {
			figures = append(figures, float64(x.Uint()))
		} else {
			return nil, false
		}
	}
	return figures, true
}

// Every order of every table is that of the command which the screen copies, or copying says that the command has
// another one.
func TestCommandsFollowEveryOrder(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("it walks every table and command, which others do under the race detector")
	}
	files := tableSources(t)
	for _, tt := range tableCases() {
		if tt.name == "Top sites below the curve" { // whose command prints the curve
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open(t).keys(tt.keys...)
			l, _ := tt.table(u)
			for col, title := range u.titles(l) {
				x, y, ok := u.header(l, col)
				if !ok {
					continue
				}
				u.sim.Click(x, y)
				if by, down := u.order(l); by != col || !down {
					continue
				}
				u.checkOrder(t, tt.name, title, l.Table, files)
			}
		})
	}
}

// told returns a figure of a row of a report.
func told(row map[string]string, key string) (text string, ok bool) {
	if text, ok = row[key]; ok && strings.HasSuffix(key, "_bits") { // screens show bytes
		n, err := strconv.ParseUint(text, 10, 64)
		return fmt.Sprint(8 * n), err == nil
	} else if ok {
		return text, true
	}
	if key == "mean_bytes" {
		var of [2]uint64
		for i, name := range []string{"alloc_bytes", "alloc_count"} {
			of[i], _ = strconv.ParseUint(row[name], 10, 64)
		}
		return fmt.Sprint(model.Mean(of[0], max(of[1], 1))), true
	}
	text, ok = row["value"] // of the metric that the command names
	return text, ok
}

// checkOrder compares the order of a table with that of the command that prints it.
func (u *program) checkOrder(t *testing.T, name, title string, table any, files []tableSource) {
	t.Helper()
	var words []string
	var why, key string
	var figures []float64
	var isFigure bool
	u.sim.Do(func() {
		words, why = u.app.command(u.app.o.Command), u.app.unordered()
		if figures, isFigure = figuresOf(table); isFigure {
			col := reflect.ValueOf(table).MethodByName("Sorted").Call(nil)[0].Elem()
			if key = col.FieldByName("Key").String(); key == "" {
				key = col.FieldByName("Order").String()
			}
		}
	})
	if len(words) == 0 || why != "" {
		return
	}
	if p, ok := table.(*ui.BlockPane); ok {
		u.checkBlocks(t, title, p, u.ran(t, files, words))
		return
	}
	if !isFigure {
		return
	}
	if name == "Threads" { // whose CSV lists what the frames hold
		u.ran(t, files, words)
		return
	}
	var printed []float64
	for i, row := range u.ran(t, files, words) {
		text, ok := told(row, key)
		if !ok && i == 0 {
			t.Errorf("%s: %q prints no %s: %v", title, words, key, row)
			return
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			n = math.NaN()
		}
		printed = append(printed, n)
	}
	figures = figures[summed[name]:]
	if slices.Contains(parts, name) { // the others come in between
		figures = slices.DeleteFunc(figures, func(f float64) bool { return !slices.Contains(printed, f) })
		figures, printed = slices.Compact(figures), slices.Compact(printed)
	}
	if name == "Source" { // which shows lines with another cost, too
		for len(figures) > len(printed) && figures[len(figures)-1] == 0 {
			figures = figures[:len(figures)-1]
		}
	}
	for len(printed) > len(figures) && printed[len(printed)-1] == 0 { // screens leave out what is nothing
		printed = printed[:len(printed)-1]
	}
	if fmt.Sprint(printed) != fmt.Sprint(figures) {
		t.Errorf("%s: %q prints\n%v, and the screen\n%v", title, words, printed, figures)
	}
}

// checkBlocks compares the blocks of a screen with those that a command prints.
func (u *program) checkBlocks(t *testing.T, title string, p *ui.BlockPane, printed []map[string]string) {
	t.Helper()
	u.sim.Do(func() {
		if p.Len() != len(printed) || p.Len() == 0 {
			t.Errorf("%s: %d blocks, and the command prints %d", title, p.Len(), len(printed))
			return
		}
		ages := p.Ages()
		for i := range min(p.Len(), 100) { // that are read ahead
			b, ok := p.Row(i)
			if age := fmt.Sprint(int64(ages(&b))); !ok || ui.AddressText(b.Addr) != printed[i]["address"] || age != printed[i]["age_us"] {
				t.Errorf("%s: row %d is %v, age %s, and the command prints %v", title, i, b, age, printed[i])
				return
			}
		}
	})
}

// Blocks of every instant and range are those of the command that the screen copies, with their ages and filters.
func TestBlocksAreThoseOfTheirCommand(t *testing.T) {
	if RunCommand == nil {
		t.Skip("there is no command to run")
	}
	files := tableSources(t)[:1]
	for _, keys := range [][]string{{}, {"p"}, {"H", "H", "H"}, {"H", "H", "v", "H", "H", "v"}, {"H", "/"}} {
		u := onKvleak(t).keys(keys...)
		if len(keys) > 0 && keys[len(keys)-1] == "/" {
			u.keys("Esc", "6")
			u.sim.Do(func() { screenOf[*trace.BlockScreen](u).Search("age>1ms put") })
		}
		u.keys("6")
		p := &screenOf[*trace.BlockScreen](u).Blocks
		for range 5 {
			var words []string
			u.sim.Settle()
			u.sim.Do(func() { words = u.app.command(u.app.o.Command) })
			u.checkBlocks(t, fmt.Sprint(keys, words), p, u.ran(t, files, words))
			u.keys("s")
		}
	}
}

// The full row of a site has the sentence that its verdict rests on.
func TestFullRowHasTheEvidence(t *testing.T) {
	u := onKvleak(t).keys("3", "K")
	u.has("Selected row", "of all) · peak", "unknown: ")
	var sentence string
	u.sim.Do(func() { sentence = screenOf[*trace.Sites](u).Detail.Facts[1] })
	if words := strings.Fields(sentence); len(words) < 5 {
		t.Errorf("the evidence is %q", sentence)
	} else {
		u.has(strings.Join(words, " "))
	}
}

// The screen of functions has the rows of its command, also those without a weight of their own.
func TestFunctionsAreThoseOfTheirCommand(t *testing.T) {
	if RunCommand == nil {
		t.Skip("there is no command to run")
	}
	files, without := tableSources(t), 0
	for _, open := range []func(testing.TB, int, int) *program{openServer, openPython} {
		for _, order := range [][]string{{}, {"s"}} {
			u := open(t, 120, 40)
			u.sim.Do(func() { u.app.openScreen(keymap.ShowFunctions) })
			u.keys(order...)
			var words, names, printed []string
			u.sim.Do(func() {
				words = u.app.command(u.app.o.Command)
				p := screenOf[*profile.Functions](u)
				for i := range p.Len() {
					row := p.Row(i)
					if names = append(names, row.Name); row.Weights[0].Self.IsZero() {
						without++
					}
				}
			})
			for _, row := range u.ran(t, files, words) {
				printed = append(printed, cmp.Or(row["function"], calltree.NoFunction))
			}
			if slices.Sort(names); len(names) == 0 {
				t.Error("the screen has no rows")
			}
			if slices.Sort(printed); !slices.Equal(printed, names) {
				t.Errorf("%q prints %d rows, and the screen has %d:\n%q\n%q", words, len(printed), len(names), printed, names)
			}
		}
	}
	if without == 0 {
		t.Error("every function has a weight of its own")
	}
}

// The tree of stacks is that of the command which the screen copies: in both directions, by every cost, under filters,
// at other instants, with recursion folded.
func TestTreesAreThoseOfTheirCommand(t *testing.T) {
	if RunCommand == nil {
		t.Skip("there is no command to run")
	}
	files, deep, recursive := tableSources(t), 0, map[bool]int{}
	for _, file := range []struct {
		open func(testing.TB, int, int) *program
		name string
	}{{func(t testing.TB, w, h int) *program { return openKvleak(t, w, h, colorCaps) }, "close_session"}, {openPython, "main"}} {
		for _, typed := range [][]string{{}, {"i"}, {"r"}, {"i", "r"}, {"c"}, {"c", "c", "i"}, {"c", "c", "c"}, {"c", "c", "c", "c"}, {"f"}} {
			for _, filter := range []string{"", "focus " + file.name, "ignore " + file.name, "hide " + file.name, "show-from " + file.name} {
				u := file.open(t, 120, 40)
				u.sim.Do(func() {
					if len(u.app.o.Command) == 0 {
						u.app.o.Command = []string{"small_kvleak.mlyze"}
					}
					u.app.openScreen(keymap.ShowStacks)
				})
				if filter != "" {
					if err := u.run(filter); err != nil {
						t.Fatal(err)
					}
				}
				u.keys(typed...)
				u.sim.Settle()
				var words []string
				var tree []treeLine
				u.sim.Do(func() { words, tree = u.app.command(u.app.o.Command), treeOn(u) })
				var printed []treeLine
				for _, row := range u.ran(t, files, words) {
					depth, _ := strconv.Atoi(row["depth"])
					printed = append(printed, treeLine{depth, row["function"], row["total"]})
					deep = max(deep, depth)
				}
				if !slices.Equal(printed, tree) {
					t.Errorf("%v %s: %q prints %d rows, the screen has %d", typed, filter, words, len(printed), len(tree))
				}
				recursive[slices.Contains(typed, "r")] += len(tree)
			}
		}
	}
	if deep < 10 || recursive[true] == 0 {
		t.Errorf("the trees have %d levels, and %v rows", deep, recursive)
	}
}

// treeLine is a row of a tree of stacks.
type treeLine struct {
	depth       int
	name, total string
}

// treeOn returns the rows of the tree on screen, all of them open.
func treeOn(u *program) (rows []treeLine) {
	p := screenOf[*stacks.Stacks](u)
	if p == nil {
		p = screenOf[*stacks.ProfileStacks](u).Stacks
	}
	var add func(n int32, depth int)
	add = func(n int32, depth int) {
		for _, c := range p.Now.Children(n) {
			rows = append(rows, treeLine{depth, p.Now.Name(c), fmt.Sprint(p.Now.Total[c])})
			add(c, depth+1)
		}
	}
	if p.Now != nil {
		add(0, 1)
	}
	return rows
}

// Every filter of every table is that of the command whose output the screen saves, which has the same rows, or
// copying says that it prints all.
func TestCommandsFollowEveryFilter(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("it walks every table and command, which others do under the race detector")
	}
	files := tableSources(t)
	followed := 0
	for _, tt := range tableCases() {
		if tt.name == "Top sites below the curve" { // whose command prints the curve
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open(t).keys(tt.keys...)
			l, _ := tt.table(u)
			filter := func(text string) (words []string, why string) {
				u.keys("/", "Ctrl+U")
				typeText(u, text)
				u.keys("Enter")
				u.sim.Settle()
				u.sim.Do(func() { words, why = u.app.savedCommand(u.app.o.Command), u.app.unfiltered() })
				return words, why
			}
			var fields []analysis.Field
			u.sim.Do(func() { fields = u.app.front().(ui.Filtered).Fields() })
			for _, f := range fields {
				if f.Text || f.Inside || f.Time {
					continue
				}
				words, why := filter(f.Names[0] + ">1")
				_, finds := u.app.current().(ui.Finder)
				switch filtered := state.HasFilter(words); {
				case len(words) == 0:
				case !filtered && why == "" && !finds:
					t.Errorf("%s: %q prints all rows, which is not said", f.Names[0], words)
				case filtered:
					followed++
					shown := u.length(l) - summed[tt.name]
					if n := len(u.ran(t, files, words)); n != shown && !slices.Contains(parts, tt.name) {
						t.Errorf("%s: %q prints %d rows, and the screen has %d", f.Names[0], words, n, shown)
					}
				}
			}
		})
	}
	if followed < 40 {
		t.Errorf("only %d filters are those of commands", followed)
	}
}

// summed is how many rows of a table sum up others, which commands leave out.
var summed = map[string]int{"Fragmentation": 1}

// parts are the tables of which CSV has one part.
var parts = []string{"Waste", "Threads"}
