package report

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// RowFilter is the filter of a table's rows, as on the screens: words, expressions, and comparisons of figures by their
// names in JSON or by the screens' words.
type RowFilter struct {
	Text  string
	Limit int // maximum number of rows that pass, 0 for all
}

// rowsLeft records how many rows of a table passed a filter.
type rowsLeft struct {
	table     string
	text      string
	all, left int // rows before, and those that pass
}

// unlimited are the tables that a limit does not cut.
const unlimited = "snapshots events sizes lifetimes grid curve"

// Filter keeps the rows of a table that pass f, and reports how many do. Table names are those of [WriteCSV]. The
// report must have been built without a limit.
func (r *Report) Filter(table string, f RowFilter) (left int, err error) {
	lists := r.lists(table)
	if len(lists) == 0 {
		return 0, fmt.Errorf("unknown table %q; available: %s", table, strings.Join(r.TableNames(), ", "))
	}
	var like []string
	failed := 0
	for _, l := range lists {
		rows := reflect.ValueOf(l.rows).Elem()
		all := rows.Len()
		n, near, wrong := f.keep(rows, r.firstRow(l))
		if wrong != nil { // it compares figures that these rows do not have
			rows.SetZero()
			err = cmp.Or(err, wrong)
			failed++
		}
		if r.Lines != nil {
			r.Lines.follow(f.Limit)
		}
		if r.Events != nil {
			r.Events.passed = &rowsLeft{l.name, f.Text, all, n}
			r.Events.cut(f.Limit)
		} else if most := f.Limit; most > 0 && n > most && !slices.Contains(strings.Fields(unlimited), table) {
			rows.Set(rows.Slice(0, most))
		}
		left += n
		like = append(like, near...)
		r.rowsLeft = append(r.rowsLeft, rowsLeft{l.name, f.Text, all, n})
	}
	if failed == len(lists) {
		return 0, err
	}
	if left == 0 {
		r.NoMatch = append(r.NoMatch, f.unmatched(like))
	}
	return left, nil
}

// namedList is a table: its name, and a pointer to its slice of structs.
type namedList struct {
	name string
	rows any
}

// lists returns the tables that are sorted and filtered for the table of that name: several where a report has rows of
// several kinds, none if there is no such table.
func (r *Report) lists(table string) []namedList {
	if table == "" && r.Heap != nil && r.Object == nil && r.Path == nil && r.Found == nil {
		switch h := r.Heap; {
		case h.Threads != nil:
			return []namedList{{"threads", &h.Threads}}
		case h.Waste != nil:
			return h.Waste.lists()
		}
	}
	list, ok := r.list(table)
	if !ok {
		return nil
	}
	if table == "" {
		table = r.MainTable()
	}
	return []namedList{{table, list}}
}

// MainTable returns the name of the table that "" represents.
func (r *Report) MainTable() string {
	main, _ := r.list("")
	for _, name := range r.TableNames() {
		if list, ok := r.list(name); ok && list == main {
			return name
		}
	}
	return ""
}

// Filter keeps the rows that pass f, and reports whether f is valid.
func (d *Diff) Filter(f RowFilter) error {
	rows := reflect.ValueOf(&d.Rows).Elem()
	first := reflect.ValueOf(DiffRow{})
	if rows.Len() > 0 {
		first = rows.Index(0)
	}
	left, like, err := f.keep(rows, first)
	if err != nil {
		return err
	}
	if left == 0 {
		d.NoMatch = append(d.NoMatch, f.unmatched(like))
	}
	d.Filters, d.filtered, d.Count = append(d.Filters, "rows "+f.Text), true, len(d.Rows)
	for i := range d.Rows {
		if d.Rows[i].Status != "same" {
			d.passed++
		}
	}
	d.Rows = limit(d.Rows, f.Limit)
	return nil
}

// unmatched returns that no row passes, with similar names.
func (f RowFilter) unmatched(like []string) places.Unmatched {
	return places.Unmatched{Filter: "filter " + f.Text, Near: append([]string{}, like...)}
}

// errShares refuses filters that compare shares.
var errShares = errors.New("shares are compared on the screens only: write an amount, as in live>1M")

// keep removes the rows of a slice that do not pass. first has their columns. If no row passes, like has names in them
// that may be meant.
func (f RowFilter) keep(rows, first reflect.Value) (left int, like []string, err error) {
	row := newRowView(first)
	filter, err := parseRowFilter(f.Text, row)
	if err != nil {
		return 0, nil, err
	}
	kept := reflect.MakeSlice(rows.Type(), 0, rows.Len())
	for i := range rows.Len() {
		if row.row = rows.Index(i); filter.Match(row) {
			kept = reflect.Append(kept, row.row)
		}
	}
	if kept.Len() == 0 {
		like = row.similar(rows, filter.Words())
	}
	rows.Set(kept)
	return kept.Len(), like, nil
}

// similar returns names in rows that words may mean, those of the first word that is near any.
func (v *rowView) similar(rows reflect.Value, words []string) []string {
	const most = 1 << 16 // rows
	for _, word := range words {
		text := strings.TrimPrefix(word, "owner:")
		seen, list := map[string]bool{}, near.NewList(text)
		for i := range min(rows.Len(), most) {
			v.row = rows.Index(i)
			for _, name := range v.Texts() {
				name = strings.TrimPrefix(name, "owner:")
				if at := strings.LastIndex(name, " ("); at > 0 { // the place of an owner
					name = name[:at]
				}
				if name = funcname.Bare(name); !seen[name] {
					seen[name] = true
					list.AddAs(name, name)
				}
			}
		}
		if like := list.First(near.Names); len(like) > 0 {
			return like
		}
	}
	return nil
}

// rowView shows the rows of a slice of structs to filters.
type rowView struct {
	row     reflect.Value
	names   []string       // of the columns
	figures map[string]int // column index by the words of filters
	timed   map[string]bool
}

// newRowView returns a view of rows that have the columns of first.
func newRowView(first reflect.Value) *rowView {
	v := &rowView{row: first, figures: map[string]int{}, timed: map[string]bool{}}
	var numbers []int
	for name, column := range object.Columns(first) {
		if isNumber(column.Type()) {
			v.figures[name] = len(v.names)
			numbers = append(numbers, len(v.names))
		}
		v.names = append(v.names, name)
	}
	for _, i := range numbers {
		for _, word := range object.ScreenWords(v.names[i], v.names) {
			if _, taken := v.figures[word]; !taken {
				v.figures[word] = i
			}
		}
	}
	return v
}

// isNumber reports whether a column contains numbers.
func isNumber(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[Amount]() || t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}

// fields returns the fields that filters can compare.
func (v *rowView) fields() (list []analysis.Field) {
	for i, name := range v.names {
		f := analysis.Field{Names: []string{name}, Time: strings.HasSuffix(name, "_us")}
		if at, is := v.figures[name]; !is || at != i {
			continue
		}
		for word, at := range v.figures {
			if at == i && word != name {
				f.Names = append(f.Names, word)
			}
		}
		list = append(list, f)
	}
	return list
}

// Texts implements [analysis.Row]. It returns names; for stacks only the site.
func (v *rowView) Texts() (texts []string) {
	var frames places.Frames
	id := uint64(0)
	for name, column := range object.Columns(v.row) {
		switch x := column.Interface().(type) {
		case places.Frames:
			frames = x
		case ProfileFrames:
			frames = places.Frames{Stacks: x.stacks, Leaf: x.leaf}
		case places.Owner:
			texts = append(texts, object.CellOf(column), "owner:"+funcname.Bare(x.Name()))
		case []HeapThreadFrame:
			for i := range x {
				texts = append(texts, x[i].Function)
			}
		default:
			if column.Kind() == reflect.Slice {
				continue
			}
			if name == "stack" && column.CanUint() {
				id = column.Uint()
			}
			if !isNumber(column.Type()) {
				texts = append(texts, object.CellOf(column))
			}
		}
	}
	if d, ok := v.row.Interface().(DiffRow); ok && !d.frames.IsZero() {
		frames, texts = d.frames, []string{d.Status}
	}
	if b, ok := v.row.Interface().(Block); ok {
		frames, texts = b.frames, append(texts, b.Owner.Name())
	}
	if e, ok := v.row.Interface().(SingleEvent); ok {
		return e.texts()
	}
	if !frames.IsZero() {
		p := frames.Site().Place(model.StackID(id))
		texts = append(texts, p.Name(), p.Where())
	}
	return texts
}

// Value implements [analysis.Row].
func (v *rowView) Value(field string, _ bool) (float64, bool) {
	at, i := v.figures[field], 0
	for _, column := range object.Columns(v.row) {
		if i == at {
			n, err := strconv.ParseFloat(object.CellOf(column), 64)
			return n, err == nil
		}
		i++
	}
	return 0, false
}

// answer returns the number of rows that pass, for people.
func (f *rowsLeft) answer() string {
	return fmt.Sprintf("%s of %s pass the filter %s", model.Counted(f.left, "row"), model.Group(uint64(f.all)), model.Clean(f.text))
}
