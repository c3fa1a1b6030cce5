package verdict

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// clock is how a run is cut into windows.
type clock uint8

const (
	byAllocation clock = iota // from the first to the last allocation
	wholeRun                  // the same, and the last window ends with the last event
	bySecond                  // of equal duration
	clocks
)

// run is the blocks of a program whose parts have a known truth, in the order of birth for each part.
type run struct {
	name   string
	parts  []planted
	blocks []Block
	sites  []int    // the part of each block
	short  []uint64 // by part: blocks that lived short, which are not among them
	edges  [clocks][Windows + 1]uint32
}

// planted is a part of a program: what it does is "leak", "late", "kept" or "fine".
type planted struct{ function, truth string }

// followed returns the blocks of events, with their stacks.
func followed(events []model.Event) (r *run, ids []model.StackID) {
	r = &run{}
	at := map[uint64]int{}
	var allocs []uint32
	for i, e := range events {
		if b, ok := at[e.Addr]; ok && (e.Kind == model.Alloc || e.Kind == model.Free) {
			r.blocks[b].Died, r.blocks[b].DiedAt = uint32(i), e.Time
			delete(at, e.Addr)
		}
		if e.Kind == model.Alloc {
			at[e.Addr] = len(r.blocks)
			allocs = append(allocs, uint32(i))
			r.blocks = append(r.blocks, Block{Size: e.Size, Born: uint32(i), Died: 1<<32 - 1, BornAt: e.Time, DiedAt: model.NoTime})
			ids = append(ids, model.StackID(e.ID))
		}
	}
	by := &r.edges[byAllocation]
	for w := range Windows {
		by[w] = allocs[w*len(allocs)/Windows]
	}
	by[Windows] = allocs[len(allocs)-1] + 1
	r.edges[wholeRun], r.edges[bySecond] = *by, *by
	r.edges[wholeRun][Windows] = uint32(len(events))
	last := events[by[Windows]-1].Time
	for w := range Windows {
		from := last * model.Time(w) / Windows
		r.edges[bySecond][w] = uint32(sort.Search(len(events), func(i int) bool { return events[i].Time >= from }))
	}
	return r, ids
}

// madeUp returns the run of a program that is made up.
func madeUp(seed uint64, requests int) *run {
	p := modeltest.NewPlanted(seed, requests)
	r, ids := followed(p.Events)
	r.name, r.short = "made up", make([]uint64, len(p.Parts))
	for _, x := range p.Parts {
		r.parts = append(r.parts, planted{x.Function, x.Truth})
	}
	for _, id := range ids {
		r.sites = append(r.sites, int(id))
	}
	return r
}

// judged returns the verdicts about the parts, with a part of the rule left out.
func (r *run) judged(without part, c clock) (list []Verdict) {
	edges := r.edges[c]
	g := NewGatherer(edges, 0, len(r.parts))
	end := model.Time(0)
	born, freed, bytes := make([]uint64, len(r.parts)), make([]uint64, len(r.parts)), make([]uint64, len(r.parts))
	for i := range r.blocks {
		b, site := &r.blocks[i], r.sites[i]
		g.Add(site, b)
		if b.Born >= edges[Windows] {
			continue
		}
		end = max(end, b.BornAt)
		if born[site]++; b.Died < edges[Windows] {
			freed[site]++
		} else {
			bytes[site] += b.Size
		}
	}
	for i := range r.parts {
		list = append(list, g.Site(i, born[i]+r.short[i], freed[i]+r.short[i], bytes[i]).judge(end, allParts&^without))
	}
	return list
}

// kindsOf is what may be said of parts that do no more than "fine" or "kept" tells, where it is known better.
var kindsOf = map[string][]Kind{
	"Config::load": {Kept}, "Migrator::move": {Kept}, "Interner::intern": {Kept}, "Pool::take": {Kept}, // from one time
	"LateCache::fetch": {Bounded}, "PageCache::get": {Bounded},
	"Backlog::put": {InFlight}, "Batch::add": {InFlight}, "Render::page": {InFlight, Unknown}, "Daily::report": {Unknown}, // of which nothing is live
	"HotSet::touch": {Bounded, InFlight}, "LogRing::append": {Bounded, InFlight}, "RetryQueue::push": {Bounded, InFlight},
	"SoundSessions::begin": {Bounded, InFlight}, "Stats::observe": {Bounded, InFlight},
}

// score counts wrong verdicts.
type score struct {
	missed  int // leaks, and what was freed at the very end
	accused int // parts that are no leak
	other   int // parts that are called by a wrong name, but no leak
	parts   int
}

func (s score) wrong() [3]int { return [3]int{s.missed, s.accused, s.other} }

func (s score) String() string {
	return fmt.Sprintf("%d of %d right; %d leaks missed, %d accused, %d otherwise wrong", s.parts-s.missed-s.accused-s.other, s.parts, s.missed, s.accused, s.other)
}

// scored judges runs with a part of the rule left out.
func scored(t *testing.T, runs []*run, without part, c clock) (s score) {
	t.Helper()
	for _, r := range runs {
		for i, v := range r.judged(without, c) {
			p := r.parts[i]
			grows := p.truth == "leak" || p.truth == "late"
			s.parts++
			switch kinds, known := kindsOf[p.function]; {
			case grows && v.Kind != Leak:
				s.missed++
			case !grows && v.Kind == Leak:
				s.accused++
			case !grows && known && !slices.Contains(kinds, v.Kind):
				s.other++
			default:
				continue
			}
			if without == 0 && c == byAllocation {
				t.Errorf("%s: %s, %s, is %v: %s", r.name, p.function, p.truth, v.Kind, v.Evidence())
			}
		}
	}
	return s
}

// TestRule judges runs of programs whose truth is known, recorded ones and such as are made up, with all of the rule
// and with single parts left out: that tells what each is worth. It must be worth something.
func TestRule(t *testing.T) {
	var made []*run
	for seed := range uint64(4) {
		made = append(made, madeUp(seed, 3000+int(seed)*1500))
	}
	recorded := allRecorded(t)
	for _, tt := range []struct {
		name               string
		without            part
		clock              clock
		recorded, imagined [3]int // missed, accused, otherwise wrong
	}{
		{"nothing", 0, byAllocation, [3]int{}, [3]int{}},
		{"lifetimes of freed blocks", lifetimes, byAllocation, [3]int{0, 14, 33}, [3]int{0, 8, 22}},
		{"spread", spread, byAllocation, [3]int{0, 24, 3}, [3]int{0, 12, 0}},
		{"least level", envelope, byAllocation, [3]int{2, 0, 11}, [3]int{4, 0, 12}},
		{"containers", containers, byAllocation, [3]int{2, 0, 0}, [3]int{4, 0, 0}},
		{"the end of the run", 0, wholeRun, [3]int{4, 0, 0}, [3]int{4, 0, 4}},
		{"the clock of allocations", 0, bySecond, [3]int{2, 3, 0}, [3]int{25, 0, 13}},
	} {
		real, imagined := scored(t, recorded, tt.without, tt.clock), scored(t, made, tt.without, tt.clock)
		t.Logf("without %-26s recorded: %v\n%38smade up: %v", tt.name+",", real, "", imagined)
		if real.wrong() != tt.recorded || imagined.wrong() != tt.imagined {
			t.Errorf("without %s: wrong are %v and %v, not %v and %v", tt.name, real.wrong(), imagined.wrong(), tt.recorded, tt.imagined)
		}
		if tt.without|part(tt.clock) != 0 && real.wrong() == [3]int{} {
			t.Errorf("without %s, nothing changes for what was recorded: it is worth nothing", tt.name)
		}
	}
}
