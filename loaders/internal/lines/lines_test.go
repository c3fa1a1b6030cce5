package lines

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/memtui/memtui/loaders"
)

func open(t *testing.T, r io.Reader) *loaders.Source {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), "-", r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// TestLinesAreThoseOfSplit compares with strings.Split, for lines of all lengths, from slow and fast pipes.
func TestLinesAreThoseOfSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		var text strings.Builder
		for range r.IntN(50) {
			text.WriteString(strings.Repeat("x", r.IntN(1+100*(round%3)*(round%3)*100)))
			text.WriteString([]string{"\n", "\r\n"}[r.IntN(2)])
		}
		if round%2 == 0 {
			text.WriteString("cut")
		}
		var in io.Reader = strings.NewReader(text.String())
		if round%5 == 0 {
			in = iotest.HalfReader(in)
		}
		if text.Len() == 0 {
			continue
		}
		want := strings.Split(text.String(), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		lines, offset, n, cut := New(t.Context(), open(t, in)), int64(0), 0, false
		for ; lines.Next(); n++ {
			if got := string(lines.Bytes()); got != strings.TrimSuffix(want[n], "\r") || lines.Offset() != offset || lines.Number() != int64(n+1) {
				t.Fatalf("round %d, line %d: %.20q at %d, want %.20q at %d", round, n+1, got, lines.Offset(), want[n], offset)
			}
			offset, cut = offset+int64(len(want[n])+1), lines.Cut()
		}
		if lines.Err() != nil || n != len(want) || cut != (round%2 == 0) {
			t.Errorf("round %d: %d lines of %d, cut %v, %v", round, n, len(want), cut, lines.Err())
		}
	}
}

func TestLongLinesAreCut(t *testing.T) {
	src := open(t, io.MultiReader(strings.NewReader("a\n"), bytes.NewReader(bytes.Repeat([]byte("x"), MaxLine+300<<10)), strings.NewReader("\nb\n")))
	var got []string
	for lines := New(t.Context(), src); lines.Next(); {
		got = append(got, fmt.Sprintf("%d %d %v", lines.Number(), len(lines.Bytes()), lines.Long()))
	}
	if want := []string{"1 1 false", fmt.Sprintf("2 %d true", MaxLine), "3 1 false"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestReadingStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	lines := New(ctx, open(t, strings.NewReader(strings.Repeat("a\n", 1<<20))))
	defer stop()
	n := 0
	for ; lines.Next(); n++ {
		stop()
	}
	if lines.Err() == nil || n > 1<<13 {
		t.Errorf("%d lines after the stop: %v", n, lines.Err())
	}
}

// TestEmptyLinesAreCounted passes runs of empty lines over: what follows has the number and the place that it had.
func TestEmptyLinesAreCounted(t *testing.T) {
	text := "a\n" + strings.Repeat("\n", 3*chunkSize) + " \n\nb\n\n\n"
	var got []string
	in := New(t.Context(), open(t, strings.NewReader(text)))
	for in.Next() {
		if len(in.Bytes()) > 0 {
			got = append(got, fmt.Sprintf("%s %d %d", in.Bytes(), in.Number(), in.Offset()))
		}
		in.SkipEmpty()
	}
	n := 3 * chunkSize
	if want := []string{"a 1 0", fmt.Sprintf("  %d %d", n+2, n+2), fmt.Sprintf("b %d %d", n+4, n+5)}; fmt.Sprint(got) != fmt.Sprint(want) || in.Number() != int64(n+6) || in.Err() != nil {
		t.Errorf("%q, want %q, %d lines, %v", got, want, in.Number(), in.Err())
	}
}
