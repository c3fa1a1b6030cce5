package model

import "testing"

func TestCounted(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Counted(1, "leak"), "1 leak"}, {Counted(uint64(7028), "leak"), "7,028 leaks"}, {Counted(0, "leak"), "0 leaks"}, {Counted(-3, "leak"), "0 leaks"},
		{Counted(2, "branch"), "2 branches"}, {Counted(2, "size class"), "2 size classes"}, {Counted(2, "series"), "2 series"}, {Counted(1, "series"), "1 series"},
		{Counted(2, "library"), "2 libraries"}, {Counted(2, "key"), "2 keys"}, {Counted(2, "thread"), "2 threads"}, {Counted(uint32(2), "prefix"), "2 prefixes"},
		{CountedAs(1, "row is", "rows are"), "1 row is"}, {CountedAs(2, "row is", "rows are"), "2 rows are"}, {Blocks(1), "1 block"}, {Blocks(2), "2 blocks"},
		{Capital("new blocks"), "New blocks"}, {Capital(""), ""}, {Capital("ö"), "Ö"}, {Capital("\xff"), "\xff"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, not %q", tt.got, tt.want)
		}
	}
}
