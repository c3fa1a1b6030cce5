package export

import (
	"context"
	"iter"
	"math/bits"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// heapTexts numbers the names of rows and of references, in the order in which they are written. Strings of the file
// that are neither are not among them: they may be the contents of the program's strings.
type heapTexts struct {
	h     *model.Heap
	style textStyle

	own   []string           // made of several parts, or missing in the file; numbered first
	known map[string]uint32  // of own
	rows  map[rowText]uint32 // numbers of own

	words  []uint64 // set of strings of the file that are in use
	before []uint32 // by word of the set: how many strings come before it
}

// textStyle says what is named, and how.
type textStyle struct {
	rows, edges bool
	named       bool   // rows have their own names where the file has those
	marked      bool   // only kinds of rows that are Marked have them, followed by what they are
	element     string // the name of references by index; "" if they need none
}

// rowText is what names a row.
type rowText struct {
	kind model.HeapKind
	own  bool
	id   uint32 // a type or frame; of an own name the string
}

// unnamedEdge is the name of references whose name the file does not have.
const unnamedEdge = model.UnnamedEdge

// newHeapTexts finds the texts in use. The error is that of ctx. The heap's columns must be complete.
func newHeapTexts(ctx context.Context, h *model.Heap, style textStyle) (*heapTexts, error) {
	x := &heapTexts{h: h, style: style, known: map[string]uint32{}, rows: map[rowText]uint32{},
		words: make([]uint64, (h.Tables.NumStrings()+63)/64)}
	for r := 0; style.rows && r < h.Len(); r++ {
		if r%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x.useRow(model.Row(r))
	}
	for e := 0; style.edges && e < len(h.Label); e++ {
		if e%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x.useEdge(model.Ref(e))
	}
	x.before = make([]uint32, len(x.words)+1)
	for i, word := range x.words {
		x.before[i+1] = x.before[i] + uint32(bits.OnesCount64(word))
	}
	return x, nil
}

// ownName returns the string of the file that is the complete name of a row.
func (x *heapTexts) ownName(r model.Row) (i uint32, ok bool) {
	if !x.style.named || x.style.marked {
		return 0, false
	}
	if _, ok = x.h.NameOf(r); ok {
		i = x.h.Names[r]
	}
	return i, ok && x.inFile(i)
}

func (x *heapTexts) inFile(i uint32) bool { return int(i) < x.h.Tables.NumStrings() }

func (x *heapTexts) useRow(r model.Row) {
	if i, ok := x.ownName(r); ok {
		x.words[i>>6] |= 1 << (i & 63)
		return
	}
	key := x.key(r)
	if _, ok := x.rows[key]; ok {
		return
	}
	kind, text := x.h.Kind(r), heapgraph.Label(x.h, r)
	if kind.Named && !key.own {
		text = x.h.Tables.Type(x.h.Entity[r])
	}
	if x.style.marked && kind.Marked {
		text += " (" + kind.Title + ")"
	}
	x.rows[key] = x.add(text)
}

// key returns what names a row whose name consists of several parts.
func (x *heapTexts) key(r model.Row) rowText {
	key := rowText{kind: x.h.Kinds[r]}
	kind := x.h.Kind(r)
	if x.style.named && x.style.marked && kind.Marked {
		_, key.own = x.h.NameOf(r)
	}
	switch {
	case key.own:
		key.id = x.h.Names[r]
	case kind.Naming == model.NamedByKind:
	case kind.About && uint64(r) < uint64(len(x.h.About)):
		key.id = x.h.About[r]
	default:
		key.id = x.h.Entity[r]
	}
	return key
}

// add returns the number of a text that is not in the file.
func (x *heapTexts) add(text string) uint32 {
	i, ok := x.known[text]
	if !ok {
		i = uint32(len(x.own))
		x.known[text] = i
		x.own = append(x.own, text)
	}
	return i
}

func (x *heapTexts) useEdge(e model.Ref) {
	l := x.h.Label[e]
	switch i := x.h.Schema.LabelValue(l); {
	case l.Indexed():
		if x.style.element != "" {
			x.add(x.style.element)
		}
	case l.Form() == model.LabelUnknown:
		x.add(unnamedEdge)
	case x.inFile(i):
		x.words[i>>6] |= 1 << (i & 63)
	default:
		x.add(x.h.Tables.String(i))
	}
}

// row returns the number of a row's name.
func (x *heapTexts) row(r model.Row) uint32 {
	if i, ok := x.ownName(r); ok {
		return x.ofFile(i)
	}
	return x.rows[x.key(r)]
}

// edge returns the number of a reference's name: of an element that of all elements.
func (x *heapTexts) edge(e model.Ref) uint32 {
	l := x.h.Label[e]
	switch i := x.h.Schema.LabelValue(l); {
	case l.Indexed():
		return x.known[x.style.element]
	case l.Form() == model.LabelUnknown:
		return x.known[unnamedEdge]
	case x.inFile(i):
		return x.ofFile(i)
	default:
		return x.known[x.h.Tables.String(i)]
	}
}

// ofFile returns the number of a string of the file that is in use.
func (x *heapTexts) ofFile(i uint32) uint32 {
	return uint32(len(x.own)) + x.before[i>>6] + uint32(bits.OnesCount64(x.words[i>>6]&(1<<(i&63)-1)))
}

// len returns how many texts there are.
func (x *heapTexts) len() int { return len(x.own) + int(x.before[len(x.words)]) }

// all iterates over the texts in the order of their numbers. They are as in the file: clean them.
func (x *heapTexts) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, text := range x.own {
			if !yield(text) {
				return
			}
		}
		for i, word := range x.words {
			for ; word != 0; word &= word - 1 {
				if !yield(x.h.Tables.String(uint32(i<<6 + bits.TrailingZeros64(word)))) {
					return
				}
			}
		}
	}
}
