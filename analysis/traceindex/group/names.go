package group

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// Names has the names of stacks and threads.
type Names struct {
	Store   *model.Store    // for symbols, which arrive when they are read; nil if nothing was built
	Ids     []model.StackID // by dense index
	Threads []uint16        // by dense index
	Groups  groupCache

	Libraries *regexp.Regexp // own no memory, in addition to the built-in ones; may be nil. Set before first use
}

// Profile returns the current revision, nil before there is one.
func (ix *Names) Profile() *model.Profile {
	if ix.Store == nil {
		return nil
	}
	return ix.Store.Current()
}

// Stacks returns the symbols read so far, or nil.
func (ix *Names) Stacks() *model.Stacks {
	if p := ix.Profile(); p != nil {
		return p.Stacks
	}
	return nil
}

// Places returns a function that returns where the blocks of a key of stacks are allocated, see [calltree.Owners.Place].
func (ix *Names) Places() func(key uint32) string {
	owners := calltree.NewOwners(ix.Stacks(), nil)
	return func(key uint32) string { return owners.Place(ix.Ids[key]) }
}

// groupCache caches what is derived from symbols and from complete passes until more is loaded. Its lock is taken
// inside the index's read lock, never the other way round.
type groupCache struct {
	Mu     sync.Mutex
	folds  [analysis.GroupCount]*Fold
	passes [analysis.GroupCount]*Pass
	labels labels
	set    *StackSet // of the last filter; nil before the first

	CellPeaks cellPeaks // has a lock of its own
}

// labels are the names of stacks, by dense index: finding the frame that a stack is named after is too slow to repeat
// at every instant.
type labels struct {
	stacks *model.Stacks // made from these symbols
	of     []label
}

type label struct {
	name, where string
	leaf        model.NodeID
}

// labelsOf returns the labels of all stacks. They are read-only once made; later ones are appended.
func (ix *Names) labelsOf(s *model.Stacks) []label {
	ix.Groups.Mu.Lock()
	defer ix.Groups.Mu.Unlock()
	l := &ix.Groups.labels
	if l.stacks != s {
		*l = labels{stacks: s}
	}
	names := calltree.NewSiteNames(s)
	for _, id := range ix.Ids[len(l.of):] {
		name, where, leaf := names.Name(id)
		l.of = append(l.of, label{name, where, leaf})
	}
	return l.of
}

// Fold maps dense stack indexes to the keys of a group that is derived from stacks. Read-only once made.
type Fold struct {
	stacks *model.Stacks  // derived from these symbols
	Of     []analysis.Key // by dense stack index: the group's key
	Names  []string       // by key
	labels []label        // by key, of stacks after a filter
	drops  bool           // the last key is that of the stacks that the filter leaves out
}

// DimOf returns the dimension whose sums a group needs.
func DimOf(by analysis.Group) column.Dim {
	switch by {
	case analysis.ByThread:
		return column.DimThread
	case analysis.BySizeClass:
		return column.DimSize
	}
	return column.DimStack
}

// foldOf returns the mapping of stacks to groups, or nil for groups that are a dimension themselves.
func (ix *Names) foldOf(by analysis.Group) *Fold {
	if by == analysis.ByStack || DimOf(by) != column.DimStack {
		return nil
	}
	symbols := ix.Stacks()
	ix.Groups.Mu.Lock()
	defer ix.Groups.Mu.Unlock()
	if f := ix.Groups.folds[by]; f != nil && f.stacks == symbols && len(f.Of) == len(ix.Ids) {
		return f
	}
	f := &Fold{stacks: symbols, Of: make([]analysis.Key, len(ix.Ids))}
	groups := NewStackGroups(by, symbols, ix.Libraries)
	keys := map[string]analysis.Key{}
	for i, id := range ix.Ids {
		name := groups.Name(id)
		k, ok := keys[name]
		if !ok {
			k = analysis.Key(len(f.Names))
			keys[name] = k
			f.Names = append(f.Names, name)
		}
		f.Of[i] = k
	}
	ix.Groups.folds[by] = f
	return f
}

// KeyOf returns the group's key for a dimension's key.
func (f *Fold) KeyOf(dimKey uint32) analysis.Key {
	if f == nil {
		return analysis.Key(dimKey)
	}
	return f.Of[dimKey]
}

// StackGroups has the names of the groups that stacks belong to, by their leaf frames or their owners. It is for one
// goroutine.
type StackGroups struct {
	by     analysis.Group
	stacks *model.Stacks
	owners *calltree.Owners
}

// NewStackGroups returns the groups of some stacks, which may be nil. libraries matches functions and files that own
// no memory, in addition to the built-in ones; nil for none.
func NewStackGroups(by analysis.Group, s *model.Stacks, libraries *regexp.Regexp) *StackGroups {
	return &StackGroups{by, s, calltree.NewOwners(s, libraries)}
}

// Name returns the name of the group that a stack belongs to.
func (g *StackGroups) Name(id model.StackID) string {
	s := g.stacks
	leaf, ok := s.Node(id)
	if g.by == analysis.ByFunction || g.by == analysis.ByOwner {
		switch {
		case !ok || leaf == 0:
			return model.UnknownStack(id)
		case g.by == analysis.ByOwner:
			leaf = g.owners.Node(leaf)
		}
		return calltree.FunctionName(s, leaf)
	}
	file := ""
	if ok {
		file = s.At(s.Frame[leaf]).File
	}
	if file == "" {
		return calltree.UnknownFile
	}
	if g.by == analysis.ByModule {
		return calltree.Module(file)
	}
	return file
}

// dimensionName returns the name of a key of a dimension that is itself a group, other than stacks.
func (ix *Names) dimensionName(by analysis.Group, k analysis.Key) string {
	if by == analysis.ByThread {
		if ix.Store != nil && ix.Store.Current() != nil && ix.Store.Current().Meta.NoThreads {
			return analysis.NoThreads
		}
		return "thread " + strconv.Itoa(int(ix.Threads[k]))
	}
	lo, hi := analysis.SizeBounds(uint32(k))
	if lo == hi {
		return fmt.Sprintf("%d B", lo)
	}
	return strings.TrimSuffix(model.Bytes(lo).String(), " B") + " … " + analysis.SizeEnd(hi)
}

// MarkerName returns the name of a marker, or its number if the file does not name it.
func (ix *Names) MarkerName(id uint64) string {
	if p := ix.Profile(); p != nil && p.Allocations != nil {
		if name, ok := p.Allocations.MarkerName(id); ok {
			return name
		}
	}
	return model.UnknownMarker(id)
}
