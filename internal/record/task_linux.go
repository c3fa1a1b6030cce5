package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
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
	if !closed(t.replaced) {
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
