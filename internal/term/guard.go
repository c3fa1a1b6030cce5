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

// guardName is the name that a guard is started under, in place of the program's.
const guardName = "memtui-guard"

// mayGuard says that the program asks [Guard] first, so that it can be its own guard.
var mayGuard atomic.Bool

// Descriptors that a guard is started with, beside the terminal as standard input.
const (
	guardPipe   = 3 // what the program writes to standard error while it has the terminal, and farewell
	guardStderr = 4 // the program's own standard error
)

// farewell ends what an orderly program writes to its guard.
const farewell = '\x04'

const (
	guardText = 256 << 10       // bytes of a program's last words that are kept
	guardWait = 2 * time.Second // for a terminal that takes no bytes
)

// guardOrder is what a guard must know. It is sent first, as one line of JSON.
type guardOrder struct {
	Before unix.Termios // modes to restore
	Raw    unix.Termios // modes that the program has set: while they are set, no other program has taken the terminal over
	Reset  string       // leaves the alternate screen and everything else
}

// Guard must be called first in main. It returns true in a process that was
// started to guard the terminal of another, when there is nothing left to guard:
// main must return then. Programs that never call it have no guard.
//
// A guard restores the terminal for a program that cannot do so anymore: Go
// ends a process that has no memory, or that has corrupted a map, without running
// anything, and nothing can catch SIGKILL. It learns of the end by a pipe. What
// the program wrote to standard error while it had the terminal comes through the
// pipe, too, and is printed when the terminal is fit for it.
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
	out   io.Writer // for what there is to say
	brief bool      // out is a terminal: only the first goroutine's stack

	text     []byte // the program's last words
	told     int    // bytes of text that are printed or left out
	stacks   int    // goroutines among those
	restored bool
}

// watch follows the program to its end.
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
			g.within(g.speak)
		}
	}
	g.within(g.conclude)
}

// within runs f, which writes to a terminal that may take nothing, but waits no
// longer than is fit.
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

// conclude does what is left to do when the program has ended.
func (g *guard) conclude() {
	if rest, ok := bytes.CutSuffix(g.text, []byte{farewell}); ok && !g.restored {
		_, _ = g.out.Write(rest)
		return
	}
	if n := len(g.text); n > 0 && g.text[n-1] != '\n' { // it was killed in mid-sentence
		g.text = append(g.text, '\n')
	}
	g.speak()
	if g.brief && g.stacks > 0 { // the sentence has scrolled away
		_, _ = io.WriteString(g.out, "memtui: "+lastWords(g.text)+". Go's message is above.\n")
	}
}

// speak restores the terminal, once, and prints what is new of the last words,
// whole lines only.
func (g *guard) speak() {
	if !g.restored {
		g.restored = true
		g.restore()
		if !bytes.HasPrefix(g.text, []byte("memtui: ")) { // it has not said it itself
			_, _ = io.WriteString(g.out, "memtui: "+lastWords(g.text)+"\n")
		}
	}
	for {
		n := bytes.IndexByte(g.text[g.told:], '\n') + 1
		if n == 0 {
			return
		}
		line := g.text[g.told : g.told+n]
		g.told += n
		if bytes.HasPrefix(line, []byte("goroutine ")) {
			g.stacks++
		}
		if !g.brief || g.stacks <= 1 {
			_, _ = io.WriteString(g.out, printable(string(line)))
		}
	}
}

// restore gives the terminal back as it was found. Modes that another program has
// set since are left alone: a shell may be editing its next line already.
func (g *guard) restore() {
	fd, reset := int(g.tty.Fd()), g.order.Reset
	if now, err := unix.IoctlGetTermios(fd, getTermios); err == nil && *now == g.order.Raw {
		_ = unix.IoctlSetTermios(fd, setTermios, &g.order.Before)
		reset += "\r" // not every terminal brings the cursor back
	}
	_, _ = g.tty.WriteString(reset)
}

// dying reports whether a program's words are those of one that is being ended
// by Go. It waits for the first stack: by then nothing else of the program runs
// that could draw, and as there is more to come than the pipe takes, the program
// is still there, so that the shell has not yet been told.
func dying(text []byte) bool {
	for _, start := range []string{"fatal error: ", "panic: ", "SIGABRT: ", "SIGSEGV: ", "SIGBUS: "} {
		if i := bytes.Index(text, []byte(start)); i >= 0 && (i == 0 || text[i-1] == '\n') {
			return bytes.Contains(text[i:], []byte("\ngoroutine "))
		}
	}
	return false
}

// lastWords says what a program died of, by what it wrote.
func lastWords(text []byte) string {
	s := string(text)
	for _, memory := range []string{"out of memory", "cannot allocate memory", "page summary memory", "failed to create new OS thread", "pthread_create failed"} {
		if strings.Contains(s, memory) {
			return "ran out of memory: allow more, or set a lower --max-memory"
		}
	}
	if strings.TrimSpace(s) == "" {
		return "was killed, perhaps because memory ran out: --max-memory bounds it"
	}
	return "ended by an internal error"
}
