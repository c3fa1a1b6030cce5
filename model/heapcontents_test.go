package model_test

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// A thread without a name has its number, with what the file has instead.
func TestThreadTitle(t *testing.T) {
	for want, thread := range map[string]model.HeapThread{"main": {Name: "main", ID: "1"}, "thread 3 (0x7f)": {ID: "0x7f"}, "thread 3": {}} {
		if got := thread.Title(2); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
