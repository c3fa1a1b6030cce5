package memtest

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docLink matches [Name], [Type.Method] and [package.Name] as godoc does: between blanks or punctuation.
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Z]\w*(?:\.\w+)?|[a-z]\w*\.\w+(?:\.\w+)?)\](?:$|[^\w(\[{])`)

// indented matches lines of code in comments, which have no links.
var indented = regexp.MustCompile(`(?m)^[ \t].*$`)

// linkFolder is what comments of a folder's package can link to.
type linkFolder struct {
	names   map[string]bool     // "Name", and "Type.Member" of methods and fields
	imports map[string][]string // import paths by the name in the code
}

// declare adds what a file declares and imports.
func (f *linkFolder) declare(file *ast.File) {
	for _, spec := range file.Imports {
		to, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(to)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		f.imports[name] = append(f.imports[name], to)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiverName(d.Recv.List[0].Type) + "." + name
			}
			f.names[name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				f.declareSpec(spec)
			}
		}
	}
}

func (f *linkFolder) declareSpec(spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			f.names[name.Name] = true
		}
	case *ast.TypeSpec:
		f.names[s.Name.Name] = true
		var members *ast.FieldList
		switch t := s.Type.(type) {
		case *ast.StructType:
			members = t.Fields
		case *ast.InterfaceType:
			members = t.Methods
		default:
			return
		}
		for _, m := range members.List {
			for _, name := range m.Names {
				f.names[s.Name.Name+"."+name.Name] = true
			}
		}
	}
}

func receiverName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	case *ast.IndexListExpr:
		return receiverName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// resolves reports whether a link in a comment of the folder has a declaration. Declarations of other modules are
// assumed to exist.
func (f *linkFolder) resolves(link, module string, all map[string]*linkFolder) bool {
	if f.names[link] {
		return true
	}
	name, symbol, dotted := strings.Cut(link, ".")
	if !dotted {
		return false
	}
	for _, to := range f.imports[name] {
		dir, inside := strings.CutPrefix(to, module+"/")
		if !inside || all[dir] != nil && all[dir].names[symbol] {
			return true
		}
	}
	_, standard := comment.DefaultLookupPackage(name)
	return standard && f.imports[name] == nil
}

// Links in comments have a target: a name of the same package, or of a package that it imports.
func TestDocLinksResolve(t *testing.T) {
	const module = "github.com/memtui/memtui"
	set, all, files := token.NewFileSet(), map[string]*linkFolder{}, map[string][]*ast.File{}
	for dir, paths := range sources(t, false) {
		all[dir] = &linkFolder{map[string]bool{}, map[string][]string{}}
		for _, p := range paths {
			file, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			all[dir].declare(file)
			files[dir] = append(files[dir], file)
		}
	}
	links := 0
	for dir, list := range files {
		for _, file := range list {
			for _, group := range file.Comments {
				for _, m := range docLink.FindAllStringSubmatch(indented.ReplaceAllString(group.Text(), ""), -1) {
					if links++; !all[dir].resolves(m[1], module, all) {
						t.Errorf("%s: [%s] does not resolve", set.Position(group.Pos()), m[1])
					}
				}
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links: most are not found", links)
	}
}
