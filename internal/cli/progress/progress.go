// Package progress shows on a terminal what a slow command is doing, and how far it is.
package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

const (
	firstAfter = 2 * time.Second // faster commands show nothing
	every      = 250 * time.Millisecond
	mostWidth  = 79 // columns: a line that wraps cannot be erased
)

// Line shows on standard error, if people watch it, what a slow command is doing and how far it is. It is one line that
// is rewritten repeatedly, and erased as soon as anything else is printed. Any goroutine may use it. A nil Line shows
// nothing.
type Line struct {
	watched func() bool // called before each line

	mu      sync.Mutex
	out     io.Writer
	shown   int // columns of the visible line
	over    bool
	stop    chan struct{} // closed by End
	ended   sync.Once
	begun   time.Time
	sources []*loaders.Source // opened inputs, in order
}

// Watch returns a line on a terminal, and the writers that must be used from now on: for the terminal, which is
// standard error, and for out, which may be the same terminal. watched reports whether people watch; if it is nil or
// returns false, there is no line. The caller must call End.
func Watch(out, terminal io.Writer, sameTerminal bool, watched func() bool) (stdout, stderr io.Writer, l *Line) {
	if watched == nil || !watched() {
		return out, terminal, nil
	}
	l = &Line{watched: watched, out: terminal, begun: time.Now(), stop: make(chan struct{})}
	if sameTerminal {
		out = &lineWriter{p: l, w: out, last: true}
	}
	return out, &lineWriter{p: l, w: terminal}, l
}

// lineWriter writes to a terminal that may show the line of a progress.
type lineWriter struct {
	p    *Line
	w    io.Writer
	last bool // output may end within a line, so no progress may follow
}

func (b *lineWriter) Write(text []byte) (int, error) {
	b.p.mu.Lock()
	defer b.p.mu.Unlock()
	b.p.erase()
	b.p.over = b.p.over || b.last
	return b.w.Write(text)
}

// follow shows the line after a delay and then at an interval, until stop is closed.
func (p *Line) follow(stop <-chan struct{}, after, every time.Duration) {
	for wait := after; ; wait = every {
		select {
		case <-stop:
			return
		case <-time.After(wait):
			p.Show()
		}
	}
}

// Start shows the line in the background.
func (p *Line) Start() {
	if p != nil {
		go p.follow(p.stop, firstAfter, every)
	}
}

// End removes the line for good: the command has ended, or needs the terminal for itself.
func (p *Line) End() {
	if p == nil {
		return
	}
	p.ended.Do(func() { close(p.stop) })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.over = true
}

// Reads records an input that was opened.
func (p *Line) Reads(src *loaders.Source) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sources = append(p.sources, src)
}

// Show rewrites the line.
func (p *Line) Show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || !p.watched() {
		return
	}
	line := fmt.Sprintf("memtui: %s, %d s", Doing(p.sources), int(time.Since(p.begun).Seconds()))
	p.erase()
	p.shown = widget.Width(line)
	io.WriteString(p.out, line)
}

// erase removes the line. The caller holds the lock.
func (p *Line) erase() {
	if p.shown > 0 {
		io.WriteString(p.out, "\r"+strings.Repeat(" ", p.shown)+"\r") // which every terminal understands
		p.shown = 0
	}
}

// Doing returns what is being done with inputs, and how far that is.
func Doing(sources []*loaders.Source) string {
	for _, src := range slices.Backward(sources) {
		if read, size := src.Progress(); size < 0 && src.Piped() {
			return fmt.Sprintf("reading %s: %s", shortName(src), model.Bytes(src.StoredSize()))
		} else if size < 0 {
			return fmt.Sprintf("decompressing %s: %s", shortName(src), done(src.Arrived(), src.StoredSize()))
		} else if read < size {
			return fmt.Sprintf("reading %s: %s of %s", shortName(src), done(read, size), model.Bytes(size))
		}
	}
	if len(sources) > 0 {
		last := sources[len(sources)-1]
		if worked := last.Worked(); worked > 0 && worked < 1 {
			return fmt.Sprintf("working on %s: %s", shortName(last), done(int64(1000*worked), 1000))
		}
		return "working on " + shortName(last)
	}
	return "working"
}

// done returns how much of whole was read, in words.
func done(part, whole int64) string {
	return model.ShareOf(uint64(max(part, 0)), uint64(max(whole, 1))).Done()
}

// shortName returns the input's name, shortened so that figures fit next to it.
func shortName(src *loaders.Source) string {
	return widget.Truncate(model.Clean(src.Name()), mostWidth-45)
}
