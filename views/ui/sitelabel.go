package ui

import (
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// SiteLabels are how tables show sites: what a library function allocates is shown after its caller
// ("open_session › _M_mutate"), since the library's own name tells nothing. Safe for use from any goroutine.
type SiteLabels struct {
	mu     sync.Mutex
	stacks *model.Stacks
	of     map[model.NodeID]SiteLabel

	filter calltree.Filter
	hidden []func(string) bool // functions that the filter hides
}

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

// Label returns how a site of a grouping is shown; full names stand as they are.
func (l *SiteLabels) Label(stacks *model.Stacks, by analysis.Group, s *analysis.Site, full bool) SiteLabel {
	switch {
	case full || by == analysis.ByThread || by == analysis.BySizeClass || by == analysis.ByModule || by == analysis.ByFile:
		return SiteLabel{s.Name, s.Where}
	case by == analysis.ByFunction || by == analysis.ByOwner || stacks == nil || s.Node == 0 || Family(s.Name) == "":
		return SiteLabel{funcname.Bare(s.Name), s.Where}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stacks != stacks {
		l.stacks, l.of = stacks, map[model.NodeID]SiteLabel{}
	}
	out, ok := l.of[s.Node]
	if !ok {
		out = LabelOfCaller(stacks, s, l.hidden)
		l.of[s.Node] = out
	}
	return out
}

// FilterName returns what a step of a filter calls a row: the function that it is named after, its file or module; "" for rows of other
// groups and for what is unknown.
func FilterName(stacks *model.Stacks, by analysis.Group, s *analysis.Site) string {
	switch {
	case s.Name == calltree.UnknownFile:
	case by == analysis.ByStack && s.Node != 0 && stacks != nil && Family(s.Name) != "":
		if n := caller(stacks, s, nil); n != 0 {
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

// LabelOfCaller names the nearest caller outside of libraries; the site itself where there is none.
func LabelOfCaller(stacks *model.Stacks, s *analysis.Site, hidden []func(string) bool) SiteLabel {
	n := caller(stacks, s, hidden)
	if n == 0 {
		return SiteLabel{funcname.Bare(s.Name), s.Where}
	}
	f := stacks.At(stacks.Frame[n])
	return SiteLabel{funcname.Bare(f.Function) + " › " + funcname.Last(funcname.Bare(s.Name)), calltree.Where(f)}
}

// caller returns the nearest caller of a site outside of libraries, 0 where there is none.
func caller(stacks *model.Stacks, s *analysis.Site, hidden []func(string) bool) model.NodeID {
	const far = 64
	n := calltree.SiteNode(stacks, s.Node)
	for range far {
		n = stacks.Parent[n]
		if n == 0 {
			break
		}
		f := stacks.At(stacks.Frame[n])
		if slices.ContainsFunc(hidden, func(match func(string) bool) bool { return match(f.Function) }) {
			continue
		}
		if f.Function != "" && Family(f.Function) == "" {
			return n
		}
	}
	return 0
}
