package memdump

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/memtui/memtui/loaders"
)

// damage reports that the rest of a compressed body cannot be read.
type damage struct {
	at   int64 // byte of the file
	text string
}

func (d *damage) Error() string {
	return fmt.Sprintf("the gzip stream is damaged at byte %d of the file: %s", d.at, d.text)
}

// mark is a position at which inflating can begin.
type mark struct {
	body   int64  // first byte of the body to come out
	file   int64  // first byte of the file to go in
	bit    uint8  // bit of that byte
	window []byte // the output before; nil at the beginning of a gzip member
}

const (
	markSpacing = 512 << 10 // bytes of the body: inflated in 3 ms
	maxMarks    = 1024      // beyond that, every second one is dropped
)

// marks are the positions at which inflating can begin, in order. One goroutine adds them; they are read after it is
// done.
type marks struct {
	list    []mark
	spacing int64
}

// wanted reports whether a position is far enough from the last one.
func (m *marks) wanted(body int64) bool {
	return len(m.list) == 0 || body-m.list[len(m.list)-1].body >= m.spacing
}

func (m *marks) add(k mark) {
	if len(m.list) == maxMarks {
		for i := range maxMarks / 2 {
			m.list[i] = m.list[2*i]
		}
		clear(m.list[maxMarks/2:])
		m.list = m.list[:maxMarks/2]
		m.spacing *= 2
	}
	m.list = append(m.list, k)
}

// before returns the last mark at or before a byte of the body.
func (m *marks) before(body int64) mark {
	best := m.list[0]
	for _, k := range m.list {
		if k.body > body {
			break
		}
		best = k
	}
	return best
}

// gunzip inflates the gzip members of a file, starting at an offset or a mark. Errors are *damage except for those of
// reading.
type gunzip struct {
	raw   *fileReader
	in    *bufio.Reader
	z     io.Reader // of the current member, nil between members
	start int64     // of the current member's deflate stream in the file
	body  int64     // bytes that came out, or were skipped by a mark
	marks *marks    // collected if not nil

	size    int64  // of the current member
	crc     uint32 // of the current member
	partial bool   // the current member was entered in the middle
	trailer bool   // bytes follow that are not gzip
}

func newGunzip(ctx context.Context, src *loaders.Source, off int64, m *marks) *gunzip {
	raw := &fileReader{ctx: ctx, src: src, off: off}
	return &gunzip{raw: raw, in: bufio.NewReaderSize(raw, 64<<10), marks: m}
}

// resumeGunzip begins at a mark.
func resumeGunzip(ctx context.Context, src *loaders.Source, k mark) *gunzip {
	g := newGunzip(ctx, src, k.file, nil)
	g.body = k.body
	if k.window != nil {
		g.partial, g.start = true, k.file
		g.z = flate.NewReaderOpts(g.in, flate.WithResumeFrom(flate.InflateCheckpoint{BitOffset: k.bit, Window: k.window}))
	}
	return g
}

// place returns the next byte of the file to go in.
func (g *gunzip) place() int64 { return g.raw.off - int64(g.in.Buffered()) }

func (g *gunzip) fail(err error) error {
	if g.raw.err != nil {
		return g.raw.err
	}
	text := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		text = "it ends too early"
	}
	return &damage{g.place(), text}
}

// Read implements [io.Reader].
func (g *gunzip) Read(p []byte) (int, error) {
	for {
		if g.z == nil {
			if err := g.open(); err != nil {
				return 0, err
			}
		}
		n, err := g.z.Read(p)
		if !g.partial {
			g.crc = crc32.Update(g.crc, crc32.IEEETable, p[:n])
		}
		g.body += int64(n)
		g.size += int64(n)
		if err == io.EOF {
			err = g.close()
		} else if err != nil {
			err = g.fail(err)
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// open enters the next member; [io.EOF] if there is none.
func (g *gunzip) open() error {
	head, err := g.in.Peek(2)
	if g.raw.err != nil {
		return g.raw.err
	}
	if g.body > 0 || g.start > 0 {
		if len(head) == 0 {
			return io.EOF
		}
		if err != nil || head[0] != 0x1f || head[1] != 0x8b {
			g.trailer = true
			return io.EOF
		}
	}
	if m := g.marks; m != nil && m.wanted(g.body) {
		m.add(mark{body: g.body, file: g.place()})
	}
	if err := g.header(); err != nil {
		return g.fail(err)
	}
	g.start, g.size, g.crc, g.partial = g.place(), 0, 0, false
	var opts []flate.ReaderOpt
	if g.marks != nil {
		base := g.body
		opts = append(opts, flate.WithEobCallback(func(c flate.InflateCheckpoint) { g.mark(base, c) }))
	}
	g.z = flate.NewReaderOpts(g.in, opts...)
	return nil
}

func (g *gunzip) mark(base int64, c flate.InflateCheckpoint) {
	if c.Final || !g.marks.wanted(base+c.UncompressedOffset) {
		return
	}
	g.marks.add(mark{
		body: base + c.UncompressedOffset, file: g.start + c.CompressedOffset, bit: c.BitOffset,
		window: append(make([]byte, 0, len(c.Window)), c.Window...),
	})
}

// Flags of optional parts of a gzip header.
const (
	gzipCRC = 1 << (1 + iota)
	gzipExtra
	gzipName
	gzipComment
	gzipReserved
)

var errGzipHeader = errors.New("it has no gzip header")

// header skips a gzip header.
func (g *gunzip) header() error {
	var h [10]byte
	if _, err := io.ReadFull(g.in, h[:]); err != nil {
		return err
	}
	flags := h[3]
	if h[0] != 0x1f || h[1] != 0x8b || h[2] != 8 || flags >= gzipReserved {
		return errGzipHeader
	}
	if flags&gzipExtra != 0 {
		if _, err := io.ReadFull(g.in, h[:2]); err != nil {
			return err
		}
		if _, err := g.in.Discard(int(binary.LittleEndian.Uint16(h[:]))); err != nil {
			return err
		}
	}
	for _, text := range []byte{gzipName, gzipComment} {
		for c := byte(1); flags&text != 0 && c != 0; {
			var err error
			if c, err = g.in.ReadByte(); err != nil {
				return err
			}
		}
	}
	if flags&gzipCRC != 0 {
		_, err := io.ReadFull(g.in, h[:2])
		return err
	}
	return nil
}

// close checks the end of the current member.
func (g *gunzip) close() error {
	g.z = nil
	var t [8]byte
	if _, err := io.ReadFull(g.in, t[:]); err != nil {
		return g.fail(err)
	}
	if g.partial {
		return nil
	}
	if binary.LittleEndian.Uint32(t[:]) != g.crc || binary.LittleEndian.Uint32(t[4:]) != uint32(g.size) {
		return g.fail(errors.New("its checksum or length is wrong, so any figure may be wrong"))
	}
	return nil
}
