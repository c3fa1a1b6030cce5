package v8heap

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/loaders"
)

// numbersOf reads the numbers of a text, of which there are n, by eight digits at once or one digit after the other.
func numbersOf(t *testing.T, text []byte, n int, slow bool) (list []uint64, bad int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	c := newNumbers(t.Context(), src)
	c.span(0, int64(len(text)))
	for range n {
		if !slow {
			list = append(list, c.next())
			continue
		}
		if len(c.b)-c.p < maxNumber {
			c.fill()
		}
		list = append(list, c.digits(c.b[c.p:]))
	}
	if c.err != nil {
		t.Fatal(c.err)
	}
	return list, c.bad
}

// TestNumbers compares numbers that are read by eight digits at once with those read one digit after the other: of all
// lengths, with blanks and other things around them, and cut.
func TestNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var text []byte
		var want []uint64
		odd := rnd.IntN(3) == 0
		n := 1 + rnd.IntN(200)
		for i := range n {
			x := rnd.Uint64() >> rnd.IntN(64)
			want = append(want, x)
			if i > 0 {
				text = append(text, [...]string{",", "\n,", ",\n", " ,", ","}[rnd.IntN(5)]...)
			}
			if odd && rnd.IntN(9) == 0 {
				text = append(text, [...]string{"-", "x", ":", "/", "\xb0", "\xff", "1.5", "", "\t", "\r\n"}[rnd.IntN(10)]...)
			}
			text = fmt.Append(text, x)
		}
		if odd {
			text = text[:rnd.IntN(len(text)+1)]
		}
		got, bad := numbersOf(t, text, n, false)
		slow, badSlow := numbersOf(t, text, n, true)
		if fmt.Sprint(got, bad) != fmt.Sprint(slow, badSlow) {
			t.Fatalf("%q\n%d, %d bad\n%d, %d bad", text, got, bad, slow, badSlow)
		}
		if !odd && fmt.Sprint(got, bad) != fmt.Sprint(want, 0) {
			t.Fatalf("%q\n%d, %d bad", text, got, bad)
		}
	}
}

// TestRowOf compares the division by multiplying with that of the processor, for numbers that begin a row and for
// those that do not.
func TestRowOf(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for columns := uint64(1); columns < 40; columns++ {
		r := edgeReader{nodeColumns: columns, share: ^uint64(0)/columns + 1}
		for range 2000 {
			to := rnd.Uint64() >> rnd.IntN(64)
			if rnd.IntN(2) == 0 {
				to = to / columns * columns
			}
			if row := r.rowOf(to); (row*columns == to) != (to%columns == 0) || to%columns == 0 && row != to/columns {
				t.Errorf("%d by %d is %d", to, columns, row)
			}
		}
	}
}
