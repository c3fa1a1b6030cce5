package views

import (
	"slices"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// siteLabels are how tables show sites: what a library function allocates for somebody is shown after who that is
// ("open_session › _M_mutate"), since the library's own name tells nothing. Safe for use from any goroutine.
type siteLabels struct {
	mu     sync.Mutex
	stacks *model.Stacks
	of     map[model.NodeID]siteLabel

	filter calltree.StackFilter
	hidden []func(string) bool // functions that the filter hides
}

// follow makes labels leave out functions that a filter hides.
func (l *siteLabels) follow(f calltree.StackFilter) {
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

// siteLabel is a name and a place, not cleaned.
type siteLabel struct{ name, where string }

// label is how a site of a grouping is shown; full names stand as they are.
func (l *siteLabels) label(stacks *model.Stacks, by analysis.Group, s *analysis.Site, full bool) siteLabel {
	switch {
	case full || by == analysis.ByThread || by == analysis.BySizeClass || by == analysis.ByModule || by == analysis.ByFile:
		return siteLabel{s.Name, s.Where}
	case by == analysis.ByFunction || stacks == nil || s.Node == 0 || family(s.Name) == "":
		return siteLabel{bareFunction(s.Name), s.Where}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stacks != stacks {
		l.stacks, l.of = stacks, map[model.NodeID]siteLabel{}
	}
	out, ok := l.of[s.Node]
	if !ok {
		out = labelOfCaller(stacks, s, l.hidden)
		l.of[s.Node] = out
	}
	return out
}

// siteFunction is the function that a row stands for, "" for rows of other groups and unknown stacks.
func siteFunction(by analysis.Group, s *analysis.Site) string {
	if by == analysis.ByFunction || by == analysis.ByStack && s.Node != 0 {
		return s.Name
	}
	return ""
}

// labelOfCaller names the nearest caller outside of libraries; the site itself where there is none.
func labelOfCaller(stacks *model.Stacks, s *analysis.Site, hidden []func(string) bool) siteLabel {
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
		if f.Function != "" && family(f.Function) == "" {
			return siteLabel{bareFunction(f.Function) + " › " + lastScope(bareFunction(s.Name)), calltree.Where(f)}
		}
	}
	return siteLabel{bareFunction(s.Name), s.Where}
}

// bareFunction is a function's name for tables: without template arguments, arguments and return type.
func bareFunction(name string) string { return widget.WithoutSignature(widget.ShortenTemplates(name)) }

// lastScope is what follows the last "::" of a name.
func lastScope(name string) string {
	if i := strings.LastIndex(name, "::"); i >= 0 && i+2 < len(name) {
		return name[i+2:]
	}
	return name
}
