package memtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder is a subject: one that holds more, or files named after the same thing, wants to be divided.
const (
	maxFiles  = 40
	maxLines  = 9000
	maxPrefix = 4 // files of a folder that begin with the same word
	wordStart = 4 // letters that make a word
)

// sources returns the paths of all files or of the product's, by folder as in allowed.
func sources(t *testing.T, tests bool) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || !tests && strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir, err := filepath.Rel(root(t), filepath.Dir(path))
		dir = filepath.ToSlash(dir)
		files[dir] = append(files[dir], path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFoldersAreSubjects(t *testing.T) {
	for dir, paths := range sources(t, false) {
		lines, prefixes := 0, map[string]int{}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
			if name := filepath.Base(path); len(name) >= wordStart {
				prefixes[name[:wordStart]]++
			}
		}
		if len(paths) > maxFiles || lines > maxLines {
			t.Errorf("%s: %d files, %d lines", dir, len(paths), lines)
		}
		for prefix, n := range prefixes {
			if n > maxPrefix {
				t.Errorf("%s: %d files begin with %s", dir, n, prefix)
			}
		}
	}
}

// TestAnalysisExportsWhatOthersUse finds exported functions, constants, variables and types of the questions' packages that nobody
// outside of their folder names, and that no exported declaration which is used is made of.
func TestAnalysisExportsWhatOthersUse(t *testing.T) {
	named := map[string]bool{} // "folder.Name"
	declared := map[string]map[string][]ast.Node{}
	set := token.NewFileSet()
	for dir, paths := range sources(t, true) {
		for _, path := range paths {
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			nameUses(file, dir, named)
			if (dir == "analysis" || strings.HasPrefix(dir, "analysis/")) && !strings.HasSuffix(path, "_test.go") {
				if declared[dir] == nil {
					declared[dir] = map[string][]ast.Node{}
				}
				exported(file, declared[dir])
			}
		}
	}
	for dir, names := range declared {
		used := map[string]bool{}
		var use func(name string)
		use = func(name string) {
			if used[name] || names[name] == nil {
				return
			}
			used[name] = true
			for _, d := range names[name] {
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						use(id.Name)
					}
					_, body := n.(*ast.BlockStmt)
					return !body
				})
			}
		}
		for name := range names {
			if named[dir+"."+name] {
				use(name)
			}
		}
		for name := range names {
			if !used[name] {
				t.Errorf("%s.%s: nobody outside uses it", dir, name)
			}
		}
	}
}

// TestAnalysisExportsMembersThatOthersUse finds exported methods and fields of the questions' packages whose names nobody
// selects, or sets in a literal, outside of their folder.
func TestAnalysisExportsMembersThatOthersUse(t *testing.T) {
	selected := map[string]map[string]bool{} // by name: the folders that select it
	members := map[string]map[string]bool{}  // by folder
	use := func(name, dir string) {
		if selected[name] == nil {
			selected[name] = map[string]bool{}
		}
		selected[name][dir] = true
	}
	declare := func(dir string, id *ast.Ident) {
		if members[dir] == nil {
			members[dir] = map[string]bool{}
		}
		if id.IsExported() {
			members[dir][id.Name] = true
		}
	}
	set := token.NewFileSet()
	for dir, paths := range sources(t, true) {
		for _, path := range paths {
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					use(n.Sel.Name, dir)
				case *ast.KeyValueExpr:
					if id, ok := n.Key.(*ast.Ident); ok {
						use(id.Name, dir)
					}
				}
				return true
			})
			if (dir == "analysis" || strings.HasPrefix(dir, "analysis/")) && !strings.HasSuffix(path, "_test.go") {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() && ast.IsExported(receiver(f.Recv.List[0].Type)) {
						declare(dir, f.Name)
					}
				}
				fieldsOf(file, func(id *ast.Ident) { declare(dir, id) })
			}
		}
	}
	if len(members) == 0 {
		t.Fatal("no members were found")
	}
	for dir, names := range members {
		for name := range names {
			folders := selected[name]
			if others := len(folders); folders[dir] && others == 1 || others == 0 {
				t.Errorf("%s: member %s: nobody outside uses it", dir, name)
			}
		}
	}
}

// fieldsOf calls f with the fields of the exported structs of a file. Those with tags are read by their tags.
func fieldsOf(file *ast.File, f func(*ast.Ident)) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !spec.Name.IsExported() {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, id := range field.Names {
					if field.Tag == nil {
						f(id)
					}
				}
			}
		}
		return true
	})
}

// nameUses adds the exported names of our other packages that a file uses, as "folder.Name".
func nameUses(file *ast.File, own string, named map[string]bool) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if dir := folder(path); dir != "" && dir != own {
			name := path[strings.LastIndexByte(path, '/')+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = dir
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
				named[imports[x.Name]+"."+s.Sel.Name] = true
			}
		}
		return true
	})
}

// exported adds the exported declarations of a file: what each is made of, and that of its methods.
func exported(file *ast.File, names map[string][]ast.Node) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type)
			}
			if d.Name.IsExported() && ast.IsExported(name) {
				names[name] = append(names[name], d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						names[s.Name.Name] = append(names[s.Name.Name], s)
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.IsExported() {
							names[id.Name] = append(names[id.Name], s)
						}
					}
				}
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
