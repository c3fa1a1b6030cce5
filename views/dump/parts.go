package dump

import (
	"math/bits"
	"sort"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// partFigures are the bits of a part of a page. With a difference occupied are those newly occupied.
type partFigures struct{ all, occupied, freed uint64 }

// pageRuns are sums from the first bit of a page to the end of each of its runs. A page may have more parts than fit
// into memory, so parts are never stored.
type pageRuns []partFigures

// newPageRuns reads the runs of a page, or of its changes.
func newPageRuns(t *gridPages, page int) (out pageRuns) {
	var sum partFigures
	if t.diff == nil {
		pages.EachPageRun(t.is, page, func(occupied bool, bits uint64) {
			sum.all += bits
			if occupied {
				sum.occupied += bits
			}
			out = append(out, sum)
		})
		return out
	}
	pages.EachChange(t.diff.Was, ui.PageIn(t.diff.Was, page), t.diff.Is, ui.PageIn(t.diff.Is, page), func(was, is bool, bits uint64) {
		sum.all += bits
		switch {
		case is && !was:
			sum.occupied += bits
		case was && !is:
			sum.freed += bits
		}
		out = append(out, sum)
	})
	return out
}

// until returns the sums of the first n bits.
func (r pageRuns) until(n uint64) (sum partFigures) {
	i := sort.Search(len(r), func(i int) bool { return r[i].all >= n })
	if i > 0 {
		sum = r[i-1]
	}
	if i == len(r) {
		return sum
	}
	more := n - sum.all
	sum.all = n
	if r[i].occupied > sum.occupied {
		sum.occupied += more
	} else if r[i].freed > sum.freed {
		sum.freed += more
	}
	return sum
}

// between returns the bits from one to before another.
func (r pageRuns) between(from, to uint64) partFigures {
	a, b := r.until(from), r.until(to)
	return partFigures{b.all - a.all, b.occupied - a.occupied, b.freed - a.freed}
}

// part returns one of so many parts of a page of n bits, cut as evenly as possible.
func (r pageRuns) part(n uint64, part, parts int) partFigures {
	return r.between(partStart(n, part, parts), partStart(n, part+1, parts))
}

// partStart returns the first bit of a part of a page of n bits divided into so many. Where there are more parts than
// bits, those after the last bit are empty.
func partStart(n uint64, part, parts int) uint64 {
	if n < uint64(parts) {
		return min(uint64(part), n)
	}
	return scale(n, part, parts)
}

// scale returns n · part / parts, for part up to parts.
func scale(n uint64, part, parts int) uint64 {
	hi, lo := bits.Mul64(n, uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(parts))
	return q
}

// parts returns how many cells show a page at a level below 0; 1 at others.
func (g *pageGrid) parts(typ int) int {
	if g.level >= 0 {
		return 1
	}
	t := &g.Types[typ]
	if t.most == 0 {
		for page := range t.len() {
			t.most = max(t.most, t.bits(page))
		}
	}
	return int(min(1<<-g.level, max(t.most, 1)))
}

// runsKept is the number of runs of pages that are cached: 24 MiB.
const runsKept = 1 << 20

// runsOf returns the runs of a page.
func (g *pageGrid) runsOf(typ, page int) pageRuns {
	key := state.PageSpot{Typ: typ, Page: page}
	r, ok := g.runs[key]
	if ok {
		return r
	}
	r = newPageRuns(&g.Types[typ], page)
	if g.runs == nil || g.kept+len(r) > runsKept || len(g.runs) >= runsKept/16 {
		g.runs, g.kept = map[state.PageSpot]pageRuns{}, 0
	}
	g.runs[key] = r
	g.kept += len(r)
	return r
}

// partAt returns the figures of a part of a page, at a level below 0.
func (g *pageGrid) partAt(c state.PageSpot) partFigures {
	return g.runsOf(c.Typ, c.Page).part(g.Types[c.Typ].bits(c.Page), c.Part, g.parts(c.Typ))
}
