//go:build unix

package term

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// guardName is the name under which a guard is started, instead of the program's.
const guardName = "memtui-guard"

// mayGuard reports that the program calls [Guard] first, so that it can be its own guard.
var mayGuard atomic.Bool

// Descriptors of a guard, in addition to the terminal as standard input.
const (
	guardPipe   = 3 // the program's standard error while it has the terminal, and farewell
	guardStderr = 4 // the program's own standard error
)

// farewell is the last write of an orderly program to its guard.
const farewell = '\x04'

const (
	guardText = 256 << 10       // bytes of a program's last output that are kept
	guardWait = 2 * time.Second // for a terminal that accepts no bytes
)

// guardOrder is the instructions of a guard. It is sent first, as one line of JSON.
type guardOrder struct {
	Before unix.Termios // modes to restore
	Raw    unix.Termios // modes set by the program: while they are set, no other program has changed the terminal
	Reset  string       // leaves the alternate screen and resets everything else
	Killed string       // what to say where the program was killed, "" for the usual
}

// Guard must be called first in main. It returns true in a process that was started to guard the terminal of another,
// after it has done so: main must return then. Programs that never call it have no guard.
//
// A guard restores the terminal for a program that can no longer do so: Go ends a process that has no memory, or that
// has corrupted a map, without running anything, and nothing can catch SIGKILL. A pipe signals the end. The program's
// standard error goes through the pipe, too, while it has the terminal, and is printed when the terminal is restored.
func Guard() bool {
	if len(os.Args) != 1 || os.Args[0] != guardName {
		mayGuard.Store(true)
		return false
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	stderr := os.NewFile(guardStderr, "stderr")
	in := bufio.NewReader(os.NewFile(guardPipe, "pipe"))
	line, err := in.ReadBytes('\n')
	g := &guard{tty: os.Stdin, out: stderr, brief: term.IsTerminal(guardStderr)}
	if err != nil || json.Unmarshal(line, &g.order) != nil {
		return true
	}
	g.watch(in)
	return true
}

// guard is the state of a process that guards a terminal.
type guard struct {
	order guardOrder
	tty   *os.File
	out   io.Writer // for messages
	brief bool      // out is a terminal: print only the first goroutine's stack

	text     []byte // the program's last output
	printed  int    // bytes of text that are printed or left out
	stacks   int    // goroutines among those
	restored bool
}

// watch follows the program until its end.
func (g *guard) watch(in io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		g.text = append(g.text, buf[:min(n, guardText-len(g.text))]...)
		if n > 0 && err == nil && len(g.text) == guardText { // farewell is not lost
			g.text[guardText-1] = buf[n-1]
		}
		if err != nil {
			break
		}
		if g.restored || dying(g.text) {
			g.within(g.printNew)
		}
	}
	g.within(g.conclude)
}

// within runs f, which writes to a terminal that may accept nothing, and waits only up to guardWait.
func (g *guard) within(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(guardWait):
	}
}

// conclude does the remaining work after the program's end.
func (g *guard) conclude() {
	if rest, ok := bytes.CutSuffix(g.text, []byte{farewell}); ok && !g.restored {
		_, _ = g.out.Write(rest)
		return
	}
	if n := len(g.text); n > 0 && g.text[n-1] != '\n' { // it was killed while writing
		g.text = append(g.text, '\n')
	}
	g.printNew()
	if g.brief && g.stacks > 0 { // the message has scrolled away
		_, _ = io.WriteString(g.out, "memtui: "+g.lastWords()+". Go's message is above.\n")
	}
}

// printNew restores the terminal, once, and prints the new part of the last output, complete lines only.
func (g *guard) printNew() {
	if !g.restored {
		g.restored = true
		g.restore()
		if !bytes.HasPrefix(g.text, []byte("memtui: ")) { // it has not printed that itself
			_, _ = io.WriteString(g.out, "memtui: "+g.lastWords()+"\n")
		}
	}
	for {
		n := bytes.IndexByte(g.text[g.printed:], '\n') + 1
		if n == 0 {
			return
		}
		line := g.text[g.printed : g.printed+n]
		g.printed += n
		if bytes.HasPrefix(line, []byte("goroutine ")) {
			g.stacks++
		}
		if !g.brief || g.stacks <= 1 {
			_, _ = io.WriteString(g.out, printable(string(line)))
		}
	}
}

// restore restores the terminal. Modes that another program has set since are left alone: a shell may already be
// editing its next line.
func (g *guard) restore() {
	fd, reset := int(g.tty.Fd()), g.order.Reset
	if now, err := unix.IoctlGetTermios(fd, getTermios); err == nil && *now == g.order.Raw {
		_ = unix.IoctlSetTermios(fd, setTermios, &g.order.Before)
		reset += "\r" // not every terminal restores the cursor
	}
	_, _ = g.tty.WriteString(reset)
}

// dying reports whether a program's output shows that Go is ending it. It waits for the first stack: by then no other
// goroutine runs that could draw, and as there is more output than fits the pipe, the program still exists, so that the
// shell does not know of its end yet.
func dying(text []byte) bool {
	for _, start := range []string{"fatal error: ", "panic: ", "SIGABRT: ", "SIGSEGV: ", "SIGBUS: "} {
		if i := bytes.Index(text, []byte(start)); i >= 0 && (i == 0 || text[i-1] == '\n') {
			return bytes.Contains(text[i:], []byte("\ngoroutine "))
		}
	}
	return false
}

// lastWords describes the program's fatal error by its output.
func (g *guard) lastWords() string {
	s := string(g.text)
	for _, memory := range []string{"out of memory", "cannot allocate memory", "page summary memory",
		"failed to create new OS thread", "pthread_create failed"} {
		if strings.Contains(s, memory) {
			return "out of memory: raise the limit of the system, or set a lower --max-memory"
		}
	}
	switch empty := strings.TrimSpace(s) == ""; {
	case empty && g.order.Killed != "":
		return g.order.Killed
	case empty:
		return "was killed, perhaps because memory ran out: --max-memory bounds it"
	}
	return "ended by an internal error"
}
