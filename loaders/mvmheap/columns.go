package mvmheap

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/memtui/memtui/model"
)

const (
	chunkValues = 32 << 10 // values decoded at once: as 64-bit numbers they fit the second-level cache
	maxWindow   = 32 << 20 // bounds the window of a zstd decoder; recorders use 4 MiB
)

// kit is the state that a goroutine needs to decode columns, reused for the next column.
type kit struct {
	dec  *zstd.Decoder
	in   *bufio.Reader
	raw  []byte
	vals []uint64
}

func (f *file) kit() *kit {
	if k, ok := f.kits.Get().(*kit); ok {
		return k
	}
	// The options are constants that the decoder accepts: there is no error to return.
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeBuffersBelow(0))
	n := int(min(chunkValues, max(512, f.size)))
	return &kit{dec: dec, in: bufio.NewReaderSize(nil, 2*n), raw: make([]byte, 8*n), vals: make([]uint64, 0, n)}
}

// damage is why a column cannot be read, and the broken rule.
type damage struct {
	rule string
	text string
}

func (d *damage) Error() string { return d.text }

// frameDamage returns why a zstd frame cannot be decoded.
func frameDamage(err error) *damage {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return &damage{tooLarge, fmt.Sprintf("decoding it takes more memory than the limit of %s for the window of a zstd frame, which cannot be raised", model.Bytes(maxWindow))}
	}
	return &damage{"zstd", err.Error()}
}

// tooLarge is the rule of limits.
const tooLarge = "too-large"

// input reads the compressed bytes of one block for a decoder.
type input struct {
	io.Reader
	read func(n int) // called with progress; may be nil
	err  error       // of the source; the end is not an error
	bad  *damage
	wide int // bytes of a value, 0 for strings
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.Reader.Read(p)
	if err != nil && err != io.EOF {
		in.err = err
	}
	if in.read != nil {
		in.read(n)
	}
	return n, err
}

// failure returns an error that is not the file's fault.
func (in *input) failure(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return in.err
}

// openColumn makes kit's decoder read block b, whose kind k may be a wrong claim of a table of contents.
func (f *file) openColumn(ctx context.Context, t *kit, b span, k kind, read func(n int)) (*input, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	head, err := f.bytes(span{b.start, min(b.end, b.start+k.header())})
	if err != nil {
		return nil, err
	}
	in := &input{read: read}
	if got, ok := kindOf(head); !ok || got != k || int64(len(head)) < k.header() {
		in.bad = &damage{"block", fmt.Sprintf("no block of this kind is at byte %d", b.start)}
		return in, nil
	}
	if k < integer {
		in.wide = int(binary.LittleEndian.Uint16(head[nameLength:]))
		if in.wide != 1 && in.wide != 2 && in.wide != 4 && in.wide != 8 {
			in.bad = &damage{"entry-size", fmt.Sprintf("numbers of %d bytes", in.wide)}
			return in, nil
		}
	}
	in.Reader = io.NewSectionReader(f.src, b.start+k.header(), b.end-b.start-k.header())
	t.in.Reset(in)
	if err := t.dec.Reset(t.in); err != nil {
		if in.err != nil {
			return nil, in.err
		}
		in.bad = frameDamage(err)
	}
	return in, nil
}

// width reads the size of the numbers of an integer column.
func (f *file) width(b span) (int, error) {
	head, err := f.bytes(span{b.start + nameLength, b.start + nameLength + 2})
	if err != nil {
		return 0, err
	}
	return max(1, int(binary.LittleEndian.Uint16(append(head, 0, 0)))), nil
}

// bytes reads a part of the file, fewer bytes at its end.
func (f *file) bytes(s span) ([]byte, error) {
	b := make([]byte, max(0, min(s.end, f.size)-s.start))
	n, err := f.src.ReadAt(b, s.start)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

// column decodes an integer column and passes its values to take in order, at most limit of them. n is how many there
// were, up to limit+1; bad is the damage of the column, after the n values or as a whole.
func (f *file) column(ctx context.Context, t *kit, b span, k kind, limit int64, read func(int),
	take func(at int64, vals []uint64)) (n int64, bad *damage, err error) {
	in, err := f.openColumn(ctx, t, b, k, read)
	if err != nil || in.bad != nil {
		return 0, in.damaged(), err
	}
	for {
		got, readErr := t.fill(len(t.raw) / 8 * in.wide)
		t.vals = unpack(t.vals[:0], t.raw[:got], in.wide)
		vals := t.vals
		if int64(len(vals)) > limit-n {
			vals = vals[:limit-n]
		}
		take(n, vals)
		n += int64(len(vals))
		switch fatal := in.failure(ctx); {
		case fatal != nil:
			return n, nil, fatal
		case len(vals) < len(t.vals):
			return limit + 1, nil, nil
		case readErr == nil:
		case !errors.Is(readErr, io.EOF):
			return n, frameDamage(readErr), nil
		case got%in.wide != 0:
			return n, &damage{"entry-size", "it does not end with a whole number"}, nil
		default:
			return n, nil, nil
		}
	}
}

// fill decompresses n bytes into raw, fewer before an error or the end.
func (t *kit) fill(n int) (got int, err error) {
	for got < n && err == nil {
		var k int
		k, err = t.dec.Read(t.raw[got:n])
		got += k
	}
	return got, err
}

func (in *input) damaged() *damage {
	if in == nil {
		return nil
	}
	return in.bad
}

// unpack appends the numbers of raw, each of width bytes, to dst. An incomplete number is left out.
func unpack(dst []uint64, raw []byte, width int) []uint64 {
	n := len(dst)
	dst = slices.Grow(dst, len(raw)/width)[:n+len(raw)/width]
	out := dst[n:]
	switch width {
	case 1:
		for i := range out {
			out[i] = uint64(raw[i])
		}
	case 2:
		for i := range out {
			out[i] = uint64(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	case 4:
		for i := range out {
			out[i] = uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	default:
		for i := range out {
			out[i] = binary.LittleEndian.Uint64(raw[8*i:])
		}
	}
	return dst
}
