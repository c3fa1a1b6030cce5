package record

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze/journal"
)

// Pipe is the name of standard output, to which a recording can be sent.
const Pipe = "-"

// streamed writes a recording to a pipe. Whoever reads it may be on another machine, so stacks are sent with the names
// of their functions.
type streamed struct {
	to     *held
	frames frameNumbers
	sent   int // stacks
	line   []byte
}

// blocks writes what is written to it as blocks of one kind.
type blocks struct {
	of   *streamed
	kind byte
	buf  []byte
}

// Write implements [io.Writer].
func (b *blocks) Write(p []byte) (int, error) {
	b.buf = append(loaders.AppendRecorded(b.buf[:0], b.kind, len(p)), p...)
	if _, err := b.of.to.Write(b.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// newStream returns a trace that is sent to standard output.
func newStream(start time.Time, exe string, o Options) (*traceFile, error) {
	return newStreamTo(os.Stdout, start, exe, o)
}

func newStreamTo(w io.Writer, start time.Time, exe string, o Options) (*traceFile, error) {
	s := &streamed{to: &held{to: w, until: time.Now().Add(unwrapped(exe))}, frames: frameNumbers{}}
	t := &traceFile{
		path: Pipe, w: bufio.NewWriterSize(&blocks{of: s, kind: loaders.RecordedTrace}, 1<<18),
		notes: bufio.NewWriterSize(&blocks{of: s, kind: loaders.RecordedJournal}, 1<<16), start: start,
		shifts: [2]uint{mostShift, 0}, stacks: journal.NewNames(o.Symbols), stream: s,
	}
	if _, err := io.WriteString(s.to, loaders.RecordedMagic); err != nil {
		return nil, err
	}
	t.begin(start, exe, o)
	if _, err := t.w.Write(head(start, noNames(), reserve)); err != nil {
		return nil, err
	}
	return t, t.flush()
}

// names sends the stacks that were not sent yet, and what they name.
func (s *streamed) names(n *journal.Names, to *bufio.Writer) error {
	if s.sent == n.Len() {
		return nil
	}
	if _, err := n.Resolve(context.Background()); err != nil {
		return err
	}
	send := func(note *journal.Note) (err error) {
		if s.line, err = note.Append(s.line[:0]); err == nil {
			_, err = to.Write(s.line)
		}
		return err
	}
	for ; s.sent < n.Len(); s.sent++ {
		words := []uint64{}
		for _, id := range n.Stack(s.sent) {
			for _, f := range n.Frames(id) {
				word, err := s.frames.word(journal.Frame{File: f.File, Function: f.Function, Line: f.Line}, send)
				if err != nil {
					return err
				}
				words = append(words, word)
			}
		}
		if err := send(&journal.Note{Stack: words}); err != nil {
			return err
		}
	}
	return nil
}

// frameNumbers are the numbers of frames that were noted.
type frameNumbers map[journal.Frame]uint64

// word returns the word of a frame in a stack, and notes the frame unless that was done.
func (k frameNumbers) word(f journal.Frame, note func(*journal.Note) error) (uint64, error) {
	number, ok := k[f]
	if ok {
		return journal.Known | number, nil
	}
	number = uint64(len(k)) + 1
	k[f] = number
	return journal.Known | number, note(&journal.Note{Frame: &f})
}

// end says that the recording is complete.
func (s *streamed) end() error {
	_, err := s.to.Write(loaders.AppendRecorded(nil, loaders.RecordedEnd, 0))
	if err == nil {
		err = s.to.release()
	}
	return err
}

// unwrapped returns how long the recording of a program is held back: wrappers execute another one meanwhile, and what
// was sent cannot be taken back. Shells rarely are what is to be recorded, and may do much before.
func unwrapped(exe string) time.Duration {
	if slices.Contains(wrappers, filepath.Base(exe)) {
		return 10 * time.Second
	}
	return time.Second
}

var wrappers = []string{"sh", "bash", "dash", "ash", "busybox", "ksh", "zsh", "env", "nice", "nohup", "setsid", "stdbuf"}

// held is a pipe to which nothing is written before a time.
type held struct {
	to    io.Writer
	until time.Time
	buf   []byte
	sent  bool
}

// Write implements [io.Writer].
func (h *held) Write(p []byte) (int, error) {
	if !h.sent {
		h.buf = append(h.buf, p...)
		if time.Now().Before(h.until) {
			return len(p), nil
		}
		return len(p), h.release()
	}
	return h.to.Write(p)
}

// release writes what was held back.
func (h *held) release() error {
	if h.sent {
		return nil
	}
	h.sent = true
	_, err := h.to.Write(h.buf)
	h.buf = nil
	return err
}
