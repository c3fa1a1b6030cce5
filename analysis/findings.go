package analysis

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// FindingKind is the kind of a finding.
type FindingKind uint8

const (
	FindingDamage    FindingKind = iota // a part of the file could not be read
	FindingNoAddress                    // blocks that can never be freed: live figures are upper bounds
	FindingLeak                         // grows to the end of the run
	FindingLate                         // grew during the complete run and was freed at its end
	FindingKept                         // stays live without growing
	FindingBounded                      // a cache, a pool or a window that reached its size
	FindingBurst                        // a large part of the peak, for a short time
	FindingPeak                         // a large part of the peak
	FindingTemporary                    // freed by the very next event
	findingHot                          // allocates the most
	FindingClean                        // everything was freed
)

// String returns the kind as lists and JSON print it, at most ten cells wide.
func (k FindingKind) String() string {
	return [...]string{
		"damaged", "no-address", "leak", "late", "kept", "bounded", "burst", "peak", "temporary", "hot", "clean",
	}[k]
}

// IsVerdict reports whether the kind is a verdict about sites, which has a confidence below 1.
func (k FindingKind) IsVerdict() bool { return k >= FindingLeak && k <= FindingBounded }

// Finding is one thing worth looking at, with its evidence.
type Finding struct {
	Kind       FindingKind
	Owner      model.Frame     // the owner that allocates, see [calltree.Owners]; a leak covers all sites of its owner
	HasOwner   bool            // false if the finding is about the complete file, or nothing is known of the stack
	Site       Site            // its most significant site, by stack; no Name if the finding is about the complete file
	Stacks     []model.StackID // of its sites, most significant first
	Keys       []Key           // keys of the same sites
	Bytes      uint64          // those live at the end; at the peak; freed at the end, for late; in total, for temporary and hot
	Count      uint64
	Growth     float64 // bytes per second, for leaks and late frees
	Confidence float64 // 0 … 1
	At         Instant
	AtTime     model.Time
	HasAt      bool       // At is an instant to go to
	History    []uint64   // live bytes over the run, HistoryColumns columns; nil where they say nothing
	sites      int        // number of sites that Bytes and Count cover
	until      model.Time // when the program began to free everything
	others     string     // evidence about the owner's other sites
	Text       string     // the evidence, to follow the owner's name: "452 of 9,000 were never freed, …"
}

// UsualFindings is the number of findings on screens and in reports.
const UsualFindings = 20

// What is said about the peak.
const (
	peakSites  = 512 // largest sites that are searched
	mostOfPeak = 3   // owners
)

// Thresholds for findings.
const (
	heldPart      = 0.01 // of the peak, for memory that stays live without growing
	peakPart      = 0.05 // of the peak, per owner
	nearlyAll     = 0.99 // of what an owner has at the peak: its other sites do not matter
	burstRun      = 0.25 // of the run: longer is not a burst
	temporaryPart = 0.30 // of a site's blocks
	hotPart       = 0.01 // of all blocks, for the temporary ones of one site
	fewSamples    = 30   // of a site: a share of fewer of them is off by a third or more
	historySites  = 16   // sites of a finding that its history covers
)

// Findings returns the most significant findings about a complete trace, best first, at most limit or all if limit is
// 0. p may be nil. libraries matches functions and files that own nothing, in addition to the built-in ones; it may be
// nil. Findings walks the trace several times: call it when everything is read.
func Findings(ctx context.Context, t Trace, p *model.Profile, libraries *regexp.Regexp, limit int) ([]Finding, error) {
	f := finder{ctx: ctx, t: t, status: t.Status(), whole: p == nil || p.Complete && p.Lost == 0, limit: limit}
	f.owners = calltree.NewOwners(nil, nil)
	if p != nil {
		f.owners = calltree.NewOwners(p.Stacks, libraries)
	}
	f.damage(p)
	f.sampled = p != nil && p.Meta.Sampled != ""
	temporary := f.temporary
	if f.sampled { // two events in a row are those of two samples
		temporary = func() error { return f.shortLived(p.Meta.CoarseTimes) }
	}
	for _, look := range []func() error{f.prepare, f.verdicts, f.peak, temporary, f.hot, f.order, f.histories} {
		if err := look(); err != nil {
			return nil, err
		}
		if f.totals.AllocCount == 0 {
			break
		}
	}
	if f.sampled {
		for i := range f.out {
			f.out[i].Text = model.AsEstimates(f.out[i].Text)
		}
	}
	return f.out, ctx.Err()
}

// finder collects findings by descending significance.
type finder struct {
	ctx    context.Context
	t      Trace
	status Status
	whole  bool // the file is complete

	sampled bool // what is counted are samples
	limit   int
	owners  *calltree.Owners
	totals  Totals
	sites   []Site        // at the peak, over the complete run
	byKey   map[Key]*Site // of those with verdicts that become findings
	top     Peak
	out     []Finding
}

// Damage returns what an incomplete file, of which so many bytes could not be read, means for figures: blocks whose
// frees are lost seem to live on.
func Damage(lost int64) string {
	if lost > 0 {
		return model.Bytes(lost).String() + " of the file could not be read: allocated totals are lower bounds, live may be too high"
	}
	return "the file is not complete: allocated totals are lower bounds, live may be too high"
}

func (f *finder) damage(p *model.Profile) {
	switch {
	case p == nil:
	case p.Lost > 0:
		f.out = append(f.out, Finding{Kind: FindingDamage, Confidence: 1, Text: Damage(p.Lost)})
	case !p.Complete && f.status.Final:
		f.out = append(f.out, Finding{Kind: FindingDamage, Confidence: 1, Text: Damage(0)})
	}
}

// prepare runs the queries that several findings need.
func (f *finder) prepare() (err error) {
	if f.totals, err = f.t.Totals(f.ctx, FullRange); err != nil {
		return err
	}
	if f.top, _, err = f.t.Peak(f.ctx, FullRange); err != nil {
		return err
	}
	if f.sites, err = f.t.Sites(f.ctx, Query{At: f.top.Instant, Range: FullRange}); err != nil {
		return err
	}
	if n := f.totals.UnaddressedCount; n > 0 {
		f.out = append(f.out, Finding{Kind: FindingNoAddress, Confidence: 1, Count: n,
			Bytes: f.totals.UnaddressedBytes, Text: fmt.Sprintf("%s of %s blocks have no address: live is an upper bound",
				model.Group(n), model.Group(f.totals.AllocCount))})
	}
	return nil
}

// verdicts adds the leaks, and what else is live at the end.
func (f *finder) verdicts() error {
	if f.status.FreesNever { // then everything counts as "never freed", which says nothing
		return nil
	}
	live, err := f.t.Live(f.ctx, End)
	if err != nil {
		return err
	}
	list, err := f.t.Verdicts(f.ctx, ByStack, "")
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(v verdict.Verdict) bool { return !tells(v.Kind) })
	slices.SortStableFunc(list, func(a, b verdict.Verdict) int { return verdict.Compare(&a, &b) })
	f.findSites(list)
	if live.Count == 0 && f.whole {
		f.out = append(f.out, Finding{Kind: FindingClean, Confidence: 1, Text: f.allFreed(list)})
	}
	var found []Finding
	byOwner := map[ownedBy]int{}
	for i := range list {
		found = f.addVerdict(found, byOwner, &list[i])
	}
	found = oneEach(found, byOwner)
	for i := range found {
		if x := &found[i]; x.Kind == FindingLeak || x.Kind == FindingLate || ratio(x.Bytes, f.top.Bytes) >= heldPart {
			if x.sites > 1 {
				x.Text = fmt.Sprintf("%d sites, %s in %s; of the largest: ", x.sites, model.Bytes(x.Bytes), model.Blocks(x.Count)) + x.Text
			}
			x.Text += x.others
			f.out = append(f.out, *x)
		}
	}
	return nil
}

// allFreed says that all blocks were freed, and how many of those that grew were freed only in the end.
func (f *finder) allFreed(list verdict.List) string {
	text, late, until := "all "+model.Group(f.totals.AllocCount)+" blocks were freed", uint64(0), model.Time(0)
	for i := range list {
		if v := &list[i]; v.Kind == verdict.Late {
			late, until = late+v.Late, v.Until
		}
	}
	if late > 0 {
		text += fmt.Sprintf(", but %s of them only at the end, after %v: they had become more and more until then", model.Group(late), until)
	}
	return text
}

// ownedBy identifies a finding by owner and kind.
type ownedBy struct {
	kind           FindingKind
	function, file string
	stack          model.StackID // used if the owner is not known
}

var kindOfVerdict = map[verdict.Kind]FindingKind{
	verdict.Leak: FindingLeak, verdict.Late: FindingLate, verdict.Kept: FindingKept, verdict.Bounded: FindingBounded,
}

// tells reports whether a verdict becomes a finding.
func tells(k verdict.Kind) bool {
	_, ok := kindOfVerdict[k]
	return ok
}

// addVerdict adds a site to the finding of its owner. Sites come by descending significance.
func (f *finder) addVerdict(found []Finding, byOwner map[ownedBy]int, v *verdict.Verdict) []Finding {
	kind, site := kindOfVerdict[v.Kind], f.byKey[Key(v.Key)]
	if site == nil {
		return found
	}
	bytes, count := v.Bytes, v.Live
	if kind == FindingLate {
		bytes, count = v.LateBytes, v.Late
	}
	if count == 0 {
		return found
	}
	before := len(found)
	found, x := f.addSite(found, byOwner, kind, site, bytes, count)
	if len(found) > before {
		x.Confidence, x.until, x.Text = float64(v.Confidence), v.Until, v.Evidence()
	}
	x.Growth += v.Growth
	return found
}

// addSite adds a site to the finding of its owner, which it returns. The first one is the most significant one.
func (f *finder) addSite(found []Finding, byOwner map[ownedBy]int, kind FindingKind, s *Site, bytes, count uint64) ([]Finding, *Finding) {
	owner := ownedBy{kind: kind}
	frame, known := f.owners.Frame(s.Stack)
	if owner.function, owner.file = frame.Function, frame.File; !known {
		owner.stack = s.Stack
	}
	i, seen := byOwner[owner]
	if !seen {
		i = len(found)
		byOwner[owner] = i
		found = append(found, Finding{Kind: kind, Site: *s, Owner: frame, HasOwner: known, Confidence: 1})
	}
	x := &found[i]
	x.Stacks, x.Keys = append(x.Stacks, s.Stack), append(x.Keys, s.Key)
	x.Bytes, _ = model.SaturatingAdd(x.Bytes, bytes)
	x.Count += count
	x.sites++
	return found, x
}

// oneEach merges findings of one owner: leaking with late sites, and kept with bounded sites, under the kind that has
// more bytes. A table that was freed at the end may be part of one that was not.
func oneEach(found []Finding, byOwner map[ownedBy]int) []Finding {
	other := map[FindingKind]FindingKind{FindingLate: FindingLeak, FindingBounded: FindingKept}
	for owner, i := range byOwner {
		kind, ok := other[owner.kind]
		if !ok {
			continue
		}
		owner.kind = kind
		j, ok := byOwner[owner]
		if !ok {
			continue
		}
		more, less := &found[i], &found[j]
		if less.Bytes > more.Bytes {
			more, less = less, more
		}
		if kind == FindingKept { // both are live
			more.Bytes, _ = model.SaturatingAdd(more.Bytes, less.Bytes)
			more.Count += less.Count
			more.sites += less.sites
		} else if ratio(less.Bytes, more.Bytes) >= heldPart {
			more.others = less.asWell()
		}
		more.Stacks, more.Keys = append(more.Stacks, less.Stacks...), append(more.Keys, less.Keys...)
		more.Growth += less.Growth
		less.Keys = nil
	}
	return slices.DeleteFunc(found, func(x Finding) bool { return x.Keys == nil })
}

// asWell returns the evidence about the owner's leaks or late frees in addition to those the finding is about.
func (x *Finding) asWell() string {
	what := fmt.Sprintf("%s (%v)", model.Blocks(x.Count), model.Bytes(x.Bytes))
	if x.Kind == FindingLate {
		return fmt.Sprintf("; in addition %s of %s, freed after %v", what, model.Counted(x.sites, "site"), x.until)
	}
	return fmt.Sprintf("; in addition %s of %s, live at the end", what, model.Counted(x.sites, "site"))
}

// findSites looks up the rows of the sites of verdicts.
func (f *finder) findSites(list verdict.List) {
	f.byKey = make(map[Key]*Site, len(list))
	for i := range list {
		f.byKey[Key(list[i].Key)] = nil
	}
	wanted := func(k Key) bool { _, ok := f.byKey[k]; return ok }
	for i := range f.sites {
		if s := &f.sites[i]; wanted(s.Key) {
			f.byKey[s.Key] = s
		}
	}
}

// about returns a finding about one site.
func (f *finder) about(kind FindingKind, s *Site, bytes, count uint64, text string) Finding {
	frame, ok := f.owners.Frame(s.Stack)
	return Finding{
		Kind: kind, Site: *s, Stacks: []model.StackID{s.Stack}, Keys: []Key{s.Key}, Owner: frame, HasOwner: ok,
		Bytes: bytes, Count: count, Confidence: 1, Text: text,
	}
}

// blocksOf returns "13 blocks of 2.50 KiB", or the sum of bytes if they differ in size.
func blocksOf(count, bytes uint64) string {
	switch {
	case count == 1:
		return "1 block of " + model.Bytes(bytes).String()
	case count > 0 && bytes%count == 0:
		return model.Group(count) + " blocks of " + model.Bytes(bytes/count).String()
	}
	return model.Group(count) + " blocks, " + model.Bytes(bytes).String()
}

// peak adds the owners that have a large part of the peak, at sites that no other finding is about.
func (f *finder) peak() error {
	f.byKey = nil // rows move
	model.SortFirst(f.sites, peakSites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.LiveBytes, a.LiveBytes), cmp.Compare(a.Stack, b.Stack))
	})
	held := f.held()
	reported := map[Key]bool{}
	for i := range f.out {
		for _, k := range f.out[i].Keys {
			reported[k] = true
		}
	}
	var found []Finding
	byOwner := map[ownedBy]int{}
	for i := range f.sites[:min(len(f.sites), peakSites)] {
		if s := &f.sites[i]; s.LiveBytes > 0 && s.LeakBytes <= s.LiveBytes/2 && !reported[s.Key] {
			found, _ = f.addSite(found, byOwner, FindingPeak, s, s.LiveBytes, s.LiveCount)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Bytes, a.Bytes) })
	for i := range found[:min(len(found), mostOfPeak)] {
		x := &found[i]
		if ratio(x.Bytes, f.top.Bytes) < peakPart {
			break
		}
		if err := f.sayPeak(x, held[x.Site.Key]); err != nil {
			return err
		}
		f.out = append(f.out, *x)
	}
	return nil
}

// held returns the sites at the peak of which [Trace.HeldAtPeak] is known. The first sites are in order.
func (f *finder) held() map[Key]bool {
	known, held := map[Key]bool{}, Held{All: f.top.Bytes}
	for i := range f.sites {
		s := &f.sites[i]
		if !held.Large(s.LiveBytes) {
			break
		}
		known[s.Key] = held.Has(s.LiveBytes, s.LiveCount)
	}
	return known
}

// sayPeak completes a finding about the peak: how much an owner has of it, and for how long its largest site has that,
// if that is to be asked.
func (f *finder) sayPeak(x *Finding, ask bool) error {
	x.At, x.AtTime, x.HasAt = f.top.Instant, f.top.Time, true
	x.Text = fmt.Sprintf("%v of the peak (%v)", model.Bytes(x.Bytes), model.ShareOf(x.Bytes, f.top.Bytes))
	s := &x.Site
	several := ratio(s.LiveBytes, x.Bytes) < nearlyAll
	if several {
		x.Text += fmt.Sprintf(" at %d sites", x.sites)
	}
	if f.sampled { // a few of them are a guess
		x.Text += " in " + model.Blocks(x.Count)
	}
	if !ask {
		return nil
	}
	held, err := f.t.HeldAtPeak(f.ctx, s.Key)
	if err != nil || held == 0 {
		return err
	}
	if several {
		x.Text += fmt.Sprintf("; the largest held %v", model.Bytes(s.LiveBytes))
	}
	x.Text += fmt.Sprintf(" for %v", held)
	if float64(held) <= burstRun*float64(f.status.Duration) && s.LiveBytes > x.Bytes/2 {
		x.Kind = FindingBurst
	}
	return nil
}

// moreTemporary compares sites by their temporary blocks, ties by what is live at the peak.
func moreTemporary(a, b *Site) int {
	return cmp.Or(cmp.Compare(a.Temporary, b.Temporary), cmp.Compare(a.LiveBytes, b.LiveBytes), cmp.Compare(b.Stack, a.Stack))
}

// shortLived is [finder.temporary] for samples: how long blocks lived is known of them, but not what came next. It says
// nothing of times that are themselves estimates.
func (f *finder) shortLived(coarse bool) error {
	if coarse || f.status.FreesNever {
		return nil
	}
	const classes = 2 // below 1 µs, and of 1 µs
	short, err := f.t.Sites(f.ctx, Query{At: End, Range: FullRange, NoPeaks: true,
		Cell: Cell{SizeTo: SizeClasses, LifeTo: classes}})
	if err != nil {
		return err
	}
	count := make(map[Key]uint64, len(short))
	for i := range short {
		if short[i].AllocCount >= fewSamples {
			count[short[i].Key] = short[i].AllocCount
		}
	}
	for i := range f.sites {
		f.sites[i].Temporary = count[f.sites[i].Key]
	}
	return f.temporaryAt("in less than 2 µs")
}

func (f *finder) temporary() error { return f.temporaryAt("at once") }

// temporaryAt adds the site with the most temporary blocks. when says what that means.
func (f *finder) temporaryAt(when string) error {
	var most *Site
	for i := range f.sites {
		s := &f.sites[i]
		if s.TemporaryShare() >= temporaryPart && (most == nil || moreTemporary(s, most) > 0) {
			most = s
		}
	}
	if most == nil || ratio(most.Temporary, f.totals.AllocCount) < hotPart {
		return nil
	}
	f.out = append(f.out, f.about(FindingTemporary, most, most.AllocBytes, most.AllocCount, fmt.Sprintf("%v of %s freed %s",
		model.Share(most.TemporaryShare()), model.Blocks(most.AllocCount), when)))
	return nil
}

// hot adds the site that allocates most, if no finding is about a site.
func (f *finder) hot() error {
	reported := slices.ContainsFunc(f.out, func(x Finding) bool { return x.Site.Name != "" })
	if reported || len(f.sites) == 0 {
		return nil
	}
	s := slices.MaxFunc(f.sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(a.AllocBytes, b.AllocBytes), cmp.Compare(b.Stack, a.Stack))
	})
	f.out = append(f.out, f.about(findingHot, &s, s.AllocBytes, s.AllocCount, fmt.Sprintf("%s, %v of all allocated bytes",
		blocksOf(s.AllocCount, s.AllocBytes), model.ShareOf(s.AllocBytes, f.totals.AllocBytes))))
	return nil
}

// rank is the order of kinds. Those that say who holds memory, at the end or at the peak, are of one rank.
func (k FindingKind) rank() FindingKind {
	switch k {
	case FindingClean:
		return FindingNoAddress
	case FindingBounded, FindingBurst, FindingPeak:
		return FindingKept
	}
	return k
}

// pace returns how fast memory leaks, by how certain that is.
func (x *Finding) pace() float64 {
	if x.Kind != FindingLeak && x.Kind != FindingLate {
		return 0
	}
	return x.Growth * x.Confidence
}

// order sorts the findings: leaks by how fast they grow and how certain they are, and then what holds most. It cuts the
// list to the limit: of those that are not the only ones of their kind, and no leaks, the last ones go first.
func (f *finder) order() error {
	slices.SortStableFunc(f.out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kind.rank(), b.Kind.rank()),
			cmp.Compare(b.pace(), a.pace()), cmp.Compare(b.Bytes, a.Bytes))
	})
	for f.limit > 0 && len(f.out) > f.limit {
		last := len(f.out) - 1
		for i := last; i > 0; i-- {
			k := f.out[i].Kind
			if k != FindingLeak && slices.ContainsFunc(f.out[:i], func(x Finding) bool { return x.Kind == k }) {
				last = i
				break
			}
		}
		f.out = slices.Delete(f.out, last, last+1)
	}
	return nil
}

// histories adds the live bytes of the sites of findings.
func (f *finder) histories() error {
	var keys []Key
	var of []int
	for i := range f.out {
		for _, k := range f.out[i].Keys[:min(len(f.out[i].Keys), historySites)] {
			keys, of = append(keys, k), append(of, i)
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
		x := &f.out[i]
		if x.History == nil {
			x.History = h[j]
			continue
		}
		for c := range h[j] {
			x.History[c], _ = model.SaturatingAdd(x.History[c], h[j][c])
		}
	}
	for i := range f.out {
		f.out[i].sayReplaced()
	}
	return nil
}

// sayReplaced makes a finding about the peak of a burst whose sites have about as much for most of the run: only its blocks
// live for a short time, as in a cache.
func (x *Finding) sayReplaced() {
	high := 0
	for _, level := range x.History {
		if level >= x.Bytes-x.Bytes/2 {
			high++
		}
	}
	part := float64(high) / float64(max(len(x.History), 1))
	if x.Kind != FindingBurst || part <= burstRun {
		return
	}
	x.Kind = FindingPeak
	x.Text += fmt.Sprintf("; at least half as much for %v of the run, as others take their place", model.Share(part))
}
