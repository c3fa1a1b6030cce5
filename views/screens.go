package views

import (
	"github.com/memtui/memtui/views/areas"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/dump"
	"github.com/memtui/memtui/views/heap"
	"github.com/memtui/memtui/views/profile"
	"github.com/memtui/memtui/views/source"
	"github.com/memtui/memtui/views/stacks"
	"github.com/memtui/memtui/views/trace"
	"github.com/memtui/memtui/views/ui"
)

// allScreens returns every screen in the order of its number. A file is offered those whose facets it has.
func allScreens(e *ui.Env) []ui.Screen {
	return []ui.Screen{
		trace.NewOverview(e),
		trace.NewTimeline(e),
		trace.NewSites(e),
		trace.NewLeaks(e),
		stacks.NewStacks(e, compare.NewStackComparer(e)),
		trace.NewBlocks(e),
		trace.NewLifetimes(e),
		heap.NewSnapshots(e),
		heap.NewTypes(e),
		heap.NewFrames(e),
		heap.NewDominators(e),
		heap.NewThreads(e),
		heap.NewObject(e),
		heap.NewComparison(e),
		heap.NewWaste(e),
		heap.NewFind(e),
		dump.NewSeries(e),
		dump.NewPages(e),
		dump.NewFragments(e),
		profile.NewOverview(e),
		profile.NewFunctions(e),
		stacks.NewProfileStacks(e, compare.NewStackComparer(e)),
		profile.NewTimeline(e),
		profile.NewLeaks(e),
		newProblems(e),
		source.New(e), // last, so that the numbers of the others stay what they were
		source.NewProfile(e),
		areas.New(e),
		areas.NewProfile(e),
		areas.NewHeap(e),
		areas.NewDump(e),
		areas.NewHeat(e),
		trace.NewEvents(e),
	}
}
