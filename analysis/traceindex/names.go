package traceindex

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// names are what stacks and threads are called.
type names struct {
	store   *model.Store    // for symbols, which arrive when they are read; nil in an index nothing was built into
	ids     []model.StackID // by dense index
	threads []uint16        // by dense index
	groups  groupCache
}

func (ix *names) profile() *model.Profile {
	if ix.store == nil {
		return nil
	}
	return ix.store.Current()
}

// stacks returns the symbols as far as they are read, nil before.
func (ix *names) stacks() *model.Stacks {
	if p := ix.profile(); p != nil {
		return p.Stacks
	}
	return nil
}

// groupCache keeps what is derived from symbols and from whole passes until more is loaded. Its lock is taken inside the
// index's read lock, never the other way round.
type groupCache struct {
	mu     sync.Mutex
	folds  [analysis.GroupCount]*fold
	passes [analysis.GroupCount]*pass
	labels labels
	set    *stackSet // of the filter asked for last; nil before the first

	cellPeaks cellPeaks
}

// cellPeaks are the peaks of groups that were asked for last of a cell. Read-only once made.
type cellPeaks struct {
	key  cellPeaksKey
	fold *fold
	peak []uint64 // by key
}

type cellPeaksKey struct {
	by     analysis.Group
	in     scope
	lo, hi int // events
	keys   int
}

// labels are how stacks are shown, by dense index: the search for the telling frame is too slow to repeat at every instant.
type labels struct {
	stacks *model.Stacks // made from these symbols
	of     []label
}

type label struct {
	name, where string
	leaf        model.NodeID
}

// labelsOf returns the labels of all stacks. They are read-only once made; later ones are appended.
func (ix *names) labelsOf(s *model.Stacks) []label {
	ix.groups.mu.Lock()
	defer ix.groups.mu.Unlock()
	l := &ix.groups.labels
	if l.stacks != s {
		*l = labels{stacks: s}
	}
	for _, id := range ix.ids[len(l.of):] {
		name, where, leaf := calltree.SiteName(s, id)
		l.of = append(l.of, label{name, where, leaf})
	}
	return l.of
}

// fold maps dense stack indexes to the keys of a group that is derived from stacks. Read-only once made.
type fold struct {
	stacks *model.Stacks  // derived from these symbols
	of     []analysis.Key // by dense stack index
	names  []string       // by key
	labels []label        // by key, of stacks after a filter
	drops  bool           // the last key is that of the stacks that a filter leaves out
}

// dimOf is the dimension whose sums a group needs.
func dimOf(by analysis.Group) dim {
	switch by {
	case analysis.ByThread:
		return dimThread
	case analysis.BySizeClass:
		return dimSize
	}
	return dimStack
}

// foldOf returns the mapping of stacks to groups, nil for groups that are a dimension themselves.
func (ix *names) foldOf(by analysis.Group) *fold {
	if by == analysis.ByStack || dimOf(by) != dimStack {
		return nil
	}
	symbols := ix.stacks()
	ix.groups.mu.Lock()
	defer ix.groups.mu.Unlock()
	if f := ix.groups.folds[by]; f != nil && f.stacks == symbols && len(f.of) == len(ix.ids) {
		return f
	}
	f := &fold{stacks: symbols, of: make([]analysis.Key, len(ix.ids))}
	keys := map[string]analysis.Key{}
	for i, id := range ix.ids {
		name := stackGroupName(by, symbols, id)
		k, ok := keys[name]
		if !ok {
			k = analysis.Key(len(f.names))
			keys[name] = k
			f.names = append(f.names, name)
		}
		f.of[i] = k
	}
	ix.groups.folds[by] = f
	return f
}

// keyOf is the group's key of a dimension's key.
func (f *fold) keyOf(dimKey uint32) analysis.Key {
	if f == nil {
		return analysis.Key(dimKey)
	}
	return f.of[dimKey]
}

// stackGroupName is the name of the group that a stack's leaf frame belongs to.
func stackGroupName(by analysis.Group, s *model.Stacks, id model.StackID) string {
	leaf, ok := s.Node(id)
	if by == analysis.ByFunction {
		if !ok || leaf == 0 {
			return model.UnknownStack(id)
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
	if by == analysis.ByModule {
		return calltree.Module(file)
	}
	return file
}

// dimensionName names a key of a dimension that is a group itself, other than stacks.
func (ix *names) dimensionName(by analysis.Group, k analysis.Key) string {
	if by == analysis.ByThread {
		return "thread " + strconv.Itoa(int(ix.threads[k]))
	}
	lo, hi := analysis.SizeBounds(uint32(k))
	if lo == hi {
		return fmt.Sprintf("%d B", lo)
	}
	return strings.TrimSuffix(model.Bytes(lo).String(), " B") + " … " + analysis.SizeEnd(hi)
}
