package group

import (
	"context"
	"regexp"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// StackSet is the result of a filter of the stacks of a trace that are known so far. Read-only once made, except for
// what it caches under the lock of its [groupCache].
type StackSet struct {
	filter  calltree.Filter
	symbols *model.Stacks // that it was made from, nil before they are read
	view    *calltree.FilteredStacks
	keep    []bool // by dense stack index

	folds  [analysis.GroupCount]*Fold
	passes [analysis.GroupCount]*Pass
}

// Has reports whether blocks of a stack are kept. Those of stacks that are newer than the set are not.
func (s *StackSet) Has(stack uint32) bool { return int(stack) < len(s.keep) && s.keep[stack] }

// SetOf returns the set of a filter, or nil for a filter that changes nothing. The caller holds the index's read lock.
func (ix *Names) SetOf(filter calltree.Filter) *StackSet {
	if filter == "" {
		return nil
	}
	symbols := ix.Stacks()
	ix.Groups.Mu.Lock()
	defer ix.Groups.Mu.Unlock()
	old := ix.Groups.set
	if old != nil && old.filter == filter && old.symbols == symbols && len(old.keep) == len(ix.Ids) {
		return old
	}
	s := &StackSet{filter: filter, symbols: symbols, keep: make([]bool, len(ix.Ids))}
	switch {
	case symbols == nil:
	case old != nil && old.filter == filter && old.symbols == symbols:
		s.view = old.view
	default:
		s.view, _ = calltree.FilterStacks(context.Background(), symbols, filter, calltree.FullStacks)
	}
	unknown := calltree.StacksAreKept(filter)
	for i, id := range ix.Ids {
		s.keep[i] = unknown
		if leaf, ok := symbols.Node(id); ok {
			_, s.keep[i] = s.view.Node(leaf)
		}
	}
	ix.Groups.set = s
	return s
}

// Clear sets the weights of stacks that are left out to zero. A nil set leaves none out.
func (s *StackSet) Clear(weights []uint64) {
	for i := range weights {
		if s != nil && !s.Has(uint32(i)) {
			weights[i] = 0
		}
	}
}

// Stacks returns the filtered stacks if the set was made from symbols. A nil set returns nil.
func (s *StackSet) Stacks(symbols *model.Stacks) *model.Stacks {
	if s == nil || s.view == nil {
		return symbols
	}
	return s.view.Stacks
}

// Scope selects the blocks that an answer counts: a cell, and the set of stacks that its filter keeps.
type Scope struct {
	analysis.Cell
	Set *StackSet
}

// Filtered returns the scope of a cell. The caller holds the index's read lock.
func (ix *Names) Filtered(c analysis.Cell) Scope { return Scope{c, ix.SetOf(c.Stacks)} }

// Of returns the scope to use for sums of a dimension: sums by stack need no set, as their keys are those of filtered
// stacks anyway.
func (s Scope) Of(d column.Dim) Scope {
	if d == column.DimStack {
		return Scope{Cell: s.Rectangle()}
	}
	return s
}

// FoldIn maps filtered stacks to groups. Those that are left out get a key of their own, the last one.
func (ix *Names) FoldIn(by analysis.Group, s *StackSet) *Fold {
	if s == nil {
		return ix.foldOf(by)
	}
	if DimOf(by) != column.DimStack {
		return nil
	}
	ix.Groups.Mu.Lock()
	defer ix.Groups.Mu.Unlock()
	if s.folds[by] == nil {
		s.folds[by] = s.makeFold(by, ix.Ids[:len(s.keep)], ix.Libraries)
	}
	return s.folds[by]
}

func (s *StackSet) makeFold(by analysis.Group, ids []model.StackID, libraries *regexp.Regexp) *Fold {
	f := &Fold{stacks: s.symbols, Of: make([]analysis.Key, len(ids)), drops: true}
	if by == analysis.ByStack {
		f.Names = make([]string, len(ids)+1)
		f.labels = make([]label, len(ids))
		names := calltree.NewSiteNames(s.left())
		for i, id := range ids {
			f.Of[i] = analysis.Key(i)
			if !s.keep[i] {
				f.Of[i] = analysis.Key(len(ids))
				continue
			}
			f.labels[i] = s.label(names, id)
		}
		return f
	}
	keys, groups := map[string]analysis.Key{}, NewStackGroups(by, s.left(), libraries)
	for i, id := range ids {
		if !s.keep[i] {
			continue
		}
		name := s.groupName(groups, id)
		k, ok := keys[name]
		if !ok {
			k = analysis.Key(len(f.Names))
			keys[name] = k
			f.Names = append(f.Names, name)
		}
		f.Of[i] = k
	}
	for i, keep := range s.keep {
		if !keep {
			f.Of[i] = analysis.Key(len(f.Names))
		}
	}
	f.Names = append(f.Names, "")
	return f
}

// bare reports whether a filter has hidden all frames of a stack.
func (s *StackSet) bare(id model.StackID) bool {
	if s.view == nil {
		return false
	}
	leaf, known := s.symbols.Node(id)
	left, _ := s.view.Stacks.Node(id)
	return known && leaf != 0 && left == 0
}

// groupName returns the name of the group that a filtered stack belongs to.
func (s *StackSet) groupName(groups *StackGroups, id model.StackID) string {
	if (groups.by == analysis.ByFunction || groups.by == analysis.ByOwner) && s.bare(id) {
		return calltree.NoFrames
	}
	return groups.Name(id)
}

// left returns the filtered stacks, nil before they are read.
func (s *StackSet) left() *model.Stacks {
	if s.view == nil {
		return nil
	}
	return s.view.Stacks
}

// label returns the name of a filtered stack. Its leaf is that of the file's own tree.
func (s *StackSet) label(names *calltree.SiteNames, id model.StackID) label {
	leaf, _ := s.symbols.Node(id)
	if s.bare(id) {
		return label{calltree.NoFrames, "", leaf}
	}
	name, where, _ := names.Name(id)
	return label{name, where, leaf}
}

// Prune removes the row of the stacks that are left out. Rows have their keys.
func (f *Fold) Prune(rows []analysis.Site) []analysis.Site {
	if n := len(rows); f != nil && f.drops && n > 0 && int(rows[n-1].Key) == len(f.Names)-1 {
		return rows[:n-1]
	}
	return rows
}
