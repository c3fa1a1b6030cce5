package traceindex

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// stackSet is what a filter makes of the stacks of a trace as far as they are known. Read-only once made, but for what it keeps
// under the lock of its [groupCache].
type stackSet struct {
	filter  calltree.StackFilter
	symbols *model.Stacks // made from these, nil before they are read
	view    *calltree.FilteredStacks
	keep    []bool // by dense stack index

	folds  [analysis.GroupCount]*fold
	passes [analysis.GroupCount]*pass
}

// has reports whether blocks of a stack are kept. Those of stacks that came after the set are not yet.
func (s *stackSet) has(stack uint32) bool { return int(stack) < len(s.keep) && s.keep[stack] }

// setOf is the set of a filter, nil for one that changes nothing. The caller holds the index's read lock.
func (ix *names) setOf(filter calltree.StackFilter) *stackSet {
	if filter == "" {
		return nil
	}
	symbols := ix.stacks()
	ix.groups.mu.Lock()
	defer ix.groups.mu.Unlock()
	old := ix.groups.set
	if old != nil && old.filter == filter && old.symbols == symbols && len(old.keep) == len(ix.ids) {
		return old
	}
	s := &stackSet{filter: filter, symbols: symbols, keep: make([]bool, len(ix.ids))}
	switch {
	case symbols == nil:
	case old != nil && old.filter == filter && old.symbols == symbols:
		s.view = old.view
	default:
		s.view, _ = calltree.FilterStacks(context.Background(), symbols, filter, calltree.WholeStacks) // fails only with its context
	}
	unknown := calltree.StacksAreKept(filter)
	for i, id := range ix.ids {
		s.keep[i] = unknown
		if leaf, ok := symbols.Node(id); ok {
			_, s.keep[i] = s.view.Node(leaf)
		}
	}
	ix.groups.set = s
	return s
}

// clear makes the weights of stacks that are left out zero. A nil set leaves all in.
func (s *stackSet) clear(weights []uint64) {
	for i := range weights {
		if s != nil && !s.has(uint32(i)) {
			weights[i] = 0
		}
	}
}

// stacks is what the set makes of symbols; a nil set makes nothing of them.
func (s *stackSet) stacks(symbols *model.Stacks) *model.Stacks {
	if s == nil || s.view == nil {
		return symbols
	}
	return s.view.Stacks
}

// scope says which blocks an answer counts: a cell, and the set of stacks that its filter keeps.
type scope struct {
	analysis.Cell
	set *stackSet
}

// filtered returns the scope of a cell. The caller holds the index's read lock.
func (ix *names) filtered(c analysis.Cell) scope { return scope{c, ix.setOf(c.Stacks)} }

// of is the scope as sums of a dimension need it: those by stack are put together by what is left of the stacks anyway.
func (s scope) of(d dim) scope {
	if d == dimStack {
		return scope{Cell: s.Rectangle()}
	}
	return s
}

// foldIn maps stacks to groups after a filter: those that are left out to a key of their own, the last one.
func (ix *names) foldIn(by analysis.Group, s *stackSet) *fold {
	if s == nil {
		return ix.foldOf(by)
	}
	if dimOf(by) != dimStack {
		return nil
	}
	ix.groups.mu.Lock()
	defer ix.groups.mu.Unlock()
	if s.folds[by] == nil {
		s.folds[by] = s.makeFold(by, ix.ids[:len(s.keep)])
	}
	return s.folds[by]
}

func (s *stackSet) makeFold(by analysis.Group, ids []model.StackID) *fold {
	f := &fold{stacks: s.symbols, of: make([]analysis.Key, len(ids)), drops: true}
	if by == analysis.ByStack {
		f.names = make([]string, len(ids)+1)
		f.labels = make([]label, len(ids))
		for i, id := range ids {
			f.of[i] = analysis.Key(i)
			if !s.keep[i] {
				f.of[i] = analysis.Key(len(ids))
				continue
			}
			f.labels[i] = s.label(id)
		}
		return f
	}
	keys := map[string]analysis.Key{}
	for i, id := range ids {
		if !s.keep[i] {
			continue
		}
		name := s.groupName(by, id)
		k, ok := keys[name]
		if !ok {
			k = analysis.Key(len(f.names))
			keys[name] = k
			f.names = append(f.names, name)
		}
		f.of[i] = k
	}
	for i, keep := range s.keep {
		if !keep {
			f.of[i] = analysis.Key(len(f.names))
		}
	}
	f.names = append(f.names, "")
	return f
}

// bare reports whether a filter has hidden all frames of a stack.
func (s *stackSet) bare(id model.StackID) bool {
	if s.view == nil {
		return false
	}
	leaf, known := s.symbols.Node(id)
	left, _ := s.view.Stacks.Node(id)
	return known && leaf != 0 && left == 0
}

// groupName is the name of the group that what is left of a stack belongs to.
func (s *stackSet) groupName(by analysis.Group, id model.StackID) string {
	switch {
	case by == analysis.ByFunction && s.bare(id):
		return calltree.NoFrames
	case s.view == nil:
		return stackGroupName(by, nil, id)
	}
	return stackGroupName(by, s.view.Stacks, id)
}

// label is how what is left of a stack is shown. Its leaf is that of the file's own tree.
func (s *stackSet) label(id model.StackID) label {
	leaf, _ := s.symbols.Node(id)
	if s.bare(id) {
		return label{calltree.NoFrames, "", leaf}
	}
	var left *model.Stacks
	if s.view != nil {
		left = s.view.Stacks
	}
	name, where, _ := calltree.SiteName(left, id)
	return label{name, where, leaf}
}

// prune takes away the row of the stacks that are left out. Rows have their keys.
func (f *fold) prune(rows []analysis.Site) []analysis.Site {
	if n := len(rows); f != nil && f.drops && n > 0 && int(rows[n-1].Key) == len(f.names)-1 {
		return rows[:n-1]
	}
	return rows
}
