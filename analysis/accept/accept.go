// Package accept judges the leaks of a file for a permanent check in CI: it separates new leaks from known ones. Known
// leaks are in a baseline of an earlier run, or match suppressions as LeakSanitizer and Valgrind read them.
package accept

import (
	"cmp"
	"context"
	"iter"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// Leak is what one owner leaks. Leaks are made from any kind of file that finds them, see [OfTrace], [OfSuspects] and
// [OfReport].
type Leak struct {
	Owner      model.Frame
	Evidence   string
	Confidence float64 // 0 … 1
	Sites      []Site  // where, most bytes first

	Rows *model.HeapSet // the unit of Count; nil for blocks
}

// Site is one stack of a leak.
type Site struct {
	Stack        model.StackID
	Frames       iter.Seq[model.Frame] // leaf first; empty if the file does not define the stack
	Bytes, Count uint64                // leaked

	Row    model.Row // of a heap snapshot: the accumulation point
	HasRow bool
}

// Sum returns the sum of all sites.
func (l *Leak) sum() (bytes, count uint64) {
	for i := range l.Sites {
		bytes, _ = model.SaturatingAdd(bytes, l.Sites[i].Bytes)
		count += l.Sites[i].Count
	}
	return bytes, count
}

// OfTrace returns the findings of kind leak of a complete trace, most significant first. libraries is as in
// [analysis.Findings].
func OfTrace(ctx context.Context, t analysis.Trace, p *model.Profile, libraries *regexp.Regexp) ([]Leak, error) {
	found, err := analysis.Findings(ctx, t, p, libraries, 0)
	if err != nil {
		return nil, err
	}
	verdicts, err := t.Verdicts(ctx, analysis.ByStack, "")
	if err != nil {
		return nil, err
	}
	var leaks []Leak
	for i := range found {
		f := &found[i]
		if f.Kind != analysis.FindingLeak {
			continue
		}
		l := Leak{Owner: f.Owner, Evidence: f.Text, Confidence: f.Confidence}
		if !f.HasOwner {
			l.Owner = model.Frame{Function: model.UnknownStack(f.Stacks[0]), Line: model.NoLine}
		}
		for j, id := range f.Stacks {
			v := verdicts.Of(uint32(f.Keys[j]))
			if v.Kind == verdict.Leak {
				l.Sites = append(l.Sites, Site{Stack: id, Frames: framesOf(p.Stacks, id), Bytes: v.Bytes, Count: v.Live})
			}
		}
		slices.SortStableFunc(l.Sites, func(a, b Site) int { return cmp.Compare(b.Bytes, a.Bytes) })
		leaks = append(leaks, l)
	}
	return leaks, nil
}

// framesOf returns the frames of a stack, leaf first.
func framesOf(s *model.Stacks, id model.StackID) iter.Seq[model.Frame] {
	leaf, _ := s.Node(id)
	return framesFrom(s, leaf)
}

// Rules decide which leaks pass.
type Rules struct {
	Least        uint64 // least bytes of a leak that fails; 0 for any
	Baseline     *Baseline
	Suppressions []*Suppressions
}

// Failure is a leak that fails, with only the sites that are not accepted.
type Failure struct {
	Leak
	Bytes, Count uint64 // of these sites
	Accepted     int    // number of sites left out because they are accepted
	Known        uint64 // bytes in the baseline, for a known leak that grew; 0 for an unknown one
}

// Result is the verdict about all leaks of a file.
type Result struct {
	Failures   []Failure // in the order of the leaks
	Known      int       // leaks that pass by the baseline, alone or together with suppressions
	Suppressed int       // leaks that pass by suppressions alone
	Small      int       // leaks with too few bytes to fail
	Stale      []Stale   // entries that no longer match
}

// Stale is an entry of a file that matches no leak.
type Stale struct {
	File string
	Line int    // in the file, 0 if it does not apply
	Name string // of the owner, or the pattern
	Lost string // the pattern that can match no name of the source, as it is a mangled name that cannot be read; or ""
}

// Judge separates leaks that pass from those that fail.
func (r *Rules) Judge(ctx context.Context, leaks []Leak) (Result, error) {
	j := judge{Rules: r, by: make([][]accepted, len(leaks)), entry: make([][]int, len(leaks))}
	if r.Baseline != nil {
		j.sums = make([]uint64, len(r.Baseline.entries))
	}
	for i := range leaks {
		if err := j.look(ctx, i, &leaks[i]); err != nil {
			return Result{}, err
		}
	}
	var out Result
	for i := range leaks {
		j.settle(&out, i, &leaks[i])
	}
	out.Stale = j.stale()
	return out, nil
}

// accepted is the reason why a site passes.
type accepted uint8

const (
	notAccepted accepted = iota
	bySuppression
	byBaseline
)

// judge holds the results for each site of each leak.
type judge struct {
	*Rules
	by    [][]accepted
	entry [][]int  // of the baseline, for sites that are in it
	sums  []uint64 // by entry of the baseline: bytes of the sites that match it
}

// look finds the entries that match the sites of a leak. Suppressions come first: they apply to any size.
func (j *judge) look(ctx context.Context, i int, l *Leak) error {
	j.by[i], j.entry[i] = make([]accepted, len(l.Sites)), make([]int, len(l.Sites))
	for k := range l.Sites {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &l.Sites[k]
		for _, list := range j.Suppressions {
			if list.match(s.Frames) {
				j.by[i][k] = bySuppression
			}
		}
		if j.by[i][k] != notAccepted || j.Baseline == nil {
			continue
		}
		if e := j.Baseline.find(l.Owner, s.Frames); e >= 0 {
			j.by[i][k], j.entry[i][k] = byBaseline, e
			j.sums[e], _ = model.SaturatingAdd(j.sums[e], s.Bytes)
		}
	}
	return nil
}

// settle counts a leak, or adds it to the failures.
func (j *judge) settle(out *Result, i int, l *Leak) {
	f, known := Failure{Leak: *l}, false
	f.Sites = nil
	for k, by := range j.by[i] {
		e := j.entry[i][k]
		switch {
		case by == byBaseline && grew(j.Baseline.entries[e].Bytes, j.sums[e]):
			f.Known = max(f.Known, j.Baseline.entries[e].Bytes)
			fallthrough
		case by == notAccepted:
			f.Sites = append(f.Sites, l.Sites[k])
		default:
			known = known || by == byBaseline
			f.Accepted++
		}
	}
	f.Bytes, f.Count = f.sum()
	switch {
	case len(f.Sites) > 0 && f.Bytes < j.Least:
		out.Small++
	case len(f.Sites) > 0:
		out.Failures = append(out.Failures, f)
	case known:
		out.Known++
	default:
		out.Suppressed++
	}
}

// stale returns the entries that matched nothing.
func (j *judge) stale() (list []Stale) {
	if b := j.Baseline; b != nil {
		for e := range b.entries {
			if !b.entries[e].used {
				list = append(list, Stale{File: b.name, Name: b.entries[e].Owner})
			}
		}
	}
	for _, s := range j.Suppressions {
		for i := range s.list {
			if !s.list[i].used {
				list = append(list, Stale{File: s.name, Line: s.list[i].line, Name: s.list[i].title, Lost: shortened(s.list[i].lost())})
			}
		}
	}
	return list
}
