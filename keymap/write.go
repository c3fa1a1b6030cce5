package keymap

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Section is a heading of the help with its rows.
type Section struct {
	Title string
	Rows  []Row
}

// Row is one line of the help. Actions with the same sentence share one.
type Row struct {
	Keys  string // full names, separated by blanks; without a key, as typed in the palette: ":leaks"
	Where string // "in trees"; "" for everywhere
	Help  string // one sentence
	Name  string // in palette and config file: "global.quit", "global.screen-1…9"
}

// Help returns the bindings in the given scopes, without keys that a more specific scope hides; without scopes, the
// complete table.
func (m *Map) Help(scopes ...Scope) []Section {
	var list []Section
	var last Binding
	for _, b := range m.bindings {
		keys := b.Keys
		if len(scopes) > 0 {
			if !slices.Contains(scopes, b.Scope) {
				continue
			}
			keys = slices.DeleteFunc(slices.Clone(keys), func(c Chord) bool { a, _ := m.Lookup(c, scopes...); return a != b.Action })
			if len(keys) == 0 && len(b.Keys) > 0 {
				continue
			}
		}
		shown := join(keys, Chord.String, " ")
		if shown == "" && b.Scope != ScopeInput {
			shown = ":" + string(b.Action)
		}
		if len(list) == 0 || list[len(list)-1].Title != b.Group {
			list = append(list, Section{Title: b.Group})
		}
		s := &list[len(list)-1]
		if len(s.Rows) > 0 && last.Help == b.Help && last.Scope == b.Scope {
			s.Rows[len(s.Rows)-1].add(shown, b.Action)
		} else {
			s.Rows = append(s.Rows, Row{shown, b.Scope.Where(), m.sentence(b), string(b.Scope) + "." + string(b.Action)})
		}
		last = b
	}
	return list
}

// add adds one more numbered action to a row.
func (r *Row) add(keys string, a Action) {
	r.Keys += " " + keys
	number := string(a)[strings.LastIndexByte(string(a), '-')+1:]
	name, _, _ := strings.Cut(r.Name, "…")
	r.Name = name + "…" + number
}

// Record is one binding for JSON output.
type Record struct {
	Scope  Scope    `json:"scope"`
	Action Action   `json:"action"`
	Keys   []string `json:"keys"` // as [parseChord] reads them; empty, never null
	Group  string   `json:"group"`
	Help   string   `json:"help"`
}

// Records returns the complete table for JSON output.
func (m *Map) Records() []Record {
	list := make([]Record, len(m.bindings))
	for i, b := range m.bindings {
		list[i] = Record{b.Scope, b.Action, []string{}, b.Group, m.sentence(b)}
		for _, c := range b.Keys {
			list[i].Keys = append(list[i].Keys, c.String())
		}
	}
	return list
}

// WriteMarkdown writes the complete table as one Markdown table per group, for docs/keys.md.
func (m *Map) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	for i, s := range m.Help() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n| Keys | Does | Where | Name |\n|---|---|---|---|\n", s.Title)
		for _, r := range s.Rows {
			var keys []string
			for _, k := range strings.Fields(r.Keys) {
				keys = append(keys, code(k))
			}
			where := r.Where
			if where == "" {
				where = "everywhere"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.Join(keys, " "), escapeCell(r.Help), where, code(r.Name))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// code writes s as inline code in a table cell; a backtick needs two around it.
func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + escapeCell(s) + "`"
}

func escapeCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// WriteText writes the complete table as text, one aligned list per group.
func (m *Map) WriteText(w io.Writer) error {
	var b bytes.Buffer
	sections := m.Help()
	keys, names := 0, 0
	for _, s := range sections {
		for _, r := range s.Rows {
			keys = max(keys, utf8.RuneCountInString(r.Keys))
			names = max(names, utf8.RuneCountInString(r.Name))
		}
	}
	for i, s := range sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.Title + "\n")
		for _, r := range s.Rows {
			fmt.Fprintf(&b, "  %-*s  %-*s  %s\n", keys, r.Keys, names, r.Name, strings.TrimSpace(r.Help))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
