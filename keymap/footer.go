package keymap

import (
	"slices"
	"unicode/utf8"
)

// Hint is one item of the footer.
type Hint struct {
	Keys   string // "h/l"
	Text   string // "time"
	Action Action // the first of them, done by a click on the hint
}

// Width returns the number of cells of the hint as "keys text".
func (h Hint) Width() int {
	n := utf8.RuneCountInString(h.Keys)
	if h.Text != "" {
		n += 1 + utf8.RuneCountInString(h.Text)
	}
	return n
}

// hint names actions that share a word in the footer.
type hint struct {
	text    string
	actions []Action
}

// maxHints returns the most items that a footer of so many cells shows.
func maxHints(cells int) int { return min(max(cells/9, 9), 14) }

// hintGap is the number of blanks between two hints.
const hintGap = 2

// Hints returns the most important keys in the given scopes, most specific scope first, as many as fit side by side in
// cells with two blanks between them and one before. Help and quit come last and are kept longest; quit has a Text only
// if that fits.
func (m *Map) Hints(cells int, scopes ...Scope) []Hint {
	return m.UsefulHints(cells, func(Action) bool { return true }, scopes...)
}

// UsefulHints is [Map.Hints] without the actions that are not useful now.
func (m *Map) UsefulHints(cells int, useful func(Action) bool, scopes ...Scope) []Hint {
	room, most := cells-1+hintGap, maxHints(cells)
	take := func(list, more []Hint, limit int) []Hint {
		for _, h := range more {
			if need := h.Width() + hintGap; need <= room && len(list) < limit {
				list = append(list, h)
				room -= need
			}
		}
		return list
	}
	tail := take(nil, m.resolve(tailHints(scopes), scopes), most)
	body := slices.DeleteFunc(m.resolve(bodyHints(scopes), scopes), func(h Hint) bool { return !useful(h.Action) })
	list := append(take(nil, body, most-len(tail)), tail...)
	const word = "quit"
	if n := len(list); n > 0 && list[n-1].Action == Quit && room > len(word) {
		list[n-1].Text = word
	}
	return list
}

// resolve looks up the keys of hints; it leaves out actions without a key here, and repeated ones.
func (m *Map) resolve(hints []hint, scopes []Scope) []Hint {
	var list []Hint
	seen := map[Action]bool{}
	for _, h := range hints {
		out := Hint{Text: h.text}
		for _, a := range h.actions {
			keys := m.Keys(a, scopes...)
			if seen[a] || len(keys) == 0 {
				continue
			}
			seen[a] = true
			out.Keys = appendKey(out.Keys, keys[0])
			if out.Action == "" {
				out.Action = a
			}
		}
		if out.Keys != "" {
			list = append(list, out)
		}
	}
	return list
}

// appendKey joins keys with a slash, arrows without one.
func appendKey(keys string, c Chord) string {
	name := c.Short()
	arrow := func(s string) bool { r, _ := utf8.DecodeLastRuneInString(s); return r >= '←' && r <= '↓' }
	if keys == "" || arrow(keys) && arrow(name) {
		return keys + name
	}
	return keys + "/" + name
}

// tailHints are always shown, at the right.
func tailHints(scopes []Scope) []hint {
	if slices.Contains(scopes, ScopeInput) {
		return nil
	}
	return []hint{{"help", []Action{Help}}, {"", []Action{Quit}}}
}

func bodyHints(scopes []Scope) []hint {
	var list []hint
	for _, s := range scopes {
		list = append(list, footer(s)...)
		if s == ScopeInput || s == ScopeText || s == ScopeBlocks || s == ScopeBlockTable {
			break
		}
	}
	return list
}

// Hints that several scopes have.
var (
	timeHint     = hint{"time", []Action{StepBack, StepForward}}
	peakHint     = hint{"peak", []Action{Peak}}
	rangeHint    = hint{"range", []Action{Range}}
	filterHint   = hint{"find", []Action{Find}}
	searchHint   = hint{"search", []Action{Find}}
	costHint     = hint{"cost", []Action{Cost}}
	invertHint   = hint{"invert", []Action{Invert}}
	focusHint    = hint{"focus", []Action{Only}}
	diffHint     = hint{"diff", []Action{MarkA, MarkB, Difference}}
	copyHint     = hint{"copy", []Action{Copy}}
	evidenceHint = hint{"evidence", []Action{Evidence}}
	rowHint      = hint{"row", []Action{FullRow}}
	screensHint  = hint{"screens", []Action{Screens}}
	sortHint     = hint{"sort", []Action{Sort}}
	groupHint    = hint{"group", []Action{Group}}
	revealHint   = hint{"reveal", []Action{Values}}
)

// fleetHints are those of the screens about a fleet.
func fleetHints() []hint {
	return []hint{{"open", []Action{Open}}, {"back", []Action{Back}}, {"figure", []Action{Cost}}, {"sites/owners/leaks", []Action{Group}},
		filterHint, {"this service", []Action{Only}}, {"ask", []Action{Palette}}, sortHint, {"save", []Action{Save}}, rowHint,
		{"pane", []Action{NextPane}}}
}

// footer lists what matters in one scope, most important first. Words must stay short: eight or nine of them share 80
// cells.
func footer(s Scope) []hint {
	switch s {
	case ScopeOverview:
		return []hint{timeHint, rangeHint, {"open", []Action{Open}}, screensHint, diffHint, evidenceHint, peakHint, {"pane", []Action{NextPane}}, copyHint}
	case ScopeTimeline:
		return []hint{timeHint, peakHint, rangeHint, {"zoom", []Action{ZoomIn, ZoomOut}}, diffHint, {"series", []Action{Series}}, {"pane", []Action{NextPane}}, copyHint, evidenceHint,
			{"go to", []Action{GotoTime}}}
	case ScopeTable:
		return []hint{{"open", []Action{Open}}, filterHint, focusHint, revealHint, diffHint, copyHint, evidenceHint, groupHint, sortHint, rowHint, {"pane", []Action{NextPane}}}
	case ScopeLeaks:
		return []hint{{"open", []Action{Open}}, filterHint, focusHint, diffHint, copyHint, evidenceHint, groupHint,
			{"min age", []Action{AgeUp}}, {"late", []Action{Cost}}, sortHint, rowHint, {"pane", []Action{NextPane}}}
	case ScopeBlocks:
		return []hint{{"back", []Action{Back}}, sortHint, {"reverse", []Action{SortReverse}}, copyHint, timeHint, peakHint, evidenceHint, rowHint}
	case ScopeBlockTable:
		return []hint{{"uses", []Action{Open}}, {"filter, address", []Action{Find}}, {"live/all", []Action{Only}}, copyHint, diffHint, sortHint,
			{"reverse", []Action{SortReverse}}, evidenceHint, rowHint, timeHint, peakHint}
	case ScopeLifetimes:
		return []hint{{"move", []Action{Up, Down, Left, Right}}, {"only this", []Action{Open}}, {"short-lived", []Action{AgeUp}},
			{"bytes/count", []Action{Series}}, {"site/all", []Action{Only}}, rangeHint}
	case ScopeTree:
		return []hint{{"open", []Action{Collapse, Expand}}, {"flame", []Action{Flame}}, invertHint, costHint, searchHint, focusHint, diffHint, copyHint, {"hot path", []Action{HotPath}}, evidenceHint}
	case ScopeFlame:
		return []hint{{"move", []Action{Up, Down, Left, Right}}, {"zoom", []Action{Open}}, {"out", []Action{Back}},
			{"tree", []Action{Flame}}, invertHint, costHint, searchHint, focusHint, diffHint, copyHint, evidenceHint}
	case ScopeSource:
		return []hint{{"next line that costs", []Action{FindNext}}, {"caller/callee", []Action{Collapse, Expand}}, filterHint, costHint, sortHint, {"back", []Action{HistoryBack}}}
	case ScopeTreemap:
		return []hint{{"move", []Action{Up, Down, Left, Right}}, {"zoom/open", []Action{Open}}, {"out", []Action{Back}}, costHint, {"types/dominators", []Action{Group}},
			focusHint, diffHint, copyHint, screensHint}
	case ScopeHeat:
		return []hint{timeHint, {"row", []Action{Up, Down}}, {"site", []Action{Open}}, costHint, {"sites/lifetimes", []Action{Series}},
			{"zoom", []Action{ZoomIn, ZoomOut}}, groupHint, rangeHint, copyHint}
	case ScopeSnapshots:
		return []hint{{"open", []Action{Open}}, {"largest", []Action{Peak}}, {"mark", []Action{MarkA, MarkB}}, evidenceHint,
			{"suspects", []Action{NextPane}}, {"bytes/count", []Action{Series}}}
	case ScopeHeap:
		return []hint{{"snapshot", []Action{StepBack, StepForward}}, {"largest", []Action{Peak}}, {"mark", []Action{MarkA, MarkB}}, {"diff", []Action{Difference}},
			{"dominators", []Action{DominatorsOf}}, {"edges", []Action{Edges}}}
	case ScopeTypes:
		return []hint{{"open", []Action{Open}}, filterHint, {"references", []Action{Pivot}}}
	case ScopeDominators:
		return []hint{{"out/in", []Action{Collapse, Expand}}, {"accumulation", []Action{HotPath}}, {"by type", []Action{Group}},
			{"object", []Action{ObjectOf}}, filterHint}
	case ScopeObject:
		return []hint{{"open", []Action{Open}}, {"pane", []Action{NextPane}}, revealHint, {"group", []Action{Group}}, {"exclude", []Action{Exclude}},
			{"back", []Action{HistoryBack}}}
	case ScopeComparison:
		return []hint{{"objects", []Action{Open}}, {"only", []Action{Changes}}, {"by", []Action{Group}}, {"figure", []Action{Cost}},
			{"swap", []Action{Swap}}, {"per", []Action{Normalize}}, {"mark", []Action{MarkA, MarkB}}}
	case ScopeDifference:
		return []hint{{"end", []Action{Difference}}, {"mark", []Action{MarkA, MarkB}}, {"only", []Action{Changes}}, {"swap", []Action{Swap}},
			{"figure", []Action{Cost}}, {"per", []Action{Normalize}}, {"align", []Action{Align}}, {"match", []Action{Match}}, {"group", []Action{Group}}, filterHint}
	case ScopeSeries:
		return []hint{timeHint, peakHint, rangeHint, {"zoom", []Action{ZoomIn, ZoomOut}}, {"hide", []Action{Toggle}}, {"log", []Action{Log}},
			{"stack", []Action{Stacked}}, {"pages", []Action{Open}}}
	case ScopePages:
		return []hint{{"layout", []Action{StepBack, StepForward}}, {"play", []Action{Toggle}}, {"zoom", []Action{ZoomIn, ZoomOut}},
			{"order", []Action{Order}}, {"mark", []Action{MarkA, MarkB}}, {"diff", []Action{Difference}}, {"types", []Action{Group}}}
	case ScopeFragments:
		return []hint{{"layout", []Action{StepBack, StepForward}}, {"select", []Action{Up, Down}}, {"pane", []Action{NextPane}},
			{"page", []Action{Open}}, {"series", []Action{Series}}, {"go to", []Action{GotoTime}}}
	case ScopeProfile:
		return []hint{{"event", []Action{Cost}}, {"metric", []Action{Series}}, {"focus/ignore", []Action{Only, Exclude}}, rangeHint, filterHint}
	case ScopeFleet:
		return fleetHints()
	case ScopeFilters:
		return []hint{focusHint}
	case ScopeText:
		return []hint{{"scroll", []Action{Up, Down}}, {"page", []Action{PageDown}}, searchHint, {"next", []Action{FindNext}}, {"back", []Action{Back}}}
	case ScopeLoading:
		return []hint{{"stop reading", []Action{StopLoading}}}
	case ScopeInput:
		return []hint{{"accept", []Action{Accept}}, {"cancel", []Action{Cancel}}, {"complete", []Action{Complete}},
			{"earlier", []Action{Earlier, Later}}}
	case ScopeGlobal:
		return []hint{timeHint, peakHint, rangeHint, copyHint, diffHint, evidenceHint, {"command", []Action{CopyCommand}}, {"pane", []Action{NextPane}}, rowHint, screensHint}
	}
	return nil
}
