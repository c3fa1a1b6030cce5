package memdump

import (
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
// bytes or more, because times rise. A small file that holds millions of equal points is a bomb.
type limits struct{ src *loaders.Source }

func (l limits) points() int  { return 2<<20 + int(l.src.StoredSize()) }
func (l limits) layouts() int { return 1<<20 + int(l.src.StoredSize()/4) } // events alike
func (l limits) series() int  { return 1<<16 + int(l.src.StoredSize()/16) }
func (l limits) strings() int { return 1<<20 + int(l.src.StoredSize()/2) }

// text bounds the bytes of all strings, and of the runs of one layout.
func (l limits) text() int { return int(l.src.Budget().Part(l.usualText(), 8)) }

func (l limits) usualText() int64 { return 16<<20 + 16*l.src.StoredSize() }

// pages bounds those of one layout, which take some 32 bytes each.
func (l limits) pages() int { return int(l.src.Budget().Part(32*(4<<20+2*l.src.StoredSize()), 8) / 32) }

// full reports whether the memory for what is kept is used up.
func (l limits) full() bool { return l.src.Budget().Full(model.BudgetOfFile) }

// tell says that a limit was reached: that of memory, or that of what a file can mean.
func (l limits) tell(found *findings, offset, line int64) {
	if b := l.src.Budget(); l.full() || b.Part(l.usualText(), 8) < l.usualText() {
		found.add(model.Warning, model.CodeMemory, offset, line, b.Problem("what follows was left out").Message)
		return
	}
	found.add(model.Error, "too-large", offset, line, tooLarge)
}

// Messages of several places.
const (
	tooLarge  = "the file claims more than one of its size can mean: what follows was not read"
	bigNumber = "a number does not fit 64 bits"
)
