// Package verdict judges what became of the memory of an allocation site: whether it leaks or merely stays. [Gatherer]
// sums up the blocks of each site, and [Evidence.Judge] decides by the sums.
//
// Time is counted in allocations of the complete run, divided into [Windows] of equal numbers, because seconds are full
// of pauses and bursts. The run ends where the program begins to free everything, so that cleaning up at exit changes
// no verdict except that a leak becomes a late free.
package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// Kind is the kind of verdict about a site.
type Kind uint32

const (
	None      Kind = iota // nothing of it is live at the end, and nothing was freed late
	Unknown               // undecided
	InFlight              // live blocks are no older than freed blocks became
	Bounded               // a cache, a pool, a window or a table that reached its size
	Kept                  // blocks of one part of the run that stay, without becoming more
	Late                  // grew all the run, and was freed at its end
	Leak                  // grows to the end, and its survivors outlive everything that was freed
	kindCount             // number of kinds
)

// String returns the kind as JSON and tables print it, "" for None.
func (k Kind) String() string {
	return [kindCount]string{"", "unknown", "in-flight", "bounded", "kept", "late", "leak"}[min(k, kindCount-1)]
}

// reason is the observation that decided a verdict.
type reason uint32

const (
	noneApplies   reason = iota // freed blocks lived for most of the run
	fewBlocks                   // too few to know whether they become more
	lastMoment                  // all of it was allocated after the end of the run as this package defines it
	noFrees                     // the file has no frees
	youngSite                   // it began to allocate late in the run
	youngBlocks                 // no survivor is much older than freed ones became
	flatLevel                   // the least level stays the same in the last third
	outlivedAll                 // survivors of the complete run outlived everything that was freed
	oneTime                     // survivors that outlived everything were born in one part of the run
	risingLevel                 // the least level rises to the end
	container                   // one block that is replaced by a larger one again and again
	outlivedSince               // as outlivedAll, of a site that allocated in a part of the run's time
	largerBlocks                // as risingLevel, but only in bytes
	replacing                   // it grows by what other sites of the same place free
)

// Verdict is the judgment about a site, with the figures that it is based on. It has no pointers: index files store it
// as is.
type Verdict struct {
	Key        uint32 // of the site: its dense stack index
	Kind       Kind
	reason     reason
	Confidence float32 // 0 … 1

	born, freed    uint64 // blocks until the program began to free everything
	heldBytes      uint64 // bytes live at that moment
	Live, Bytes    uint64 // blocks and bytes after the last event
	Ended          uint64 // blocks that were freed or overwritten, of the whole trace
	Late           uint64 // blocks freed after Until
	LateBytes      uint64
	Growth         float64    // rise of the least level in bytes per second; 0 if it does not rise
	first, last    model.Time // births of the oldest and of the newest of the Held bytes
	Until          model.Time // when the program began to free everything, or the end of the run
	longest        model.Time // lifetime of the freed block that lived longest, or an upper bound
	suspects       uint64     // blocks that outlived everything that was freed
	replacements   uint64     // of a container: number of replacements
	firstSize, top uint64     // of a container: its first and its last size
}

// List is a list of verdicts by ascending key.
type List []Verdict

// WithoutFrees returns the verdicts about a file that records no frees: what was never freed is unknown.
func (l List) WithoutFrees() List {
	out := slices.Clone(l)
	for i := range out {
		if v := &out[i]; v.Kind != None {
			v.Kind, v.reason, v.Confidence, v.Growth = Unknown, noFrees, 0, 0
		}
	}
	return out
}

// Of returns the verdict about a key; its kind is None if the list has none.
func (l List) Of(key uint32) Verdict {
	i, ok := slices.BinarySearchFunc(l, key, func(v Verdict, key uint32) int { return cmp.Compare(v.Key, key) })
	if !ok {
		return Verdict{Key: key}
	}
	return l[i]
}

// To returns until when the verdicts go, 0 if there are none.
func (l List) To() (to model.Time) {
	for i := range l {
		to = max(to, l[i].Until)
	}
	return to
}

// By returns the most significant verdict of each group, with the growth of all sites of that kind. groupOf returns the
// group of a key, and false if it is in none.
func (l List) By(groupOf func(key uint32) (group uint32, ok bool)) List {
	var out List
	for _, v := range l {
		var ok bool
		if v.Key, ok = groupOf(v.Key); ok {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Verdict) int { return cmp.Or(cmp.Compare(a.Key, b.Key), Compare(&a, &b)) })
	first := 0
	for i := 1; i < len(out); i++ {
		if a, b := &out[first], &out[i]; a.Key != b.Key {
			first = i
		} else if a.Kind == b.Kind {
			a.Growth += b.Growth
		}
	}
	return slices.CompactFunc(out, func(a, b Verdict) bool { return a.Key == b.Key })
}

// Compare orders verdicts by significance: leaks, late frees, then the others. Leaks are ordered by rank, others by
// bytes.
func Compare(a, b *Verdict) int {
	return cmp.Or(cmp.Compare(max(b.Kind, Kept), max(a.Kind, Kept)), cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.held(), a.held()))
}

// held returns the bytes that were live when the program began to free everything, or were allocated later and stayed.
func (v *Verdict) held() uint64 {
	held, _ := model.SaturatingAdd(v.Bytes, v.LateBytes)
	return held
}

// Rank returns the growth in bytes per second times the confidence; findings are ordered by it.
func (v *Verdict) rank() float64 { return v.Growth * float64(v.Confidence) }

// Order returns a number that sorts verdicts in tables, the most significant highest: by kind, then by rank.
func (v *Verdict) Order() uint64 { return uint64(v.Kind)<<60 | math.Float64bits(max(v.rank(), 0))>>4 }

// Evidence returns the verdict's reason in one sentence that can be checked. It is about the end of the trace if
// nothing has changed since the program began to free everything, else about that moment, and says so.
func (v *Verdict) Evidence() string {
	if v.reason == noFrees {
		return blocks(v.Live, v.Bytes) + "; the file records no frees, so it does not show what leaks"
	}
	if v.reason == lastMoment {
		return blocks(v.Live, v.Bytes) + ", all allocated in the last moments of the run"
	}
	before := v.before()
	if v.Kind != Late && alike(before, v.Live) && alike(v.heldBytes, v.Bytes) {
		return v.observed(moment{held: v.Live, bytes: v.Bytes, freed: v.Ended, end: true})
	}
	text := v.observed(moment{held: before, bytes: v.heldBytes, freed: v.freed})
	when := "at " + v.Until.String() + ", "
	if v.Late > 0 {
		when = "at " + v.Until.String() + ", before the last frees, "
	}
	text = when + text
	if v.Kind == Late {
		text = "grew like a leak until the program freed it at its end: " + text + "; " + v.freedLate()
	}
	switch {
	case v.Kind == Late && v.Live == 0:
	case v.Live == 0:
		text += "; at the end none is live"
	default:
		text += fmt.Sprintf("; at the end %s live", was(v.Live, v.Bytes, "is", "are"))
	}
	return text
}

// moment is what of a site the evidence is about: its blocks at one time.
type moment struct {
	held, bytes uint64 // live ones
	freed       uint64
	end         bool // the end of the trace, not when the program began to free everything
}

// before returns the number of blocks that were live when the program began to free everything.
func (v *Verdict) before() uint64 { return v.born - min(v.freed, v.born) }

// freedLate returns how many of the blocks that were live when the program began to free everything were freed.
func (v *Verdict) freedLate() string {
	switch before := v.before(); {
	case v.Late == before && before == 1:
		return "it was freed after that"
	case v.Late == before:
		return "all " + model.Group(before) + " were freed after that"
	case v.Late == 1:
		return fmt.Sprintf("1 of them (%v) was freed after that", model.Bytes(v.LateBytes))
	}
	return fmt.Sprintf("%s of them (%v) were freed after that", model.Group(v.Late), model.Bytes(v.LateBytes))
}

// alike reports whether the figures of both moments differ by at most one part in fifty, too little to state both.
func alike(a, b uint64) bool { return max(a, b)-min(a, b) <= max(a, b)/50 }

// others returns what became of the blocks that were freed. How long those lived that were freed in the last moments
// is unknown.
func (v *Verdict) others(at moment) string {
	were := model.Group(at.freed) + " were"
	if at.freed == 1 {
		were = "one was"
	}
	switch {
	case at.freed == 0 && v.Ended > 0:
		return "none was freed by then"
	case at.freed == 0:
		return "none was freed"
	case v.freed == 0:
		return were + " freed, in the last moments of the run"
	case at.freed > v.freed:
		return fmt.Sprintf("%s freed, all but the last ones after at most %v", were, v.longest)
	case at.freed == 1:
		return fmt.Sprintf("the one freed lived at most %v", v.longest)
	}
	return fmt.Sprintf("the %s freed lived at most %v", model.Group(at.freed), v.longest)
}

// replaced returns how soon blocks are freed while others take their place.
func (v *Verdict) replaced() string {
	if v.freed == 1 {
		return fmt.Sprintf("no older than the one freed before became (%v)", v.longest)
	}
	return fmt.Sprintf("each is freed after at most %v, as %s were, and others take its place", v.longest, model.Group(v.freed))
}

// observed returns what was observed about the live blocks of a moment.
func (v *Verdict) observed(at moment) string {
	held, others, replaced := blocks(at.held, at.bytes), v.others(at), v.replaced()
	first, last := model.Ends(v.first, v.last, "")
	span := fmt.Sprintf("allocated from %s to %s", first, last)
	switch {
	case v.first == v.last:
		span = fmt.Sprintf("allocated at %v", v.first)
	case at.end && v.Live+v.Ended > v.born: // there are newer ones
		span = "allocated from " + first + " on"
	}
	switch v.reason {
	case fewBlocks:
		return fmt.Sprintf("%s, %s; %s", held, span, others)
	case youngSite:
		return fmt.Sprintf("%s, %s, late in the run", held, span)
	case youngBlocks:
		switch {
		case v.freed == 0 && v.suspects == 0:
			return fmt.Sprintf("%s in use, %s, too late to tell whether more will come: %s", held, span, others)
		case v.freed == 0:
			return fmt.Sprintf("%s in use, %s, but %s of them too late to tell whether more will come: %s", held,
				span, model.Group(v.born-v.suspects), others)
		}
		return fmt.Sprintf("%s in use, %s, %s", held, span, replaced)
	case flatLevel:
		return fmt.Sprintf("%s in use; in the last third of the run, they did not become more", held)
	case outlivedAll, outlivedSince, oneTime:
		return v.outlived(at, span, first)
	case risingLevel:
		return fmt.Sprintf("%s live; their minimum count and size rise to the end of the run; %s", held, others)
	case largerBlocks:
		return fmt.Sprintf("%s live, replaced by larger ones again and again: they become no more, but their bytes do, throughout the run", held)
	case replacing:
		return held + " in use; they replace blocks that the same function allocated for other callers: together, they do not become more"
	case container:
		return fmt.Sprintf("one block, replaced by a larger one %s times, from %v to %v; the last one was kept",
			model.Group(v.replacements), model.Bytes(v.firstSize), model.Bytes(v.top))
	}
	return fmt.Sprintf("%s, %s; %s", held, span, others)
}

// outlived returns how much older than freed blocks the live ones became, and when they were allocated: "throughout the
// run" only where that spans it.
func (v *Verdict) outlived(at moment, span, first string) string {
	when, whenThen := ", throughout the run", "allocated throughout the run"
	switch v.reason {
	case outlivedSince:
		when, whenThen = ", again and again", "allocated again and again from "+first+" on"
	case oneTime:
		when, whenThen = ", few or none late in the run", "few or none allocated late in the run"
	}
	held, others := blocks(at.held, at.bytes), v.others(at)
	if v.freed == 0 {
		text := held + ", " + span + when + "; " + others
		if v.Kind == Leak {
			text += "; a cache not yet full looks alike"
		}
		return text
	}
	older := min(v.suspects, at.held)
	which := model.Group(older) + " live ones are"
	switch {
	case older == at.held && v.suspects == v.before():
		which = "all live ones are"
	case older == 1:
		which = "1 live one is"
	}
	then := ""
	if !at.end {
		then = " by then"
	}
	return fmt.Sprintf("%s of %s allocated%s; %s, but %s older than that, %s", held, model.Group(at.held+at.freed), then,
		others, which, whenThen)
}

// blocks returns "1 block (64 B)" or "452 blocks (5.60 MiB)".
func blocks(n, bytes uint64) string {
	return model.Blocks(n) + " (" + model.Bytes(bytes).String() + ")"
}

// was returns "1 block (64 B) was" or "452 blocks (5.60 MiB) were".
func was(n, bytes uint64, one, many string) string {
	if n == 1 {
		many = one
	}
	return blocks(n, bytes) + " " + many
}

// settled returns the verdict with what became of the blocks after the run taken into account: a leak that was freed
// becomes late. A site with nothing live at the end of the run or after it has no verdict. Neither has one whose blocks
// were in flight if none of them is live at the end: they were freed in time.
func (v Verdict) settled() Verdict {
	switch {
	case v.Live+v.Late == 0, v.Live == 0 && v.Kind == InFlight:
		v.Kind = None
	case v.Kind == Leak && v.Live <= v.Late:
		v.Kind = Late
	}
	return v
}

// Settled returns the verdicts that there are, each with what became of the blocks after the run taken into account.
func (l List) Settled() List {
	for i := range l {
		l[i] = l[i].settled()
	}
	return slices.DeleteFunc(l, func(v Verdict) bool { return v.Kind == None })
}
