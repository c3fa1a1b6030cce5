package uses

import (
	"slices"
	"strings"
)

// TableHeaded returns the table whose heading in reports has these words, or "" if none of tables has.
func TableHeaded(words string, tables []string) string {
	words = strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(words))
	if about, _, by := strings.Cut(words, " by "); by && strings.HasPrefix(about, "live") { // the divided curve
		words = about
	}
	for _, name := range tables {
		plain := strings.ReplaceAll(name, "_", " ")
		if words != "" && (plain == words || slices.Contains(headings[name], words)) {
			return name
		}
	}
	for _, name := range tables {
		if words != "" && (strings.HasPrefix(name, words) || strings.HasPrefix(name+"s", words)) {
			return name
		}
	}
	return ""
}

// headings maps tables to their headings in reports, in lower case, if those differ from the name.
var headings = map[string][]string{
	"sites": {"top sites"}, "live_sites": {"live", "live at the end", "live sites"}, "peak_sites": {"at the peak", "peak"},
	"leaks":      {"never freed", "leaked", "allocated in the range, not freed by its end"},
	"late_freed": {"freed only at the end of the run", "late"}, "findings": {"look here first"}, "curve": {"live bytes"},
	"top": {"stacks", "top stacks"}, "total_functions": {"total", "functions by total"}, "page_types": {"pages", "types"},
	"holes": {"holes and runs by length"}, "sparse_pages": {"sparsest pages", "sparse"}, "series_events": {"events"},
	"frames": {"routines"}, "types": {"classes"}, "functions": {"functions by self"},
}
