package analysis

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// Filter selects rows of tables: all its terms must match.
type Filter struct{ terms []term }

// term is a text that the row's name must contain, an expression that it must match, or a comparison of a figure.
type term struct {
	not   bool
	text  string         // lower case
	expr  *regexp.Regexp // instead of text
	field string         // the field that is compared, by the first of its names
	op    string
	value float64
	share bool // value is a percentage

	within string // if set, the name of a part of the row that text, expr or value apply to
}

// Field is a figure that a filter can compare. It has one or more names, all in lower case.
type Field struct {
	Names []string
	Time  bool // compared with a time, as in age>2s
	Text  bool // a text, compared by substring: loader:App
	// Inside marks a field that represents any path into an object's contents and is slow to read: .user.name=bob,
	// text~^abc. Its name is that of the text of objects.
	Inside bool

	Example string // a sample comparison
}

// filterFields returns the fields of all tables; the last three are those of differences. Fields whose column has
// another heading have that as a second name: leak, bytes, size and oldest.
func filterFields() (all []Field) {
	for _, name := range []string{"live", "blocks", "peak", "total", "count", "temp", "leaked leak bytes",
		"mean size", "age oldest", "freed", "overwritten",
		"retained", "managed", "unmanaged", "before", "after", "delta"} {
		all = append(all, Field{Names: strings.Fields(name), Time: strings.HasPrefix(name, "age")})
	}
	return all
}

// filterField returns the field with the given name; ok is false if there is none.
func filterField(name string, fields []Field) (f Field, ok bool) {
	i := slices.IndexFunc(fields, func(f Field) bool { return slices.Contains(f.Names, name) })
	if i < 0 {
		return f, false
	}
	return fields[i], true
}

var (
	comparison = calltree.Expression(`^(!?)([a-z_][a-z0-9_]*)%?(>=|<=|>|<|=)(.*)$`)
	spaced     = calltree.Expression(`(^|\s)(!?[a-zA-Z_][a-zA-Z0-9_]*%?)\s*(>=|<=|>|<|=)\s+([0-9])|(^|\s)(!?[a-zA-Z_][a-zA-Z0-9_]*%?)\s+(>=|<=|>|<|=)\s*([0-9])`)
)

// ParseFilter parses words that must all match: part of a name or place, /regular expression/, a comparison such as
// live>1M, temp>=50% or age>2s (blanks around the sign are allowed), and any of these after a "!" for its opposite.
// Case is ignored. An empty text is a filter that everything passes. Only the given fields can be compared; without
// any, the fields of all tables.
func ParseFilter(text string, fields ...Field) (*Filter, error) {
	f := &Filter{}
	if text == "" {
		return f, nil
	}
	if len(fields) == 0 {
		fields = filterFields()
	}
	for _, w := range filterWords(spaced().ReplaceAllString(text, "$1$5$2$6$3$7$4$8")) {
		t, err := parseTerm(w, fields)
		if err != nil {
			return nil, err
		}
		f.terms = append(f.terms, t)
	}
	slices.SortStableFunc(f.terms, func(a, b term) int { return cmp.Compare(a.effort(), b.effort()) })
	return f, nil
}

// filterWords splits at blanks outside of /…/.
func filterWords(text string) []string {
	var words []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		body := strings.TrimPrefix(text, "!")
		if strings.HasPrefix(body, "/") {
			if end := strings.Index(body[1:], "/ "); end >= 0 {
				cut := len(text) - len(body) + end + 2
				words, text = append(words, text[:cut]), text[cut:]
				continue
			}
			return append(words, text)
		}
		w, rest, _ := strings.Cut(text, " ")
		words, text = append(words, w), rest
	}
	return words
}

// isFigure reports whether a column could be compared with a text: a size, a share or a time.
func isFigure(text string) bool {
	_, sized := model.ParseSize(strings.TrimSuffix(text, "%"))
	_, timed := model.ParseTime(text)
	return sized == nil || timed == nil
}

// nearColumn says which name of a column may be meant, "" where none is near.
func nearColumn(name string, fields []Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Names...)
	}
	if like := near.Of(name, names, 1); len(like) > 0 {
		return "; near: " + like[0]
	}
	return ""
}

func parseTerm(w string, fields []Field) (term, error) {
	if t, ok, err := parsePart(w, fields); ok || err != nil {
		return t, err
	}
	if m := comparison().FindStringSubmatch(strings.ToLower(w)); m != nil {
		switch field, known := filterField(m[2], fields); {
		case known && field.Text && m[3] == "=":
			return term{not: m[1] == "!", within: field.Names[0], text: m[4]}, nil
		case known && field.Text:
			return term{}, fmt.Errorf("%s: %s is a text, write %s:%s", w, m[2], m[2], m[4])
		case known:
			return parseComparison(w, m, field)
		}
		if isFigure(m[4]) {
			return term{}, fmt.Errorf("unknown column %s; available: %s%s", m[2], firstNames(fields), nearColumn(m[2], fields))
		}
	}
	t := term{}
	w, t.not = strings.CutPrefix(w, "!")
	if strings.HasPrefix(w, "/") && len(w) > 1 {
		expr, err := regexp.Compile("(?i)" + strings.TrimSuffix(w[1:], "/"))
		if err != nil {
			return t, fmt.Errorf("invalid regular expression %s", w)
		}
		t.expr = expr
		return t, nil
	}
	t.text = strings.ToLower(w)
	return t, nil
}

// firstNames returns the first name of each field.
func firstNames(fields []Field) string {
	const most = 6
	names, more := "", ""
	for i := range fields {
		if i == most {
			more = " …"
			break
		}
		names += ", " + fields[i].Names[0]
	}
	return strings.TrimPrefix(names, ", ") + more
}

func parseComparison(w string, m []string, field Field) (term, error) {
	t := term{not: m[1] == "!", field: field.Names[0], op: m[3]}
	if m[4] == "" {
		return t, fmt.Errorf("%s: the value is missing", w)
	}
	if field.Time && !strings.HasSuffix(m[4], "%") {
		at, err := model.ParseTime(m[4])
		t.value = float64(at)
		return t, err
	}
	number, below := strings.CutPrefix(m[4], "-")
	var err error
	if t.share = strings.HasSuffix(number, "%"); t.share {
		var d model.Decimal
		d, err = model.ParseShare(number)
		t.value = d.Percent()
	} else {
		var size model.Bytes
		size, err = model.ParseSize(number)
		t.value = float64(size)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", w, err)
	}
	if below {
		t.value = -t.value
	}
	return t, nil
}

// Row is what a filter is applied to. Value returns a figure, or if share is set its percentage of the total. ok is
// false for a figure that the row does not have; no comparison matches it.
type Row interface {
	Texts() []string
	Value(field string, share bool) (v float64, ok bool)
}

// Words returns the texts that rows must contain, in small letters: neither expressions nor comparisons.
func (f *Filter) Words() (words []string) {
	for i := range f.terms {
		if t := &f.terms[i]; !t.not && t.expr == nil && t.text != "" && t.field == "" {
			words = append(words, t.text)
		}
	}
	return words
}

// Match reports whether every term of the filter holds for r. A nil filter matches everything.
func (f *Filter) Match(r Row) bool {
	if f == nil {
		return true
	}
	for i := range f.terms {
		if f.terms[i].holds(r) == f.terms[i].not {
			return false
		}
	}
	return true
}

// ComparesShares reports whether a term of the filter compares a percentage.
func (f *Filter) ComparesShares() bool {
	return f != nil && slices.ContainsFunc(f.terms, func(t term) bool { return t.share })
}

func (t *term) holds(r Row) bool {
	if t.within != "" {
		return t.holdsWithin(r)
	}
	if t.op != "" {
		v, ok := r.Value(t.field, t.share)
		if t.op == "=" && t.share { // as printed, since a third cannot be typed
			return ok && model.Share(v).String() == model.Share(t.value).String()
		}
		return ok && compare(v, t.op, t.value)
	}
	for _, s := range r.Texts() {
		s = model.Matched(s)
		if t.expr != nil && t.expr.MatchString(s) || t.expr == nil && strings.Contains(strings.ToLower(s), t.text) {
			return true
		}
	}
	return false
}

func compare(v float64, op string, w float64) bool {
	switch op {
	case ">":
		return v > w
	case ">=":
		return v >= w
	case "<":
		return v < w
	case "<=":
		return v <= w
	}
	return v == w
}
