// Package objects selects objects of heap snapshots by type, size, state and contents.
package objects

import (
	"context"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Chooser selects objects of one snapshot. It is for one goroutine.
type Chooser struct {
	Source   model.HeapSource
	Snapshot int
	Heap     *model.Heap
	Graph    *heapgraph.Graph // nil if retained sizes are not known

	ids bool  // words of the filter may be identities
	err error // of reading
	ctx context.Context
}

// TextField is the name of an object's text in filters.
const TextField = "text"

// Limits of what is read of one object.
const (
	maxText   = 64 << 10 // bytes of a text
	maxFields = 4 << 10  // fields that are searched for a name
)

// mostMemory is how many percents of the memory may be in use while objects are looked through.
const mostMemory = 95

// Fields returns what filters of objects can ask for. Those that stand inside of objects are there where the format has
// contents.
func Fields(src model.HeapSource) []analysis.Field {
	fields := []analysis.Field{
		{Names: []string{"retained"}, Example: "retained>1M"},
		{Names: []string{"bytes", "size"}, Example: "bytes>1M"}, {Names: []string{"rows"}, Example: "rows>100"},
	}
	if src.Schema().Split {
		fields = append(fields, analysis.Field{Names: []string{"unmanaged"}, Example: "unmanaged>1M"})
	}
	for i, axis := range src.Schema().Axes {
		f := analysis.Field{Names: []string{strings.ToLower(axis.Key)}, Text: true, Example: axis.Key + ":text"}
		if i == 0 {
			for _, name := range []string{"class", "type"} {
				if name != f.Names[0] {
					f.Names = append(f.Names, name)
				}
			}
		}
		fields = append(fields, f)
	}
	fields = append(fields, analysis.Field{Names: []string{heapgraph.KindKey}, Text: true},
		analysis.Field{Names: []string{"id"}, Text: true})
	if _, ok := model.HeapFacet[model.HeapTexts](src); ok {
		fields = append(fields, analysis.Field{Names: []string{TextField}, Inside: true, Example: "text~^abc"})
	}
	return fields
}

// Choose returns the rows that pass a filter, in their order. progress may be nil; it is called with the fraction that
// is done.
func (c *Chooser) Choose(ctx context.Context, rows []model.Row, f *analysis.Filter, progress func(done float64)) ([]model.Row, error) {
	match := c.matcher(f)
	return c.choose(ctx, rows, progress, match)
}

// matcher returns a function that reports whether a row passes a filter.
func (c *Chooser) matcher(f *analysis.Filter) func(r model.Row) bool {
	prefix := c.Heap.Schema.IDs.Prefix
	c.ids = prefix != "" && f.Begins(prefix)
	return func(r model.Row) bool { return f.Match(object{c, r}) }
}

// choose returns the rows that keep wants. It ends early where reading fails, or memory runs out.
func (c *Chooser) choose(ctx context.Context, rows []model.Row, progress func(done float64),
	keep func(r model.Row) bool) (out []model.Row, err error) {
	const pause = 1 << 10
	c.ctx, c.err = ctx, nil
	budget := model.BudgetOf(ctx)
	for i, r := range rows {
		if i%pause == 0 {
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case budget.Full(mostMemory):
				return nil, budget.Error("what was found")
			case progress != nil:
				progress(float64(i) / float64(len(rows)))
			}
		}
		if keep(r) {
			out = append(out, r)
		}
		if c.err != nil {
			return nil, c.err
		}
	}
	return out, ctx.Err()
}

// Part returns the value at a path such as .user.name or .[3] inside an object; ok is false if there is none.
func (c *Chooser) Part(ctx context.Context, r model.Row, path string) (text string, ok bool, err error) {
	c.ctx, c.err = ctx, nil
	text, ok = c.part(r, path)
	return text, ok, c.err
}

// object is a row that implements [analysis.Row].
type object struct {
	*Chooser
	r model.Row
}

// Texts implements [analysis.Row].
func (o object) Texts() []string {
	if o.ids {
		return []string{heapgraph.Label(o.Heap, o.r), o.Heap.IDText(o.r)}
	}
	return []string{heapgraph.Label(o.Heap, o.r)}
}

func (o object) Value(field string, share bool) (v float64, ok bool) {
	whole := 1.0
	switch {
	case field == "bytes":
		v = float64(o.Heap.Bytes(o.r))
	case field == "unmanaged":
		v = float64(o.Heap.Unmanaged(o.r))
	case o.Graph == nil || !o.Graph.HasDominators():
		return 0, false
	case field == "rows":
		v = float64(o.Graph.RetainedCount(o.r))
	default:
		v = float64(o.Graph.Retained[o.r])
	}
	if share {
		if o.Graph == nil || !o.Graph.HasDominators() {
			return 0, false
		}
		whole = float64(o.Graph.Retained[model.RootRow]) / 100
		if field == "rows" {
			whole = float64(o.Graph.RetainedCount(model.RootRow)) / 100
		}
	}
	return v / max(whole, 1e-9), true
}

// Part returns a named text of the row, see [Chooser.Part]. Rows without a type, which groups list by their names, such
// as frames, have none that a filter of types finds.
func (o object) Part(name string) (string, bool) {
	if axis, ok := o.Heap.Schema.AxisNamed(name); ok && axis == 0 {
		text := o.Heap.OnAxis(axis, o.r)
		return text, text != ""
	}
	return o.part(o.r, name)
}

func (c *Chooser) part(r model.Row, name string) (string, bool) {
	h := c.Heap
	switch {
	case strings.HasPrefix(name, "."):
		return c.inside(r, strings.Split(strings.ReplaceAll(name[1:], "[", ".["), "."))
	case name == TextField:
		return c.text(r)
	case name == heapgraph.KindKey:
		return h.Kind(r).Name, true
	case name == "id":
		return h.IDText(r), true
	}
	axis, ok := h.Schema.AxisNamed(name)
	text := h.OnAxis(axis, r)
	if ok && axis == 0 && h.Kind(r).Naming != model.NamedByType { // a frame or a root
		text = heapgraph.Label(h, r)
	}
	return text, ok
}

func (c *Chooser) text(r model.Row) (string, bool) {
	texts, ok := model.HeapFacet[model.HeapTexts](c.Source)
	if !ok || c.err != nil {
		return "", false
	}
	text, _, ok, err := texts.Text(c.ctx, c.Snapshot, c.Heap, r, maxText)
	c.err = err
	return text, ok && err == nil
}

// inside follows a path of names and indexes into an object.
func (c *Chooser) inside(r model.Row, path []string) (string, bool) {
	contents, ok := model.HeapFacet[model.HeapContents](c.Source)
	for ok && len(path) > 0 {
		name := path[0]
		if path = path[1:]; name == "" {
			continue
		}
		f, found := c.field(contents, r, name)
		switch {
		case !found:
			return "", false
		case f.Form == model.FieldRow:
			r = f.Row
			continue
		case len(path) > 0:
			return "", false
		case f.Form == model.FieldNull:
			return "null", true
		}
		return f.Value, true
	}
	if !ok {
		return "", false
	}
	if text, hasText := c.text(r); hasText {
		return text, true
	}
	return heapgraph.Label(c.Heap, r), c.err == nil
}

// field returns a field by its name, or an element by its index.
func (c *Chooser) field(contents model.HeapContents, r model.Row, name string) (f model.HeapField, ok bool) {
	from, most := 0, maxFields
	if digits, indexed := strings.CutPrefix(name, "["); indexed {
		n, err := strconv.Atoi(strings.TrimSuffix(digits, "]"))
		if err != nil || n < 0 {
			return f, false
		}
		from, most = n, 1
	}
	fields, _, err := contents.Fields(c.ctx, c.Snapshot, c.Heap, r, from, most)
	if c.err = err; err != nil {
		return f, false
	}
	for i := range fields {
		if f = fields[i]; most == 1 || f.Name == name {
			return f, true
		}
	}
	return f, false
}
