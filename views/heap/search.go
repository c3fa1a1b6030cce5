package heap

import (
	"math"
	"regexp"
	"strings"
	"sync/atomic"

	choose "github.com/memtui/memtui/analysis/objects"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// textSearch returns a filter for objects whose texts hold what was typed as part of a name; other filters than a word
// get an example. ok is false where the format has no texts.
func textSearch(src model.HeapSource, typed string) (filter string, ok bool) {
	if _, ok = model.HeapFacet[model.HeapTexts](src); !ok {
		return "", false
	}
	if looksIntoTexts(typed) {
		return typed, true
	}
	word := "abc"
	if len(strings.Fields(typed)) == 1 && ui.FilterWord(typed) != "" && !strings.Contains(typed, ":") {
		word = regexp.QuoteMeta(typed)
	}
	return choose.TextField + "~" + word, true
}

// looksIntoTexts reports whether a filter asks for texts already.
func looksIntoTexts(filter string) bool { return strings.Contains(filter, choose.TextField+"~") }

// searches says what filters of objects look at.
func searches(src model.HeapSource) string {
	text := "A word is searched in the names of types, frames and roots"
	if _, ok := model.HeapFacet[model.HeapContents](src); ok {
		text += "; .FIELD=VALUE and .FIELD~REGEX look into objects"
	}
	if by, ok := textSearch(src, ""); ok {
		text += "; " + by + " searches the texts of strings, which reads what they hold"
	}
	return text + "."
}

// noMatches says that nothing passes a filter of names, and what searches texts instead. table reports that the filter
// is that of a table of groups, which knows no texts: the screen Find does.
func noMatches(p *ui.Pane, filter string, table bool) []string {
	lines := []string{"No matches for “" + filter + "”."}
	if by, ok := textSearch(p.State.Heaps(), filter); ok && (table || !looksIntoTexts(filter)) {
		if table {
			by = ":find " + by
		}
		lines = append(lines, "Only names were searched: "+by+" searches the texts of strings, which reads what objects hold.")
	}
	return append(lines, p.FilterHint())
}

// search is how far objects are looked through.
type search struct{ done atomic.Uint64 } // bits of a share

// begin returns what notes how far it is, from nothing on.
func (s *search) begin() func(done float64) {
	s.done.Store(0)
	return func(done float64) { s.done.Store(math.Float64bits(done)) }
}

// text says how far it is ("40 %"), "" before there is anything to say.
func (s *search) text() string {
	if done := math.Float64frombits(s.done.Load()); done > 0 {
		return model.Share(done).Done()
	}
	return ""
}
