package record

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// emulated is the known program for 64-bit ARM, which QEMU runs where this machine is another one.
type emulated struct {
	command   []string
	functions []function
}

type function struct {
	from uint64
	name string
}

const armRoot = "/usr/aarch64-linux-gnu"

// emulatedARM builds the program. QEMU itself is linked statically, so that the hook is in what it runs alone.
func emulatedARM(t *testing.T) (e emulated) {
	t.Helper()
	if runtime.GOARCH == "arm64" {
		t.Skip("the other tests run on this machine")
	}
	qemu, gcc, nm := program(t, "qemu-aarch64-static"), program(t, "aarch64-linux-gnu-gcc"), program(t, "aarch64-linux-gnu-nm")
	hook, err := filepath.Abs("hook/hook_arm64.so")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "known")
	if out, err := exec.Command(gcc, "-O1", "-g", "-pthread", "-o", path, "testdata/known.c").CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	out, err := exec.Command(nm, "--numeric-sort", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var f function
		var kind string
		if n, _ := fmt.Sscanf(line, "%x %s %s", &f.from, &kind, &f.name); n == 3 && strings.EqualFold(kind, "t") {
			e.functions = append(e.functions, f)
		}
	}
	e.command = []string{qemu, "-L", armRoot, "-E", "LD_PRELOAD=" + hook, path}
	return e
}

var emulatedFrame = regexp.MustCompile(`qemu-aarch64-static\+0x([0-9a-f]+)`)

// names returns a stack with the names of the program's functions: the recorder sees the file of QEMU in their place.
func (e emulated) names(stack string) string {
	return emulatedFrame.ReplaceAllStringFunc(stack, func(frame string) string {
		at, _ := strconv.ParseUint(emulatedFrame.FindStringSubmatch(frame)[1], 16, 64)
		i, found := slices.BinarySearchFunc(e.functions, at, func(f function, at uint64) int { return int(int64(f.from) - int64(at)) })
		if !found {
			i--
		}
		if i < 0 {
			return frame
		}
		return e.functions[i].name
	})
}

// The hook for 64-bit ARM reports the events and stacks that the one for this machine does.
func TestHookOfARM(t *testing.T) {
	e := emulatedARM(t)
	for mode, want := range map[string]struct {
		function, stack          string
		status, blocks, freed, n int
		bytes                    uint64
	}{
		"plain":   {"leaking", "leaking;main;", 0, 50, 0, 1, plainBytes},
		"family":  {"main", "main;", 0, 8, 7, 1, 0}, // which is inlined
		"threads": {"passing", "passing;", 0, 80000, 80000 - 64, 1, 0},
		"kill":    {"leaking", "leaking;main;", 128 + 9, 1, 0, 1, 4321},
		"fork":    {"leaking", "leaking;main;", 0, 2, 0, 2, 111 + 333},
	} {
		t.Run(mode, func(t *testing.T) {
			files, status := run(t, Options{Command: append(slices.Clone(e.command), mode), Follow: mode == "fork"}, mode)
			if status != want.status || len(files) != want.n {
				t.Fatalf("status %d, %+v", status, files)
			}
			blocks, unmatched, _ := read(t, files[0].Path)
			for i := range blocks {
				blocks[i].stack = e.names(blocks[i].stack)
			}
			list, freed := from(blocks, want.function)
			if len(list) != want.blocks || freed != want.freed || unmatched != 0 || want.bytes != 0 && sum(list) != want.bytes {
				t.Fatalf("%d blocks, %d freed, %d unmatched, %d B", len(list), freed, unmatched, sum(list))
			}
			if !strings.HasPrefix(list[0].stack, want.stack) {
				t.Errorf("stack %s", list[0].stack)
			}
		})
	}
}
