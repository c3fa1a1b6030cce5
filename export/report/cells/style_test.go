package cells

import "testing"

func TestEstimatesAreMarked(t *testing.T) {
	s := Style{Estimated: true}
	for got, want := range map[string]string{
		s.Bytes(0): "0 B", s.Bytes(4096): "~4.00 KiB", s.Change(4096): "~+4.00 KiB", s.Change(-1): "~-1 B", s.Change(0): "0",
		Style{}.Bytes(4096): "4.00 KiB", Style{Exact: true, Estimated: true}.Bytes(4096): "~4,096",
	} {
		if got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}
