package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// maxMarker is the most bytes of a marker's text that are kept.
const maxMarker = 1 << 10

// marker is a line of the pipe of markers.
type marker struct {
	at   uint64 // ns of the monotonic clock
	text string
}

// markers are the lines that came through a pipe, for whoever writes the file of the program.
type markers struct {
	mu   sync.Mutex
	list []marker
}

// mostMarkers is how many lines wait at most until they are written.
const mostMarkers = 1 << 16

func (m *markers) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) < mostMarkers {
		m.list = append(m.list, marker{monotonic(), text})
	}
}

func (m *markers) take() []marker {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

// openMarkers makes the pipe of markers unless it is there, and reads it until recording ends. The pipe is removed then
// if it was made.
func (s *session) openMarkers() error {
	if s.o.Markers == "" {
		return nil
	}
	err := unix.Mkfifo(s.o.Markers, 0o600)
	made := err == nil
	if info, statErr := os.Stat(s.o.Markers); statErr != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = errors.New("it is not a pipe")
		}
		return &fs.PathError{Op: "open", Path: s.o.Markers, Err: err}
	}
	in, err := os.OpenFile(s.o.Markers, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	s.wait.Go(func() {
		defer in.Close()
		if made {
			defer os.Remove(s.o.Markers)
		}
		s.readMarkers(s.ctx, in)
	})
	return nil
}

func (s *session) readMarkers(ctx context.Context, in *os.File) {
	lines := bufio.NewScanner(&untilOver{in: in, over: ctx})
	for lines.Scan() {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) > 0 {
			s.markers.add(string(text[:min(len(text), maxMarker)]))
		}
	}
}

// marked writes the markers that came, if this is the program's own file.
func (s *session) marked(t *task, micros func(nanos uint64) uint64) {
	if t.pid != s.main {
		return
	}
	for _, m := range s.markers.take() {
		id, err := t.file.markerID(m.text)
		if err != nil {
			return
		}
		t.file.event(micros(m.at), &model.Event{Kind: model.Marker, ID: id})
	}
}

// markerID returns the ID of a marker's name.
func (t *traceFile) markerID(text string) (uint64, error) {
	id, known := t.stacks.MarkerID(text)
	if known {
		return id, nil
	}
	return id, t.note(&journal.Note{Marker: text})
}
