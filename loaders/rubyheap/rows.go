package rubyheap

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

// maxSuper bounds how many included modules are skipped on the way to a superclass, and maxShapes how many variables of
// an object are named.
const (
	maxSuper  = 1000
	maxShapes = 1 << 12
)

// pass is one decoding of a file.
type pass struct {
	parsers []*parser
	build   *objects.Build
	class   map[model.Row]uint32 // by row of a class: the type of its instances
	layouts map[uint64][]string  // by shape: variables
}

func newPass() objects.Pass { return &pass{} }

// Parser implements [objects.Pass], as do the methods below.
func (s *pass) Parser(n *objects.Names) objects.Parser {
	p := newParser(n)
	s.parsers = append(s.parsers, p)
	return p
}

// Roots adds nothing: the file has all roots.
func (s *pass) Roots(*objects.Build) {}

func (s *pass) Rows(b *objects.Build) error {
	s.build, s.class, s.layouts = b, map[model.Row]uint32{}, map[uint64][]string{}
	s.nameClasses()
	h := b.Heap
	h.Axes = make([][]uint32, numAxes)
	h.Axes[axisSite], h.Axes[axisGeneration] = objects.Column[uint32](b, h.Len()), objects.Column[uint32](b, h.Len())
	shapes := s.allShapes()
	generations := map[uint32]uint32{0: 0}
	for _, u := range b.Units {
		for i := range u.Class {
			r := u.First() + model.Row(i)
			h.Entity[r] = s.typeOf(u, i)
			h.Axes[axisSite][r] = b.Strings.Of(u.Names, u.Extra[extraSite][i])
			g := u.Extra[extraGeneration][i]
			n, ok := generations[g]
			if !ok {
				n = b.Strings.Add(strconv.FormatUint(uint64(g)-1, 10))
				generations[g] = n
			}
			h.Axes[axisGeneration][r] = n
			if id := u.Extra[extraShape][i]; id > 0 && len(shapes) > 0 {
				s.nameVariables(u, i, shapes, uint64(id)-1)
			}
		}
		u.Class, u.Kind, u.Name, u.Extra = nil, nil, nil, [objects.MaxExtra][]uint32{}
	}
	empty := int64(0)
	for _, p := range s.parsers {
		empty += p.empty
	}
	b.Found(model.Note, "empty-slots", model.NoOffset, empty, "slots of the heap are empty: they hold no objects")
	return nil
}

// nameClasses creates the types of classes and modules, and sets which ones their rows describe.
func (s *pass) nameClasses() {
	h := s.build.Heap
	last := 0
	for r, k := range h.Kinds {
		if k == kindClass || k == kindModule {
			last = r
		}
	}
	if last > 0 {
		h.About = make([]uint32, last+1)
	}
	for _, u := range s.build.Units {
		for i := range u.Class {
			if name := s.ClassName(u, i); name != "" {
				r := u.First() + model.Row(i)
				s.class[r] = s.build.Types.Named(name)
				h.About[r] = s.class[r]
			}
		}
	}
}

// typeOf returns the type of an object: its class or, if it has none, the interpreter's name.
func (s *pass) typeOf(u *objects.Unit, i int) uint32 {
	sort := s.Sort(u, i)
	if r, ok := s.build.Row(sort.Class); ok {
		if t, ok := s.class[r]; ok {
			return t
		}
	}
	return s.build.Types.Named(s.TypeName(sort.Kind, u.Names.Text(sort.Name)))
}

// Sort implements [objects.Pass].
func (s *pass) Sort(u *objects.Unit, i int) objects.Sort {
	switch kind := u.Kind[i]; kind {
	case kindClass, kindModule, kindIClass:
		return objects.Sort{Kind: kind}
	case kindIMemo, kindNode:
		return objects.Sort{Kind: kind, Name: u.Name[i]}
	default:
		return objects.Sort{Kind: kind, Name: u.Name[i], Class: u.Class[i]}
	}
}

// TypeName implements [objects.Pass].
func (s *pass) TypeName(kind model.HeapKind, name string) string {
	switch kind {
	case kindClass:
		return "Class"
	case kindModule:
		return "Module"
	case kindIClass:
		return "(included module)"
	case kindIMemo, kindNode, kindData:
		return "(" + schema.Kinds[kind].Name + " " + cmp.Or(name, "None") + ")"
	case kindOther:
		return "(" + strings.ToLower(name) + ")"
	}
	return "(" + schema.Kinds[kind].Name + ")"
}

// ClassName implements [objects.Pass].
func (s *pass) ClassName(u *objects.Unit, i int) string {
	switch u.Kind[i] {
	case kindClass:
		return cmp.Or(u.Names.Text(u.Name[i]), "#<Class>")
	case kindModule:
		return cmp.Or(u.Names.Text(u.Name[i]), "#<Module>")
	}
	return ""
}

// Axes sets the superclass and module of types.
func (s *pass) Axes(*objects.Build) {
	types, strs := s.build.Types, s.build.Strings
	supers := make([]uint32, types.Len())
	modules := make([]uint32, types.Len())
	for i := range modules {
		name := types.Name(uint32(i))
		if at := strings.LastIndex(name, "::"); at > 0 && name[0] != '#' && name[0] != '(' {
			modules[i] = strs.Add(name[:at])
		}
	}
	next := map[model.Row]model.Row{}
	for _, p := range s.parsers {
		for _, x := range p.supers {
			class, ok1 := s.build.Row(x.class)
			above, ok2 := s.build.Row(x.super)
			if ok1 && ok2 {
				next[class] = above
			}
		}
	}
	for r, t := range s.build.Heap.About {
		if _, ok := s.class[model.Row(r)]; !ok {
			continue
		}
		above, ok := next[model.Row(r)]
		for n := 0; ok && n < maxSuper; n++ { // included modules are in between
			if super, known := s.class[above]; known && s.build.Heap.Kinds[above] == kindClass {
				supers[t] = strs.Add(types.Name(super))
				break
			}
			above, ok = next[above]
		}
	}
	s.build.Found(model.Warning, "superclass", model.NoOffset, circles(next), "classes inherit from themselves")
	s.build.Heap.Tables.Axes = make([][]uint32, numAxes)
	s.build.Heap.Tables.Axes[axisSuper], s.build.Heap.Tables.Axes[axisModule] = supers, modules
}

// circles counts the cycles of superclasses.
func circles(next map[model.Row]model.Row) (n int64) {
	seen := make(map[model.Row]int, len(next)) // by class: the walk that met it first
	walk := 0
	for class := range next {
		walk++
		for at, ok := class, true; ok; at, ok = next[at] {
			if first, met := seen[at]; met {
				if first == walk {
					n++
				}
				break
			}
			seen[at] = walk
		}
	}
	return n
}

// allShapes returns the layouts of objects, by number.
func (s *pass) allShapes() map[uint64]shape {
	all := map[uint64]shape{}
	for _, p := range s.parsers {
		for id, x := range p.shapes {
			all[id] = x
		}
		p.shapes = nil
	}
	return all
}

// variables returns the names of the variables of a shape, the first one first.
func (s *pass) variables(shapes map[uint64]shape, id uint64) []string {
	if list, ok := s.layouts[id]; ok {
		return list
	}
	var list []string
	for at, n := id, 0; n < maxShapes; n++ {
		x, ok := shapes[at]
		if !ok || x.parent == at {
			break
		}
		if x.name != "" {
			list = append(list, x.name)
		}
		at = x.parent
	}
	slices.Reverse(list)
	s.layouts[id] = list
	return list
}

// nameVariables names the references of an object if all of its variables are objects: others are not written.
func (s *pass) nameVariables(u *objects.Unit, i int, shapes map[uint64]shape, id uint64) {
	refs, labels := u.RefsOf(i)
	list := s.variables(shapes, id)
	if len(refs) != len(list)+1 {
		return
	}
	for v, name := range list {
		labels[v+1] = objects.StringLabel(u.Names.Add([]byte(name)))
	}
}
