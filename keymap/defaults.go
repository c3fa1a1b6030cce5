package keymap

// defaults returns the built-in table, in the order of the help.
func defaults() []section {
	return []section{
		{"Time", timeRows()},
		{"Range and zoom", rangeRows()},
		{"Move and find", moveRows()},
		{"Tables", tableRows()},
		{"Stacks", stackRows()},
		{"Filters of stacks", filterRows()},
		{"Blocks and lifetimes", blockRows()},
		{"Treemap and heat map", areaRows()},
		{"Heap snapshots", heapRows()},
		{"Series and pages", dumpRows()},
		{"Compare", compareRows()},
		{"Stack profiles", profileRows()},
		{"Fleet", fleetRows()},
		{"Screens and panes", screenRows()},
		{"Program", programRows()},
		{"Typing", inputRows()},
	}
}

func timeRows() []row {
	const s = ScopeGlobal
	return []row{
		{s, StepBack, "h Left", "Move the instant one chart column, heap snapshot or page layout earlier, on every screen."},
		{s, StepForward, "l Right", "Move the instant one chart column, heap snapshot or page layout later, on every screen."},
		{s, LeapBack, "H", "Move the instant a tenth of the chart, ten snapshots or ten layouts earlier."},
		{s, LeapForward, "L", "Move the instant a tenth of the chart, ten snapshots or ten layouts later."},
		{s, EventBack, ",", "Move the instant to the previous event or measured point."},
		{s, EventForward, ".", "Move the instant to the next event or measured point."},
		{s, LandmarkBack, "{", "Move the instant to the previous marker, collection or named event."},
		{s, LandmarkForward, "}", "Move the instant to the next marker, collection or named event."},
		{s, Peak, "p", "Move the instant to the peak of the complete run or series, or to the largest snapshot."},
		{s, PeakInRange, "P", "Move the instant to the peak within the range."},
		{s, End, "e", "Move the instant to the end of the run, and stay there while it loads."},
		{s, GotoTime, "t", "Type an instant (12.5s, 350ms, 50%, peak, end), or the number of a snapshot."},
	}
}

func rangeRows() []row {
	const s = ScopeGlobal
	return []row{
		{s, Range, "v", "Start or end a range at the instant, or mark the snapshot or layout to compare with."},
		{s, ClearRange, "u", "Clear the range, marked snapshots and layouts, and excluded retainers."},
		{s, ZoomIn, "+", "Zoom in: chart to range or instant, flame graphs and pages to the selection."},
		{s, ZoomOut, "- _", "Zoom out."},
		{s, ZoomReset, "0", "Show the complete run, or the complete flame graph."},
		{s, PanLeft, "(", "Shift the zoomed chart to earlier times."},
		{s, PanRight, ")", "Shift the zoomed chart to later times."},
		{s, Series, "m", "Next series in the chart: live bytes, live blocks, allocation rate, or what was measured."},
		{s, Divide, "V", "Live curve: divided by its top sites, of the selected group alone, or undivided."},
	}
}

func moveRows() []row {
	const s = ScopeGlobal
	return []row{
		{s, Up, "Up k", "Go up one row."},
		{s, Down, "Down j", "Go down one row."},
		{s, PageUp, "PgUp Ctrl-B", "Go up one page."},
		{s, PageDown, "PgDn Ctrl-F", "Go down one page."},
		{s, First, "g Home", "Go to the first row."},
		{s, Last, "G End", "Go to the last row."},
		{s, SideLeft, "Shift-Left", "Scroll a list to its columns on the left; elsewhere shift the zoomed chart."},
		{s, SideRight, "Shift-Right", "Scroll a list to its columns on the right; elsewhere shift the zoomed chart."},
		{s, Open, "Enter", "Open what is selected."},
		{s, FullRow, "K Space", "Show the selected row completely: every column in full."},
		{s, Find, "/", "Filter a table (text, !text, live>1M), or search a tree, a flame graph or a text."},
		{s, FindNext, "n", "Go to the next match."},
		{s, FindPrevious, "N", "Go to the previous match."},
	}
}

func tableRows() []row {
	const s = ScopeTable
	return []row{
		{s, Sort, "s", "Sort by the next column."},
		{s, SortReverse, "S", "Reverse the order."},
		{s, ColumnLeft, "<", "Sort by the column to the left."},
		{s, ColumnRight, ">", "Sort by the column to the right."},
		{s, Group, "b", "Group by stack, owner, function, file, module, thread, size; heaps by superclass, site, kind."},
		{ScopeLeaks, Cost, "c", "Switch between what was never freed and what was freed late."},
		{ScopeLeaks, AgeUp, "a", "Raise the minimum age of what counts as a leak."},
		{ScopeLeaks, AgeDown, "Alt-a", "Lower the minimum age of what counts as a leak."},
	}
}

func stackRows() []row {
	return []row{
		{ScopeStacks, Flame, "f", "Switch between call tree and flame graph."},
		{ScopeStacks, Invert, "i", "Switch between top-down and bottom-up."},
		{ScopeStacks, Cost, "c", "Next cost: live, blocks, peak, total, count, unfreed, temporary."},
		{ScopeStacks, Recursion, "r", "Fold recursive calls into one frame, or show all of them."},
		{ScopeStacks, HotPath, "x", "Open the heaviest path below the selection, until it branches."},
		{ScopeTree, Collapse, "Left", "Close the node, or go to its parent."},
		{ScopeTree, Expand, "Right", "Open the node, or go to its first child."},
		{ScopeTree, Toggle, "Space", "Open or close the node."},
		{ScopeTree, ExpandAll, "*", "Open everything below the node."},
		{ScopeTree, Open, "Enter", "Show all callers and callees of the function."},
		{ScopeGlobal, SourceOf, "J", "Show the source of what is selected, with figures at each line."},
		{ScopeSource, FindNext, "n", "Go to the next line that costs."},
		{ScopeSource, FindPrevious, "N", "Go to the previous line that costs."},
		{ScopeSource, Expand, "Right", "Go to what the line calls."},
		{ScopeSource, Collapse, "Left", "Go to where the function of the line is called."},
		{ScopeSource, Cost, "c", "Next cost: live, blocks, peak, total, count, unfreed, temporary."},
		{ScopeFlame, Left, "Left", "Go to the frame on the left."},
		{ScopeFlame, Right, "Right", "Go to the frame on the right."},
		{ScopeFlame, Open, "Enter", "Zoom: give the frame the full width. {back} zooms out."},
	}
}

func filterRows() []row {
	const s = ScopeFilters
	return []row{
		{s, Only, "o", "Focus: keep only stacks with the selected function, on every screen."},
		{s, Exclude, "X", "Ignore stacks with the selected function."},
		{s, ShowFrom, "F", "Show stacks from the selected function on; stacks without it are left out."},
		{s, HideFrame, "I", "Hide the selected function: its weight goes to its callers."},
		{s, Pivot, "#", "Show or hide the callers above and the callees below the selected function."},
		{ScopeGlobal, Filters, ";", "List the filters, to remove any of them. {back} removes the last one."},
		{ScopeGlobal, Undo, "U", "Undo the last change of filters."},
		{ScopeGlobal, Redo, "Ctrl-Y", "Redo the change of filters."},
	}
}

func blockRows() []row {
	return []row{
		{ScopeBlockTable, Open, "Enter", "List all uses of the block's address over the run."},
		{ScopeBlockTable, Only, "o", "Switch between blocks live at the instant and blocks allocated in the range."},
		{ScopeLifetimes, Left, "Left", "Go to the cell of shorter lifetimes."},
		{ScopeLifetimes, Right, "Right", "Go to the cell of longer lifetimes; the last column is for blocks never freed."},
		{ScopeLifetimes, Open, "Enter", "Show only blocks of this size and lifetime, on every screen; of those shown, list them."},
		{ScopeLifetimes, Series, "m", "Switch between bytes and blocks."},
		{ScopeLifetimes, Only, "o", "Show only the site that is selected elsewhere, or all sites."},
		{ScopeLifetimes, AgeUp, "a", "Raise the limit below which blocks count as short-lived."},
		{ScopeLifetimes, AgeDown, "Alt-a", "Lower the limit below which blocks count as short-lived."},
	}
}

func areaRows() []row {
	return []row{
		{ScopeTreemap, Left, "Left", "Go to the area on the left."},
		{ScopeTreemap, Right, "Right", "Go to the area on the right."},
		{ScopeTreemap, Open, "Enter", "Zoom to what the selected area belongs to, or open what has no parts. {back} zooms out."},
		{ScopeTreemap, Cost, "c", "Next cost: live, blocks, peak, total, count, unfreed, temporary."},
		{ScopeTreemap, Group, "b", "Switch between types and dominators of a heap snapshot."},
		{ScopeHeat, Open, "Enter", "Show the site on the Sites screen, or only blocks of this lifetime on every screen."},
		{ScopeHeat, Cost, "c", "Next cost: live, blocks, peak, total, count, unfreed, temporary."},
		{ScopeHeat, Group, "b", "Group by stack, owner, function, file, module, thread or size."},
		{ScopeHeat, Series, "m", "Switch between sites and lifetimes."},
	}
}

func heapRows() []row {
	return []row{
		{ScopeHeap, Edges, "E", "Switch between references that keep memory alive and all recorded references."},
		{ScopeHeap, DominatorsOf, "D", "Show what the selection retains on the Dominators screen."},
		{ScopeHeap, ObjectOf, "O", "Show the selection on the Object screen."},
		{ScopeHeap, Values, "r", "Reveal or hide the values of fields and the texts of strings: they may be secrets."},
		{ScopeHeap, OwnersOf, "Alt-h", "Show what holds all the objects of the selected type, by type and field."},
		{ScopeTypes, Pivot, "#", "Show or hide what refers to all objects of the type, and what they refer to."},
		{ScopeHeap, HotPath, "x", "Go down to the accumulation point: below it memory is spread over many objects."},
		{ScopeHeap, Exclude, "X", "Exclude the selected retainer from paths to the root; {clear-range} includes all again."},
		{ScopeDominators, Collapse, "Left", "Go up to the dominator of the objects shown."},
		{ScopeDominators, Expand, "Right", "Go down into the selected object."},
		{ScopeComparison, Cost, "c", "Compare the next figure: bytes, count, retained."},
		{ScopeComparison, Changes, "!", "Show only what changed, or in turn what is new, gone, grown or shrunk."},
		{ScopeComparison, Swap, "~", "Swap before and after."},
		{ScopeComparison, Normalize, "%", "Normalize both sides by total, duration or collections."},
	}
}

func dumpRows() []row {
	return []row{
		{ScopeSeries, Toggle, "Space", "Hide the selected series, or show it again."},
		{ScopeSeries, Only, "o", "Show the selected series alone, or all of them."},
		{ScopeSeries, Log, "^", "Switch between a linear and a logarithmic scale."},
		{ScopeSeries, Stacked, "&", "Switch between overlaid and stacked curves."},
		{ScopeSeries, Open, "Enter", "Show the page layouts of the selected series."},
		{ScopePages, Left, "Left", "Go to the cell on the left."},
		{ScopePages, Right, "Right", "Go to the cell on the right."},
		{ScopePages, Open, "Enter", "Zoom to the pages of the cell, down to single bits. {back} zooms out."},
		{ScopePages, Toggle, "Space", "Play the layouts forward, or pause."},
		{ScopePages, PlayBack, "R", "Play the layouts backward, or pause."},
		{ScopePages, Order, "C", "Next order of cells: rows, Hilbert curve, Morton curve."},
		{ScopePages, Group, "b", "Switch between all types of pages and one at a time; {next-pane} goes to the next."},
	}
}

func compareRows() []row {
	const s, in = ScopeGlobal, ScopeDifference
	return []row{
		{s, MarkA, "A", "Mark this instant, range, snapshot or layout as A, before, or clear that mark."},
		{s, MarkB, "B", "Mark it as B, after (of two files, in the second). Without a mark, B follows the instant."},
		{s, Difference, "d", "Show what changed from A to B on every screen, or the screens themselves."},
		{in, Cost, "c", "Compare the next figure (live bytes, blocks, peak, total and so on), or the next event."},
		{in, Swap, "~", "Swap before and after."},
		{in, Changes, "!", "Show only what changed, or in turn what is new, gone, grown or shrunk."},
		{in, Normalize, "%", "Normalize both sides by total, duration, allocations, collections or markers."},
		{in, Align, "|", "Align the curves of two files at the start, at a marker or by share of duration."},
		{in, Match, "\"", "Match frames by function, file and line, by function and file, or by function alone."},
	}
}

func profileRows() []row {
	const s = ScopeProfile
	return []row{
		{s, Cost, "c", "Weight stacks by the next event, on every screen."},
		{s, Series, "m", "Weight stacks by the next metric of the event, on every screen."},
	}
}

func fleetRows() []row {
	const s = ScopeFleet
	return []row{
		{s, Open, "Enter", "Open the row: what a site, host, version or service has, or the file of a recording."},
		{s, Cost, "c", "Next figure: what was never freed, live at the end, at the peak, allocated."},
		{s, Group, "b", "Ask about sites, owners, leaks, types of heap snapshots, or pages of memory dumps."},
		{s, Only, "o", "Keep only the service of the selected row on every screen, or all services again."},
		{s, Filters, ";", "List what is kept only, to remove any of it. {back} goes back to what was shown before."},
	}
}

func screenRows() []row {
	const s = ScopeGlobal
	const nth = "Go to a screen by its number."
	return []row{
		{s, Screen1, "1", nth},
		{s, Screen2, "2", nth},
		{s, Screen3, "3", nth},
		{s, Screen4, "4", nth},
		{s, Screen5, "5", nth},
		{s, Screen6, "6", nth},
		{s, Screen7, "7", nth},
		{s, Screen8, "8", nth},
		{s, Screen9, "9", nth},
		{s, NextScreen, "]", "Go to the next screen."},
		{s, PreviousScreen, "[", "Go to the previous screen."},
		{s, Screens, "`", "List the screens with their numbers; again goes back to the last one."},
		{s, LastScreen, "Z", "Go back to the last screen."},
		{s, NextPane, "Tab", "Move focus to the next pane."},
		{s, PreviousPane, "Backtab", "Move focus to the previous pane."},
		{s, Maximize, "z", "Maximize this pane, or restore it."},
		{s, ShowOverview, "", "Totals, the chart, and what to look at first."},
		{s, ShowTimeline, "", "Live curve with zoom, and the top sites at an instant."},
		{s, ShowSites, "", "Allocation sites with their figures."},
		{s, ShowLeaks, "", "What was never freed, and how it grew."},
		{s, ShowStacks, "", "Call tree and flame graph."},
		{s, ShowBlocks, "", "Single blocks, and all uses of an address."},
		{s, ShowEvents, "'", "Single events around the instant."},
		{s, ShowLifetimes, "", "Blocks by size and lifetime, as a grid."},
		{s, ShowSource, "", "Source files, with figures at each line."},
		{s, ShowTreemap, "@", "Memory as areas within areas, by what it belongs to."},
		{s, ShowHeat, "$", "Sites or lifetimes over time, as colors."},
		{s, ShowSnapshots, "", "Heap snapshots, and how types and frames develop."},
		{s, ShowTypes, "", "What is on the heap, by type."},
		{s, ShowFrames, "", "Frames of the program that are on the heap."},
		{s, ShowDominators, "", "What keeps memory alive, and how much."},
		{s, ShowThreads, "", "Threads: their frames, and what these keep alive."},
		{s, ShowObject, "", "One object: references, retainers, path from the root."},
		{s, ShowComparison, "", "Two snapshots: what is new, gone, grown and shrunk."},
		{s, ShowWaste, "", "Duplicate strings and classes, unused capacity, boxes."},
		{s, ShowFind, "", "Find objects of the complete snapshot, and count them."},
		{s, ShowSeries, "", "Measured curves: all series over time."},
		{s, ShowPages, "", "One page layout as a grid: what is used and free."},
		{s, ShowFragments, "", "Occupancy, holes and runs by page type, and over time."},
		{s, ShowProfile, "", "Events, metrics and totals, threads and binaries."},
		{s, ShowFunctions, "", "Functions, binaries, lines and threads by weight."},
		{s, ShowProblems, "", "What is damaged, guessed or uncertain in this file."},
	}
}

func programRows() []row {
	const s = ScopeGlobal
	return []row{
		{s, Help, "? F1", "Show the keys that work here."},
		{ScopeText, PageDown, "Space", "Go down one page."},
		{s, Palette, ":", "Type a command; the list shows all of them."},
		{s, Back, "Esc", "Go back one level. Never quits."},
		{s, HistoryBack, "Alt-Left Ctrl-O", "Go back to the previous view."},
		{s, HistoryForward, "Alt-Right", "Go forward again."},
		{s, Copy, "y", "Copy the selected row or stack."},
		{s, CopyCommand, "Y", "Copy the command that prints this view."},
		{s, Save, "Ctrl-S", "Save this view as text, Markdown, CSV, JSON or HTML, or its stacks, by the suffix of the name."},
		{s, Evidence, "W", "Write evidence for a ticket into a folder or archive: page, figures, stacks and commands."},
		{s, Exact, "=", "Switch between rounded and exact numbers."},
		{s, Names, "w", "Switch between short names and names as in the file."},
		{s, Theme, "T", "Next color theme."},
		{s, Mouse, "M", "Switch the mouse off (to select text) or on."},
		{s, Reload, "Ctrl-R", "Read the file again."},
		{s, Redraw, "Ctrl-L", "Repaint the screen."},
		{s, Suspend, "Ctrl-Z", "Suspend the program; fg brings it back."},
		{ScopeLoading, StopLoading, "Ctrl-C", "Stop loading and keep what was read."},
		{s, Quit, "q Ctrl-C", "Quit."},
	}
}

func inputRows() []row {
	const s = ScopeInput
	return []row{
		{s, Accept, "Enter", "Accept the input."},
		{s, Cancel, "Esc Ctrl-C", "Cancel the input."},
		{s, Complete, "Tab", "Complete the input as far as all suggestions agree, or take the chosen one."},
		{s, CompleteBack, "Backtab", "Go to the previous suggestion."},
		{s, Earlier, "Up Ctrl-P", "Go to the line above, or to earlier input."},
		{s, Later, "Down Ctrl-N", "Go to the line below, or to later input."},
		{s, DeleteWord, "Ctrl-W", "Delete the word before the cursor."},
		{s, ClearLine, "Ctrl-U", "Delete everything before the cursor."},
		{s, Redraw, "Ctrl-L", "Repaint the screen."},
		{s, Suspend, "Ctrl-Z", "Suspend the program; fg brings it back."},
	}
}
