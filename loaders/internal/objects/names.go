package objects

import (
	"github.com/memtui/memtui/model"
)

// Names is the texts found by one goroutine. The first is empty.
type Names struct {
	list  []string
	index map[string]uint32
	cut   int64 // names that were cut
}

// NewNames returns no texts but the empty one.
func NewNames() *Names { return &Names{list: []string{""}, index: map[string]uint32{"": 0}} }

// Add returns the index of a text, adding it if necessary.
func (n *Names) Add(text []byte) uint32 {
	if i, ok := n.index[string(text)]; ok {
		return i
	}
	if len(text) > model.MaxName {
		n.cut++
		kept := model.KeptName(text)
		if i, ok := n.index[string(kept)]; ok {
			return i
		}
		text = kept
	}
	i, s := uint32(len(n.list)), string(text)
	n.list = append(n.list, s)
	n.index[s] = i
	return i
}

// Text returns a text by its index.
func (n *Names) Text(i uint32) string { return n.list[i] }

// Strings are the texts of a heap. The first is empty.
type Strings struct {
	List  []string
	index map[string]uint32
	known map[*Names][]uint32 // by a goroutine's index: one more than the heap's, 0 for none
}

func newStrings() *Strings {
	return &Strings{List: []string{""}, index: map[string]uint32{"": 0}, known: map[*Names][]uint32{}}
}

// Add returns the index of a text, adding it if necessary.
func (s *Strings) Add(text string) uint32 {
	i, ok := s.index[text]
	if !ok {
		i = uint32(len(s.List))
		s.List = append(s.List, text)
		s.index[text] = i
	}
	return i
}

// Of returns the heap's index of a goroutine's text.
func (s *Strings) Of(n *Names, local uint32) uint32 {
	known := s.known[n]
	if int(local) >= len(known) {
		known = append(known, make([]uint32, len(n.list)-len(known))...)
		s.known[n] = known
	}
	if known[local] == 0 {
		known[local] = s.Add(n.list[local]) + 1
	}
	return known[local] - 1
}

// Types are the types of a heap, by their names.
type Types struct {
	strings *Strings
	list    []model.HeapType
	index   map[uint32]uint32
}

func newTypes(s *Strings) *Types { return &Types{strings: s, index: map[uint32]uint32{}} }

// Of returns the type with a name, given as an index of the strings.
func (t *Types) Of(name uint32) uint32 {
	i, ok := t.index[name]
	if !ok {
		i = uint32(len(t.list))
		t.list = append(t.list, model.HeapType{Name: name})
		t.index[name] = i
	}
	return i
}

// Named returns the type with a name.
func (t *Types) Named(name string) uint32 { return t.Of(t.strings.Add(name)) }

// Len returns how many there are.
func (t *Types) Len() int { return len(t.list) }

// Name returns the name of a type.
func (t *Types) Name(i uint32) string { return t.strings.List[t.list[i].Name] }
