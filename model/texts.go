package model

import "github.com/memtui/memtui/model/sections"

// Texts are many texts one after the other. They cost little more than their bytes, and the collector nothing, which has
// to look at every single string of a list.
type Texts struct {
	All  []byte
	Ends Column[uint64] // of each in All
}

// Len returns how many there are.
func (t *Texts) Len() int { return t.Ends.Len() }

// At returns text i. It shares its memory with the others.
func (t *Texts) At(i int) string {
	from := uint64(0)
	if i > 0 {
		from = t.Ends.At(i - 1)
	}
	return sections.Text(t.All[from:t.Ends.At(i)])
}

// Add adds a text. What was returned before stays as it is.
func (t *Texts) Add(text []byte) {
	t.All = append(t.All, text...)
	t.Ends.Append(uint64(len(t.All)))
}

// check reports whether the texts lie one after the other.
func (t *Texts) check() bool {
	from := uint64(0)
	for _, end := range t.Ends.All() {
		if end < from {
			return false
		}
		from = end
	}
	return from <= uint64(len(t.All))
}

// Sections writes texts to a file or reads them.
func (t *Texts) Sections(f *sections.Codec, name string) {
	t.Ends.sections(f, name+", their ends")
	sections.Array(f, name, &t.All)
	if f.Reads() && !t.check() {
		f.Fail("%s overlap", name)
	}
}
