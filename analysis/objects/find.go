package objects

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Question chooses objects of a snapshot. All its conditions must hold; the zero Question chooses every object.
type Question struct {
	heapgraph.Query
	Filter *analysis.Filter // nil for none
	In     Group            // only those of a group; the zero Group for all
	Limit  int              // of what is returned, 0 for none
}

// Group is what objects have in common: the text of a key.
type Group struct{ Key, Value string }

// Found is what a question chooses.
type Found struct {
	Rows  []model.Row // in ascending order, up to the limit
	Total int         // without the limit
	Of    int         // how many its query chooses
}

// Find lists the rows that q chooses. progress may be nil; it is called with shares of the whole.
func (c *Chooser) Find(ctx context.Context, q Question, progress func(done float64)) (f Found, err error) {
	limit := q.Limit
	if q.Filter != nil || q.In.Key != "" {
		limit = 0
	}
	f.Rows, f.Of, err = heapgraph.FindRows(ctx, c.Heap, q.Query, limit)
	if f.Total = f.Of; err != nil || q.Filter == nil && q.In.Key == "" {
		return f, err
	}
	match := c.matcher(q.Filter)
	f.Rows, err = c.choose(ctx, f.Rows, progress, func(r model.Row) bool {
		if !match(r) {
			return false
		}
		value, _ := c.part(r, q.In.Key)
		return q.In.Key == "" || value == q.In.Value
	})
	f.Total = len(f.Rows)
	if q.Limit > 0 && f.Total > q.Limit {
		f.Rows = f.Rows[:q.Limit]
	}
	return f, err
}

// Count is how many rows are of a group.
type Count struct {
	Value        string // as in the file: not cleaned
	Count, Bytes uint64
}

// Count counts rows by a key of [CheckKey], the most frequent first. progress may be nil; it is called with shares of
// the whole.
func (c *Chooser) Count(ctx context.Context, rows []model.Row, key string, progress func(done float64)) ([]Count, error) {
	at := map[string]int{}
	var out []Count
	_, err := c.choose(ctx, rows, progress, func(r model.Row) bool {
		text, _ := c.part(r, key)
		n, known := at[text]
		if !known {
			text = strings.Clone(text)
			n, at[text] = len(out), len(out)
			out = append(out, Count{Value: text})
		}
		out[n].Count++
		out[n].Bytes, _ = model.SaturatingAdd(out[n].Bytes, c.Heap.Bytes(r))
		return false
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Bytes, a.Bytes))
	})
	return out, nil
}

// ValueText returns a value of a key of [CheckKey] as tables show it: what objects without one have says what is missing.
func ValueText(s *model.HeapSchema, key, value string) string {
	var axis model.HeapAxis // of fields, which objects have or have not
	if i, ok := s.AxisNamed(key); ok {
		axis = s.Axes[i]
	}
	return axis.Text(value)
}

// Keys returns the keys that objects can be counted by, except for their fields. secret reports whether the text of
// objects is included.
func Keys(src model.HeapSource, secret bool) (keys []string) {
	keys = heapgraph.GroupKeys(src.Schema())
	if _, hasText := model.HeapFacet[model.HeapTexts](src); hasText && secret {
		keys = append(keys, TextField)
	}
	return keys
}

// CheckKey reports what is wrong with a key to count objects by. A key is an axis, the kind, a path of fields such as
// .user.name, or the text of objects.
func CheckKey(src model.HeapSource, key string) error {
	if Secret(key) || slices.Contains(Keys(src, true), key) {
		return nil
	}
	return fmt.Errorf("unknown key %q; available: %s, %s, .FIELD", model.Clean(key), strings.Join(Keys(src, false), ", "), TextField)
}

// Secret reports whether counting by a key shows what objects state or say.
func Secret(key string) bool { return strings.HasPrefix(key, ".") || key == TextField }

// Needs reports whether a filter asks for what objects retain.
func Needs(f *analysis.Filter) bool { return f.Compares("retained") || f.Compares("rows") }
