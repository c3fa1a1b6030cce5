package symbols

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// loadedAt is where tests map modules.
const loadedAt = 0x5612_f421_1000

// moduleOf returns a file as heaptrack records it, under a path.
func moduleOf(t testing.TB, file, path string, base uint64) Module {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := Module{Path: path, Base: base}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			m.Segments = append(m.Segments, Segment{p.Vaddr, p.Memsz})
		}
	}
	return m
}

// resolved looks up virtual addresses of a module.
func resolved(t testing.TB, opt loaders.Symbols, m Module, addrs ...uint64) (*Table, []model.Problem) {
	t.Helper()
	table := NewTable(opt)
	table.Add(m)
	for i, a := range addrs {
		if id := table.Address(m.Base+a, false); id != i {
			t.Fatalf("address %d has ID %d", i, id)
		}
	}
	problems, err := table.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return table, problems
}

var discriminator = regexp.MustCompile(` \(discriminator \d+\)$`)

// asked returns what a tool like addr2line says about virtual addresses, in lines like those of told.
func asked(t testing.TB, tool, file string, addrs []uint64) (list []string) {
	t.Helper()
	tool, err := exec.LookPath(tool)
	if err != nil {
		return nil
	}
	cmd := exec.Command(tool, "-a", "-i", "-f", "-C", "-e", file)
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list = parsed(t, string(out))
	return list
}

// parsed reads what addr2line -a -i -f prints.
func parsed(t testing.TB, out string) (addrs []uint64, list []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i := 0; i < len(lines); {
		if strings.HasPrefix(lines[i], "0x") {
			a, err := strconv.ParseUint(lines[i][2:], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			addrs, list = append(addrs, a), append(list, "")
			i++
			continue
		}
		at := discriminator.ReplaceAllString(lines[i+1], "")
		file, line := at[:strings.LastIndexByte(at, ':')], at[strings.LastIndexByte(at, ':')+1:]
		if line == "?" {
			line = "0"
		}
		list[len(list)-1] += told1(lines[i], file, line)
		i += 2
	}
	return addrs, list
}

// clone finds what demanglers add for copies of a function that the compiler made, each in its own way.
var clone = regexp.MustCompile(`( \[clone [^]]*\]| \(\.[^)]*\))+$`)

func told1(function, file, line string) string {
	if file == "??" || file == "" {
		file, line = "??", "0"
	}
	return fmt.Sprintf("%s %s:%s\n", clone.ReplaceAllString(function, ""), path.Clean(file), line)
}

// told returns frames in lines.
func told(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		function := f.Function
		if function == "" {
			function = "??"
		}
		b.WriteString(told1(function, f.File, strconv.FormatInt(f.Line, 10)))
	}
	if len(frames) == 0 {
		return told1("??", "", "")
	}
	return b.String()
}

// unpacked writes a binary of testdata into a folder.
func unpacked(t testing.TB, name, path string) string {
	t.Helper()
	if err := os.WriteFile(path, content(t, name), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// content returns a file of testdata that is stored compressed.
func content(t testing.TB, name string) []byte {
	t.Helper()
	return memtest.Unpacked(t, filepath.Join("testdata", name+".gz"))
}

func absolute(t testing.TB, file string) string {
	t.Helper()
	p, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
