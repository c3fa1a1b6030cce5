package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/memtui/memtui/model"
)

// lz4ed compresses each part as a frame.
func lz4ed(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, p := range parts {
		z := lz4.NewWriter(&out)
		if err := z.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(true)); err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(p); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// packer compresses one frame after the other.
func packer(t *testing.T, outer string) func(part []byte) []byte {
	t.Helper()
	if outer == lz4Outer {
		return func(part []byte) []byte { return lz4ed(t, part) }
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return func(part []byte) []byte { return z.EncodeAll(part, nil) }
}

// partsOf returns b in parts of n bytes.
func partsOf(b []byte, n int) (parts [][]byte) {
	for ; len(b) > n; b = b[n:] {
		parts = append(parts, b[:n])
	}
	return append(parts, b)
}

// seekTable is the skippable frame after frames of packed and plain sizes; checksums adds four bytes to each entry.
func seekTable(sizes [][2]int, checksums bool) []byte {
	var b []byte
	for _, s := range sizes {
		b = binary.LittleEndian.AppendUint32(b, uint32(s[0]))
		b = binary.LittleEndian.AppendUint32(b, uint32(s[1]))
		if checksums {
			b = append(b, 1, 2, 3, 4)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sizes)))
	flags := byte(0)
	if checksums {
		flags = 0x80
	}
	b = binary.LittleEndian.AppendUint32(append(b, flags), 0x8f92eab1)
	head := binary.LittleEndian.AppendUint32(nil, 0x184d2a5e)
	return append(binary.LittleEndian.AppendUint32(head, uint32(len(b))), b...)
}

// inBlocks compresses parts, and adds their seek table.
func inBlocks(t *testing.T, outer string, checksums bool, parts ...[]byte) []byte {
	t.Helper()
	var out []byte
	var sizes [][2]int
	pack := packer(t, outer)
	for _, p := range parts {
		b := pack(p)
		out, sizes = append(out, b...), append(sizes, [2]int{len(b), len(p)})
	}
	return append(out, seekTable(sizes, checksums)...)
}

func TestFilesWithASeekTableAreReadInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		outer     string
		size, per int
		checksums bool
	}{
		"zstd":               {"zstd", 3 << 20, 64 << 10, false},
		"zstd, checksums":    {"zstd", 1<<20 + 7, 100_000, true},
		"zstd, one frame":    {"zstd", 1000, 64 << 10, false},
		"zstd, small frames": {"zstd", 10_000, 3, false},
		"lz4":                {"lz4", 3 << 20, 64 << 10, false},
		"lz4, one byte left": {"lz4", 64<<10 + 1, 64 << 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			want := someBytes(c.size)
			stored := inBlocks(t, c.outer, c.checksums, partsOf(want, c.per)...)
			src := open(t, write(t, stored), nil)
			if src.frames == nil || src.spool != nil {
				t.Fatal("it is decompressed as a whole")
			}
			if src.Size() != int64(len(want)) {
				t.Errorf("the size is %d at once, want %d", src.Size(), len(want))
			}
			pipe := open(t, "-", bytes.NewReader(stored))
			for kind, src := range map[string]*Source{"file": src, "pipe": pipe} {
				checkContent(t, src, want)
				if src.Outer() != c.outer || src.StoredSize() != int64(len(stored)) || len(src.Problems()) > 0 {
					t.Errorf("%s: outer %q, %d bytes stored, problems %v", kind, src.Outer(), src.StoredSize(), src.Problems())
				}
			}
		})
	}
}

func TestFilesOfLZ4AreRead(t *testing.T) {
	want := someBytes(3 << 20)
	half := len(want) / 2
	for name, stored := range map[string][]byte{
		"one frame": lz4ed(t, want), "two frames": lz4ed(t, want[:half], want[half:]),
		"skippable": append(lz4ed(t, want), 0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2),
	} {
		for kind, src := range map[string]*Source{"file": open(t, write(t, stored), nil), "pipe": open(t, "-", bytes.NewReader(stored))} {
			checkContent(t, src, want)
			if src.Outer() != "lz4" || len(src.Problems()) > 0 {
				t.Errorf("%s, %s: outer %q, problems %v", name, kind, src.Outer(), src.Problems())
			}
		}
	}
	src := open(t, write(t, lz4ed(t, want)[:1<<20]), nil)
	got := make([]byte, len(want)+1)
	n, err := src.ReadAt(got, 0)
	if p := src.Problems(); err != io.EOF || n == 0 || !bytes.Equal(got[:n], want[:n]) || len(p) != 1 || !strings.Contains(p[0].Message, "the lz4 stream ends too early") {
		t.Errorf("cut: %d bytes, %v, %v", n, err, p)
	}
}

// A damaged frame is zeros and a problem, each at its place; all others are whole.
func TestADamagedFrameLosesNoOther(t *testing.T) {
	const per, count = 10_000, 30
	want := someBytes(per * count)
	for _, name := range []string{"zstd", "lz4"} {
		pack := packer(t, name)
		for _, bad := range []int{0, 7, count - 1} {
			stored := inBlocks(t, name, false, partsOf(want, per)...)
			at := 0
			for _, p := range partsOf(want, per)[:bad] {
				at += len(pack(p))
			}
			for i := at + 40; i < at+60; i++ {
				stored[i] ^= 0x5a
			}
			src := open(t, write(t, stored), nil)
			expected := bytes.Clone(want)
			clear(expected[bad*per : (bad+1)*per])
			checkContent(t, src, expected)
			checkContent(t, src, expected)
			if p := src.Problems(); len(p) != 1 || p[0].Code != "compression" || p[0].Offset != int64(bad*per) || p[0].Count != 1 ||
				!strings.Contains(p[0].Message, fmt.Sprintf("the %s frame at byte %s of the file is damaged", name, model.Group(uint64(at)))) {
				t.Errorf("%s, frame %d: %v", name, bad, p)
			}
		}
	}
	parts := partsOf(want, 100)
	stored := inBlocks(t, "zstd", false, parts...)
	clear(stored[len(zstded(t, parts[0])) : len(stored)-len(seekTable(make([][2]int, len(parts)), false))])
	src := open(t, write(t, stored), nil)
	if _, err := src.ReadAt(make([]byte, len(want)), 0); err != nil {
		t.Error(err)
	}
	n := int64(0)
	for _, p := range src.Problems() {
		n += p.Count
	}
	if len(src.Problems()) != seekDamages || n != int64(len(parts)-1) {
		t.Errorf("%d problems about %d frames, want %d about %d", len(src.Problems()), n, seekDamages, len(parts)-1)
	}
}

// A table that is not that of the file is not used: the file is decompressed from the start, and nothing is lost.
func TestWrongSeekTablesAreNotUsed(t *testing.T) {
	want := someBytes(5000)
	parts := partsOf(want, 1000)
	var sizes [][2]int
	var frames []byte
	for _, p := range parts {
		b := zstded(t, p)
		frames, sizes = append(frames, b...), append(sizes, [2]int{len(b), len(p)})
	}
	with := func(change func(s [][2]int)) []byte {
		s := append([][2]int{}, sizes...)
		change(s)
		return append(bytes.Clone(frames), seekTable(s, false)...)
	}
	whole := with(func([][2]int) {})
	edited := func(fromEnd int, b byte) []byte {
		out := bytes.Clone(whole)
		out[len(out)-fromEnd] = b
		return out
	}
	for name, stored := range map[string][]byte{
		"no table":          frames,
		"cut":               whole[:len(whole)-3],
		"sizes do not fit":  with(func(s [][2]int) { s[1][0]++ }),
		"all other sizes":   with(func(s [][2]int) { s[0][1]++; s[4][1]-- }),
		"a huge frame":      with(func(s [][2]int) { s[2][1] = 1 << 31 }),
		"no bytes":          with(func(s [][2]int) { s[2][0], s[1][0] = 0, s[1][0]+s[2][0] }),
		"too many entries":  edited(9, 200),
		"unknown flags":     edited(5, 4),
		"one entry":         append(bytes.Clone(frames), seekTable(sizes[:1], false)...),
		"another's":         append(bytes.Clone(frames), seekTable([][2]int{{len(frames) / 2, 9}, {len(frames) - len(frames)/2, 8}}, false)...),
		"a very long table": append(bytes.Clone(frames), seekTable(nil, false)...),
	} {
		src := open(t, write(t, stored), nil)
		if src.frames != nil {
			t.Errorf("%s: the table was used", name)
		}
		got := make([]byte, len(want))
		if n, _ := src.ReadAt(got, 0); n != len(want) || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d", name, n, len(want))
		}
	}
	// Whatever a byte of the table is, reading ends.
	r := rand.New(rand.NewPCG(3, 3))
	for at := len(frames); at < len(whole); at++ {
		out := bytes.Clone(whole)
		out[at] ^= byte(1 + r.IntN(255))
		src := open(t, write(t, out), nil)
		var got bytes.Buffer
		n, err := io.Copy(&got, io.NewSectionReader(src, 0, 1<<40))
		if n > int64(len(parts))*seekFrame || err != nil || !bytes.Equal(got.Bytes(), want) && len(src.Problems()) == 0 {
			t.Fatalf("byte %d: %d bytes, %v, problems %v", at, n, err, src.Problems())
		}
		src.Close()
	}
}

// TestBombsInBlocksEnd has frames that hold a thousand times more than they take.
func TestBombsInBlocksEnd(t *testing.T) {
	zeros := make([]byte, seekFrame)
	packed := packer(t, "zstd")(zeros)
	var stored []byte
	var sizes [][2]int
	for range 100 {
		stored, sizes = append(stored, packed...), append(sizes, [2]int{len(packed), len(zeros)})
	}
	path := write(t, append(stored, seekTable(sizes, false)...))
	src := open(t, path, nil)
	if src.frames == nil || src.Size() != spoolUnasked || !src.Limited() {
		t.Fatalf("%d bytes, %v", src.Size(), src.Problems())
	}
	if p := src.Problems(); p[0].Code != "too-large" || p[0].Offset != spoolUnasked {
		t.Error(p)
	}
	if n, err := src.ReadAt(make([]byte, 10), spoolUnasked-5); n != 5 || err != io.EOF {
		t.Errorf("%d bytes at the limit, %v", n, err)
	}
	if _, err := src.Range(t.Context(), 0, 1<<40); err != nil { // as much as may be in memory
		t.Error(err)
	}
	src.Allow(1 << 40)
	if src.Size() != 100*seekFrame || len(src.Problems()) > 0 {
		t.Errorf("allowed: %d bytes, %v", src.Size(), src.Problems())
	}
	if n, err := src.ReadAt(make([]byte, 10), 99*seekFrame); n != 10 || err != nil {
		t.Error(n, err)
	}
	if _, err := src.Range(t.Context(), 0, 1<<40); err == nil || !strings.Contains(err.Error(), "512") {
		t.Error(err)
	}
	small := model.WithBudget(t.Context(), model.NewBudget(1000))
	if src, err := OpenSource(small, path, nil); err != nil || src.frames != nil {
		t.Error("a table that does not fit the memory was read", err)
	} else {
		src.Close()
	}
}

func TestFramesAreReadByMany(t *testing.T) {
	want := someBytes(2 << 20)
	src := open(t, write(t, inBlocks(t, "zstd", false, partsOf(want, 5000)...)), nil)
	src.frames.keep = 4
	var group sync.WaitGroup
	for w := range uint64(8) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(w, 1))
			b := make([]byte, 30_000)
			for range 200 {
				off := r.IntN(len(want))
				n, err := src.ReadAt(b, int64(off))
				if !bytes.Equal(b[:n], want[off:min(off+len(b), len(want))]) || err != nil && err != io.EOF {
					t.Errorf("%d bytes at %d: %v", n, off, err)
					return
				}
			}
		})
	}
	group.Wait()
	if n := len(src.frames.recent); n > 4 {
		t.Errorf("%d frames are kept", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := src.ReadSome(ctx, make([]byte, 10), 0); n != 0 || err != context.Canceled {
		t.Error("canceled:", n, err)
	}
}

func TestFramesThatAreGone(t *testing.T) {
	want := someBytes(1 << 20)
	path := write(t, inBlocks(t, "zstd", false, partsOf(want, 5000)...))
	src := open(t, path, nil)
	if err := os.Truncate(path, 100_000); err != nil {
		t.Fatal(err)
	}
	if _, err := src.ReadAt(make([]byte, len(want)), 0); err != ErrShrank {
		t.Error(err)
	}
	src.Close()
	if _, err := src.ReadAt(make([]byte, 5), 0); err != os.ErrClosed {
		t.Error(err)
	}
}
