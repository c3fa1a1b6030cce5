package verdict

import (
	"sort"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// planted judges the parts of a run, with a part of the rule left out, and returns how many leaks were not found and how many sound
// parts were accused.
func planted(t *testing.T, run *modeltest.Planted, without part, c clock) (missed, accused int) {
	t.Helper()
	blocks, sites, edges := plantedBlocks(run, c)
	g := NewGatherer(edges, 0, len(run.Parts))
	end := model.Time(0)
	var born, freed, bytes [64]uint64
	for i := range blocks {
		b, site := &blocks[i], sites[i]
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
	for i, p := range run.Parts {
		v := g.Site(i, born[i], freed[i], bytes[i]).judge(end, allParts&^without)
		switch grew := v.Kind == Leak; {
		case (p.Truth == "leak" || p.Truth == "late") && !grew:
			missed++
		case (p.Truth == "kept" || p.Truth == "fine") && grew:
			accused++
		default:
			continue
		}
		t.Logf("%s, %s: %v: %s", p.Function, p.Truth, v.Kind, v.Evidence())
	}
	return missed, accused
}

// clock is how a run is cut into windows.
type clock uint8

const (
	byAllocation clock = iota // from the first to the last allocation
	wholeRun                  // the same, and the last window ends with the last event
	bySecond                  // of equal duration
)

// plantedBlocks follows the events of a run.
func plantedBlocks(run *modeltest.Planted, c clock) (blocks []Block, sites []int, edges [Windows + 1]uint32) {
	at := map[uint64]int{}
	var allocs []uint32
	for i, e := range run.Events {
		if e.Kind == model.Alloc {
			at[e.Addr] = len(blocks)
			allocs = append(allocs, uint32(i))
			blocks, sites = append(blocks, Block{Size: e.Size, Born: uint32(i), Died: 1<<32 - 1, BornAt: e.Time, DiedAt: model.NoTime}), append(sites, int(e.ID))
		} else {
			b := &blocks[at[e.Addr]]
			b.Died, b.DiedAt = uint32(i), e.Time
		}
	}
	for w := range Windows {
		edges[w] = allocs[w*len(allocs)/Windows]
	}
	edges[Windows] = allocs[len(allocs)-1] + 1
	switch last := run.Events[edges[Windows]-1].Time; c {
	case wholeRun:
		edges[Windows] = uint32(len(run.Events))
	case bySecond:
		for w := range Windows {
			from := last * model.Time(w) / Windows
			edges[w] = uint32(sort.Search(len(run.Events), func(i int) bool { return run.Events[i].Time >= from }))
		}
	}
	return blocks, sites, edges
}

// TestRule judges runs of a program whose truth is known, with all of the rule and with single parts left out: each is worth something.
func TestRule(t *testing.T) {
	var runs []*modeltest.Planted
	for seed := range uint64(4) {
		runs = append(runs, modeltest.NewPlanted(seed, 3000+int(seed)*1500))
	}
	count := func(without part, c clock) (missed, accused int) {
		for _, run := range runs {
			m, a := planted(t, run, without, c)
			missed, accused = missed+m, accused+a
		}
		return missed, accused
	}
	if missed, accused := count(0, byAllocation); missed > 0 || accused > 0 {
		t.Errorf("%d leaks were missed, %d sound parts accused", missed, accused)
	}
	for _, tt := range []struct {
		name    string
		without part
		clock   clock
	}{
		{"lifetimes of freed blocks", lifetimes, byAllocation}, {"spread", spread, byAllocation}, {"least level", envelope, byAllocation},
		{"containers", containers, byAllocation}, {"the end of the run", 0, wholeRun}, {"the clock of allocations", 0, bySecond},
	} {
		missed, accused := count(tt.without, tt.clock)
		t.Logf("without %s: %d leaks are missed, %d sound parts accused", tt.name, missed, accused)
		if missed+accused == 0 {
			t.Errorf("nothing changes without %s", tt.name)
		}
	}
}
