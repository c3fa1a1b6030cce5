package ui

import (
	"context"
	"sync"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// LayoutKey identifies a page layout.
type LayoutKey struct {
	Dump   *DumpFile
	Layout int
}

// LayoutLoad is a decoded layout and how full its pages are. Read-only once made.
type LayoutLoad struct {
	LayoutKey
	*model.Layout
	Fills [][]pages.Fill // by type and page
}

// LayoutFigures are the sums of a layout, and its pages with the fewest occupied bits.
type LayoutFigures struct {
	LayoutKey
	*pages.LayoutFigures
	Sparse []pages.Ref
	Held   int // number of partial pages
}

// DiffKey identifies two layouts.
type DiffKey struct{ A, B LayoutRef }

// LayoutDiff compares two layouts. Read-only once made.
type LayoutDiff struct {
	DiffKey
	*pages.LayoutChange
	Paired []TypeDiff
}

// TypeDiff is the pages of one type in two layouts; was or is is empty where a layout does not have the type.
type TypeDiff struct {
	Was, Is *model.PageType
	Changes []PageChange
}

// PageChange is bits of a page, cut to what 32 bits hold.
type PageChange struct{ Occupied, Freed uint32 }

// DevelopmentKey identifies the layouts of one series.
type DevelopmentKey struct {
	Dump   *DumpFile
	Series int
}

// Development is the sums of the layouts of a series over time.
type Development struct {
	DevelopmentKey
	Moments []layoutMoment
}

// layoutMoment is one layout's figures.
type layoutMoment struct {
	Layout int
	At     model.Time // 0 where unknown
	all    MomentFigures
	types  []MomentFigures
}

// MomentFigures are the sums of a layout.
type MomentFigures struct {
	name                            string
	bytes, Occupied, Returned, Hole uint64
	share                           float64
}

// layoutLoads decodes the layouts of page screens, once for all of them.
type layoutLoads struct {
	*Env
	Load    *Lazy[LayoutKey, *LayoutLoad]
	Figures *Lazy[LayoutKey, *LayoutFigures]
	Diff    *Lazy[DiffKey, *LayoutDiff]
	Over    *Lazy[DevelopmentKey, *Development]
	last    LastLayout
}

// NewLayoutLoads returns loads of page layouts that screens share.
func NewLayoutLoads(e *Env) *layoutLoads {
	l := &layoutLoads{Env: e, Diff: NewLazy(e, diffLayouts), Over: NewLazy(e, computeDevelopment)}
	l.Load = NewLazy(e, func(ctx context.Context, k LayoutKey) (*LayoutLoad, error) { return FillLayout(ctx, k, &l.last) })
	l.Figures = NewLazy(e, func(ctx context.Context, k LayoutKey) (*LayoutFigures, error) { return sumLayout(ctx, k, &l.last) })
	return l
}

// LastLayout caches the layout that was decoded last, because its fills and its sums are separate questions. Any
// goroutine may use it.
type LastLayout struct {
	mu     sync.Mutex
	key    LayoutKey
	layout *model.Layout
}

// open decodes a layout unless it is the last one.
func (l *LastLayout) open(ctx context.Context, k LayoutKey) (*model.Layout, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.layout != nil && l.key == k {
		return l.layout, nil
	}
	if err := ctx.Err(); err != nil { // canceled meanwhile
		return nil, err
	}
	layout, err := k.Dump.Pages.Open(ctx, k.Layout)
	if err == nil {
		l.key, l.layout = k, layout
	}
	return layout, err
}

// FillLayout decodes a layout and measures how full its pages are.
func FillLayout(ctx context.Context, k LayoutKey, last *LastLayout) (*LayoutLoad, error) {
	l, err := last.open(ctx, k)
	if err != nil {
		return nil, err
	}
	out := &LayoutLoad{LayoutKey: k, Layout: l, Fills: make([][]pages.Fill, len(l.Types))}
	for i := range l.Types {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Fills[i] = pages.Fills(&l.Types[i])
	}
	return out, nil
}

// sparseMost is the number of sparse pages that are listed.
const sparseMost = 500

func sumLayout(ctx context.Context, k LayoutKey, last *LastLayout) (*LayoutFigures, error) {
	l, err := last.open(ctx, k)
	if err != nil {
		return nil, err
	}
	out := &LayoutFigures{LayoutKey: k, LayoutFigures: pages.SumLayout(l)}
	out.Sparse, out.Held = pages.SparsePages(l, sparseMost)
	return out, ctx.Err()
}

func diffLayouts(ctx context.Context, k DiffKey) (*LayoutDiff, error) {
	was, err := k.A.Dump.Pages.Open(ctx, k.A.Layout)
	if err != nil {
		return nil, err
	}
	is, err := k.B.Dump.Pages.Open(ctx, k.B.Layout)
	if err != nil {
		return nil, err
	}
	out := &LayoutDiff{DiffKey: k, LayoutChange: pages.DiffLayouts(was, is), Paired: pairTypes(was, is)}
	for i := range out.Paired {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Paired[i].compare()
	}
	return out, nil
}

// pairTypes matches the types of two layouts, as [pages.DiffLayouts] does.
func pairTypes(was, is *model.Layout) []TypeDiff {
	type name struct {
		text string
		nth  int
	}
	var out []TypeDiff
	none, place, seen := &model.PageType{}, map[name]int{}, map[string]int{}
	for i := range was.Types {
		t := &was.Types[i]
		place[name{t.Name, seen[t.Name]}] = i
		seen[t.Name]++
		out = append(out, TypeDiff{Was: t, Is: none})
	}
	clear(seen)
	for i := range is.Types {
		t := &is.Types[i]
		at, ok := place[name{t.Name, seen[t.Name]}]
		seen[t.Name]++
		if ok {
			out[at].Is = t
			continue
		}
		out = append(out, TypeDiff{Was: none, Is: t})
	}
	return out
}

// Name returns the name of the type.
func (t *TypeDiff) Name() string {
	if t.Is.Len() == 0 && t.Is.Name == "" {
		return t.Was.Name
	}
	return t.Is.Name
}

// PageIn returns a page's number in a type, or [pages.NoPage] if the type does not have it.
func PageIn(t *model.PageType, page int) int {
	if page >= t.Len() {
		return pages.NoPage
	}
	return page
}

func (t *TypeDiff) compare() {
	t.Changes = make([]PageChange, max(t.Was.Len(), t.Is.Len()))
	for page := range t.Changes {
		var occupied, freed uint64
		pages.EachChange(t.Was, PageIn(t.Was, page), t.Is, PageIn(t.Is, page), func(was, is bool, bits uint64) {
			switch {
			case is && !was:
				occupied += bits
			case was && !is:
				freed += bits
			}
		})
		t.Changes[page] = PageChange{uint32(min(occupied, 1<<32-1)), uint32(min(freed, 1<<32-1))}
	}
}

func computeDevelopment(ctx context.Context, k DevelopmentKey) (*Development, error) {
	out := &Development{DevelopmentKey: k}
	for _, i := range k.Dump.Layouts[k.Series] {
		l, err := k.Dump.Pages.Open(ctx, i)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // the screen says so where the layout itself is shown
			continue
		}
		f := pages.SumLayout(l)
		m := layoutMoment{Layout: i, At: max(k.Dump.Time(i), 0), all: momentOf(&f.All)}
		for t := range f.Types {
			m.types = append(m.types, momentOf(&f.Types[t]))
		}
		out.Moments = append(out.Moments, m)
	}
	return out, nil
}

func momentOf(f *pages.Figures) MomentFigures {
	return MomentFigures{f.Name, f.Bytes, f.OccupiedBytes, f.Returned, HoleBytes(f.Holes.Largest), f.Share()}
}

// HoleBytes returns how many bytes so many bits represent.
func HoleBytes(bits uint64) uint64 {
	if bits > 1<<60 {
		return 1 << 63
	}
	return 8 * bits
}

// Of returns the figures of one type by name, or of all types if all is set.
func (m *layoutMoment) Of(typeName string, all bool) (f MomentFigures, ok bool) {
	if all {
		return m.all, true
	}
	for i := range m.types {
		if m.types[i].name == typeName {
			return m.types[i], true
		}
	}
	return f, false
}
