package sections

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var testFormat = Format{Magic: "memtui.test/1\r\n", Version: 3}

// things is something that is kept in a file.
type things struct {
	numbers []uint32
	pairs   []struct{ A, B uint64 }
	parts   [][]byte
}

func (x *things) sections(f *Codec) {
	Array(f, "numbers", &x.numbers)
	n := []uint64{uint64(len(x.parts))}
	Array(f, "number of parts", &n)
	if f.Reads() && len(n) == 1 && n[0] < 100 {
		x.parts = make([][]byte, n[0])
	}
	Parts(f, "parts", len(x.parts), func(i int) *[]byte { return &x.parts[i] })
	f.Lazy = true
	Array(f, "pairs", &x.pairs)
}

func written(t *testing.T, x *things) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := testFormat.Write(t.Context(), &b, Key{1}, x.sections); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// opened takes things out of a file, all of which is verified.
func opened(data []byte, key Key) (*things, error) {
	x := &things{}
	f, err := testFormat.Open(context.Background(), &File{Data: data, At: bytes.NewReader(data)}, key, Layout(new(things).sections))
	if err != nil {
		return nil, err
	}
	x.sections(f)
	if err := f.Done(); err != nil {
		return nil, err
	}
	return x, f.Sums.VerifyAll(context.Background())
}

func (x *things) equal(y *things) bool {
	return slices.Equal(x.numbers, y.numbers) && slices.Equal(x.pairs, y.pairs) && slices.EqualFunc(x.parts, y.parts, bytes.Equal)
}

// What is written is read, and a file with any byte changed, or cut anywhere, is refused or says the same.
func TestSections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	want := &things{parts: [][]byte{[]byte("one"), nil, []byte(strings.Repeat("three", 1000))}}
	for range 5000 {
		want.numbers = append(want.numbers, r.Uint32())
		want.pairs = append(want.pairs, struct{ A, B uint64 }{r.Uint64(), r.Uint64()})
	}
	good := written(t, want)
	if got, err := opened(good, Key{1}); err != nil || !want.equal(got) {
		t.Fatal(err)
	}
	if _, err := opened(good, Key{2}); !errors.Is(err, ErrStale) {
		t.Error(err)
	}
	for n := range 300 {
		bad := slices.Clone(good)
		if n%2 == 0 {
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		} else {
			bad = bad[:r.IntN(len(bad))]
		}
		if got, err := opened(bad, Key{1}); err == nil && !want.equal(got) {
			t.Fatal("a damaged file says something else")
		}
	}
	if got, err := opened(written(t, &things{}), Key{1}); err != nil || !got.equal(&things{}) {
		t.Error(got, err)
	}
}

// Writing stops when its context is done.
func TestWritingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := testFormat.Write(ctx, new(bytes.Buffer), Key{}, new(things).sections); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// memory keeps one file.
type memory struct {
	data      []byte
	discarded chan string
}

func (m *memory) Open(string) (*File, error) {
	return &File{Data: m.data, At: bytes.NewReader(m.data)}, nil
}

func (m *memory) Key() Key                                                  { return Key{1} }
func (m *memory) Keep(string, func(ctx context.Context, w io.Writer) error) {}
func (m *memory) Write(ctx context.Context, _ string, write func(ctx context.Context, w io.Writer) error) error {
	var b bytes.Buffer
	err := write(ctx, &b)
	m.data = b.Bytes()
	return err
}
func (m *memory) Discard(name string) { m.discarded <- name }

// Of a large file only some blocks are verified when it is opened: damage elsewhere is found later, and the file is not
// opened again. That of small sections, and of ends, is found at once.
func TestLargeFilesAreVerifiedLater(t *testing.T) {
	x := &things{numbers: make([]uint32, 1000), parts: [][]byte{[]byte("one")}}
	big := make([]uint32, largeFile/4+1)
	list := func(f *Codec) {
		x.sections(f)
		f.Lazy = false
		Array(f, "big", &big)
	}
	var b bytes.Buffer
	if err := testFormat.Write(t.Context(), &b, Key{1}, list); err != nil {
		t.Fatal(err)
	}
	m := &memory{data: b.Bytes(), discarded: make(chan string, 1)}
	restore := func() *Sums { return testFormat.Restore(t.Context(), m, "name", Layout(list), list) }
	first := restore()
	if first == nil || first.Verified() || first.Broken() {
		t.Fatal("it is not used, or was read completely")
	}
	if err := first.verifyRest(t.Context()); err != nil { // now, and not while bytes change below
		t.Fatal(err)
	}
	for _, at := range []int{100, len(m.data) - 8600} { // a small section, the last block of a large one
		m.data[at] ^= 1
		if restore() != nil {
			t.Errorf("damage at %d is not seen", at)
		}
		<-m.discarded
		m.data[at] ^= 1
	}
	at := len(m.data) / 5
	m.data[at] ^= 1
	s := restore()
	if s == nil {
		t.Fatal("all was read")
	}
	if err := s.verifyRest(t.Context()); err == nil || !s.Broken() || <-m.discarded != "name" {
		t.Error(err, s.Broken())
	}
	uses := &Uses{}
	ctx := uses.In(t.Context())
	damaged, later := uses.Damaged(), &Uses{}
	told := later.Damaged()
	if testFormat.Restore(ctx, m, "name", Layout(list), list) == nil || uses.Verify(ctx) == nil || <-m.discarded != "name" {
		t.Error("what was taken into use is not verified")
	}
	if uses.Verify(ctx) != nil {
		t.Error("what was discarded is verified again")
	}
	uses.signal()
	<-damaged
	if testFormat.Restore(later.In(t.Context()), m, "name", Layout(list), list) == nil || later.Distrust() == nil || <-m.discarded != "name" {
		t.Error("what a panic may come from is not verified")
	}
	<-told
	if later.Verify(ctx) == nil {
		t.Error("what was made of a damaged file is sound")
	}
	m.data[at] ^= 1
	if uses.Distrust() != nil || (*Uses)(nil).Distrust() != nil {
		t.Error("a whole file is not trusted")
	}
	if testFormat.Restore(ctx, m, "name", Layout(list), list) == nil || uses.Verify(ctx) != nil {
		t.Error("a whole file is damaged")
	}
}

// What is stored is read back from the file, all of which counts as verified; where it cannot be written there is
// nothing.
func TestStore(t *testing.T) {
	x, y := &things{numbers: []uint32{1, 2}, parts: [][]byte{[]byte("one")}}, &things{}
	m, layout := &memory{}, Layout(new(things).sections)
	if s := testFormat.Store(t.Context(), m, "name", layout, x.sections, y.sections); s == nil || !s.Verified() || !x.equal(y) {
		t.Errorf("%v, want %v", y, x)
	}
	if &y.numbers[0] == &x.numbers[0] {
		t.Error("it is not read from the file")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if testFormat.Store(ctx, m, "name", layout, x.sections, y.sections) != nil {
		t.Error("what was not written is there")
	}
}
