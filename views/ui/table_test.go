package ui

import (
	"strings"
	"testing"
)

// A table of more rows than its order can count is refused; such rows need no memory where they are empty.
func TestTablesRefuseMoreRowsThanTheyCount(t *testing.T) {
	table := Table[int, struct{}]{spec: Spec[int, struct{}]{
		Rows:    func(n int) []struct{} { return make([]struct{}, n) },
		Columns: func(int) []Column[struct{}] { return nil },
		First:   AsGiven,
	}}
	out, err := table.arrange(t.Context(), tableKey[int]{of: 3, sort: AsGiven})
	if err != nil || len(out.Order) != 3 {
		t.Fatalf("%v, %v", out, err)
	}
	beyond := 1
	if beyond <<= 31; beyond < 0 {
		t.Skip("there are no such tables where numbers have 32 bits")
	}
	if out, err = table.arrange(t.Context(), tableKey[int]{of: beyond, sort: AsGiven}); err == nil || !strings.Contains(err.Error(), "2,147,483,648 rows") {
		t.Errorf("%v, %v", out != nil, err)
	}
}
