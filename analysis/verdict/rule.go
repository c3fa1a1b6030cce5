package verdict

import (
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// Thresholds of the rule.
const (
	// Of the lifetimes of freed blocks the longest counts, but for one in longestShare: those may have been kept by
	// chance.
	longestShare = 1000
	// A survivor is suspect when it is so many times older than freed blocks became: if it were to be freed, it would
	// have been.
	outlived = 1.5
	// Lifetimes and ages are known to so many windows.
	roughness = 1
	// Suspects of a leak are so many at least, one for each quarter of the time before which there can be any.
	leastSuspects = 4
	// In the last quarter so large a share of those of the fullest is born: the last words of a vocabulary are fewer.
	fullQuarter = 0.3
	// So many windows are needed for suspects to be born in, else ages say nothing.
	leastRoom = Windows / 4
	// The least level stays where its last third rises by less than flat, and goes up where it rises by more than rises
	// in each third, both as shares of the level, and in the last by no less than goesOn times the third before.
	flat, rises, goesOn = 0.05, 0.10, 0.4
	// A container was replaced so often, and holds so large a share of its site.
	leastLinks, mostOf = 4, 0.5
	// A container is given so many times as long as its growth lets expect, before it counts as one that has stopped.
	patience = 1.5
	// Where freed blocks lived for so many windows, what does not grow is a cache rather than in flight.
	longLife = Windows / 8
	// The least level is that of so many windows.
	groupOf = 4
	groups  = Windows / groupOf
)

// part is an observation that the rule heeds. Tests leave out single ones to tell what each is worth.
type part uint

const (
	lifetimes part = 1 << iota // how old the freed blocks became
	spread                     // survivors are born throughout the run
	envelope                   // the least level of the live curve
	containers
	allParts part = 1<<iota - 1
)

// Judge returns the verdict, about a run whose last event is at the time end, but for what became of the blocks after
// the run.
func (e *Evidence) Judge(end model.Time) Verdict { return e.judge(end, allParts) }

func (e *Evidence) judge(end model.Time, use part) Verdict {
	v := Verdict{Born: e.Born, Freed: e.Freed, Live: e.Live, Held: e.Bytes, Bytes: e.Bytes, Ended: e.Freed, First: e.first, Last: e.last, Longest: e.longest}
	say := func(k Kind, r Reason, confidence float64) Verdict {
		v.Kind, v.Reason, v.Confidence = k, r, float32(min(max(confidence, 0), 1))
		if k == Leak {
			v.Growth = e.growth(end)
		}
		return v
	}
	if e.Live == 0 {
		return say(Unknown, lastMoment, 0)
	}
	if use&containers != 0 && e.grows() {
		c := &e.chain
		v.Replaced, v.FirstSize, v.Top = c.links, c.least, c.size
		say(Leak, container, 0.5+0.05*float64(c.links))
		v.Growth = math.Max(v.Growth, float64(c.size)/math.Max(float64(end)/float64(model.Second), 1e-6)) // its steps are too large for a level
		return v
	}
	room := Windows - e.limit(use)
	quarters := e.quarters(room)
	v.Suspects = quarters[0] + quarters[1] + quarters[2] + quarters[3]
	even := evenness(quarters)
	switch {
	case room < leastRoom:
		return e.byLevel(say, use)
	case v.Suspects == e.Live && v.Suspects < leastSuspects:
		return say(Kept, fewBlocks, 0.5)
	case v.Suspects < leastSuspects || float64(v.Suspects) < 2*e.strays():
		return e.steady(say, use)
	case even < fullQuarter && use&spread != 0 && 2*v.Suspects < e.Live:
		return e.steady(say, use)
	case even < fullQuarter && use&spread != 0:
		return say(Kept, oneTime, 0.8-even)
	case room-e.firstWindow() < leastRoom:
		return say(Unknown, youngSite, 0.3)
	}
	return say(Leak, outlivedAll, 0.6+0.2*even+0.2*math.Min(1, float64(v.Suspects)/Windows))
}

// limit returns how many windows ago survivors were born at least that outlived what was freed.
func (e *Evidence) limit(use part) int {
	if e.Freed == 0 || use&lifetimes == 0 {
		return roughness
	}
	return int(math.Ceil(outlived*float64(e.oldest()))) + roughness
}

// oldest returns how many windows freed blocks lived, but for one in longestShare.
func (e *Evidence) oldest() int {
	over := uint64(0)
	for w := Windows - 1; w > 0; w-- {
		if over += uint64(e.ages[w]); over > e.Freed/longestShare {
			return w
		}
	}
	return 0
}

// strays returns how many survivors older than the limit are to be expected by chance, as so many freed blocks were
// left out of the lifetimes that it is made of.
func (e *Evidence) strays() float64 {
	if e.Freed == 0 {
		return 0
	}
	return float64(e.Freed/longestShare) / float64(e.Freed) * float64(e.Live)
}

// quarters counts the survivors of the first room windows, from the first birth on.
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

// firstWindow returns that of the first survivor.
func (e *Evidence) firstWindow() int {
	return max(slices.IndexFunc(e.births[:], func(n uint32) bool { return n > 0 }), 0)
}

// evenness returns the last quarter as a share of the fullest, 0 where one is empty. A few in the last may be so few by
// chance.
func evenness(quarters [4]uint64) float64 {
	if slices.Min(quarters[:]) == 0 {
		return 0
	}
	last := float64(quarters[3])
	return math.Min(1, (last+math.Sqrt(last))/float64(slices.Max(quarters[:])))
}

type verdicts = func(k Kind, r Reason, confidence float64) Verdict

// steady judges a site whose survivors are about as young as freed blocks became.
func (e *Evidence) steady(say verdicts, use part) Verdict {
	if e.oldest() >= longLife && use&envelope != 0 && e.rise() == stays {
		return say(Bounded, flatLevel, 0.8)
	}
	return say(InFlight, youngBlocks, 0.8)
}

// byLevel judges a site whose freed blocks lived for so long that ages tell nothing.
func (e *Evidence) byLevel(say verdicts, use part) Verdict {
	if use&envelope == 0 {
		return say(Unknown, noneApplies, 0.2)
	}
	switch e.rise() {
	case stays:
		return say(Bounded, flatLevel, 0.8)
	case goesUp:
		return say(Leak, risingLevel, 0.5)
	}
	return say(Unknown, noneApplies, 0.2)
}

// trend is how the least level develops.
type trend uint8

const (
	undecided trend = iota
	stays
	goesUp
)

// rise returns the trend of the site, by its blocks and its bytes: it goes up if both do, and stays if one does.
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

// trendOf compares how much of the level is there for good after each third of the run.
func trendOf(least *[groups]float64) trend {
	forGood := *least
	for g := groups - 2; g >= 0; g-- {
		forGood[g] = min(forGood[g], forGood[g+1])
	}
	begin, middle, end := forGood[groups/3], forGood[groups*2/3], forGood[groups-1]
	switch last := end - middle; {
	case last <= flat*end:
		return stays
	case begin > rises*end && last > rises*end && last >= goesOn*(middle-begin):
		return goesUp
	}
	return undecided
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

// grows reports whether the site's memory is one block that is replaced by a larger one again and again, and will be
// once more.
func (e *Evidence) grows() bool {
	c := &e.chain
	if !c.lives || c.links < leastLinks || float64(c.size) < mostOf*float64(e.Bytes) {
		return false
	}
	step := float64(c.born[1]-c.born[0]) + roughness
	next := float64(c.born[1]) + float64(c.size)/float64(c.was)*step*patience
	return next >= Windows && c.born[1] >= Windows/4
}

// growth returns how many bytes per second the least level rises by from the first survivor's birth to the end.
func (e *Evidence) growth(end model.Time) float64 {
	_, bytes := e.envelopes()
	first := min(e.firstWindow()/groupOf, groups-2)
	rise := bytes[groups-1] - bytes[first]
	run := float64(end) / float64(model.Second) * float64(groups-1-first) / groups
	return math.Max(rise, 0) / math.Max(run, 1e-6)
}
