// Package lines reads text files of any size line by line, with the position of each.
package lines

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// MaxLine is the number of bytes of a line that are kept. The rest of a longer one is skipped.
const MaxLine = 16 << 20

const chunkSize = 256 << 10

// Reader yields the lines of a source. Only one goroutine may use it.
type Reader struct {
	ctx     context.Context
	src     *loaders.Source
	buf     []byte
	from    int   // of the next line in buf
	at      int64 // offset of buf in the source
	ended   bool  // the rest of the source is in buf
	err     error
	checked int

	line   []byte
	offset int64
	number int64
	long   bool
	cut    bool
}

// New returns a reader that starts at the first byte of src. It stops soon after ctx is done.
func New(ctx context.Context, src *loaders.Source) *Reader { return &Reader{ctx: ctx, src: src} }

// Next moves to the next line. It returns false at the end, or on an error, see Err.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	if r.checked++; r.checked%model.AskEvery == 0 && r.ctx.Err() != nil {
		r.err = r.ctx.Err()
		return false
	}
	r.long, r.cut = false, false
	for searched := 0; ; {
		rest := r.buf[r.from:]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 && searched+i <= MaxLine {
			r.take(rest[:searched+i], searched+i+1)
			return true
		}
		searched = len(rest)
		if len(rest) > MaxLine {
			return r.takeLong()
		}
		if r.ended {
			if len(rest) == 0 {
				return false
			}
			r.cut = true
			r.take(rest, len(rest))
			return true
		}
		if !r.fill() {
			return false
		}
	}
}

// SkipEmpty passes lines without a character over, as far as they are in memory: millions of them cost next to nothing.
func (r *Reader) SkipEmpty() {
	for r.from < len(r.buf) && r.buf[r.from] == '\n' {
		r.from++
		r.number++
	}
}

// take makes the bytes the current line, and goes on after so many.
func (r *Reader) take(line []byte, used int) {
	r.offset = r.at + int64(r.from)
	r.number++
	r.from += used
	r.line = bytes.TrimSuffix(line, []byte("\r"))
}

// takeLong takes the beginning of a line that is too long, and skips its rest.
func (r *Reader) takeLong() bool {
	kept := bytes.Clone(r.buf[r.from : r.from+MaxLine])
	offset := r.at + int64(r.from)
	r.long = true
	for {
		i := bytes.IndexByte(r.buf[r.from:], '\n')
		if i >= 0 {
			r.from += i + 1
			break
		}
		r.from = len(r.buf)
		if r.ended {
			break
		}
		if !r.fill() {
			return false
		}
	}
	r.line, r.offset = kept, offset
	r.number++
	return true
}

// fill reads more of the source after the rest of the buffer.
func (r *Reader) fill() bool {
	if err := r.ctx.Err(); err != nil {
		r.err = err
		return false
	}
	left := len(r.buf) - r.from
	next := make([]byte, left+max(chunkSize, left))
	copy(next, r.buf[r.from:])
	r.at += int64(r.from)
	r.from = 0
	n, err := r.src.ReadSome(r.ctx, next[left:], r.at+int64(left))
	r.buf = next[:left+n]
	switch {
	case errors.Is(err, io.EOF):
		r.ended = true
	case err != nil:
		r.err = err
		return false
	}
	return true
}

// Bytes returns the current line without its end. It stays valid: no later line overwrites it.
func (r *Reader) Bytes() []byte { return r.line }

// Offset returns where the current line starts in the source.
func (r *Reader) Offset() int64 { return r.offset }

// Number returns the number of the current line, from 1.
func (r *Reader) Number() int64 { return r.number }

// Long reports whether the current line is longer than MaxLine: Bytes returns its beginning.
func (r *Reader) Long() bool { return r.long }

// Cut reports whether the current line is the source's last and has no line end: it may be incomplete.
func (r *Reader) Cut() bool { return r.cut }

// Err returns the error that ended reading, nil at the end of the source.
func (r *Reader) Err() error { return r.err }
