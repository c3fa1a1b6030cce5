// Package progress says on a terminal what a command that takes long does, and how far it is.
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
	firstAfter = 2 * time.Second // a command that takes less says nothing
	every      = 250 * time.Millisecond
	mostWidth  = 79 // columns: a line that wraps cannot be taken back
)

// Line says on standard error, where people watch it, what a command that takes long does and how far it is: one line
// that is written again and again, and is gone as soon as anything else is printed. Any goroutine may use it; nil says
// nothing.
type Line struct {
	watched func() bool // asked before each line

	mu      sync.Mutex
	out     io.Writer
	shown   int // columns of the line that is there
	over    bool
	stop    chan struct{} // closed by End
	ended   sync.Once
	begun   time.Time
	sources []*loaders.Source // that were opened, in order
}

// Watch returns a line on a terminal, and what others must write to from here: the terminal that is standard error, and
// out, which may be the same one. watched is asked whether people watch; where it is nil or says no, there is no line.
// The caller ends it.
func Watch(out, terminal io.Writer, sameTerminal bool, watched func() bool) (stdout, stderr io.Writer, l *Line) {
	if watched == nil || !watched() {
		return out, terminal, nil
	}
	l = &Line{watched: watched, out: terminal, begun: time.Now(), stop: make(chan struct{})}
	if sameTerminal {
		out = &besides{p: l, w: out, last: true}
	}
	return out, &besides{p: l, w: terminal}, l
}

// besides writes to a terminal that the line of a progress may be on.
type besides struct {
	p    *Line
	w    io.Writer
	last bool // what is written may end within a line, so that no progress may follow
}

func (b *besides) Write(text []byte) (int, error) {
	b.p.mu.Lock()
	defer b.p.mu.Unlock()
	b.p.erase()
	b.p.over = b.p.over || b.last
	return b.w.Write(text)
}

// follow shows the line from after on, every so often, until stop is closed.
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

// Start follows a command in the background.
func (p *Line) Start() {
	if p != nil {
		go p.follow(p.stop, firstAfter, every)
	}
}

// End takes the line away, for good: the command is over, or has the terminal to itself from here.
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

// Reads notes an input that was opened.
func (p *Line) Reads(src *loaders.Source) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sources = append(p.sources, src)
}

// Show writes the line anew.
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

// erase takes the line away; the lock is held.
func (p *Line) erase() {
	if p.shown > 0 {
		io.WriteString(p.out, "\r"+strings.Repeat(" ", p.shown)+"\r") // which every terminal understands
		p.shown = 0
	}
}

// Doing returns what is done with inputs, and how far that is.
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
		return "working on " + shortName(sources[len(sources)-1])
	}
	return "working"
}

// done returns how much of whole was read.
func done(part, whole int64) string {
	return model.ShareOf(uint64(max(part, 0)), uint64(max(whole, 1))).Done()
}

// shortName returns a name that leaves room for figures.
func shortName(src *loaders.Source) string {
	return widget.Truncate(model.Clean(src.Name()), mostWidth-45)
}
