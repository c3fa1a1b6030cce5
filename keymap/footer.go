package keymap

import (
	"slices"
	"unicode/utf8"
)

// Hint is one item of the footer.
type Hint struct {
	Keys   string // "h/l"
	Text   string // "time"
	Action Action // the first of them: what a click on the hint does
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

// MaxHints returns the most items a footer of so many cells shows: more are not read.
func MaxHints(cells int) int { return min(max(cells/9, 9), 14) }

// hintGap is the number of blanks between two hints.
const hintGap = 2

// Hints returns the keys that matter most where the given scopes hold, most special scope first, as many as fit side by
// side in cells with two blanks between them and one before. Help and quit come last and are kept longest; quit has a
// Text only where there is room for it.
func (m *Map) Hints(cells int, scopes ...Scope) []Hint {
	return m.UsefulHints(cells, func(Action) bool { return true }, scopes...)
}

// UsefulHints is [Map.Hints] without the actions that are not useful now.
func (m *Map) UsefulHints(cells int, useful func(Action) bool, scopes ...Scope) []Hint {
	room, most := cells-1+hintGap, MaxHints(cells)
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

// resolve looks up the keys of hints; what has no key here is left out, and so is what stands earlier in the list.
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

// footer lists what matters in one scope, most important first. Words must stay short: eight or nine of them share 80 cells.
func footer(s Scope) []hint {
	var (
		timeHint = hint{"time", []Action{StepBack, StepForward}}
		peak     = hint{"peak", []Action{Peak}}
		rng      = hint{"range", []Action{Range}}
		filter   = hint{"find", []Action{Find}}
		search   = hint{"search", []Action{Find}}
		cost     = hint{"cost", []Action{Cost}}
		invert   = hint{"invert", []Action{Invert}}
		focus    = hint{"focus", []Action{Only}}
		diff     = hint{"diff", []Action{MarkA, MarkB, Difference}}
		cp       = hint{"copy", []Action{Copy}}
		evidence = hint{"evidence", []Action{Evidence}}
		row      = hint{"row", []Action{FullRow}}
		screens  = hint{"screens", []Action{Screens}}
		sort     = hint{"sort", []Action{Sort}}
		group    = hint{"group", []Action{Group}}
	)
	switch s {
	case ScopeOverview:
		return []hint{timeHint, rng, {"open", []Action{Open}}, screens, diff, evidence, peak, {"pane", []Action{NextPane}}, cp}
	case ScopeTimeline:
		return []hint{timeHint, peak, rng, {"zoom", []Action{ZoomIn, ZoomOut}}, diff, {"series", []Action{Series}}, {"pane", []Action{NextPane}}, cp, evidence,
			{"go to", []Action{GotoTime}}}
	case ScopeTable:
		return []hint{{"open", []Action{Open}}, filter, focus, diff, cp, evidence, group, sort, row, {"pane", []Action{NextPane}}}
	case ScopeLeaks:
		return []hint{{"open", []Action{Open}}, filter, focus, diff, cp, evidence, group, sort, {"min age", []Action{AgeUp}}, row,
			{"pane", []Action{NextPane}}}
	case ScopeBlocks:
		return []hint{{"back", []Action{Back}}, sort, {"reverse", []Action{SortReverse}}, cp, timeHint, peak, evidence, row}
	case ScopeBlockTable:
		return []hint{{"uses", []Action{Open}}, {"filter, address", []Action{Find}}, {"live/all", []Action{Only}}, cp, diff, sort,
			{"reverse", []Action{SortReverse}}, evidence, row, timeHint, peak}
	case ScopeLifetimes:
		return []hint{{"move", []Action{Up, Down, Left, Right}}, {"only this", []Action{Open}}, {"short-lived", []Action{AgeUp}},
			{"bytes/count", []Action{Series}}, {"site/all", []Action{Only}}, rng}
	case ScopeTree:
		return []hint{{"open", []Action{Collapse, Expand}}, {"flame", []Action{Flame}}, invert, cost, search, focus, diff, cp, {"hot path", []Action{HotPath}}, evidence}
	case ScopeFlame:
		return []hint{{"move", []Action{Up, Down, Left, Right}}, {"zoom", []Action{Open}}, {"out", []Action{Back}},
			{"tree", []Action{Flame}}, invert, cost, search, focus, diff, cp, evidence}
	case ScopeSnapshots:
		return []hint{{"open", []Action{Open}}, {"largest", []Action{Peak}}, {"mark", []Action{MarkA, MarkB}}, {"compare", []Action{Screen6}}, evidence,
			{"suspects", []Action{NextPane}}, {"bytes/count", []Action{Series}}}
	case ScopeHeap:
		return []hint{{"snapshot", []Action{StepBack, StepForward}}, {"largest", []Action{Peak}}, {"mark", []Action{MarkA, MarkB}}, {"diff", []Action{Difference}},
			{"dominators", []Action{DominatorsOf}}, {"edges", []Action{Edges}}}
	case ScopeDominators:
		return []hint{{"out/in", []Action{Collapse, Expand}}, {"accumulation", []Action{HotPath}}, {"by type", []Action{Group}},
			{"object", []Action{ObjectOf}}, filter}
	case ScopeObject:
		return []hint{{"open", []Action{Open}}, {"pane", []Action{NextPane}}, {"group", []Action{Group}}, {"exclude", []Action{Exclude}},
			{"back", []Action{HistoryBack}}}
	case ScopeComparison:
		return []hint{{"objects", []Action{Open}}, {"only", []Action{Changes}}, {"by", []Action{Group}}, {"figure", []Action{Cost}},
			{"swap", []Action{Swap}}, {"per", []Action{Normalize}}, {"mark", []Action{MarkA, MarkB}}}
	case ScopeDifference:
		return []hint{{"end", []Action{Difference}}, {"mark", []Action{MarkA, MarkB}}, {"only", []Action{Changes}}, {"swap", []Action{Swap}},
			{"figure", []Action{Cost}}, {"per", []Action{Normalize}}, {"align", []Action{Align}}, {"match", []Action{Match}}, {"group", []Action{Group}}, filter}
	case ScopeSeries:
		return []hint{timeHint, peak, rng, {"zoom", []Action{ZoomIn, ZoomOut}}, {"hide", []Action{Toggle}}, {"log", []Action{Log}},
			{"stack", []Action{Stacked}}, {"pages", []Action{Open}}}
	case ScopePages:
		return []hint{{"layout", []Action{StepBack, StepForward}}, {"play", []Action{Toggle}}, {"zoom", []Action{ZoomIn, ZoomOut}},
			{"order", []Action{Order}}, {"mark", []Action{MarkA, MarkB}}, {"diff", []Action{Difference}}, {"types", []Action{Group}}}
	case ScopeFragments:
		return []hint{{"layout", []Action{StepBack, StepForward}}, {"select", []Action{Up, Down}}, {"pane", []Action{NextPane}},
			{"page", []Action{Open}}, {"series", []Action{Series}}, {"go to", []Action{GotoTime}}}
	case ScopeProfile:
		return []hint{{"event", []Action{Cost}}, {"metric", []Action{Series}}, {"focus/ignore", []Action{Only, Exclude}}, rng, filter}
	case ScopeFilters:
		return []hint{focus}
	case ScopeText:
		return []hint{{"scroll", []Action{Up, Down}}, {"page", []Action{PageDown}}, search, {"next", []Action{FindNext}}, {"back", []Action{Back}}}
	case ScopeLoading:
		return []hint{{"stop loading", []Action{StopLoading}}}
	case ScopeInput:
		return []hint{{"accept", []Action{Accept}}, {"cancel", []Action{Cancel}}, {"complete", []Action{Complete}},
			{"earlier", []Action{Earlier, Later}}}
	case ScopeGlobal:
		return []hint{timeHint, peak, rng, cp, diff, evidence, {"command", []Action{CopyCommand}}, {"pane", []Action{NextPane}}, row, screens}
	}
	return nil
}
