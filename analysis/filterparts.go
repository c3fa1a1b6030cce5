package analysis

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// partRow is a Row with named texts and contents.
type partRow interface {
	Row
	// Part returns a named text, or the value at a path such as .user.name inside the row. ok is false if there is
	// none.
	Part(name string) (text string, ok bool)
}

var (
	named  = calltree.Expression(`^(!?)([a-z]+):(.+)$`)
	inside = calltree.Expression(`^(!?)(\.[^=~<>!]+|[a-z]+)(>=|<=|>|<|=|~)(.*)$`)
)

// parsePart parses a term about a text or the contents of a row; ok is false for other terms.
func parsePart(w string, fields []Field) (t term, ok bool, err error) {
	if m := named().FindStringSubmatch(w); m != nil {
		f, known := filterField(strings.ToLower(m[2]), fields)
		if known && f.Text {
			t = term{not: m[1] != "", within: f.Names[0], text: strings.ToLower(m[3])}
			return t, true, t.matching(m[3])
		}
		if like := nearText(m[2], fields); len(like) > 0 && !known && m[3][0] != ':' {
			return t, false, fmt.Errorf("unknown key %s; near: %s", m[2], like[0])
		}
	}
	at := slices.IndexFunc(fields, func(f Field) bool { return f.Inside })
	m := inside().FindStringSubmatch(w)
	if at < 0 || m == nil || m[2][0] != '.' && !slices.Contains(fields[at].Names, m[2]) {
		return t, false, nil
	}
	t = term{not: m[1] != "", within: m[2], op: m[3], text: strings.ToLower(m[4])}
	switch m[3] {
	case "=":
	case "~":
		if t.expr, err = regexp.Compile("(?i)" + m[4]); err != nil {
			return t, false, fmt.Errorf("invalid regular expression %s", m[4])
		}
	default:
		if t.value, ok = partNumber(t.text); !ok {
			return t, false, fmt.Errorf("%s: invalid number %s", w, m[4])
		}
	}
	return t, true, nil
}

// nearText returns the key of a text that a word may mean, none where none is near.
func nearText(word string, fields []Field) []string {
	var names []string
	for _, f := range fields {
		if f.Text {
			names = append(names, f.Names...)
		}
	}
	return near.Of(word, names, 1)
}

// matching sets the term's expression if text is written /…/.
func (t *term) matching(text string) (err error) {
	if len(text) > 2 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/") {
		if t.expr, err = regexp.Compile("(?i)" + text[1:len(text)-1]); err != nil {
			return fmt.Errorf("invalid regular expression %s", text)
		}
	}
	return nil
}

// partNumber parses a number, with or without a unit.
func partNumber(text string) (float64, bool) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x, true
	}
	size, err := model.ParseSize(text)
	return float64(size), err == nil
}

// holdsWithin reports whether the term matches a part of the row.
func (t *term) holdsWithin(r Row) bool {
	parts, ok := r.(partRow)
	if !ok {
		return false
	}
	text, ok := parts.Part(t.within)
	if !ok {
		return false
	}
	lower := strings.ToLower(text)
	switch t.op {
	case "", "~":
		if t.expr != nil {
			return t.expr.MatchString(text)
		}
		return strings.Contains(lower, t.text)
	case "=":
		return lower == t.text || len(lower) > 2 && lower[0] == '\'' && lower[1:len(lower)-1] == t.text
	}
	x, ok := partNumber(lower)
	return ok && compare(x, t.op, t.value)
}

// effort returns a number that orders terms by cost: those that read contents come last.
func (t *term) effort() int {
	if t.op != "" && t.within != "" {
		return 1
	}
	return 0
}

// Parts reports whether the filter looks at parts of rows.
func (f *Filter) Parts() bool {
	return f != nil && slices.ContainsFunc(f.terms, func(t term) bool { return t.within != "" })
}

// PartFilter returns a filter of rows whose named text contains text, or equals it if whole is set.
func PartFilter(name, text string, whole bool) *Filter {
	t := term{within: name, op: "~", text: strings.ToLower(text)}
	if whole {
		t.expr = regexp.MustCompile(`\A` + regexp.QuoteMeta(text) + `\z`)
	}
	return &Filter{terms: []term{t}}
}

// And returns a filter that passes what both pass. Either may be nil.
func (f *Filter) And(g *Filter) *Filter {
	out := &Filter{}
	for _, x := range []*Filter{f, g} {
		if x != nil {
			out.terms = append(out.terms, x.terms...)
		}
	}
	return out
}

// Begins reports whether a word of the filter begins with a text in lower case.
func (f *Filter) Begins(text string) bool {
	return f != nil && slices.ContainsFunc(f.terms, func(t term) bool {
		return t.within == "" && t.op == "" && t.expr == nil && strings.HasPrefix(t.text, text)
	})
}

// Compares reports whether the filter compares a figure of that name.
func (f *Filter) Compares(name string) bool {
	return f != nil && slices.ContainsFunc(f.terms, func(t term) bool { return t.field == name })
}
