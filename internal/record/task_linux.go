package record

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/model"
)

// task is the recording of one process until it ends or executes another program.
type task struct {
	pid      int
	program  string   // that it executes
	earlier  []string // those that it executed before, whose recordings are gone
	ring     *ring
	file     *traceFile
	curves   curves
	replaced chan struct{} // closed when the process executed another program
	done     chan struct{} // closed when the file is closed
	none     bool          // it is, and was removed: the process is only counted
}

// settled is how long a process executes one program until it is no wrapper of another.
const settled = time.Second

// sayExecuted says where the recording of a process begins that executed other programs before: once, when the process
// stays with one, as wrappers execute several in a row.
func (s *session) sayExecuted(t *task) {
	if len(t.earlier) == 0 {
		return
	}
	select {
	case <-t.replaced:
	case <-t.done:
	case <-time.After(settled):
	}
	if !closed(t.replaced) && !(closed(t.done) && t.none) {
		s.o.Log("process %d now executes %s%s: the recording begins there", t.pid, t.program, afterText(t.earlier))
	}
}

// afterText returns which programs were executed before another, and how many if these are several.
func afterText(earlier []string) string {
	if len(earlier) == 1 {
		return ", after " + earlier[0]
	}
	names := slices.Compact(slices.Sorted(slices.Values(earlier)))
	return fmt.Sprintf(", after %d programs (%s)", len(earlier), strings.Join(names, ", "))
}

// trifle is what a child allocates at most that leaves no file, as do most of those that shells start.
const trifle = 512 << 10

// trifling reports whether a process that has ended was brief and allocated little: nothing, where every block is recorded.
func (t *task) trifling(full bool) bool {
	if full {
		return t.file.events == 0
	}
	return t.micros() < uint64(settled.Microseconds()) && t.file.taken < trifle
}

// brief counts children whose recordings say too little for a file each.
type brief struct {
	children, bytes uint64
	programs        map[string]int
	full            bool
}

func (b *brief) add(t *task) {
	if b.programs == nil {
		b.programs = map[string]int{}
	}
	b.children++
	b.bytes += t.file.taken
	b.programs[t.program]++
	b.full = t.file.stacks.Period == 0 && t.file.stacks.Rate == 0
}

// text returns how many children have no file, and what they allocated; "" for none.
func (b *brief) text() string {
	if b.children == 0 {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(b.programs)) {
		names = append(names, fmt.Sprintf("%s %d", name, b.programs[name]))
	}
	who := model.CountedAs(b.children, "child has no file of its own:", "children have no file of their own:")
	if b.full {
		return fmt.Sprintf("%s nothing was allocated (%s)", who, strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s they ended within a second and allocated less than %s each, some %s in all (%s); --sample all keeps them",
		who, model.Bytes(trifle), model.Bytes(b.bytes), strings.Join(names, ", "))
}

// watched is a process whose end is waited for.
type watched struct{ pid, fd int }

func watch(pid int) watched {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		fd = -1 // an older kernel, or the process is gone
	}
	return watched{pid, fd}
}

// yes reports whether the process has ended.
func (w watched) yes() bool {
	if w.fd < 0 {
		return errors.Is(syscall.Kill(w.pid, 0), syscall.ESRCH)
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}

func (w watched) close() {
	if w.fd >= 0 {
		_ = unix.Close(w.fd)
	}
}
