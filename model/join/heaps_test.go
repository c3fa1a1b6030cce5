package join

import (
	"context"
	"fmt"
	"testing"

	"github.com/memtui/memtui/model"
)

// tellingHeaps is a source that says which of its snapshots it was asked for.
type tellingHeaps struct {
	model.HeapSource
	name   string
	clock  model.Time
	schema *model.HeapSchema
}

func (s *tellingHeaps) Schema() *model.HeapSchema { return s.schema }

func (s *tellingHeaps) Len() int { return 2 }

func (s *tellingHeaps) Clock() (model.Time, bool) { return s.clock, true }

func (s *tellingHeaps) tell(i int) string { return fmt.Sprint(s.name, i) }

func (s *tellingHeaps) Text(_ context.Context, i int, _ *model.Heap, _ model.Row, _ int) (string, bool, bool, error) {
	return s.tell(i), true, true, nil
}

func (s *tellingHeaps) Fields(_ context.Context, i int, _ *model.Heap, _ model.Row, _, _ int) ([]model.HeapField, int, error) {
	return []model.HeapField{{Name: s.tell(i)}}, 1, nil
}

func (s *tellingHeaps) Threads(_ context.Context, i int, _ *model.Heap) ([]model.HeapThread, error) {
	return []model.HeapThread{{Name: s.tell(i)}}, nil
}

func (s *tellingHeaps) Texts(_ context.Context, i int, _ *model.Heap, visit func(*model.HeapText) error) error {
	return visit(&model.HeapText{Content: []byte(s.tell(i))})
}

func (s *tellingHeaps) Collections(_ context.Context, i int, _ *model.Heap, visit func(*model.HeapCollection) error) error {
	return visit(&model.HeapCollection{Len: int64(s.clock) + int64(i)})
}

// TestJoinedHeapsHaveAllFacets asks several files as one for all that a file can tell.
func TestJoinedHeapsHaveAllFacets(t *testing.T) {
	schema := &model.HeapSchema{}
	late, early := &tellingHeaps{name: "late", clock: 20, schema: schema}, &tellingHeaps{name: "early", clock: 10, schema: schema}
	j, err := NewHeaps([]model.HeapSource{late, early}, []model.Time{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	contents, ok := model.HeapFacet[model.HeapContents](j)
	threads, ok2 := model.HeapFacet[model.HeapThreads](j)
	waste, ok3 := model.HeapFacet[model.HeapWaste](j)
	if !ok || !ok2 || !ok3 {
		t.Fatal(ok, ok2, ok3)
	}
	for n, want := range []string{"early0", "early1", "late0", "late1"} {
		text, _, _, _ := contents.Text(t.Context(), n, nil, 0, 0)
		fields, _, _ := contents.Fields(t.Context(), n, nil, 0, 0, 1)
		list, _ := threads.Threads(t.Context(), n, nil)
		content, length := "", int64(0)
		waste.Texts(t.Context(), n, nil, func(x *model.HeapText) error { content = string(x.Content); return nil })
		waste.Collections(t.Context(), n, nil, func(c *model.HeapCollection) error { length = c.Len; return nil })
		if text != want || fields[0].Name != want || list[0].Name != want || content != want || length != []int64{10, 11, 20, 21}[n] {
			t.Errorf("%d: %s, %+v, %+v, %s, %d; want %s", n, text, fields, list, content, length, want)
		}
	}
	if _, _, _, err := contents.Text(t.Context(), 4, nil, 0, 0); err == nil {
		t.Error("there is no snapshot 4")
	}
}
