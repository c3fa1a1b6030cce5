package export

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/loaders"
)

// inBlocks compresses data in blocks, written in pieces of any length.
func inBlocks(t *testing.T, data []byte, useLZ4 bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewBlockWriter(&out, useLZ4)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, uint64(len(data))))
	for len(data) > 0 {
		n := min(len(data), r.IntN(200_000))
		if m, err := w.Write(data[:n]); m != n || err != nil {
			t.Fatal(m, err)
		}
		data = data[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBlocksAreWhatWasWritten(t *testing.T) {
	for _, useLZ4 := range []bool{false, true} {
		for _, n := range []int{0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 4*blockBytes - 7, 4 * blockBytes} {
			want := make([]byte, n)
			for i := range want {
				want[i] = byte(i * i >> 7)
			}
			path := filepath.Join(t.TempDir(), "some")
			if err := os.WriteFile(path, inBlocks(t, want, useLZ4), 0o600); err != nil {
				t.Fatal(err)
			}
			src, err := loaders.OpenSource(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if src.Size() != int64(n) { // at once: there is a table
				t.Errorf("LZ4 %v: %d bytes of %d", useLZ4, src.Size(), n)
			}
			got, err := io.ReadAll(io.NewSectionReader(src, 0, 1<<40))
			if err != nil || !bytes.Equal(got, want) || len(src.Problems()) > 0 {
				t.Errorf("LZ4 %v: %d bytes of %d, %v, %v", useLZ4, len(got), n, err, src.Problems())
			}
			src.Close()
		}
	}
}

func TestBlockWritersFail(t *testing.T) {
	for _, useLZ4 := range []bool{false, true} {
		w, err := NewBlockWriter(full{}, useLZ4)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, blockBytes)); !errors.Is(err, errFull) {
			t.Errorf("a full disk gives %v", err)
		}
		if err := w.Close(); !errors.Is(err, errFull) {
			t.Errorf("a full disk gives %v at the end", err)
		}
	}
}

// A trace in blocks of which one is damaged shows what the others hold, and says where it is.
func TestTracesWithADamagedBlockAreRead(t *testing.T) {
	data := kvleak(t)
	for _, useLZ4 := range []bool{false, true} {
		stored := inBlocks(t, data, useLZ4)
		_, whole := loadTrace(t, stored)
		all, err := whole.Totals(t.Context(), analysis.FullRange)
		if err != nil {
			t.Fatal(err)
		}
		at := len(inBlocks(t, data[:2*blockBytes], useLZ4))
		for i := range 50 {
			stored[at+i] ^= 0x5a
		}
		store, ix, err := opened.Bytes(t, "damaged.mlyze", stored)
		if err != nil {
			t.Fatal(err)
		}
		totals, err := ix.Totals(t.Context(), analysis.FullRange)
		if err != nil || all.Events != 14012 || totals.Events >= all.Events || totals.Events < all.Events/2 {
			t.Errorf("%d events of %d, %v", totals.Events, all.Events, err)
		}
		said := false
		for _, p := range store.Current().Problems {
			said = said || p.Code == "compression" && p.Offset == 2*blockBytes && strings.Contains(p.Message, "read as zeros")
		}
		if p := store.Current(); !said || p.Lost == 0 {
			t.Errorf("%d bytes are lost, problems %v", p.Lost, p.Problems)
		}
	}
}
