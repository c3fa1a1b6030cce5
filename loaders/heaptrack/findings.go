package heaptrack

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// findings collects problems; those of one rule and message are counted as one, at the place of the first.
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

// leave says what a budget had no room for.
func (f *findings) leave(b *model.Budget, format string, args ...any) {
	f.add(b.Problem(fmt.Sprintf(format, args...)))
}

// take returns what was collected and starts anew.
func (f *findings) take() (list []model.Problem, lost int64) {
	list, lost = f.list, f.lost
	f.list, f.lost = nil, 0
	return list, lost
}
