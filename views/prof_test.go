package views

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/demo"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/profile"
	"github.com/memtui/memtui/views/state"
)

// sampleFile is an embedded recording.
func sampleFile(t testing.TB, file string) []byte {
	t.Helper()
	for _, s := range demo.Samples() {
		if s.File() == file {
			data, err := io.ReadAll(s.Open())
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("no sample %s", file)
	return nil
}

// serverProfile is a real file: the allocations of a program that leaks, with samples and windows.
func serverProfile(t testing.TB) []byte { return sampleFile(t, "server.spaa.zst") }

// pythonProfile is a real file: page faults and samples of the CPU clock, with kernel and inlined frames.
func pythonProfile(t testing.TB) []byte { return sampleFile(t, "python.spaa.zst") }

func openProfile(t testing.TB, w, h int, caps term.Caps, name string, data []byte) *program {
	t.Helper()
	store, ix := loadBytes(t, name, data)
	u := openUI(t, w, h, caps, store, ix)
	u.sim.Do(func() { u.app.o.Command = []string{name} })
	return u
}

func openServer(t testing.TB, w, h int) *program {
	return openProfile(t, w, h, colorCaps, "server.spaa", serverProfile(t))
}

func openPython(t testing.TB, w, h int) *program {
	return openProfile(t, w, h, colorCaps, "python.spaa", pythonProfile(t))
}

// profGoldens is goldenSizes on stack profiles.
func profGoldens(t *testing.T, name, file string, data []byte, keys ...string) {
	t.Helper()
	open := func(t testing.TB, w, h int, caps term.Caps) *program { return openProfile(t, w, h, caps, file, data) }
	goldensOn(t, "prof-"+name, open, keys...)
}

func TestProfileGolden(t *testing.T) {
	profGoldens(t, "events", "python.spaa", pythonProfile(t), "j", "Enter")
}

func TestFunctionsGolden(t *testing.T) {
	profGoldens(t, "functions", "python.spaa", pythonProfile(t), "c", "2", "j")
}

func TestProfileStacksGolden(t *testing.T) {
	profGoldens(t, "stacks", "python.spaa", pythonProfile(t), "3")
}

func TestProfileFlameGolden(t *testing.T) {
	profGoldens(t, "flame", "python.spaa", pythonProfile(t), "c", "3", "f")
}

func TestProfileTimelineGolden(t *testing.T) {
	profGoldens(t, "timeline", "server.spaa", serverProfile(t), "4", "H", "v", "H")
}

func TestProfileLeaksGolden(t *testing.T) {
	profGoldens(t, "leaks", "server.spaa", serverProfile(t), "5", "j")
}

// What the screen shows is what analysis, and so the report, says.
func TestFunctionsShowTheAnswersOfAnalysis(t *testing.T) {
	u := openServer(t, 200, 100).keys("2", "=")
	p := u.app.state.Profile
	event := weights.DefaultEvent(p.Weights)
	metric, ok := weights.DefaultMetric(p.Weights, event)
	if !ok {
		t.Fatal("no metric")
	}
	sel := weights.SelectProfile(p, event, metric)
	rows, err := sel.Functions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[:10] {
		u.has(model.Bytes(r.Self.Uint64()).Exact(), model.Bytes(r.Total.Uint64()).Exact())
	}
	total := sel.Total()
	u.has("all "+model.Bytes(total.Uint64()).Exact(), fmt.Sprintf("%d rows", len(rows)))
	u.keys("3").has(model.Bytes(total.Uint64()).Exact() + " = 100 %")
}

// A range of samples that is chosen once restricts every screen, and the command says so.
func TestProfileRange(t *testing.T) {
	u := openServer(t, 120, 40).keys("4", "H", "v", "H", "H", "v")
	u.has("all screens: samples")
	r := u.app.state.Range
	if r.IsFull() {
		t.Fatal("no range is selected")
	}
	u.keys("2").has(fmt.Sprintf("samples %v – %v", max(r.From, 0), r.To))
	u.keys("3").has("samples ")
	sel, ok, err := weights.SelectSamples(t.Context(), u.app.state.Profile, 0, analysisMetric(t, u), max(r.From, 0), r.To)
	if err != nil || !ok {
		t.Fatal(err)
	}
	total := sel.Total()
	u.keys("=").has(model.Bytes(total.Uint64()).Exact() + " = 100 %")
	var line string
	u.sim.Do(func() { line = u.app.commandLine() })
	if want := fmt.Sprintf("memtui report --from %dus --to %dus --table tree server.spaa", max(r.From, 0), r.To); line != want {
		t.Errorf("the command is %q, not %q", line, want)
	}
	u.keys("m", "m").has("samples do not record")
	u.keys("u").has("top-down ─")
}

func analysisMetric(t *testing.T, u *program) model.MetricID {
	t.Helper()
	m, ok := weights.DefaultMetric(u.app.state.Profile.Weights, 0)
	if !ok {
		t.Fatal("no metric")
	}
	return m
}

// A window is chosen from the list, and Esc clears it.
func TestProfileWindow(t *testing.T) {
	u := openServer(t, 120, 40).keys("4", "j", "Enter")
	name := u.app.state.Profile.Weights.Windows[1].ID
	u.keys("2").has("window " + name)
	u.keys("3").has("window " + name)
	u.keys("Esc")
	if strings.Contains(u.Text(), "window "+name) {
		t.Error("Esc does not take the window back")
	}
}

// Event and metric are those of all screens, and of the command.
func TestProfileEventAndMetric(t *testing.T) {
	u := openPython(t, 120, 40).keys("j", "Enter", "2")
	event := u.app.state.Profile.Weights.Events[1].Name
	u.has(event + " by ")
	u.keys("3").has(event + " by ")
	u.keys("m", "2")
	var line string
	u.sim.Do(func() { line = u.app.commandLine() })
	if !strings.Contains(line, "--event "+event) || !strings.Contains(line, "--by ") {
		t.Errorf("the command is %q", line)
	}
}

// Every grouping has rows that lead on.
func TestFunctionsGroups(t *testing.T) {
	u := openPython(t, 120, 40).keys("2")
	for _, want := range []string{"OWNER", "DSO▼", "SOURCE LINE", "FILE", "THREAD", "KIND"} {
		u.keys("b").has(strings.TrimSuffix(want, "▼"))
	}
	u.has("kernel", "user")
	u.keys("b", "b", "b", "Enter").has("filter “")
	u.keys("Esc", "g", "Enter").has("Callers and callees of")
}

func TestProfileLeaksLeadToStacks(t *testing.T) {
	u := openServer(t, 120, 40).keys("5")
	u.has("live in", "PEAK", "do not add up")
	u.keys("Enter").has("Callers and callees of", "live_bytes")
	u.keys("Esc", "Alt+Left").has("live at the end")
}

// Whatever is missing is said.
func TestEmptyProfiles(t *testing.T) {
	header := `{"type":"header","format":"spaa","version":"1.0","source_tool":"x","frame_order":"leaf_to_root","events":[{"name":"e","kind":"timer","sampling":{"mode":"event","primary_metric":"samples"}}],"stack_id_mode":"local"}` + "\n"
	u := openProfile(t, 80, 24, colorCaps, "empty.spaa", []byte(header))
	u.has("no samples, no windows")
	u.keys("2").has("This file has no stacks")
	u.keys("3").has("This file has no stacks")
}

// Filters of stacks hold on every screen, and are taken back one by one.
func TestProfileFilters(t *testing.T) {
	u := openPython(t, 120, 40).keys("c", "2", "o")
	name := u.app.state.Filters.Steps()[0].Name
	u.has("only " + name)
	e, m := u.app.Prof.Event(&u.app.state), analysisMetric(t, u)
	sum := func(k calltree.StepKind) model.Amount {
		view, err := calltree.FilterStacks(t.Context(), u.app.state.Profile.Stacks, calltree.NewFilter(calltree.Step{Kind: k, Name: name}), calltree.FullStacks)
		if err != nil {
			t.Fatal(err)
		}
		return weights.SelectProfile(u.app.state.Profile, e, m).Filter(view).Total()
	}
	total, rest := sum(calltree.Focus), sum(calltree.Ignore)
	rest.Sum(total)
	if all := weights.SelectProfile(u.app.state.Profile, e, m).Total(); rest.Compare(all) != 0 {
		t.Errorf("with and without the function: %v of %v", rest, all)
	}
	u.keys("3", "=").has("only "+name, model.Group(total.Uint64())+" = 100 %")
	u.keys("2", "j", "X").has("only "+name, "without ")
	u.keys("Esc")
	if strings.Contains(u.Text(), "without") {
		t.Error("Esc does not take the last filter back")
	}
	u.keys("Esc")
	if strings.Contains(u.Text(), "only "+name) {
		t.Error("Esc does not take the first filter back")
	}
	u.keys("U").has("only "+name).keys("U").has("only "+name, "without ")
	u.keys("Ctrl+Y", "Ctrl+Y")
	if u.app.state.Filters != "" {
		t.Errorf("filters that are taken back again: %q", u.app.state.Filters)
	}
}

// Commands say what is shown: a window, a range, filters, a grouping.
func TestProfileCommand(t *testing.T) {
	u := openServer(t, 120, 40).keys("4", "Enter", "Y").has("memtui report --window w0 server.spaa")
	u.keys("Esc", "Y").has("memtui report server.spaa")
	u.keys("2", "j", "I")
	name := u.app.state.Filters.Steps()[0].Name
	u.keys("b", "Y")
	if got, want := u.sim.Clipboard(), "memtui report '--hide="+name+"' --table groups --group owner server.spaa"; got != want {
		t.Errorf("copied %q, not %q", got, want)
	}
	u.keys("b", "Y").has("--group dso server.spaa")
}

// The command takes what --group takes, and a copied command names the same grouping.
func TestProfileGroupCommand(t *testing.T) {
	u := openServer(t, 120, 40).keys("2")
	for _, name := range groupNames(u.app) {
		var err error
		u.sim.Do(func() { err = u.app.runCommand("group " + name) })
		by, ok := weights.GroupNamed(u.app.Prof.Weights, name)
		if u.keys(); err != nil || !ok || u.app.state.Prof.By != by {
			t.Errorf("group %s: %v, by %d, not %d", name, err, u.app.state.Prof.By, by)
		}
		if again, ok := weights.GroupNamed(u.app.Prof.Weights, by.Word(u.app.Prof.Weights)); by != weights.ByFunctionDSO && (!ok || again != by) {
			t.Errorf("%s is written as %q", name, by.Word(u.app.Prof.Weights))
		}
	}
	for _, name := range []string{"size", "label:nothing", ""} {
		if err := u.app.groupCommand(name); err == nil {
			t.Errorf("a profile has the group %q", name)
		}
	}
	if got, want := groupNames(u.app), weights.GroupNames(weights.LabelKeys(u.app.Prof.Weights)...); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// Rows that are sorted by numbers stand as those that are compared one by one.
func TestRowsAreSortedAsCompared(t *testing.T) {
	for _, u := range []*program{openPython(t, 80, 24), openServer(t, 80, 24)} {
		for by := range weights.ProfileByCount {
			state := u.app.state
			state.Prof.By = by
			table, err := profile.FetchProfRows(t.Context(), profile.RowsKey{ProfileKey: u.app.Prof.Key(&state), By: by})
			if err != nil {
				t.Fatal(err)
			}
			screen := screenOf[*profile.Functions](u)
			cols := screen.ColumnsOf(table)
			for column := range cols {
				c := &cols[column]
				if !c.Sorts() {
					continue
				}
				for _, up := range []bool{false, true} {
					got := make([]int32, len(table.Rows))
					for i := range got {
						got[i] = int32(len(got) - 1 - i)
					}
					want := slices.Clone(got)
					if ok := table.SortRows(got, c, up); !ok && c.Title != titles.DSO {
						t.Errorf("%s by %v is not sorted by numbers", c.Title, by)
					} else if !ok {
						continue
					}
					slices.SortFunc(want, func(a, b int32) int { return table.CompareRows(a, b, c, up) })
					if !slices.Equal(got, want) {
						t.Fatalf("column %d by %v, up %v: %v, want %v", column, by, up, got, want)
					}
				}
			}
		}
	}
}

// Callers and callees are of the function that was asked for last, whatever views were gone back to meanwhile.
func TestAroundIsOfTheFunctionAsked(t *testing.T) {
	u := openServer(t, 120, 40).keys("2")
	first := around(u.keys("Enter"))
	u.keys("Esc", "Alt+Left", "Down", "Down", "Enter")
	if second := around(u); first == "" || second == "" || first == second {
		t.Errorf("of %q, then of %q", first, second)
	}
	u.keys("Esc", "#")
	if text := u.Text(); strings.Contains(text, "Callers and callees") {
		t.Errorf("it returns:\n%s", text)
	}
}

// around returns the function whose callers and callees are shown, "" where none are.
func around(u *program) string {
	_, after, _ := strings.Cut(u.Text(), "Callers and callees of ")
	name, _, _ := strings.Cut(after, " ─")
	return name
}

// A function that was asked for in some stacks is not shown over others.
func TestAroundIsVoidInOtherStacks(t *testing.T) {
	u := openServer(t, 120, 40).keys("4")
	u.sim.Do(func() {
		u.app.emit(state.Seek{Name: "operator new"})
		u.app.emit(state.AddStep{Step: calltree.Step{Kind: calltree.PivotAt, Name: "main"}})
	})
	u.sim.Settle()
	if name := around(u); name != "" {
		t.Errorf("over the stacks around main: %q:\n%s", name, u.Text())
	}
}

// What a short table of functions leaves free has the heaviest stacks with the selected one.
func TestFunctionsHaveStacks(t *testing.T) {
	open := func(h int) *program {
		return openProfile(t, 120, h, colorCaps, "a.folded", []byte("main;serve;parse 5\nmain;serve;send 3\nmain;idle 1\n"))
	}
	u := open(40).keys("2", "g").has("Heaviest stacks with parse", "5  100 %", "serve")
	u.keys("Down").has("Heaviest stacks with send", "3  100 %")
	lacks(t, u, "Heaviest stacks with parse")
	lacks(t, open(16).keys("2"), "Heaviest stacks")
}
