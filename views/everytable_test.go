package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// madeBy names, for every place that makes a list, the tables of [tableCases] that check it, or says why it is no table
// that sorts, filters, copies and saves like all others.
var madeBy = map[string]struct {
	cases []string
	why   string
}{
	"compare/table.go:newTable":         {cases: []string{"Difference of sites", "Difference by owner", "Difference of types"}},
	"dump/fragments.go:newTypes":        {cases: []string{"Fragmentation"}},
	"dump/lengths.go:newSparse":         {cases: []string{"Sparsest pages"}},
	"dump/series.go:NewSeries":          {cases: []string{"Series"}},
	"heap/compare.go:NewComparison":     {cases: []string{"Changes of types", "Changes of frames", "Subtrees that grew"}},
	"heap/dominators.go:NewDominators":  {cases: []string{"Dominators", "Dominators by type"}},
	"heap/aroundtype.go:newAround":      {cases: []string{"References of a type"}},
	"heap/find.go:NewFind":              {cases: []string{"Found", "Found by type"}},
	"heap/groups.go:newGroups":          {cases: []string{"Types", "REPRs", "Frames"}},
	"heap/threads.go:NewThreads":        {cases: []string{"Threads"}},
	"heap/waste.go:NewWaste":            {cases: []string{"Waste"}},
	"heap/object.go:NewObject":          {cases: []string{"References out", "References in"}},
	"heap/objects.go:newObjects":        {cases: []string{"Objects", "Objects of a comparison"}},
	"heap/snapshots.go:NewSnapshots":    {cases: []string{"Snapshots", "Trends"}},
	"problems.go:newProblems":           {cases: []string{"Problems"}},
	"profile/functions.go:NewFunctions": {cases: []string{"Functions", "DSOs"}},
	"profile/leaks.go:NewLeaks":         {cases: []string{"Leaks of a profile"}},
	"profile/screen.go:NewOverview":     {cases: []string{"Events"}},
	"profile/timeline.go:NewTimeline":   {cases: []string{"Windows"}},
	"source/screen.go:newScreen":        {cases: []string{"Source"}},
	"stacks/around.go:newAroundView":    {cases: []string{"Callers and callees", "Difference of callers"}},
	"trace/events.go:NewEvents":         {cases: []string{"Single events"}},
	"trace/leaks.go:NewLeaks":           {cases: []string{"Leaks", "Late-freed"}},
	"trace/sites.go:NewSites":           {cases: []string{"Sites", "Sites by function"}},
	"trace/topsites.go:newTopSites":     {cases: []string{"Top sites", "Top sites of another cost", "Top sites below the curve"}},
	"ui/blocks.go:Show":                 {cases: []string{"Blocks", "Difference of blocks"}},

	"fleet/fleet.go:newPage":                {why: "rows of a fleet, which the tests of its folder check"},
	"fleet/prompt.go:newRestrictionList":    {why: "what recordings are restricted to, the widest first"},
	"restrictionlist.go:newRestrictionList": {why: "filters, in the order in which they apply"},
	"palette.go:newPalette":                 {why: "commands, the best match of what is typed first"},
	"screenbar.go:newScreenList":            {why: "the screens, in the order of their keys"},
	"heap/held.go:newHeld":                  {why: "a tree, holders below what they hold: a filter would part them"},
	"ui/leads.go:NewLeads":                  {why: "wrapped sentences without figures"},
	"ui/changes.go:NewChanges":              {why: "the table of differences that the comparisons make"},
	"ui/table.go:NewTable":                  {why: "makes all others"},
}

// TestEveryListIsChecked finds what makes lists in the source: each is among the tables that are checked to sort,
// filter, copy and save, or says why not.
func TestEveryListIsChecked(t *testing.T) {
	var names []string
	for _, tt := range tableCases() {
		names = append(names, tt.name)
	}
	found := map[string]bool{}
	for _, place := range listMakers(t) {
		found[place] = true
		made, ok := madeBy[place]
		if !ok || len(made.cases) == 0 && made.why == "" {
			t.Errorf("%s makes a list: name the tables of tableCases that check it, or say why none does", place)
		}
		for _, name := range made.cases {
			if !slices.Contains(names, name) {
				t.Errorf("%s: no table of tableCases is called %q", place, name)
			}
		}
	}
	for place := range madeBy {
		if !found[place] {
			t.Errorf("%s makes no list", place)
		}
	}
}

// listMakers returns the functions of screens that make a list or a table, as file:function.
func listMakers(t *testing.T) (places []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "widget" || d.Name() == "testdata") {
			return filepathSkip(err)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && makesList(f) {
				places = append(places, filepath.ToSlash(path)+":"+f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return places
}

// filepathSkip leaves out a folder unless there is an error.
func filepathSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// makesList reports whether a function makes a list or a table.
func makesList(f *ast.FuncDecl) (makes bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		var of ast.Expr
		switch x := n.(type) {
		case *ast.CompositeLit:
			of = x.Type
		case *ast.CallExpr:
			of = x.Fun
			if generic, ok := of.(*ast.IndexExpr); ok {
				of = generic.X
			}
		default:
			return true
		}
		name := ""
		switch x := of.(type) {
		case *ast.Ident:
			name = x.Name
		case *ast.SelectorExpr:
			name = x.Sel.Name
		}
		_, isCall := n.(*ast.CallExpr)
		makes = makes || isCall && (name == "NewTable" || name == "NewChanges") || !isCall && name == "List"
		return true
	})
	return makes
}

// Every table is saved by the command that prints it, or says why none does.
func TestTablesSave(t *testing.T) {
	modeltest.Plain(t)
	for _, tt := range tableCases() {
		t.Run(tt.name, func(t *testing.T) {
			u, s := tt.open(t), &saver{}
			u.sim.Do(func() {
				if u.app.o.Save = s.begin; len(u.app.o.Command) == 0 {
					u.app.o.Command = []string{SampleName}
				}
			})
			u.keys(tt.keys...).keys("Ctrl+s", "Enter")
			if why := unsaved[tt.name]; why != "" {
				u.has("no command prints this: ", why)
				return
			}
			if u.has("saved 1,234 bytes"); len(s.asked) != 1 || len(s.asked[0].Words) < 2 && s.asked[0].Table == nil {
				t.Errorf("asked for %+v", s.asked)
			}
		})
	}
}

// unsaved are the tables that no command prints, with what the program says of that.
var unsaved = map[string]string{
	"Dominators by type":   "commands list single objects",
	"Trends":               "commands list how types grew",
	"Difference of blocks": "sizes of blocks, which diff compares",
}
