package views

// allScreens lists every screen in the order of its number. A file is offered those whose facets it has.
func allScreens(e *env) []screen {
	return []screen{
		newOverview(e),
		newTimeline(e),
		newSites(e),
		newLeaks(e),
		newStacks(e),
		newBlocks(e),
		newLifetimes(e),
		newHeapSnapshots(e),
		newHeapTypes(e),
		newHeapFrames(e),
		newHeapDominators(e),
		newHeapObject(e),
		newHeapComparison(e),
		newDumpSeries(e),
		newDumpPages(e),
		newDumpFragments(e),
		newProfileScreen(e),
		newProfFunctions(e),
		newProfStacks(e),
		newProfTimeline(e),
		newProfLeaks(e),
		newProblems(e),
	}
}
