package keymap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declared returns the values of all constants of a type, read from action.go.
func declared(t *testing.T, typeName string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "action.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); ok && id.Name == typeName {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
		return true
	})
	return list
}

func TestDefaultTableIsSound(t *testing.T) {
	m, err := build(defaults())
	if err != nil {
		t.Fatal(err)
	}
	bound := map[Action]bool{}
	for i, b := range m.bindings {
		bound[b.Action] = true
		if !slices.Contains(Scopes(), b.Scope) {
			t.Errorf("%s: unknown scope %s", b.Action, b.Scope)
		}
		if !strings.HasSuffix(b.Help, ".") || len(b.Help) > 100 || b.Group == "" {
			t.Errorf("%s: help %q, group %q", b.Action, b.Help, b.Group)
		}
		for _, other := range m.bindings[:i] {
			if other.Scope == b.Scope && other.Action == b.Action {
				t.Errorf("%s.%s is bound twice", b.Scope, b.Action)
			}
		}
	}
	actions := declared(t, "Action")
	for _, a := range actions {
		if !bound[Action(a)] {
			t.Errorf("action %s has no binding", a)
		}
	}
	for a := range bound {
		if !slices.Contains(actions, string(a)) {
			t.Errorf("%s is bound, but no constant", a)
		}
	}
	if got := declared(t, "Scope"); len(got) != len(Scopes()) {
		t.Errorf("%d scopes declared, Scopes returns %d", len(got), len(Scopes()))
	}
}

func TestOnlyNamedScreensLackKeys(t *testing.T) {
	for _, b := range Default().Bindings() {
		named := []Action{ShowOverview, ShowTimeline, ShowSites, ShowLeaks, ShowStacks, ShowBlocks, ShowLifetimes, ShowSource, ShowProblems,
			ShowSnapshots, ShowTypes, ShowFrames, ShowDominators, ShowThreads, ShowObject, ShowComparison, ShowWaste, ShowFind, ShowSeries, ShowPages, ShowFragments, ShowProfile, ShowFunctions}
		if len(b.Keys) == 0 != slices.Contains(named, b.Action) {
			t.Errorf("%s.%s has keys %v", b.Scope, b.Action, b.Keys)
		}
	}
}

// One key does the same thing everywhere: what differs is listed here, and nothing else may.
func TestOneMeaningPerKey(t *testing.T) {
	allowed := []string{
		"Left flame.left", "Right flame.right", "Left tree.collapse", "Right tree.expand", "Left dominators.collapse", "Right dominators.expand", "Left source.collapse", "Right source.expand", "Left lifetimes.left", "Right lifetimes.right", "Left pages.left", "Right pages.right", "Left treemap.left", "Right treemap.right", // arrows are spatial
		"Ctrl-C loading.stop-loading",                                                            // Ctrl-C ends the most urgent thing
		"Space tree.toggle", "Space series.toggle", "Space pages.toggle", "Space text.page-down", // Space acts on what is shown
		"r heap.values", // heaps have no recursion: r reveals there
	}
	meaning := map[Chord]Action{}
	m := Default()
	for _, b := range m.bindings {
		for _, c := range b.Keys {
			if b.Scope == ScopeGlobal {
				meaning[c] = b.Action
			}
		}
	}
	for _, b := range m.bindings {
		for _, c := range b.Keys {
			if b.Scope == ScopeInput || slices.Contains(allowed, c.String()+" "+string(b.Scope)+"."+string(b.Action)) {
				continue
			}
			if old, ok := meaning[c]; ok && old != b.Action {
				t.Errorf("%s does %s, and %s in %s", c, old, b.Action, b.Scope)
			}
			meaning[c] = b.Action
		}
	}
}

func TestTypingKeepsText(t *testing.T) {
	m := Default()
	for r := rune(' '); r < 0x250; r++ {
		if a, ok := m.Lookup(Chord{Rune: r}, ScopeInput, ScopeTable, ScopeGlobal); ok {
			t.Errorf("%q does %s while typing", r, a)
		}
	}
	if _, ok := m.Lookup(Chord{Key: KeyLeft}, ScopeInput, ScopeGlobal); ok {
		t.Error("an arrow leaves the input line")
	}
}

func TestLookup(t *testing.T) {
	m := Default()
	for _, c := range []struct {
		key    string
		scopes []Scope
		want   Action
	}{
		{"h", []Scope{ScopeTree, ScopeStacks, ScopeGlobal}, StepBack},
		{"Left", []Scope{ScopeTable, ScopeGlobal}, StepBack},
		{"Left", []Scope{ScopeTree, ScopeStacks, ScopeGlobal}, Collapse},
		{"Left", []Scope{ScopeFlame, ScopeStacks, ScopeGlobal}, Left},
		{"Ctrl-C", []Scope{ScopeTable, ScopeGlobal}, Quit},
		{"Ctrl-C", []Scope{ScopeLoading, ScopeTable, ScopeGlobal}, StopLoading},
		{"Ctrl-C", []Scope{ScopeInput, ScopeLoading, ScopeGlobal}, Cancel},
		{"a", []Scope{ScopeTable, ScopeGlobal}, ""},
		{"a", []Scope{ScopeLeaks, ScopeTable, ScopeGlobal}, AgeUp},
		{"3", []Scope{ScopeGlobal}, Screen3},
		{"q", nil, ""},
	} {
		chord, err := parseChord(c.key)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Lookup(chord, c.scopes...); got != c.want || ok != (c.want != "") {
			t.Errorf("%s in %v does %q, want %q", c.key, c.scopes, got, c.want)
		}
	}
}

func TestKeysLeaveOutHiddenOnes(t *testing.T) {
	m := Default()
	if got := join(m.Keys(StepBack, ScopeTree, ScopeGlobal), Chord.String, " "); got != "h" {
		t.Errorf("in a tree the instant moves with %q", got)
	}
	if got := join(m.Keys(StepBack, ScopeGlobal), Chord.String, " "); got != "h Left" {
		t.Errorf("elsewhere the instant moves with %q", got)
	}
}

func TestActionsForPalette(t *testing.T) {
	seen := map[Action]bool{}
	for _, e := range Default().Actions(ScopeTree, ScopeStacks, ScopeGlobal) {
		if seen[e.Action] || e.Help == "" {
			t.Errorf("bad entry %+v", e)
		}
		seen[e.Action] = true
	}
	for _, a := range []Action{ShowLeaks, Quit, HotPath, Peak} {
		if !seen[a] {
			t.Errorf("the palette lacks %s", a)
		}
	}
	for _, a := range []Action{Screen1, Accept, AgeUp} {
		if seen[a] {
			t.Errorf("the palette offers %s", a)
		}
	}
}

func line(hints []Hint) string {
	var words []string
	for _, h := range hints {
		words = append(words, strings.TrimSpace(h.Keys+" "+h.Text))
	}
	return strings.Join(words, "  ")
}

func TestHints(t *testing.T) {
	m := Default()
	for _, c := range []struct {
		cells  int
		scopes []Scope
		want   string
	}{
		{79, []Scope{ScopeOverview, ScopeTable, ScopeGlobal}, "h/l time  v range  Enter open  ` screens  A/B/d diff  W evidence  ? help  q"},
		{120, []Scope{ScopeOverview, ScopeTable, ScopeGlobal}, "h/l time  v range  Enter open  ` screens  A/B/d diff  W evidence  p peak  Tab pane  y copy  / find  b group  ? help  q"},
		{80, []Scope{ScopeTimeline, ScopeGlobal}, "h/l time  p peak  v range  +/- zoom  A/B/d diff  m series  Tab pane  ? help  q"},
		{80, []Scope{ScopeTable, ScopeFilters, ScopeGlobal}, "Enter open  / find  o focus  A/B/d diff  y copy  W evidence  b group  ? help  q"},
		{80, []Scope{ScopeLeaks, ScopeTable, ScopeFilters, ScopeGlobal}, "Enter open  / find  o focus  A/B/d diff  y copy  W evidence  b group  ? help  q"},
		{80, []Scope{ScopeFlame, ScopeStacks, ScopeGlobal}, "↑↓←→ move  Enter zoom  Esc out  f tree  i invert  c cost  / search  ? help  q"},
		{80, []Scope{ScopeTree, ScopeStacks, ScopeFilters, ScopeGlobal}, "←→ open  f flame  i invert  c cost  / search  o focus  A/B/d diff  ? help  q"},
		{80, []Scope{ScopeText, ScopeGlobal}, "↑↓ scroll  Space page  / search  n next  Esc back  ? help  q quit"},
		{80, []Scope{ScopeInput, ScopeTable, ScopeGlobal}, "Enter accept  Esc cancel  Tab complete  ↑↓ earlier"},
		{80, []Scope{ScopeLoading, ScopeOverview, ScopeGlobal}, "^C stop reading  h/l time  v range  Enter open  ` screens  p peak  ? help  q"},
		{20, []Scope{ScopeTable, ScopeGlobal}, "/ find  ? help  q"},
	} {
		if got := line(m.Hints(c.cells, c.scopes...)); got != c.want {
			t.Errorf("%d cells in %v:\n got %s\nwant %s", c.cells, c.scopes, got, c.want)
		}
	}
}

func TestHintsFit(t *testing.T) {
	m := Default()
	for _, s := range Scopes() {
		for cells := range 200 {
			hints := m.Hints(cells, s, ScopeGlobal)
			if n := len([]rune(line(hints))) + 1; len(hints) > 0 && n > cells || len(hints) > maxHints(cells) {
				t.Fatalf("%s: %d cells, %d used, %d hints", s, cells, n, len(hints))
			}
			if cells >= 7 && s != ScopeInput && !slices.ContainsFunc(hints, func(h Hint) bool { return h.Action == Help }) {
				t.Fatalf("%s: %d cells without help", s, cells)
			}
		}
	}
}
