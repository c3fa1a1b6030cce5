package memtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// usedOtherwise are exported names of the questions' packages that no other package of the program names, each with the
// reason why they stay.
var usedOtherwise = map[string]string{
	"diff.Sum.Rows":            "reports convert sums to what they write",
	"diff.Sum.Bytes":           "as Rows",
	"diff.Sum.Count":           "as Rows",
	"diff.Sum.AtLeast":         "as Rows",
	"diff.SideRow.Key":         "tests of reports and pages compare made-up sides",
	"diff.SideRow.Count":       "as Key",
	"diff.SideRow.Listed":      "as Key",
	"diff.SideRow.AtLeast":     "as Key",
	"column.Pyramid.Run":       "the slow twin of the index adds event by event",
	"column.LargeSizes.Full":   "the slow twin of the index reads sizes one by one",
	"column.SizeWriter.Choose": "tests of columns choose the frequent sizes",
}

// compiled is a package as the go command lists it: its files, and the file with what it exports.
type compiled struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// exportsCheck reads the packages of the program with their types.
type exportsCheck struct {
	set    *token.FileSet
	used   map[string]bool // places of declarations that other packages use
	called map[string]bool // names of methods of any interface
	seen   map[types.Type]bool
	checks map[string]*types.Package // by folder: those of the questions
}

// at returns the place of a declaration, which is the same in source and in what packages import but for the column.
func (c *exportsCheck) at(o types.Object) string {
	p := c.set.Position(o.Pos())
	return fmt.Sprintf("%s:%d:%s", p.Filename, p.Line, o.Name())
}

// read checks the types of all packages of ours and collects what each uses of others.
func (c *exportsCheck) read(t *testing.T) {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "parquet", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		t.Fatalf("go list: %s", failed.Stderr)
	} else if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports, ours := map[string]string{}, []compiled{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p compiled
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if dir := folder(p.ImportPath); dir != "" && !strings.HasPrefix(dir, "internal/memtest") {
			ours = append(ours, p)
		}
	}
	imports := importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		pkg := c.check(t, p, imports, info)
		for _, o := range info.Uses {
			if o.Pkg() != nil && o.Pkg() != pkg && folder(o.Pkg().Path()) != "" {
				c.used[c.at(o)] = true
				c.reach(o.Type())
			}
		}
		if dir := folder(p.ImportPath); dir == "analysis" || strings.HasPrefix(dir, "analysis/") {
			c.checks[dir] = pkg
		}
	}
}

// check checks the types of one package, and collects the names of methods of its interfaces.
func (c *exportsCheck) check(t *testing.T, p compiled, imports types.Importer, info *types.Info) *types.Package {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if x, ok := n.(*ast.InterfaceType); ok {
				for _, m := range x.Methods.List {
					for _, id := range m.Names {
						c.called[id.Name] = true
					}
				}
			}
			return true
		})
		files = append(files, file)
	}
	pkg, err := (&types.Config{Importer: imports}).Check(p.ImportPath, c.set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// reach marks the types that a type is made of: who uses a function can hold what it returns.
func (c *exportsCheck) reach(t types.Type) {
	if t == nil || c.seen[t] {
		return
	}
	c.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		c.used[c.at(t.Obj())] = true
		for i := range t.TypeArgs().Len() {
			c.reach(t.TypeArgs().At(i))
		}
		c.reach(t.Underlying())
	case *types.Alias:
		c.used[c.at(t.Obj())] = true
		c.reach(types.Unalias(t))
	case interface{ Elem() types.Type }:
		if m, ok := t.(*types.Map); ok {
			c.reach(m.Key())
		}
		c.reach(t.Elem())
	case *types.Signature:
		c.reach(t.Params())
		c.reach(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			c.reach(t.At(i).Type())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Exported() {
				c.reach(t.Field(i).Type())
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			c.reach(t.Method(i).Type())
		}
	}
}

// unused calls f with the exported declarations of a package, methods and fields among them, that no other package of
// the program uses. Fields with tags are used by their tags, and methods by interfaces.
func (c *exportsCheck) unused(pkg *types.Package, f func(o types.Object, name string)) {
	each := func(o types.Object, name string, elsewhere bool) {
		if o.Exported() && !elsewhere && !c.used[c.at(o)] {
			f(o, pkg.Name()+"."+name)
		}
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		each(o, name, false)
		typ, ok := o.Type().(*types.Named)
		if _, is := o.(*types.TypeName); !is || !ok {
			continue
		}
		for m := range typ.Methods() {
			each(m, name+"."+m.Name(), c.called[m.Name()] || m.Name() == "Error" || m.Name() == "String" || m.Name() == "Unwrap")
		}
		if s, ok := typ.Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				each(s.Field(i), name+"."+s.Field(i).Name(), s.Tag(i) != "" || s.Field(i).Embedded())
			}
		}
	}
}

// What the packages of questions export, the program uses elsewhere: by declaration, not by name.
func TestAnalysisExportsWhatTheProgramUses(t *testing.T) {
	c := exportsCheck{token.NewFileSet(), map[string]bool{}, map[string]bool{}, map[types.Type]bool{}, map[string]*types.Package{}}
	c.read(t)
	if len(c.checks) < 20 {
		t.Fatalf("%d packages of questions", len(c.checks))
	}
	found := map[string]bool{}
	for _, pkg := range c.checks {
		c.unused(pkg, func(o types.Object, name string) {
			if found[name] = true; usedOtherwise[name] == "" {
				t.Errorf("%s: no other package uses %s", c.set.Position(o.Pos()), name)
			}
		})
	}
	for name := range usedOtherwise {
		if !found[name] {
			t.Errorf("%s is used, or does not exist", name)
		}
	}
}
