package cli

import (
	"io"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/loaders"
)

// TestCloseDoesNotWait closes a session whose reading does not listen: the input must stay open for it until it ends.
func TestCloseDoesNotWait(t *testing.T) {
	stopped := false
	s := &session{src: openInput(t, sample), index: traceindex.NewKeptIndex(nil), stop: func() { stopped = true }, done: make(chan struct{})}
	s.close()
	if _, err := s.src.ReadAt(make([]byte, 8), 0); err != nil || !stopped {
		t.Fatalf("reading cannot go on: %v", err)
	}
	close(s.done)
	for {
		if _, err := s.src.ReadAt(make([]byte, 8), 0); err != nil && err != io.EOF {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func openInput(t *testing.T, path string) *loaders.Source {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}
