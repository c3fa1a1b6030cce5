package loaders

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A recording that goes through a pipe has its names after events that need them. It is a stream of blocks: bytes of
// the trace, and of its journal, as they were written.
const (
	RecordedMagic = "MTRS\x01\x00\x00\x00"

	RecordedTrace   = 'T' // kinds of blocks
	RecordedJournal = 'J'
	RecordedEnd     = 'E' // the recording is complete

	recordedHead  = 5 // a kind and a length
	maxBlock      = 1 << 24
	maxJournal    = 512 << 20
	recordedOuter = "recording"
)

// AppendRecorded appends the beginning of a block of n bytes.
func AppendRecorded(dst []byte, kind byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, kind), uint32(n))
}

// recorded reads the trace of a stream, and keeps its journal aside.
type recorded struct {
	r    *bufio.Reader
	left int // bytes of the current block
	side *Side
}

func newRecorded(r *bufio.Reader) (*recorded, error) {
	head := make([]byte, len(RecordedMagic))
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	if string(head) != RecordedMagic {
		return nil, fmt.Errorf("version %d of recordings in a pipe is not known", head[4])
	}
	return &recorded{r: r, side: &Side{}}, nil
}

var (
	errBlock    = errors.New("it has a block of unknown kind or size")
	errStopped  = errors.New("it ends before the recording does: the recorder was killed, or the connection was lost")
	errJournals = errors.New("it has more names than fit the limit of 512 MiB")
)

// Read implements [io.Reader].
func (d *recorded) Read(p []byte) (int, error) {
	for d.left == 0 {
		var head [recordedHead]byte
		if _, err := io.ReadFull(d.r, head[:]); err != nil {
			return 0, stopped(err)
		}
		n := binary.LittleEndian.Uint32(head[1:])
		switch {
		case head[0] == RecordedEnd:
			return 0, io.EOF
		case n > maxBlock || head[0] != RecordedTrace && head[0] != RecordedJournal:
			return 0, errBlock
		case head[0] == RecordedTrace:
			d.left = int(n)
		default:
			if err := d.side.take(d.r, int64(n)); err != nil {
				return 0, stopped(err)
			}
		}
	}
	n, err := d.r.Read(p[:min(len(p), d.left)])
	d.left -= n
	return n, stopped(err)
}

func stopped(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errStopped
	}
	return err
}

// Side is the journal of a recording in a pipe. Any goroutine may use it.
type Side struct {
	mu   sync.Mutex
	text []byte
	all  int64
}

// take adds n bytes of r.
func (s *Side) take(r io.Reader, n int64) error {
	if s.all += n; s.all > maxJournal {
		return errJournals
	}
	b := make([]byte, min(n, 1<<16))
	for n > 0 {
		got, err := io.ReadFull(r, b[:min(n, int64(len(b)))])
		s.mu.Lock()
		s.text = append(s.text, b[:got]...)
		s.mu.Unlock()
		if n -= int64(got); err != nil {
			return err
		}
	}
	return nil
}

// Read implements [io.Reader]: it returns what has arrived since it was last called, and [io.EOF] if that is nothing.
func (s *Side) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// Side returns the journal of a recording in a pipe, nil for other inputs. On a pipe it blocks until the first bytes
// arrive.
func (s *Source) Side() *Side {
	if s.spool == nil {
		return nil
	}
	<-s.spool.opened
	return s.spool.side
}
