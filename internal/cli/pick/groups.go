package pick

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// HeapRows returns what rows of a comparison of heap snapshots can be, the default first: what both formats have.
func HeapRows(before, after *model.HeapSchema) []string {
	kinds := []string{"type"}
	_, framesBefore := before.Frames()
	if _, framesAfter := after.Frames(); framesBefore && framesAfter {
		kinds = append(kinds, "frame")
	}
	kinds = append(kinds, "dominators")
	for _, key := range heapgraph.GroupKeys(after) {
		if _, common := heapgraph.GroupedBy(before, key); common && !slices.Contains(kinds, key) {
			kinds = append(kinds, key)
		}
	}
	return kinds
}

// HeapGroup refuses a grouping of heap snapshots that is not known. The error says which other formats have it, and what
// makes them have it.
func HeapGroup(key string, known []string, formats []loaders.Format) error {
	if key == "" || slices.Contains(known, key) {
		return nil
	}
	text := fmt.Sprintf("--group: these files cannot be grouped by %q%s", key, near.Available(key, known))
	word, how := "", []string(nil)
	for _, f := range formats {
		if f.Heap == nil {
			continue
		}
		if axis, ok := f.Heap.AxisNamed(key); ok && f.Heap.Axes[axis].Recorded != "" {
			word, how = f.Heap.Axes[axis].Word, append(how, f.Heap.Axes[axis].Recorded)
		}
	}
	if len(how) > 0 {
		text += fmt.Sprintf(". Other files state the %s: %s", word, strings.Join(how, "; "))
	}
	return fail.Usage(errors.New(text))
}

// Unstated returns the error for a snapshot none of whose objects has a value of what they are to be grouped by.
func Unstated(file string, axis *model.HeapAxis) error {
	return fail.Usage(errors.New("--group: " + axis.NotStated(file)))
}
