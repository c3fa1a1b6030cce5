package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtui/memtui/model"
)

// FindingKind says what a finding is about.
type FindingKind uint8

const (
	FindingDamage    FindingKind = iota // a part of the file could not be read
	FindingNoAddress                    // blocks that can never be freed: live figures are upper bounds
	FindingGrowing                      // a leak that grows steadily
	FindingKept                         // blocks that were never freed
	FindingCache                        // grew, then stayed: a cache or a pool that filled up
	FindingBurst                        // holds a good part of the peak for a short time
	FindingPeak                         // holds a good part of the peak
	FindingLate                         // given back only at the end of the run
	FindingTemporary                    // freed by the very next event
	FindingHot                          // allocates most
	FindingClean                        // everything was freed
)

// String returns the label of lists, at most ten cells.
func (k FindingKind) String() string {
	return [...]string{
		"damaged", "no address", "leak grows", "leak", "cache?", "burst", "peak", "freed late", "temporary", "most bytes", "no leak",
	}[k]
}

// Finding is one thing worth looking at, with its evidence.
type Finding struct {
	Kind    FindingKind
	Site    Site // what it is about, grouped by stack; its Name is empty where it is about the whole file
	At      Instant
	HasAt   bool     // At is where to look
	History []uint64 // how it developed over the run, HistoryColumns columns; nil where that says nothing
	Text    string   // what goes on after the site's name: "13 blocks of 2.50 KiB, 1 per 4.71 ms, none freed"
}

// maxFindings is how many findings there are at most: more are not read.
const maxFindings = 7

// Thresholds of what is worth a line.
const (
	leakPart      = 0.01 // of all leaked bytes
	growingPart   = 0.005
	peakPart      = 0.05 // of the peak, for one site
	burstRun      = 0.25 // of the run: longer is not a burst
	latePart      = 0.05 // of the peak, for all late-freed blocks together
	temporaryPart = 0.30 // of a site's blocks
	hotPart       = 0.01 // of all blocks, for one site's temporary ones
	maxPeakBlocks = 500_000
)

// limits are the most findings of kinds that may be many.
func (k FindingKind) limit() int {
	switch k {
	case FindingGrowing:
		return 3
	case FindingKept:
		return 2
	}
	return 1
}

// Findings returns what is most worth looking at in the whole of a trace, most telling first, at most [maxFindings]. p may
// be nil. It costs some walks over the trace: ask for it when everything is read.
func Findings(ctx context.Context, t Trace, p *model.Profile) ([]Finding, error) {
	f := finder{ctx: ctx, t: t, status: t.Status(), whole: p == nil || p.Complete && p.Lost == 0}
	f.damage(p)
	for _, look := range []func() error{f.prepare, f.leaks, f.peak, f.late, f.temporary, f.hot, f.trim, f.histories} {
		if err := look(); err != nil {
			return nil, err
		}
		if f.totals.AllocCount == 0 {
			break
		}
	}
	return f.out, ctx.Err()
}

// finder collects findings in the order of their weight.
type finder struct {
	ctx    context.Context
	t      Trace
	status Status
	whole  bool // nothing of the file is missing
	totals Totals
	sites  []Site // at the peak, over the whole run
	top    Peak
	out    []Finding
}

// add appends a finding unless there are enough of its kind.
func (f *finder) add(x Finding) {
	same := 0
	for i := range f.out {
		if f.out[i].Kind == x.Kind {
			same++
		}
	}
	if same < x.Kind.limit() {
		f.out = append(f.out, x)
	}
}

func (f *finder) damage(p *model.Profile) {
	switch {
	case p == nil:
	case p.Lost > 0:
		f.add(Finding{Kind: FindingDamage, Text: model.Bytes(p.Lost).String() + " of the file could not be read: totals are lower bounds"})
	case !p.Complete && f.status.Final:
		f.add(Finding{Kind: FindingDamage, Text: "the file is not complete: totals are lower bounds"})
	}
}

// prepare asks for what several findings need.
func (f *finder) prepare() (err error) {
	if f.totals, err = f.t.Totals(f.ctx, Whole); err != nil {
		return err
	}
	if f.top, _, err = f.t.Peak(f.ctx, Whole); err != nil {
		return err
	}
	if f.sites, err = f.t.Sites(f.ctx, Query{At: f.top.Instant, Range: Whole}); err != nil {
		return err
	}
	if n := f.totals.UnaddressedCount; n > 0 {
		f.add(Finding{Kind: FindingNoAddress, Text: fmt.Sprintf("%s of %s blocks have no address: live is an upper bound",
			model.Group(n), model.Group(f.totals.AllocCount))})
	}
	return nil
}

func (f *finder) leaks() error {
	if f.status.FreesNever { // then everything is "never freed", and it means nothing
		return nil
	}
	l, err := f.t.Leaks(f.ctx, LeakQuery{Range: Whole})
	if err != nil {
		return err
	}
	if l.Count == 0 && f.whole {
		f.add(Finding{Kind: FindingClean, Text: "all " + model.Group(f.totals.AllocCount) + " blocks were freed"})
	}
	for _, kind := range []FindingKind{FindingGrowing, FindingKept, FindingCache} {
		for i := range l.Sites {
			s := &l.Sites[i]
			part := leakPart
			if kind == FindingGrowing {
				part = growingPart
			}
			if leakKind(s) == kind && ratio(s.Bytes, l.Bytes) >= part {
				f.add(Finding{Kind: kind, Site: s.Site, History: s.History, Text: leakText(kind, s)})
			}
		}
	}
	return nil
}

func leakKind(s *LeakSite) FindingKind {
	switch s.Shape.Kind {
	case ShapeLinear:
		return FindingGrowing
	case ShapePlateau:
		return FindingCache
	}
	return FindingKept
}

// leakText returns the evidence of a leak: how much, when, and what became of the other blocks of the site.
func leakText(kind FindingKind, s *LeakSite) string {
	text := blocksOf(s.Count, s.Bytes)
	switch {
	case kind == FindingGrowing && s.Count > 1:
		text += fmt.Sprintf(", 1 per %v", max((s.Last-s.First)/model.Time(s.Count-1), 1))
	case kind == FindingCache:
		text += fmt.Sprintf(", none after %v", s.Last)
	case s.Count == 1 || s.First == s.Last:
		text += fmt.Sprintf(" since %v", s.First)
	default:
		text += fmt.Sprintf(" from %v to %v", s.First, s.Last)
	}
	switch {
	case s.AllocCount == s.Count && s.Count == 1:
	case s.AllocCount == s.Count:
		text += ", none freed"
	default:
		text += fmt.Sprintf(", %s freed", model.Group(s.AllocCount-s.Count))
	}
	return text
}

// blocksOf is "13 blocks of 2.50 KiB", or with their sum where they differ in size.
func blocksOf(count, bytes uint64) string {
	switch {
	case count == 1:
		return "1 block of " + model.Bytes(bytes).String()
	case count > 0 && bytes%count == 0:
		return model.Group(count) + " blocks of " + model.Bytes(bytes/count).String()
	}
	return model.Group(count) + " blocks, " + model.Bytes(bytes).String()
}

// peak looks for who holds a good part of the peak and is not a leak, which was told already.
func (f *finder) peak() error {
	slices.SortFunc(f.sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.LiveBytes, a.LiveBytes), cmp.Compare(a.Stack, b.Stack))
	})
	for _, s := range f.sites[:min(len(f.sites), maxFindings)] {
		share := ratio(s.LiveBytes, f.top.Bytes)
		if share < peakPart || s.LeakBytes > s.LiveBytes/2 {
			continue
		}
		text := fmt.Sprintf("%v of the peak (%v)", model.Bytes(s.LiveBytes), model.Share(share))
		kind := FindingPeak
		held, err := f.heldAtPeak(&s)
		if err != nil {
			return err
		}
		if held > 0 {
			text += fmt.Sprintf(" for %v", held)
			if float64(held) <= burstRun*float64(f.status.Duration) {
				kind = FindingBurst
			}
		}
		f.add(Finding{Kind: kind, Site: s, At: f.top.Instant, HasAt: true, Text: text})
		return nil
	}
	return nil
}

// heldAtPeak returns how long at least half of what a site holds at the peak was there; 0 when that is too much to look at.
func (f *finder) heldAtPeak(s *Site) (model.Time, error) {
	if s.LiveCount > maxPeakBlocks {
		return 0, nil
	}
	list, err := f.t.Blocks(f.ctx, BlockQuery{At: f.top.Instant, By: ByStack, Key: s.Key, Sort: OldestFirst, NoAddr: true})
	if err != nil {
		return 0, err
	}
	blocks := make([]Block, list.Len())
	for i := range blocks {
		blocks[i] = list.Row(i)
		if blocks[i].Died == model.NoTime {
			blocks[i].Died = f.status.Duration
		}
	}
	half := func(when func(*Block) model.Time) model.Time {
		slices.SortFunc(blocks, func(a, b Block) int { return cmp.Compare(when(&a), when(&b)) })
		sum := uint64(0)
		for i := range blocks {
			if sum += blocks[i].Size; sum >= s.LiveBytes-s.LiveBytes/2 {
				return when(&blocks[i])
			}
		}
		return 0
	}
	born := half(func(b *Block) model.Time { return b.Born })
	return max(half(func(b *Block) model.Time { return b.Died })-born, 0), nil
}

func (f *finder) late() error {
	l, err := f.t.LateFreed(f.ctx, Cell{})
	if err != nil || len(l.Sites) == 0 || ratio(l.Bytes, f.top.Bytes) < latePart {
		return err
	}
	first := &l.Sites[0]
	text := model.Bytes(first.Bytes).String()
	if len(l.Sites) > 1 {
		text += " of " + model.Bytes(l.Bytes).String()
	}
	text += " held for half the run"
	f.add(Finding{Kind: FindingLate, Site: first.Site, History: first.History, Text: text})
	return nil
}

func (f *finder) temporary() error {
	var most *Site
	for i := range f.sites {
		s := &f.sites[i]
		if s.TemporaryShare() >= temporaryPart && (most == nil || s.Temporary > most.Temporary) {
			most = s
		}
	}
	if most == nil || ratio(most.Temporary, f.totals.AllocCount) < hotPart {
		return nil
	}
	f.add(Finding{Kind: FindingTemporary, Site: *most, Text: fmt.Sprintf("%v of %s blocks freed at once",
		model.Share(most.TemporaryShare()), model.Group(most.AllocCount))})
	return nil
}

// hot names who allocates most, where nothing better is known.
func (f *finder) hot() error {
	told := slices.ContainsFunc(f.out, func(x Finding) bool { return x.Site.Name != "" })
	if told || len(f.sites) == 0 {
		return nil
	}
	s := slices.MaxFunc(f.sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(a.AllocBytes, b.AllocBytes), cmp.Compare(b.Stack, a.Stack))
	})
	f.add(Finding{Kind: FindingHot, Site: s, Text: fmt.Sprintf("%s, %v of all allocated bytes",
		blocksOf(s.AllocCount, s.AllocBytes), model.ShareOf(s.AllocBytes, f.totals.AllocBytes))})
	return nil
}

// trim keeps the most telling ones: the least of several of one kind go first.
func (f *finder) trim() error {
	for len(f.out) > maxFindings {
		last := len(f.out) - 1
		for i := last; i > 0; i-- {
			if f.out[i].Kind == f.out[i-1].Kind {
				last = i
				break
			}
		}
		f.out = slices.Delete(f.out, last, last+1)
	}
	return nil
}

// histories adds the live bytes of the sites whose finding has no history of its own.
func (f *finder) histories() error {
	var keys []Key
	var of []int
	for i := range f.out {
		if f.out[i].History == nil && f.out[i].Site.Name != "" {
			keys, of = append(keys, f.out[i].Site.Key), append(of, i)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	h, err := f.t.History(f.ctx, ByStack, "", keys, HistoryColumns)
	if err != nil {
		return err
	}
	for j, i := range of {
		f.out[i].History = h[j]
	}
	return nil
}
