package ui

import (
	"regexp"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// SiteLabels are the names of sites in tables. What a library function allocates is shown after its owner
// ("open_session › _M_mutate"), as in reports, since the library's own name says nothing. Safe for use from any
// goroutine.
type SiteLabels struct {
	libraries *regexp.Regexp // that own nothing in addition to the built-in ones; may be nil

	mu     sync.Mutex
	stacks *model.Stacks
	owners *calltree.Owners // of stacks
	names  *calltree.SiteNames
	of     map[model.NodeID]SiteLabel

	filter calltree.Filter
	hidden []func(string) bool // functions that the filter hides
}

// NewSiteLabels returns labels. libraries is an expression for functions and files that own no memory, in addition to
// the built-in ones; it may be nil.
func NewSiteLabels(libraries *regexp.Regexp) *SiteLabels { return &SiteLabels{libraries: libraries} }

// Follow makes labels leave out functions that a filter hides.
func (l *SiteLabels) Follow(f calltree.Filter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.filter == f {
		return
	}
	l.filter, l.hidden, l.stacks = f, nil, nil
	for _, s := range f.Steps() {
		if s.Kind == calltree.HideFrame {
			l.hidden = append(l.hidden, calltree.FunctionMatcher(s.Name))
		}
	}
}

// SiteLabel is a name and a place, not cleaned.
type SiteLabel struct{ Name, Where string }

// Label returns the label of a site of a grouping, with unshortened names if full is set.
func (l *SiteLabels) Label(stacks *model.Stacks, by analysis.Group, s *analysis.Site, full bool) SiteLabel {
	switch {
	case full || by == analysis.ByThread || by == analysis.BySizeClass || by == analysis.ByModule || by == analysis.ByFile:
		return SiteLabel{s.Name, s.Where}
	case by == analysis.ByFunction || by == analysis.ByOwner || s.Node == 0 || !stacks.Has(s.Node):
		return SiteLabel{funcname.Bare(s.Name), s.Where}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adopt(stacks)
	out, ok := l.of[s.Node]
	if !ok {
		at := l.names.Node(s.Node)
		out = SiteLabel{bareInModule(stacks, at, s.Name), s.Where}
		if n := l.owner(s.Node); n != 0 && n != at {
			f := stacks.At(stacks.Frame[n])
			if f.Function != s.Name {
				out = SiteLabel{bareInModule(stacks, n,
					f.Function) + widget.OwnedSign + funcname.Last(funcname.Bare(s.Name)), calltree.Where(f)}
			}
		}
		l.of[s.Node] = out
	}
	return out
}

// bareInModule returns a function's name as tables show it, with its module if it is an address.
func bareInModule(stacks *model.Stacks, n model.NodeID, name string) string {
	if !funcname.Unnamed(name) || n == 0 {
		return funcname.Bare(name)
	}
	return calltree.InModule(name, stacks.At(stacks.Frame[n]).File)
}

// adopt resets the labels for other stacks. The caller holds the lock.
func (l *SiteLabels) adopt(stacks *model.Stacks) {
	if l.stacks != stacks {
		l.stacks, l.names, l.of = stacks, calltree.NewSiteNames(stacks), map[model.NodeID]SiteLabel{}
		l.owners = calltree.NewOwners(stacks, l.libraries)
	}
}

// siteNode returns the frame that a stack is named after.
func (l *SiteLabels) siteNode(stacks *model.Stacks, leaf model.NodeID) model.NodeID {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adopt(stacks)
	return l.names.Node(leaf)
}

// owner returns the owner of a stack, or the next of its callers that is not hidden; 0 if there is none with a name.
func (l *SiteLabels) owner(leaf model.NodeID) model.NodeID {
	const far = 64
	n := l.owners.Node(leaf)
	for range far {
		if n == 0 {
			break
		}
		name := l.stacks.At(l.stacks.Frame[n]).Function
		if name != "" && !slices.ContainsFunc(l.hidden, func(match func(string) bool) bool { return match(name) }) {
			return n
		}
		n = l.stacks.Parent[n]
	}
	return 0
}

// Place returns the place that a row of sites shows: that of the owner, for full names that of the frame that the row is
// named after; ok is false where neither has one.
func (l *SiteLabels) Place(stacks *model.Stacks, by analysis.Group, id model.StackID, full bool) (at lines.Place, ok bool) {
	if stacks == nil {
		return at, false
	}
	leaf, _ := stacks.Node(id)
	if (by == analysis.ByStack || by == analysis.ByOwner) && !full && leaf != 0 && stacks.Has(leaf) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.adopt(stacks)
		if n := l.owner(leaf); n != 0 {
			if at, ok = PlaceOf(stacks, stacks.Frame[n]); ok {
				return at, true
			}
		}
	}
	return PlaceOfNode(stacks, leaf)
}

// FilterName returns the name of a row in steps of filters: the function that it is named after, its file or module; ""
// for rows of other groups and for unknown names.
func (l *SiteLabels) FilterName(stacks *model.Stacks, by analysis.Group, s *analysis.Site) string {
	switch {
	case s.Name == calltree.UnknownFile:
	case by == analysis.ByStack && s.Node != 0 && stacks.Has(s.Node):
		l.mu.Lock()
		defer l.mu.Unlock()
		l.adopt(stacks)
		if n := l.owner(s.Node); n != 0 {
			return stacks.At(stacks.Frame[n]).Function
		}
		return s.Name
	case by == analysis.ByFunction || by == analysis.ByOwner || by == analysis.ByStack && s.Node != 0:
		return s.Name
	case by == analysis.ByFile:
		return calltree.FilePrefix + s.Name
	case by == analysis.ByModule:
		return calltree.ModulePrefix + s.Name
	}
	return ""
}
