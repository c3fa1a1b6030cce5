package heaptrack

import (
	"bytes"
	"context"
	"io"

	"github.com/memtui/memtui/loaders"
)

const (
	blockSize = 1 << 20
	// maxLine is the longest line that is read. Names of templates reach 100,000 bytes.
	maxLine = blockSize / 2
)

// lines reads the input in large blocks into one buffer.
type lines struct {
	ctx  context.Context
	src  *loaders.Source
	buf  []byte // buf[pos:end] is unread
	pos  int
	end  int
	base int64 // offset of buf[0]
	line int64 // line number at pos, from 1
	eof  bool  // the input ends at end
	err  error // why, if that is not the end of the input
}

func newLines(ctx context.Context, src *loaders.Source) *lines {
	size := int64(blockSize)
	if total := src.Size(); total >= 0 {
		size = min(size, total+1) // one byte more, to reach the end
	}
	return &lines{ctx: ctx, src: src, buf: make([]byte, size), line: 1}
}

// offset returns the offset of pos in the input.
func (l *lines) offset() int64 { return l.base + int64(l.pos) }

// rest returns the bytes in the buffer, valid until the next fill.
func (l *lines) rest() []byte { return l.buf[l.pos:l.end] }

// fill reads more, at least a byte unless eof becomes true. The buffer must not be full.
func (l *lines) fill() {
	if l.pos > 0 {
		copy(l.buf, l.buf[l.pos:l.end])
		l.base += int64(l.pos)
		l.pos, l.end = 0, l.end-l.pos
	}
	n, err := l.src.ReadSome(l.ctx, l.buf[l.end:], l.base+int64(l.end))
	l.end += n
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
}

// have reads until n bytes are there, at most maxLine, and reports whether they are.
func (l *lines) have(n int) bool {
	if n > maxLine {
		return false
	}
	for l.end-l.pos < n && !l.eof {
		l.fill()
	}
	return l.end-l.pos >= n
}

// lineState is how a line ends.
type lineState uint8

const (
	whole   lineState = iota
	cut               // the input ends within it
	tooLong           // longer than maxLine
	ended             // there is no line
)

// next returns the length of the line at pos, without its newline, and does not move pos.
func (l *lines) next() (n int, is lineState) {
	for from := 0; ; {
		b := l.rest()
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			return from + i, whole
		}
		from = len(b)
		switch {
		case from > maxLine:
			return from, tooLong
		case l.eof && from == 0:
			return 0, ended
		case l.eof:
			return from, cut
		}
		l.fill()
	}
}

// skip skips n bytes, which may contain line ends.
func (l *lines) skip(n int) {
	l.line += int64(bytes.Count(l.buf[l.pos:l.pos+n], []byte{'\n'}))
	l.pos += n
}

// manyEmpty are empty lines, which are compared at once.
var manyEmpty = bytes.Repeat([]byte{'\n'}, 4096)

// skipEmpty skips the empty lines at pos, as far as they are in the buffer.
func (l *lines) skipEmpty() {
	b, n := l.rest(), 0
	for bytes.HasPrefix(b[n:], manyEmpty) {
		n += len(manyEmpty)
	}
	for n < len(b) && b[n] == '\n' {
		n++
	}
	l.line += int64(n)
	l.pos += n
}

// skipLong skips a line of any length, and returns its length.
func (l *lines) skipLong() (n int64) {
	for {
		b := l.rest()
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			l.skip(i + 1)
			return n + int64(i) + 1
		}
		n += int64(len(b))
		if l.pos = l.end; l.eof {
			return n
		}
		l.fill()
	}
}
