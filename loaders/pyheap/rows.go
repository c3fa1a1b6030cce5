package pyheap

import (
	"strings"

	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

// pass is one decoding of a file.
type pass struct{}

func newPass() objects.Pass { return pass{} }

// Parser implements [objects.Pass], as do the methods below.
func (pass) Parser(n *objects.Names) objects.Parser { return newParser(n) }

// Sort returns the kind and the name of the type: every line has it.
func (pass) Sort(u *objects.Unit, i int) objects.Sort {
	return objects.Sort{Kind: u.Kind[i], Name: u.Name[i]}
}

func (pass) TypeName(_ model.HeapKind, name string) string { return name }

func (pass) ClassName(*objects.Unit, int) string { return "" }

func (pass) Rows(b *objects.Build) error {
	h, last := b.Heap, 0
	for r, k := range h.Kinds {
		if schema.Kinds[k].About {
			last = r
		}
	}
	if last > 0 {
		h.About = make([]uint32, last+1)
	}
	for _, u := range b.Units {
		for i, name := range u.Name {
			r := u.First() + model.Row(i)
			h.Entity[r] = b.Types.Of(b.Strings.Of(u.Names, name))
			if schema.Kinds[h.Kinds[r]].About {
				h.About[r] = h.Entity[r]
				if called := u.Extra[extraAbout][i]; called != 0 {
					h.About[r] = b.Types.Of(b.Strings.Of(u.Names, called))
				}
			}
		}
		u.Class, u.Kind, u.Name, u.Extra = nil, nil, nil, [objects.MaxExtra][]uint32{}
	}
	return nil
}

// Roots adds roots to a dump without roots: objects without referrers, and modules.
func (pass) Roots(b *objects.Build) {
	if h := b.Heap; !b.Rooted() && h.Len() > 1 {
		for r, held := range b.Referenced() {
			if r > 0 && (!held || h.Kinds[r] == kindModule) {
				b.AddRoot(model.Row(r))
			}
		}
		b.Found(model.Note, "guessed-roots", model.NoOffset, 1,
			"the dump has no roots: modules and objects that nothing refers to are used instead")
	}
}

// Axes sets the modules of types, once all are known.
func (pass) Axes(b *objects.Build) {
	modules := make([]uint32, b.Types.Len())
	for i := range modules {
		name := b.Types.Name(uint32(i))
		if at := strings.LastIndexByte(name, '.'); at > 0 && !strings.ContainsAny(name, " <") {
			modules[i] = b.Strings.Add(name[:at])
		}
	}
	b.Heap.Tables.Axes = [][]uint32{nil, modules}
}
