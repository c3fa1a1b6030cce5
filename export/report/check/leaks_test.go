package check

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/accept"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

// What suspects of a heap retain overlaps: several are counted, and never added up. Blocks of traces are.
func TestLeaksThatOverlapAreNotAddedUp(t *testing.T) {
	one := func(rows *model.HeapSet, bytes uint64) accept.Failure {
		return accept.Failure{Leak: accept.Leak{Rows: rows}, Bytes: bytes, Count: 1}
	}
	objects := &model.HeapSet{One: "object", Many: "objects"}
	for want, failures := range map[string][]accept.Failure{
		"2 leaks":        {one(objects, 1000), one(objects, 990)},
		"1 leak: 1000 B": {one(objects, 1000)},
		"2 leaks: 30 B":  {one(nil, 10), one(nil, 20)},
	} {
		c := NewLeaks(&accept.Result{Failures: failures}, 0, nil, 0)
		if got := c.reason(cells.Style{}); strings.ReplaceAll(got, ",", "") != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
