package record

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/internal/record/hook"
	"github.com/memtui/memtui/model"
)

// library is what is preloaded into a program.
type library struct {
	path      string
	heaptrack bool // it is heaptrack's, which writes a file of its own
}

// Origins of a library, in the order in which they are tried.
const (
	fromBinary    = "embedded"
	fromMemory    = "in memory"
	fromCompiler  = "compiled"
	fromHeaptrack = "heaptrack"
)

// libraryFor returns a library that the loader of the program accepts, of the first origin that has one: the embedded
// hook, else one that a compiler of this machine builds of its source, else heaptrack's.
func (s *session) libraryFor(origins ...string) (l library, err error) {
	loader := loaderOf(s.o.Command[0], 0)
	var why []error
	for _, way := range []struct {
		origin string
		make   func() (library, error)
	}{{fromBinary, s.embedded}, {fromMemory, s.inMemory}, {fromCompiler, s.compiled}, {fromHeaptrack, installedHeaptrack}} {
		if !slices.Contains(origins, way.origin) || s.o.only != "" && s.o.only != way.origin ||
			way.origin == fromMemory && len(hook.Library) == 0 {
			continue
		}
		l, err := way.make()
		if err == nil {
			err = accepted(loader, l.path)
		}
		if err == nil {
			if instead := (map[string]string{fromCompiler: "one that was compiled on this machine",
				fromHeaptrack: l.path})[way.origin]; instead != "" {
				s.o.Log("the built-in hook does not fit: using %s", instead)
			}
			return l, nil
		}
		why = append(why, err)
	}
	return l, fmt.Errorf("there is nothing that %s can be recorded with: %w; memtui record --pages PID watches any process", s.o.Command[0], errors.Join(why...))
}

// embedded writes the hook for this machine.
func (s *session) embedded() (library, error) {
	if len(hook.Library) == 0 {
		return library{}, errors.New("the hook is built in for x86-64 and 64-bit ARM only")
	}
	path := filepath.Join(s.folder, "memtui-hook.so")
	return library{path: path}, os.WriteFile(path, hook.Library, 0o500)
}

// inMemory holds the hook in memory, where no library may be loaded of the folder for temporary files.
func (s *session) inMemory() (library, error) {
	fd, err := unix.MemfdCreate("memtui-hook", unix.MFD_CLOEXEC)
	if err != nil {
		return library{}, err
	}
	s.memory = os.NewFile(uintptr(fd), "memtui-hook")
	_, err = s.memory.Write(hook.Library)
	return library{path: fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)}, err
}

// patientCompiler is how long a compiler may take.
const patientCompiler = time.Minute

// compiled builds the hook of its source.
func (s *session) compiled() (library, error) {
	compiler := ""
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			compiler = path
			break
		}
	}
	if compiler == "" {
		return library{}, errors.New("no compiler (cc, gcc or clang) is installed that could build it")
	}
	folder := filepath.Join(s.folder, "source")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return library{}, err
	}
	for name, text := range map[string]string{"hook.c": hook.Source, "unwind.h": hook.Unwinder,
		"python.h": hook.Python, "attach.h": hook.Attach} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o400); err != nil {
			return library{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patientCompiler)
	defer cancel()
	path := filepath.Join(s.folder, "memtui-built.so")
	cmd := exec.CommandContext(ctx, compiler, append(strings.Fields(hook.Flags), "-o", path, "hook.c")...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return library{}, fmt.Errorf("%s cannot build it: %s", compiler, firstError(out, err))
	}
	return library{path: path}, nil
}

// firstError returns the first line that a program printed about an error, the error if it printed none.
func firstError(out []byte, err error) string {
	for line := range bytes.Lines(out) {
		if text := strings.TrimSpace(string(line)); strings.Contains(text, "error") || text != "" && !bytes.Contains(out, []byte("error")) {
			return model.Clean(text)
		}
	}
	return err.Error()
}

// heaptrackFolders are where distributions have heaptrack's libraries.
var heaptrackFolders = []string{"/usr/lib/heaptrack", "/usr/lib64/heaptrack", "/usr/lib/*/heaptrack",
	"/usr/local/lib/heaptrack", "/usr/local/lib64/heaptrack"}

// installedHeaptrack finds the library that heaptrack preloads.
func installedHeaptrack() (library, error) {
	const name = "libheaptrack_preload.so"
	for _, folder := range heaptrackFolders {
		if found, _ := filepath.Glob(filepath.Join(folder, name)); len(found) > 0 {
			return library{found[0], true}, nil
		}
	}
	return library{}, errors.New("heaptrack, whose library could be used instead, is not installed")
}

// accepted asks the loader of a program whether it can load a library; where that is unknown, the answer is yes.
func accepted(loader, path string) error {
	if loader == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, loader, "--list", path)
	cmd.Env = []string{"LC_ALL=C"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s cannot load %s: %s", loader, filepath.Base(path), firstError(out, err))
	}
	return nil
}

// loadTimeout is how long the loader may take.
const loadTimeout = 5 * time.Second

// mostInterpreters is how many scripts may name one another as interpreters, as in Linux.
const mostInterpreters = 4

// loaderOf returns the loader of a command, of the interpreter's if that is a script, "" if it has none or that cannot
// be found out: what cannot be run is reported when it is started.
func loaderOf(command string, depth int) string {
	path, err := exec.LookPath(command)
	if err != nil || depth > mostInterpreters {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var b [256]byte
	n, _ := f.ReadAt(b[:], 0)
	if line, script := bytes.CutPrefix(b[:n], []byte("#!")); script {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		if words := strings.Fields(string(line)); len(words) > 0 {
			return loaderOf(words[0], depth+1)
		}
		return ""
	}
	program, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err == nil {
				return string(bytes.TrimRight(name, "\x00"))
			}
		}
	}
	return ""
}
