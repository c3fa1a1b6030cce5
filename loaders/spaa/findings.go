package spaa

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtui/memtui/model"
)

// findings are problems by rule and severity: the first of a kind in the file is described, the others are counted.
type findings struct {
	at  map[findingKey]int
	all []model.Problem
}

type findingKey struct {
	rule     string
	severity model.Severity
}

// record records a problem; its text is formatted only for the first of its kind.
func (f *findings) record(severity model.Severity, rule string, offset, line int64, format string, args ...any) {
	if i, ok := f.at[findingKey{rule, severity}]; ok {
		p := &f.all[i]
		if p.Count++; line > 0 && line < p.Line { // found later, but earlier in the file
			p.Message, p.Offset, p.Line = fmt.Sprintf(format, args...), offset, line
		}
		return
	}
	f.add(model.Problem{Severity: severity, Code: rule, Message: fmt.Sprintf(format, args...), Count: 1, Offset: offset, Line: line})
}

// join adds problems that were counted elsewhere, in any order: the first in the file is described.
func (f *findings) join(p model.Problem) {
	if i, ok := f.at[findingKey{p.Code, p.Severity}]; ok && p.Line > 0 && p.Line < f.all[i].Line {
		p.Count += f.all[i].Count
		f.all[i] = p
		return
	}
	f.add(p)
}

// add adds problems that were counted elsewhere, none of which precedes earlier ones.
func (f *findings) add(p model.Problem) {
	k := findingKey{p.Code, p.Severity}
	if i, ok := f.at[k]; ok {
		f.all[i].Count += p.Count
		return
	}
	if f.at == nil {
		f.at = map[findingKey]int{}
	}
	f.at[k] = len(f.all)
	f.all = append(f.all, p)
}

// list returns a copy of the problems by their position in the file.
func (f *findings) list() []model.Problem {
	out := slices.Clone(f.all)
	slices.SortStableFunc(out, func(a, b model.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out
}
