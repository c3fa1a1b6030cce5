package heaptrack

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// findings collects problems; those of one rule and message are counted as one, at the position of the first.
type findings struct {
	list []model.Problem
	lost int64 // bytes of lines that could not be used
}

func (f *findings) add(p model.Problem) {
	p.Count = max(p.Count, 1)
	for i := range f.list {
		if q := &f.list[i]; q.Code == p.Code && q.Severity == p.Severity && q.Message == p.Message {
			q.Count += p.Count
			return
		}
	}
	if len(f.list) < model.MaxProblemKinds {
		f.list = append(f.list, p)
	}
}

// leave reports what did not fit a budget.
func (f *findings) leave(b *model.Budget, format string, args ...any) {
	f.add(b.Problem(fmt.Sprintf(format, args...)))
}

// take returns the problems and removes them.
func (f *findings) take() (list []model.Problem, lost int64) {
	list, lost = f.list, f.lost
	f.list, f.lost = nil, 0
	return list, lost
}
