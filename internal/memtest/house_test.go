package memtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/memtui/memtui/loaders/mvmheap"
)

const module = "github.com/memtui/memtui"

// allowed says what each folder may import beside the standard library: folders of ours, with everything below them
// where they end in /..., and modules, with everything below them. A row whose name ends in /* is that of every folder
// there which has none of its own. A folder that has no row may not exist.
var allowed = map[string][]string{
	".":     {"internal/cli", "internal/cli/screen", "golang.org/x/term"},
	"model": {"model/sections"},
	// The titles of columns on screen and in reports.
	"model/titles": {},
	// Several files as one recording.
	"model/join": {"model"},
	// Files that hold arrays: indexes.
	"model/sections": {},
	// Names of symbols.
	"model/mangled": {"model", "github.com/ianlancetaylor/demangle"},
	"keymap":        {},
	"themes":        {"github.com/gdamore/tcell/v2"},

	// analysis asks the questions about a trace; traceindex answers them. The others each know one part of a profile.
	"analysis":                   {"model", "analysis/calltree", "analysis/near", "analysis/verdict"},
	"analysis/verdict":           {"model"},
	"analysis/calltree":          {"model", "analysis/funcname", "analysis/near"},
	"analysis/near":              {"analysis/funcname"},
	"analysis/funcname":          {},
	"analysis/traceindex":        {"model", "model/sections", "analysis", "analysis/calltree", "analysis/verdict", "analysis/traceindex/column", "analysis/traceindex/group", "analysis/traceindex/live", "analysis/traceindex/match", "analysis/traceindex/shared", "analysis/traceindex/tally"},
	"analysis/traceindex/column": {"model"},
	"analysis/traceindex/live":   {"model", "analysis", "analysis/traceindex/column"},
	"analysis/traceindex/group":  {"model", "analysis", "analysis/calltree", "analysis/traceindex/column"},
	"analysis/traceindex/match":  {"model", "analysis/traceindex/column"},
	"analysis/traceindex/shared": {"model"},
	"analysis/traceindex/tally":  {"model", "analysis", "analysis/traceindex/column", "analysis/traceindex/match"},
	"analysis/heapgraph":         {"model", "model/sections", "analysis/near"},
	"analysis/suspects":          {"model", "model/sections", "analysis/heapgraph"},
	"analysis/objects":           {"model", "analysis", "analysis/heapgraph"},
	"analysis/waste":             {"model"},
	"analysis/pages":             {"model"},
	"analysis/weights":           {"model", "analysis/calltree"},
	"analysis/sources":           {},
	"analysis/lines":             {"model", "analysis", "analysis/calltree", "analysis/weights"},
	"analysis/treemap":           {"model", "analysis", "analysis/calltree", "analysis/funcname", "analysis/heapgraph", "analysis/lines", "analysis/pages"},
	"analysis/heatmap":           {"model", "analysis"},
	"analysis/diff":              {"model", "analysis", "analysis/calltree", "analysis/funcname", "analysis/heapgraph", "analysis/pages", "analysis/weights"},

	"analysis/accept": {"model", "model/mangled", "analysis/funcname", "analysis", "analysis/calltree", "analysis/weights", "analysis/diff", "analysis/heapgraph", "analysis/suspects", "analysis/verdict"},

	"loaders":                   {"model", "model/sections", "github.com/klauspost/compress", "github.com/pierrec/lz4", "golang.org/x/sys"},
	"loaders/all":               {"loaders/..."},
	"loaders/internal/json":     {},
	"loaders/internal/lines":    {"model", "loaders"},
	"loaders/internal/cores":    {"model"},
	"loaders/internal/rowindex": {"model"},
	"loaders/internal/objects":  {"model", "model/sections", "loaders", "loaders/internal/cores", "loaders/internal/rowindex", "loaders/internal/json"},
	"loaders/internal/weighted": {"model", "loaders", "loaders/internal/json"},
	"loaders/symbols":           {"model", "model/mangled", "loaders"},
	"loaders/pprof":             {"model", "loaders", "loaders/symbols", "loaders/internal/...", "github.com/google/pprof/profile"},
	// It turns text into events of .mlyze, which are read as such.
	"loaders/heaptrack":     {"model", "loaders", "loaders/mlyze", "loaders/symbols", "model/mlyze"},
	"loaders/mlyze":         {"model", "model/sections", "loaders", "loaders/internal/...", "loaders/symbols", "loaders/mlyze/journal"},
	"loaders/mlyze/journal": {"model", "loaders", "loaders/symbols", "golang.org/x/sys"},
	// Each other folder is a format: a new one needs no row.
	"loaders/*": {"model", "model/sections", "loaders", "loaders/symbols", "loaders/internal/...", "github.com/klauspost/compress", "golang.org/x/sys"},

	"export":                {"model", "analysis/...", "model/mlyze", "export/redact", "github.com/google/pprof/profile", "github.com/klauspost/compress", "github.com/pierrec/lz4"},
	"model/mlyze":           {"model"},
	"export/redact":         {"model", "analysis/..."},
	"export/report":         {"model", "model/titles", "analysis/...", "export", "export/report/..."},
	"export/report/ages":    {"model", "analysis"},
	"export/report/calls":   {"model", "analysis/..."},
	"export/report/cells":   {"model", "model/titles", "analysis/funcname"},
	"export/report/suspect": {"model", "analysis/suspects", "export/report/places"},
	"export/report/places":  {"model", "analysis/calltree", "analysis/funcname", "export/report/object"},
	"export/report/areas":   {"model", "model/titles", "analysis/...", "export/report", "export/report/..."},
	"export/report/pagemap": {"model", "analysis/pages", "export/report", "export/report/..."},
	"export/report/orders":  {"model", "analysis", "analysis/verdict"},
	"export/report/check":   {"model", "analysis/...", "export/report", "export/report/..."},
	"export/report/members": {"model", "export/report/object"},
	"export/report/dump":    {"model", "analysis/pages"},
	"export/report/object":  {"model", "analysis/near"},
	"export/html":           {"model", "model/titles", "analysis/...", "export", "export/report", "export/report/..."},
	"export/evidence":       {"model", "analysis/...", "export/..."},

	// views is the frame; each folder below it that shows a kind of file knows what screens share, and no other.
	"views":              {"model", "model/titles", "analysis/...", "keymap", "themes", "views/...", "internal/term", "github.com/gdamore/tcell/v2", "github.com/rivo/tview"},
	"views/state":        {"model", "analysis/...", "keymap", "views/widget"},
	"views/ui":           {"model", "model/titles", "analysis/...", "keymap", "themes", "views/state", "views/widget", "github.com/gdamore/tcell/v2", "github.com/rivo/tview"},
	"views/ui/livechart": {"model", "analysis/...", "keymap", "themes", "views/ui", "views/state", "views/widget", "github.com/gdamore/tcell/v2"},
	"views/trace":        screens,
	"views/stacks":       screens,
	"views/heap":         screens,
	"views/dump":         screens,
	"views/profile":      screens,
	"views/compare":      screens,
	"views/source":       screens,
	"views/areas":        screens,
	"views/fleet":        {"model", "model/titles", "analysis", "analysis/fleet", "analysis/funcname", "keymap", "themes", "views/ui", "views/state", "views/widget", "internal/term", "github.com/gdamore/tcell/v2", "github.com/rivo/tview"},
	"views/widget":       {"github.com/gdamore/tcell/v2", "github.com/rivo/tview", "github.com/rivo/uniseg", "github.com/NimbleMarkets/ntcharts/canvas/runes"},

	"internal/term": {"github.com/gdamore/tcell/v2", "github.com/rivo/tview", "github.com/rivo/uniseg", "golang.org/x/sys", "golang.org/x/term"},
	"internal/memtest": {"model", "themes", "model/mlyze", "github.com/gdamore/tcell/v2", "github.com/rivo/uniseg", "github.com/creack/pty",
		"golang.org/x/sys", "golang.org/x/term", "github.com/klauspost/compress"},
	// Apart, as tests of loaders, which it imports, import memtest.
	"internal/memtest/opened":    {"model", "analysis", "analysis/traceindex", "loaders/...", "internal/reading"},
	"internal/memtest/modeltest": {"model", "model/sections"},
	"internal/memtest/hostile":   {"model", "loaders", "internal/memtest/modeltest"},
	"internal/memtest/graphs":    {"model", "loaders", "analysis/heapgraph", "internal/memtest/modeltest"},
	"internal/reading":           {"model", "analysis/traceindex", "loaders"},
	"internal/demo":              {"github.com/klauspost/compress"},
	"internal/serve":             {"github.com/klauspost/compress"},
	"internal/fetch":             {"model", "model/join", "loaders", "internal/indexcache"},
	"internal/memory":            {"model", "loaders", "golang.org/x/sys"},
	"internal/indexcache":        {"model/sections", "analysis/traceindex", "loaders", "golang.org/x/sys"},
	// Many recordings: their tables and questions, the places where they are kept, the commands.
	"analysis/fleet":            {"model", "analysis/near"},
	"export/fleet":              {"model", "analysis/...", "export/redact"},
	"export/report/fleet":       {"model", "model/titles", "analysis/fleet", "export/report", "export/report/..."},
	"internal/fleet":            {"model", "analysis/fleet", "internal/fleet/..."},
	"internal/fleet/clickhouse": {"model", "analysis/fleet"},
	"internal/fleet/parquet":    {"model", "analysis/fleet", "github.com/parquet-go/parquet-go", "golang.org/x/sys/unix"},
	"internal/memtest/fleets":   {"analysis/fleet", "export/fleet", "internal/memtest/opened"},
	"internal/cli/fleet":        {"model", "views/fleet", "analysis/fleet", "analysis/near", "export/fleet", "export/report", "export/report/...", "internal/fleet", "internal/fleet/...", "internal/cli/arg", "internal/cli/fail"},
	"internal/cli/ask":          {"model", "keymap", "views", "export/html", "export/report/areas", "internal/cli/kind"},
	"internal/cli/output":       {"export", "github.com/klauspost/compress", "github.com/pierrec/lz4"},
	"internal/cli/rules":        {"model", "loaders", "export/report"},
	"internal/cli/kind":         {"model", "loaders"},
	"internal/cli/fail":         {},
	"internal/cli/pick":         {"model", "loaders", "analysis/heapgraph", "analysis/near", "analysis/pages", "analysis/weights", "export/report", "internal/cli/arg", "internal/cli/fail"},
	"internal/cli/facts":        {"model", "analysis/traceindex", "export/report", "export/report/...", "internal/indexcache"},
	"internal/cli/screen":       {"model", "model/sections", "keymap", "themes", "analysis", "views", "views/compare", "views/fleet", "analysis/sources", "internal/term", "internal/cli/fail", "internal/cli/settings"},
	"internal/cli/bundle":       {"model", "analysis", "analysis/weights", "export", "export/...", "internal/cli/manual", "internal/cli/uses"},
	"internal/cli/measure":      {"model", "analysis/...", "export/report", "export/report/check", "internal/cli/arg", "internal/cli/fail", "internal/cli/kind"},
	"internal/cli/uses":         {"model", "analysis", "analysis/near", "analysis/weights", "loaders", "export/report", "internal/cli/kind", "github.com/alecthomas/kong"},
	"internal/cli/arg":          {"model", "analysis/...", "export", "export/report", "internal/cli/fail", "github.com/alecthomas/kong"},
	"internal/cli/settings":     {"keymap", "internal/cli/uses", "github.com/alecthomas/kong"},
	"internal/record":           {"model", "model/mlyze", "export", "loaders", "loaders/symbols", "loaders/mlyze/journal", "internal/record/...", "golang.org/x/sys"},
	"internal/record/*":         {},
	"internal/cli/progress":     {"model", "loaders", "views/widget"},
	"internal/cli/manual":       {"keymap", "export/html", "internal/cli/uses", "github.com/alecthomas/kong"},
	"internal/cli": {"model", "model/join", "model/sections", "keymap", "themes", "analysis/...", "loaders", "loaders/all", "export/...", "views/...", "internal/...",
		"github.com/alecthomas/kong", "github.com/gdamore/tcell/v2", "golang.org/x/sys", "golang.org/x/term", "github.com/klauspost/compress", "github.com/pierrec/lz4"},
}

// screens is what a folder of screens may import.
var screens = []string{"model", "model/join", "model/titles", "analysis/...", "keymap", "themes", "views/ui", "views/ui/livechart", "views/state", "views/widget", "github.com/gdamore/tcell/v2"}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-tags", "parquet", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// root is the repository's folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// folder is a package's place in the repository, "." for main; "" is foreign.
func folder(path string) string {
	if path == module {
		return "."
	}
	rest, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	return rest
}

// permits reports whether an entry of allowed lets a folder of ours or a package of a module be imported.
func permits(entry, name string) bool {
	if below, ok := strings.CutSuffix(entry, "/..."); ok {
		return name == below || strings.HasPrefix(name, below+"/")
	}
	return name == entry || strings.Contains(entry, ".") && strings.HasPrefix(name, entry+"/")
}

// rowOf finds what a folder may import.
func rowOf(dir string) (row []string, ok bool) {
	if row, ok = allowed[dir]; !ok {
		row, ok = allowed[path.Dir(dir)+"/*"]
	}
	return row, ok
}

// A new format has a row already, and may import no other format; nothing else below loaders gets one by that.
func TestFormatsShareARow(t *testing.T) {
	row, ok := rowOf("loaders/hprof")
	if !ok || !slices.ContainsFunc(row, func(e string) bool { return permits(e, "loaders/internal/json") }) {
		t.Errorf("a format may import %q", row)
	}
	if slices.ContainsFunc(row, func(e string) bool { return permits(e, "loaders/spaa") || permits(e, "views") }) {
		t.Errorf("a format may import %q", row)
	}
	for _, dir := range []string{"loaders/internal/xml", "loaders/hprof/parts", "vies"} {
		if _, ok := rowOf(dir); ok {
			t.Errorf("%s has a row", dir)
		}
	}
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		dir := folder(p.ImportPath)
		row, ok := rowOf(dir)
		if !ok {
			t.Errorf("%s: the house plan has no such folder", dir)
			continue
		}
		for _, imp := range p.Imports {
			first, _, _ := strings.Cut(imp, "/")
			name := folder(imp)
			if name == "" && !strings.Contains(first, ".") {
				continue // standard library
			}
			if name == "" {
				name = imp
			}
			if !slices.ContainsFunc(row, func(entry string) bool { return permits(entry, name) }) {
				t.Errorf("%s must not import %s", dir, imp)
			}
		}
	}
}

// Bubble Tea asks the terminal for its colors before main runs, and waits five
// seconds for terminals that do not answer.
func TestNoCharm(t *testing.T) {
	for _, p := range packages(t) {
		for _, dep := range p.Deps {
			if strings.Contains(dep, "charmbracelet") || strings.Contains(dep, "muesli/termenv") {
				t.Errorf("%s links %s", p.ImportPath, dep)
				break
			}
		}
	}
}

const (
	maxFunction = 80 // lines, but for functions whose comment says "hot kernel"
	p90Function = 40
	maxFile     = 600
)

func TestSizesAndHabits(t *testing.T) {
	set := token.NewFileSet()
	perFolder := map[string][]int{}
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root(t)) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // somebody is renaming it
				return nil
			}
			return err
		}
		name, err := filepath.Rel(root(t), path)
		if err != nil {
			return err
		}
		c := checker{t: t, set: set, name: filepath.ToSlash(name), test: strings.HasSuffix(path, "_test.go")}
		perFolder[filepath.ToSlash(filepath.Dir(name))] = append(perFolder[filepath.ToSlash(filepath.Dir(name))], c.file(file)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, lengths := range perFolder {
		slices.Sort(lengths)
		if n := len(lengths); n >= 10 && lengths[n*9/10] > p90Function {
			t.Errorf("%s: a tenth of the functions has %d lines or more", dir, lengths[n*9/10])
		}
	}
}

// maxGolden is how many lines all golden files may have together. A difference that nobody can read through is accepted
// unread, and then a golden file tests nothing: text is compared at all sizes, styles at one size, by role, a line for
// each row.
const maxGolden = 8000

func TestGoldensCanBeReviewed(t *testing.T) {
	total := 0
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".golden" {
			return err
		}
		data, err := os.ReadFile(path)
		total += bytes.Count(data, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total == 0 || total >= maxGolden {
		t.Errorf("golden files have %d lines together, want fewer than %d", total, maxGolden)
	}
}

// checker looks at one file.
type checker struct {
	t    *testing.T
	set  *token.FileSet
	name string
	test bool
}

func (c checker) complain(at token.Pos, format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s:%d: %s", c.name, c.set.Position(at).Line, fmt.Sprintf(format, args...))
}

func (c checker) lines(n ast.Node) int {
	return c.set.Position(n.End()).Line - c.set.Position(n.Pos()).Line + 1
}

// file returns the lengths of the file's functions; tests have none that count.
func (c checker) file(f *ast.File) (lengths []int) {
	if n := c.set.File(f.Pos()).LineCount(); n > maxFile {
		c.complain(f.Pos(), "%d lines", n)
	}
	for _, comment := range f.Comments {
		for _, word := range []string{"TO" + "DO", "FIX" + "ME"} {
			if strings.Contains(comment.Text(), word) {
				c.complain(comment.Pos(), "%s", word)
			}
		}
	}
	if c.test {
		return nil
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			lengths = append(lengths, c.function(f, d))
		case *ast.GenDecl:
			c.declaration(d)
		}
	}
	c.calls(f)
	return lengths
}

func (c checker) function(f *ast.File, d *ast.FuncDecl) int {
	n := c.lines(d)
	if n > maxFunction && !strings.Contains(d.Doc.Text(), "hot kernel") {
		c.complain(d.Pos(), "%s has %d lines", d.Name.Name, n)
	}
	if d.Name.Name == "init" && d.Recv == nil {
		c.complain(d.Pos(), "init")
	}
	if d.Name.IsExported() && exportedReceiver(d) && f.Name.Name != "main" {
		c.doc(d.Pos(), d.Name.Name, d.Doc)
	}
	return n
}

// exportedReceiver reports whether users see the function; methods that only
// implement an interface (Error, String …) explain themselves.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	if index, ok := typ.(*ast.IndexListExpr); ok {
		typ = index.X
	}
	id, ok := typ.(*ast.Ident)
	obvious := []string{"Error", "String", "Unwrap", "Len", "Less", "Swap", "MarshalJSON", "UnmarshalJSON", "Read", "Write", "Close", "Is",
		"Name", "Action", "Needs", "Scopes", "Show", "Do", "About", "CopyText", "Command", // ui.Screen
		"Click", "Drag", "Wheel", "Follows", "Function", "Narrows", "Useless", "Search", "SearchText", // other interfaces of package ui
		"ID", "Cell"} // widget.Table
	return ok && id.IsExported() && !slices.Contains(obvious, d.Name.Name)
}

func (c checker) doc(at token.Pos, name string, doc *ast.CommentGroup) {
	if strings.TrimSpace(doc.Text()) == "" {
		c.complain(at, "%s has no comment", name)
	}
}

func (c checker) declaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && d.Doc == nil {
			c.doc(s.Pos(), s.Name.Name, s.Doc)
		}
	}
}

// share finds formats that write a share on their own: model.Share does, so that all shares read alike.
var share = regexp.MustCompile(`%[-+.0-9]*[dfgv] ?%%`)

// common are words that MoarVM's loader shares with everybody.
var common = []string{"unknown", "<unknown>", "object", "objects", "frame", "frames", "root", "Root"}

// moarWords are what MoarVM calls its kinds of rows, and what else only its loader may name.
var moarWords = sync.OnceValue(func() (words []string) {
	s := mvmheap.Schema()
	for _, k := range s.Kinds {
		words = append(words, k.Name, k.Title)
	}
	for _, x := range s.Sets {
		words = append(words, x.Key, x.Many)
	}
	for _, x := range s.Axes[1:] {
		words = append(words, x.One, x.Many, x.Word)
	}
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains(common, w) })
})

// foreign looks for words of one format's where any format is meant.
func (c checker) foreign(at token.Pos, literal string) {
	for _, dir := range []string{"loaders/mvmheap/", "internal/memtest/"} {
		if strings.HasPrefix(c.name, dir) {
			return
		}
	}
	if text, err := strconv.Unquote(literal); err == nil && slices.Contains(moarWords(), text) {
		c.complain(at, "%s is a word of one format of heap snapshots: its schema says it", literal)
	}
}

// calls looks for ways to end the process, for shares that model does not write, and for words of one format.
func (c checker) calls(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			c.foreign(n.Pos(), text.Value)
		}
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && share.MatchString(text.Value) {
			c.complain(n.Pos(), "a share is written by model.Share: %s", text.Value)
		} else if ok && strings.HasPrefix(text.Value, `"--`) && strings.HasPrefix(c.name, "views/") && c.name != "views/state/question.go" {
			c.complain(n.Pos(), "flags are written by state.Question: %s", text.Value)
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			if fun.Name == "panic" {
				c.complain(call.Pos(), "panic")
			}
		case *ast.SelectorExpr:
			pkg, ok := fun.X.(*ast.Ident)
			if !ok {
				break
			}
			what := pkg.Name + "." + fun.Sel.Name
			if what == "os.Exit" && f.Name.Name != "main" || strings.HasPrefix(what, "log.Fatal") || strings.HasPrefix(what, "log.Panic") {
				c.complain(call.Pos(), "%s", what)
			}
		}
		return true
	})
}

// One thing is headed the same in every table: titles are in one list. What a column is, it says as data, not in
// switches over columns.
func TestColumnsAreData(t *testing.T) {
	title, column := regexp.MustCompile(`Title: *"[^"]`), regexp.MustCompile(`\bcase [a-z]+Column\b|\bswitch [a-z]+Column\(`)
	head := regexp.MustCompile(`\{"[A-Z#%Δ][^"]*", (number|word|name|where|symbol|prosaic|sketch)\}`) // of a report
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root(t), path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range bytes.Split(text, []byte("\n")) {
			if title.Match(line) || column.Match(line) || head.Match(line) {
				t.Errorf("%s:%d: %s", name, i+1, bytes.TrimSpace(line))
			}
		}
		return err
	}
	for _, folder := range []string{"views", "export/report"} {
		if err := filepath.WalkDir(filepath.Join(root(t), folder), walk); err != nil {
			t.Fatal(err)
		}
	}
}
