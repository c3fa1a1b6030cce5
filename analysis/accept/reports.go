package accept

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// keyOfLeak is the key of the label with the kind of leak in leak reports.
const keyOfLeak = "leak"

// noLeak has the kinds of records, by the tool's names, that are memory which the program can still free.
var noLeak = map[string]bool{"reachable": true}

// RecordsLeaks reports whether a stack profile is a leak report: its records are leaks according to the tool that wrote
// it.
func RecordsLeaks(w *model.StackProfile) bool {
	_, ok := weights.Named(w, "leaked_bytes")
	return ok && slices.ContainsFunc(w.Events, func(e model.ProfileEvent) bool { return e.PrimaryName == "leaked_bytes" })
}

// OfReport returns the leaks in a leak report, most bytes first, merged by owner. Memory that is still reachable is not
// a leak. libraries is as in [OfTrace].
func OfReport(ctx context.Context, p *model.Profile, libraries *regexp.Regexp) ([]Leak, error) {
	w := p.Weights
	size, _ := weights.Named(w, "leaked_bytes")
	count, counted := weights.Named(w, "leaked_count")
	owners := calltree.NewOwners(p.Stacks, libraries)
	all := gathered{of: map[model.Frame]*Leak{}, kinds: map[model.Frame]map[string]bool{}, sites: map[model.NodeID]int{}}
	for r := range w.Records.Len() {
		if r%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		kind := kindOfLeak(w, r)
		if noLeak[kind] {
			continue
		}
		leaf := w.Records.Node[r]
		s := Site{Stack: model.StackID(leaf), Frames: framesFrom(p.Stacks, leaf), Count: 1}
		for m, n := range w.Records.Weights.All(r) {
			var sum model.Amount
			sum.Add(n)
			if m == size {
				s.Bytes = sum.Uint64()
			} else if counted && m == count {
				s.Count = sum.Uint64()
			}
		}
		owner := model.Frame{Function: "<no stack>", Line: model.NoLine}
		if leaf != 0 {
			owner = p.Stacks.At(p.Stacks.Frame[owners.Node(leaf)])
		}
		all.add(owner, kind, s)
	}
	leaks := make([]Leak, 0, len(all.of))
	for owner, l := range all.of {
		l.Evidence = evidence(p.Meta.Format, w.SourceTool, all.kinds[owner])
		slices.SortStableFunc(l.Sites, func(a, b Site) int { return cmp.Compare(b.Bytes, a.Bytes) })
		leaks = append(leaks, *l)
	}
	slices.SortFunc(leaks, func(a, b Leak) int {
		x, _ := a.sum()
		y, _ := b.sum()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Owner.Function, b.Owner.Function),
			cmp.Compare(a.Owner.File, b.Owner.File), cmp.Compare(a.Owner.Line, b.Owner.Line))
	})
	return leaks, nil
}

// gathered are the leaks of a report by owner.
type gathered struct {
	of    map[model.Frame]*Leak
	kinds map[model.Frame]map[string]bool
	sites map[model.NodeID]int // by stack: index of its site in the owner's leak
}

// add adds the leak of a stack; a report may list one stack more than once.
func (g *gathered) add(owner model.Frame, kind string, s Site) {
	l := g.of[owner]
	if l == nil {
		l = &Leak{Owner: owner, Confidence: 1}
		g.of[owner], g.kinds[owner] = l, map[string]bool{}
	}
	g.kinds[owner][kind] = true
	at, ok := g.sites[model.NodeID(s.Stack)]
	if !ok {
		g.sites[model.NodeID(s.Stack)] = len(l.Sites)
		l.Sites = append(l.Sites, s)
		return
	}
	have := &l.Sites[at]
	have.Bytes, _ = model.SaturatingAdd(have.Bytes, s.Bytes)
	have.Count, _ = model.SaturatingAdd(have.Count, s.Count)
}

// kindOfLeak returns the kind of leak in a record's labels, or "".
func kindOfLeak(w *model.StackProfile, record int) string {
	if w.Records.Labels == nil {
		return ""
	}
	for _, l := range w.Labels[w.Records.Labels[record]] {
		if l.Key == keyOfLeak {
			return l.Text
		}
	}
	return ""
}

// evidence returns which tool found a leak, and its kinds.
func evidence(format, tool string, kinds map[string]bool) string {
	delete(kinds, "")
	text := cmp.Or(tool, format) + " reports it as leaked"
	if len(kinds) > 0 {
		text += fmt.Sprintf(" (%s)", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return text
}

// framesFrom returns the frames of a stack from its leaf on.
func framesFrom(s *model.Stacks, leaf model.NodeID) iter.Seq[model.Frame] {
	return func(yield func(model.Frame) bool) {
		for n := leaf; n != 0 && yield(s.At(s.Frame[n])); n = s.Parent[n] {
		}
	}
}
