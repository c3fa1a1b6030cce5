package verdict

import (
	"math"
	"math/bits"
	"slices"

	"github.com/memtui/memtui/model"
)

// Thresholds of the rule.
const (
	// The longest lifetime of freed blocks counts, except for one block in longestShare, which may have been kept by
	// chance.
	longestShare = 1000
	// A survivor is suspect if it is older than freed blocks became by this factor: had it been meant to be freed, it
	// would have been.
	outlived = 1.5
	// Lifetimes and ages are known to this many windows.
	roughness = 1
	// A leak needs at least this many suspects, one for each quarter of the time in which there can be any.
	leastSuspects = 4
	// At least this share of the fullest quarter's births is in the last quarter: otherwise growth ends, like the last
	// words of a vocabulary.
	fullQuarter = 0.3
	// Of a site that frees at most one block for so many live ones, the young ones are not about to be freed either: had
	// they been, more would have been before.
	hardlyFreed = 10
	// Survivors were born throughout the run if its time before the first and after the last of them is at most this part
	// each. It changes the words, not the verdict.
	spanEdge = 8
	// Suspects need at least this many windows to be born in; with fewer, ages say nothing.
	leastRoom = Windows / 4
	// The least level is flat if its last third rises by less than flat, or to no more than there was in the middle third,
	// which did not rise and was at least half as much; it rises if each third rises by more than rises, both as shares of the level, and the last by
	// no less than goesOn times the third before.
	flat, rises, goesOn = 0.05, 0.10, 0.4
	// A container was replaced at least this often, and has at least this share of its site's bytes.
	leastLinks, mostOf = 4, 0.5
	// A container counts as no longer growing after this many times the time in which its next growth was expected, or if
	// its contents grew slower than this share of the pace before: then it is a buffer for the largest of all messages, or
	// a window that became somewhat longer.
	slack, slower = 1.25, 0.6
	// Several containers grow if their mean level rises by this factor each time the time doubles.
	swell = 1.75
	// A container is called a leak with at most this certainty, if its last growth is in the last window.
	mostCertain = 0.95
	// If freed blocks lived for at least this many windows, memory that does not grow is a cache rather than in flight.
	longLife = Windows / 8
	// Number of windows over which the least level is taken.
	groupOf = 4
	groups  = Windows / groupOf
)

// part is an observation that the rule uses. Tests leave out single ones to measure what each contributes.
type part uint

const (
	lifetimes part = 1 << iota // how long freed blocks lived
	spread                     // survivors are born throughout the run
	envelope                   // the least level of the live curve
	containers
	allParts part = 1<<iota - 1
)

// Judge returns the verdict about a run whose last event is at time end, before what became of the blocks after the run
// is taken into account.
func (e *Evidence) Judge(end model.Time) Verdict { return e.judge(end, allParts) }

func (e *Evidence) judge(end model.Time, use part) Verdict {
	v := Verdict{born: e.born, freed: e.freed, Live: e.live, heldBytes: e.liveBytes, Bytes: e.liveBytes, Ended: e.freed,
		first: e.first, last: e.last, longest: e.longest, Until: end}
	conclude := func(k Kind, r reason, confidence float64) Verdict {
		v.Kind, v.reason, v.Confidence = k, r, float32(min(max(confidence, 0), 1))
		if k == Leak {
			v.Growth = e.growth(end)
		}
		return v
	}
	if e.live == 0 {
		return conclude(Unknown, lastMoment, 0)
	}
	if use&containers != 0 && e.grows() {
		c := &e.chain
		v.replacements, v.firstSize, v.top = c.links, c.least, c.size
		// The longer ago the last step was, the more likely it has reached its size.
		conclude(Leak, container, math.Min(0.5+0.05*float64(c.links), mostCertain)*math.Min(c.grown+1, Windows)/Windows)
		// The steps of a container are too large for a slope of levels.
		v.Growth = math.Max(v.Growth, float64(c.size)/math.Max(float64(end)/float64(model.Second), 1e-6))
		return v
	}
	if use&containers != 0 && e.swells() {
		return conclude(Leak, largerBlocks, 0.5)
	}
	room := Windows - e.limit(use)
	quarters := e.quarters(room)
	v.suspects = quarters[0] + quarters[1] + quarters[2] + quarters[3]
	even := e.spread(quarters)
	switch {
	case room < leastRoom:
		return e.byLevel(conclude, use)
	case v.suspects == e.live && v.suspects < leastSuspects:
		return conclude(Kept, fewBlocks, 0.5)
	case v.suspects < leastSuspects || float64(v.suspects) < 2*e.outliers():
		return e.steady(conclude, use)
	case even < fullQuarter && use&spread != 0 && 2*v.suspects < e.live:
		return e.steady(conclude, use)
	case even < fullQuarter && use&spread != 0:
		return conclude(Kept, oneTime, 0.8-even)
	case room-e.firstWindow() < leastRoom:
		return conclude(Unknown, youngSite, 0.3)
	}
	reason := outlivedAll
	if e.first > end/spanEdge || e.last < end-end/spanEdge {
		reason = outlivedSince
	}
	return conclude(Leak, reason, 0.6+0.2*even+0.2*math.Min(1, float64(v.suspects)/Windows))
}

// limit returns the least age in windows of survivors that outlived the freed blocks.
func (e *Evidence) limit(use part) int {
	if e.freed == 0 || use&lifetimes == 0 {
		return roughness
	}
	return int(math.Ceil(outlived*float64(e.oldest()))) + roughness
}

// oldest returns how many windows freed blocks lived, except for one in longestShare.
func (e *Evidence) oldest() int {
	over := uint64(0)
	for w := Windows - 1; w > 0; w-- {
		if over += uint64(e.ages[w]); over > e.freed/longestShare {
			return w
		}
	}
	return 0
}

// outliers returns the expected number of survivors older than the limit by chance, given the freed blocks that were left
// out when the limit was computed.
func (e *Evidence) outliers() float64 {
	if e.freed == 0 {
		return 0
	}
	return float64(e.freed/longestShare) / float64(e.freed) * float64(e.live)
}

// quarters counts the survivors of the first room windows by quarter, starting at the first birth.
func (e *Evidence) quarters(room int) (n [4]uint64) {
	first := e.firstWindow()
	if room <= first {
		return n
	}
	for w := first; w < room; w++ {
		n[(w-first)*4/(room-first)] += uint64(e.births[w])
	}
	return n
}

// firstWindow returns the window of the first survivor's birth.
func (e *Evidence) firstWindow() int {
	return max(slices.IndexFunc(e.births[:], func(n uint32) bool { return n > 0 }), 0)
}

// spread returns how evenly the suspects were born, or all survivors where hardly any block is freed.
func (e *Evidence) spread(suspects [4]uint64) float64 {
	even := evenness(suspects)
	if e.freed > 0 && e.freed <= e.live/hardlyFreed {
		even = max(even, evenness(e.quarters(Windows-roughness)))
	}
	return even
}

// evenness returns the last quarter as a share of the fullest, 0 if one is empty. If the last has few, that may be by
// chance.
func evenness(quarters [4]uint64) float64 {
	if slices.Min(quarters[:]) == 0 {
		return 0
	}
	last := float64(quarters[3])
	return math.Min(1, (last+math.Sqrt(last))/float64(slices.Max(quarters[:])))
}

type verdicts = func(k Kind, r reason, confidence float64) Verdict

// steady judges a site whose survivors are about as old as freed blocks became.
func (e *Evidence) steady(conclude verdicts, use part) Verdict {
	if e.oldest() >= longLife && use&envelope != 0 && e.rise() == stays {
		return conclude(Bounded, flatLevel, 0.8)
	}
	return conclude(InFlight, youngBlocks, 0.8)
}

// byLevel judges a site whose freed blocks lived so long that ages say nothing.
func (e *Evidence) byLevel(conclude verdicts, use part) Verdict {
	if use&envelope == 0 {
		return conclude(Unknown, noneApplies, 0.2)
	}
	switch e.rise() {
	case stays:
		return conclude(Bounded, flatLevel, 0.8)
	case goesUp:
		return conclude(Leak, risingLevel, 0.5)
	}
	return conclude(Unknown, noneApplies, 0.2)
}

// trend is the development of the least level.
type trend uint8

const (
	undecided trend = iota
	stays
	goesUp
)

// rise returns the trend of the site's blocks and bytes: rising if both rise, flat if either is.
func (e *Evidence) rise() trend {
	count, bytes := e.envelopes()
	a, b := trendOf(&count), trendOf(&bytes)
	switch {
	case a == stays || b == stays:
		return stays
	case a == goesUp && b == goesUp:
		return goesUp
	}
	return undecided
}

// trendOf returns the trend of the memory that stays, by how much of it there is after each third of the run.
func trendOf(least *[groups]float64) trend {
	begin, middle, end := thirds(least)
	last, before := end-middle, middle-begin
	switch {
	case last <= flat*end, before <= flat*end && middle >= end/2 && end <= slices.Max(least[groups/3:groups*2/3]):
		return stays
	case min(begin, before, last) > rises*end && last >= goesOn*before:
		return goesUp
	}
	return undecided
}

// thirds returns how much memory stays for good after each third of the run: the lower envelope of the least levels,
// each of which is the least from then on.
func thirds(least *[groups]float64) (begin, middle, end float64) {
	forGood := *least
	for g := groups - 2; g >= 0; g-- {
		forGood[g] = min(forGood[g], forGood[g+1])
	}
	return forGood[groups/3], forGood[groups*2/3], forGood[groups-1]
}

// Groups is the number of parts of a run, with equal numbers of allocations, whose least levels tell whether it grows.
// [Rise] is about what happens between the beginnings of RisesFrom and RisesTo.
const (
	Groups    = groups
	RisesFrom = groups / 3
	RisesTo   = groups - 1
)

// Rise returns how much memory the last two thirds of a run gained for good, as if both had been like the slower one. So
// neither what is allocated at the start counts, nor a cache that filled up, nor a burst.
func Rise(least *[Groups]float64) float64 {
	begin, middle, end := thirds(least)
	return 2 * min(middle-begin, end-middle)
}

// envelopes returns the least levels of groups of windows.
func (e *Evidence) envelopes() (count, bytes [groups]float64) {
	var n, b int64
	for w := range Windows {
		n += int64(e.count[w])
		b += e.bytes[w]
		if g := w / groupOf; w%groupOf == 0 {
			count[g], bytes[g] = float64(n), float64(b)
		} else {
			count[g], bytes[g] = min(count[g], float64(n)), min(bytes[g], float64(b))
		}
	}
	return count, bytes
}

// grows reports whether the site's memory is one block that is repeatedly replaced by a larger one, and is due to be
// replaced again.
func (e *Evidence) grows() bool {
	c := &e.chain
	if !c.lives || c.links < leastLinks || float64(c.size) < mostOf*float64(e.liveBytes) || c.grown < Windows/4 {
		return false
	}
	last, before := c.paces()
	if last == 0 || last < slower*before {
		return false
	}
	return c.grown+float64(c.size-c.was)/last*slack >= Windows-1
}

// swells reports whether the site has about as many blocks since the first quarter of the run, while their bytes become
// more all the time: several containers. As these may double at the same time, mean levels of times that double are
// compared: of what grows steadily, each is twice as large as the one before.
func (e *Evidence) swells() bool {
	if e.live < leastSuspects || e.freed < e.live {
		return false
	}
	var sum [3]float64 // of bytes: in the last half of the run, in the quarter before, and in the eighth before that
	most, least := int64(0), int64(math.MaxInt64)
	count, bytes := int64(0), int64(0)
	for w := range Windows {
		count += int64(e.count[w])
		bytes += e.bytes[w]
		if w >= Windows/4 {
			most, least = max(most, count), min(least, count)
		}
		if octave := bits.Len(uint(Windows-1)) - bits.Len(uint(w)); octave < len(sum) {
			sum[octave] += float64(bytes)
		}
	}
	return float64(most-least) <= rises*float64(most) && sum[0] >= swell*2*sum[1] && sum[1] >= swell*2*sum[2] && sum[2] > 0
}

// growth returns the rise of the least level in bytes per second, from the first survivor's birth to the last part of the
// run.
func (e *Evidence) growth(end model.Time) float64 {
	_, bytes := e.envelopes()
	first := min(e.firstWindow()/groupOf, groups-2)
	rise := bytes[groups-1] - bytes[first]
	over := float64(end) * float64(groups-1-first) / groups
	if e.dates != nil {
		// The least levels are those after the first windows of their groups, as long as the site grows.
		over = float64(e.dates[(groups-1)*groupOf+1] - e.dates[first*groupOf+1])
	}
	return math.Max(rise, 0) / math.Max(over/float64(model.Second), 1e-6)
}
