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

// limits bound what a file of its size can mean. They lie above real files: compressed, a point of a flat curve has 1.7
// bytes or more, because times rise. A small file that holds millions of equal points is a bomb. Where the user allows more
// memory, as much as fits it is read.
type limits struct{ src *loaders.Source }

// limit is how many of something are read at most.
type limit struct {
	what string
	each int64 // bytes of memory that one takes, about
	n    int
}

func (l limits) of(what string, each int64, n int64) limit {
	return limit{what, each, int(max(n, l.src.Allowed()/each))}
}

func (l limits) points() limit  { return l.of("points", 16, 2<<20+l.src.StoredSize()) }
func (l limits) layouts() limit { return l.of("page layouts", 48, 1<<20+l.src.StoredSize()/4) }
func (l limits) events() limit  { return l.of("events", 32, 1<<20+l.src.StoredSize()/4) }
func (l limits) series() limit  { return l.of("series", 256, 1<<16+l.src.StoredSize()/16) }
func (l limits) strings() limit { return l.of("strings", 16, 1<<20+l.src.StoredSize()/2) }
func (l limits) text() limit    { return l.of("bytes of text", 1, 16<<20+16*l.src.StoredSize()) }
func (l limits) runs() limit {
	return l.of("bytes of bitmaps in one page layout", 1, 16<<20+16*l.src.StoredSize())
}
func (l limits) free() limit  { return l.of("ranges in one free list", 16, 1<<20+l.src.StoredSize()) }
func (l limits) pages() limit { return l.of("pages in one layout", 16, 4<<20+2*l.src.StoredSize()) }
func (l limits) types() limit {
	return l.of("page types in one layout", 128, 1<<16+l.src.StoredSize()/32)
}

// String says that the limit is reached and how to lift it.
func (l limit) String() string {
	return fmt.Sprintf("the limit of %s %s for a file of this size is reached: what follows was not read; --max-memory with more than %s lifts it",
		model.Group(uint64(l.n)), l.what, model.Bytes(int64(l.n)*l.each))
}

// Messages of several places.
const (
	bigNumber = "a number does not fit 64 bits"
)
