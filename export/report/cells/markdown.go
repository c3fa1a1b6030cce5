package cells

import (
	"strings"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Code quotes a name so that nothing in it is markup. The name is cleaned, in a code span longer than any run of
// backticks in it, and the one character that ends a table cell is escaped.
func Code(s string) string {
	s = strings.TrimSpace(model.Clean(s))
	if s == "" {
		return ""
	}
	fence, run := 1, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		fence = max(fence, run+1)
	}
	ticks, blank := strings.Repeat("`", fence), ""
	if fence > 1 {
		blank = " "
	}
	return ticks + blank + strings.ReplaceAll(s, "|", `\|`) + blank + ticks
}

// Prose makes a sentence safe that may contain names of the file: it is cleaned, and nothing in it is markup.
func Prose(s string) string {
	var out strings.Builder
	for _, r := range model.Clean(s) {
		if strings.ContainsRune("\\`*_{}[]<>()#!|~@&", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Lower returns a title in the form that tables for tickets use.
func Lower(title string) string {
	return strings.ReplaceAll(strings.ToLower(title), "δ", titles.Delta)
}
