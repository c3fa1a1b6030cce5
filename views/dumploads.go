package views

import (
	"context"
	"sync"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// layoutKey names a page layout.
type layoutKey struct {
	dump   *dumpFile
	layout int
}

// layoutLoad is a decoded layout and how full its pages are. Read-only once made.
type layoutLoad struct {
	layoutKey
	*model.Layout
	fills [][]pages.PageFill // by type and page
}

// layoutFigures is what a layout adds up to, and the pages that are held by least.
type layoutFigures struct {
	layoutKey
	*pages.LayoutFigures
	sparse []pages.PageRef
	held   int // partial pages there are
}

// diffKey names two layouts.
type diffKey struct{ a, b layoutRef }

// layoutDiff compares two layouts. Read-only once made.
type layoutDiff struct {
	diffKey
	*pages.LayoutChange
	paired []typeDiff
}

// typeDiff is the pages of one type in two layouts; was or is is empty where a layout does not have the type.
type typeDiff struct {
	was, is *model.PageType
	changes []pageChange
}

// pageChange is bits of a page, cut to what 32 bits hold.
type pageChange struct{ occupied, freed uint32 }

// developmentKey names the layouts of one series.
type developmentKey struct {
	dump   *dumpFile
	series int
}

// development is what the layouts of a series add up to, by time.
type development struct {
	developmentKey
	moments []layoutMoment
}

// layoutMoment is one layout's figures.
type layoutMoment struct {
	layout int
	at     model.Time // 0 where nobody knows
	all    momentFigures
	types  []momentFigures
}

type momentFigures struct {
	name                            string
	bytes, occupied, returned, hole uint64
	share                           float64
}

// layoutLoads decodes the layouts that screens of pages are about, once for all of them.
type layoutLoads struct {
	*env
	load    *lazy[layoutKey, *layoutLoad]
	figures *lazy[layoutKey, *layoutFigures]
	diff    *lazy[diffKey, *layoutDiff]
	over    *lazy[developmentKey, *development]
	last    lastLayout
}

func newLayoutLoads(e *env) *layoutLoads {
	l := &layoutLoads{env: e, diff: newLazy(e, diffLayouts), over: newLazy(e, fetchDevelopment)}
	l.load = newLazy(e, func(ctx context.Context, k layoutKey) (*layoutLoad, error) { return fillLayout(ctx, k, &l.last) })
	l.figures = newLazy(e, func(ctx context.Context, k layoutKey) (*layoutFigures, error) { return sumLayout(ctx, k, &l.last) })
	return l
}

// lastLayout keeps the layout that was decoded last: how full its pages are and what they add up to are two questions. Any
// goroutine may use it.
type lastLayout struct {
	mu     sync.Mutex
	key    layoutKey
	layout *model.Layout
}

// open decodes a layout unless it is the last one.
func (l *lastLayout) open(ctx context.Context, k layoutKey) (*model.Layout, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.layout != nil && l.key == k {
		return l.layout, nil
	}
	if err := ctx.Err(); err != nil { // nobody waits any more
		return nil, err
	}
	layout, err := k.dump.pages.Open(ctx, k.layout)
	if err == nil {
		l.key, l.layout = k, layout
	}
	return layout, err
}

func fillLayout(ctx context.Context, k layoutKey, last *lastLayout) (*layoutLoad, error) {
	l, err := last.open(ctx, k)
	if err != nil {
		return nil, err
	}
	out := &layoutLoad{layoutKey: k, Layout: l, fills: make([][]pages.PageFill, len(l.Types))}
	for i := range l.Types {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.fills[i] = pages.PageFills(&l.Types[i])
	}
	return out, nil
}

// sparseMost is how many of the pages held by least are listed.
const sparseMost = 500

func sumLayout(ctx context.Context, k layoutKey, last *lastLayout) (*layoutFigures, error) {
	l, err := last.open(ctx, k)
	if err != nil {
		return nil, err
	}
	out := &layoutFigures{layoutKey: k, LayoutFigures: pages.SumLayout(l)}
	out.sparse, out.held = pages.SparsePages(l, sparseMost)
	return out, ctx.Err()
}

func diffLayouts(ctx context.Context, k diffKey) (*layoutDiff, error) {
	was, err := k.a.dump.pages.Open(ctx, k.a.layout)
	if err != nil {
		return nil, err
	}
	is, err := k.b.dump.pages.Open(ctx, k.b.layout)
	if err != nil {
		return nil, err
	}
	out := &layoutDiff{diffKey: k, LayoutChange: pages.DiffLayouts(was, is), paired: pairTypes(was, is)}
	for i := range out.paired {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.paired[i].compare()
	}
	return out, nil
}

// pairTypes puts the types of two layouts together, as [analysis.DiffLayouts] does.
func pairTypes(was, is *model.Layout) []typeDiff {
	type name struct {
		text string
		nth  int
	}
	var out []typeDiff
	none, place, seen := &model.PageType{}, map[name]int{}, map[string]int{}
	for i := range was.Types {
		t := &was.Types[i]
		place[name{t.Name, seen[t.Name]}] = i
		seen[t.Name]++
		out = append(out, typeDiff{was: t, is: none})
	}
	clear(seen)
	for i := range is.Types {
		t := &is.Types[i]
		at, ok := place[name{t.Name, seen[t.Name]}]
		seen[t.Name]++
		if ok {
			out[at].is = t
			continue
		}
		out = append(out, typeDiff{was: none, is: t})
	}
	return out
}

// name is that of the type.
func (t *typeDiff) name() string {
	if t.is.Len() == 0 && t.is.Name == "" {
		return t.was.Name
	}
	return t.is.Name
}

// page is a page's number in a type, or [analysis.NoPage].
func pageIn(t *model.PageType, page int) int {
	if page >= t.Len() {
		return pages.NoPage
	}
	return page
}

func (t *typeDiff) compare() {
	t.changes = make([]pageChange, max(t.was.Len(), t.is.Len()))
	for page := range t.changes {
		var occupied, freed uint64
		pages.EachChange(t.was, pageIn(t.was, page), t.is, pageIn(t.is, page), func(was, is bool, bits uint64) {
			switch {
			case is && !was:
				occupied += bits
			case was && !is:
				freed += bits
			}
		})
		t.changes[page] = pageChange{uint32(min(occupied, 1<<32-1)), uint32(min(freed, 1<<32-1))}
	}
}

func fetchDevelopment(ctx context.Context, k developmentKey) (*development, error) {
	out := &development{developmentKey: k}
	for _, i := range k.dump.layouts[k.series] {
		l, err := k.dump.pages.Open(ctx, i)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // the screen says so where the layout itself is shown
			continue
		}
		f := pages.SumLayout(l)
		m := layoutMoment{layout: i, at: max(k.dump.time(i), 0), all: momentOf(&f.All)}
		for t := range f.Types {
			m.types = append(m.types, momentOf(&f.Types[t]))
		}
		out.moments = append(out.moments, m)
	}
	return out, nil
}

func momentOf(f *pages.PageFigures) momentFigures {
	return momentFigures{f.Name, f.Bytes, f.OccupiedBytes, f.Returned, holeBytes(f.Holes.Largest), f.Share()}
}

// holeBytes is how many bytes so many bits stand for.
func holeBytes(bits uint64) uint64 {
	if bits > 1<<60 {
		return 1 << 63
	}
	return 8 * bits
}

// of is the figures of one type by name, of everything for "".
func (m *layoutMoment) of(typeName string, all bool) (f momentFigures, ok bool) {
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
