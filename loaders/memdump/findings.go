package memdump

import (
	"fmt"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// findings collects problems, those of one kind together. Messages are constants, so there are few kinds.
type findings struct{ list []model.Problem }

// add counts a problem; line is 0 in binary files.
func (f *findings) add(severity model.Severity, code string, offset, line int64, message string) {
	for i := range f.list {
		if p := &f.list[i]; p.Code == code && p.Severity == severity && p.Message == message {
			p.Count++
			return
		}
	}
	if len(f.list) < model.MaxProblemKinds {
		f.list = append(f.list, model.Problem{Severity: severity, Code: code, Message: message, Offset: offset, Line: line, Count: 1})
	}
}

// broken reports whether an error is among them.
func (f *findings) broken() bool {
	for _, p := range f.list {
		if p.Severity == model.Error {
			return true
		}
	}
	return false
}

// limits bound how far a file of its size can expand. They are above real files: compressed, a point of a flat curve
// has 1.7 bytes or more, because times rise. A small file that contains millions of equal points is a bomb. If the user
// allows more memory, as much as fits is read.
type limits struct{ src *loaders.Source }

// limit bounds how many of something are read.
type limit struct {
	what   string
	each   int64 // approximate bytes of memory per item
	part   int64 // the fraction of all memory that they may take
	n      int
	narrow bool // memory is the reason
	of     limits
}

// Fractions of all memory: for data that is kept, and for temporary data.
const (
	keptPart  = model.BudgetPerKept
	whilePart = 8
)

func (l limits) usual(what string, each int64, n int64) limit {
	return limit{what: what, each: each, part: keptPart, n: int(max(n, l.src.Allowed()/each)), of: l}
}

// ofMemory returns a limit that memory may lower.
func (l limits) ofMemory(what string, each int64, n int64) limit {
	usual := max(n*each, l.src.Allowed()/whilePart)
	out := limit{what: what, each: each, part: whilePart, n: int(usual / each), of: l}
	if most := l.src.Budget().Part(usual, whilePart); most < n*each {
		out.n, out.narrow = int(most/each), true
	}
	return out
}

func (l limits) points() limit  { return l.usual("points", 16, 2<<20+l.src.StoredSize()) }
func (l limits) layouts() limit { return l.usual("page layouts", 48, 1<<20+l.src.StoredSize()/4) }
func (l limits) events() limit  { return l.usual("events", 32, 1<<20+l.src.StoredSize()/4) }
func (l limits) series() limit  { return l.usual("series", 256, 1<<16+l.src.StoredSize()/16) }
func (l limits) strings() limit { return l.usual("strings", 16, 1<<20+l.src.StoredSize()/2) }
func (l limits) text() limit {
	return l.ofMemory("bytes of text", 1, 16<<20+16*l.src.StoredSize())
}
func (l limits) runs() limit {
	return l.ofMemory("bytes of bitmaps in one page layout", 1, 16<<20+16*l.src.StoredSize())
}
func (l limits) free() limit { return l.usual("ranges in one free list", 16, 1<<20+l.src.StoredSize()) }
func (l limits) pages() limit {
	return l.ofMemory("pages in one layout", 32, 4<<20+2*l.src.StoredSize())
}
func (l limits) types() limit {
	return l.usual("page types in one layout", 128, 1<<16+l.src.StoredSize()/32)
}

// String states that the limit is reached and how to raise it.
func (l limit) String() string {
	if l.narrow {
		return l.of.short()
	}
	return fmt.Sprintf("the limit of %s %s for a file of this size is reached: the rest was not read; %s",
		model.Group(uint64(l.n)), l.what, model.RaiseHint(2*int64(l.n)*l.each*l.part))
}

// full reports whether the memory for kept data is used up.
func (l limits) full() bool { return l.src.Budget().Full(model.BudgetOfFile) }

// short states that memory is the reason why the rest is not read.
func (l limits) short() string { return l.src.Budget().Problem("the rest was left out").Message }

// report reports the limit that was reached: of memory, or of the expansion of a file.
func (l limits) report(found *findings, offset, line int64, reached string) {
	if reached == l.short() {
		found.add(model.Warning, model.CodeMemory, offset, line, reached)
		return
	}
	found.add(model.Error, "too-large", offset, line, reached)
}

// Messages used in several places.
const (
	bigNumber = "a number does not fit 64 bits"
)
