package v8heap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/model"
)

// reportsOf decodes a snapshot of so many rows, with blanks around every number.
func reportsOf(t *testing.T, rows, blanks int, name func(i int) string) ([]*model.Heap, *model.Heap) {
	t.Helper()
	m := &made{between: strings.Repeat(" ", blanks)}
	for i := range rows {
		m.nodes = append(m.nodes, madeNode{kind: []string{"object", "string", "closure"}[i%3], name: name(i), id: 2*i + 1, size: 70_000 * (i % 2)})
	}
	return graphs.Reports(t, m.bytes(), open)
}

// A part of the rows is reported while others are read, by the classes that they have then, too.
func TestRowsAreCountedWhileTheyAreRead(t *testing.T) {
	const all = 9000
	reports, h := reportsOf(t, all, 80, func(i int) string { return fmt.Sprint("C", i%2) })
	first, last := reports[0], reports[len(reports)-1]
	before := int64(0)
	for _, x := range reports {
		n := heapgraph.Sum(x).Counts[0]
		if n < before {
			t.Errorf("%d rows, and %d before", n, before)
		}
		before = n
	}
	if n := heapgraph.Sum(first).Counts[0]; n == 0 || n >= all {
		t.Errorf("%d rows are counted first", n)
	}
	for name := range graphs.Types(first) {
		if _, ok := graphs.Types(h)[name]; !ok {
			t.Errorf("%q is no class later", name)
		}
	}
	if c := graphs.Types(last)["C0"]; c != graphs.Types(h)["C0"] || c[0] != 1500 || first.Tables.OnAxis(axisNode, 0) == "" {
		t.Errorf("last %v, and %v decoded", graphs.Types(last), graphs.Types(h))
	}
}

// A damaged file with a class for every object is read, but not counted beforehand.
func TestNoEndOfClassesIsCounted(t *testing.T) {
	reports, h := reportsOf(t, 210_000, 0, func(i int) string { return fmt.Sprint("C", i) })
	for _, x := range reports {
		if len(x.Tally) > model.MaxCounted {
			t.Errorf("%d types are reported", len(x.Tally))
		}
	}
	if n := len(graphs.Types(h)); n < 70_000 {
		t.Errorf("%d classes", n)
	}
}
