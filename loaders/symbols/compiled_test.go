package symbols

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
)

const compiledLib = `#include <stdlib.h>
void *volatile seen;
static inline __attribute__((always_inline)) void *get(size_t n) { char *p = malloc(n); *p = 1; seen = p; return p; }
static inline __attribute__((always_inline)) void *twice(size_t n) { free(get(n)); return get(2 * n); }
int work(int n) { char *p = twice(n); int r = p[0] + n; free(p); return r; }
int other(int n) { int s = 0; for (int i = 0; i < n; i++) { char *q = get(i + 1); s += q[0]; free(q); } return s + work(n); }
`

const compiledMain = "int other(int); int work(int); int main(int c, char **v) { return other(c) + work(c); }\n"

// tool runs a program in a folder, and skips the test where there is none.
func tool(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	if modeltest.UnderRace {
		t.Skip("what compilers write is read on one goroutine, and it takes long")
	}
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s %v: %v\n%s", name, args, err, out)
	}
}

// build compiles a small program and returns its path.
func build(t testing.TB, dir, flags string) string {
	t.Helper()
	for name, text := range map[string]string{"lib.c": compiledLib, "main.c": compiledMain} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tool(t, dir, "gcc", append(strings.Fields(flags), "-O2", "lib.c", "main.c", "-o", "prog")...)
	return filepath.Join(dir, "prog")
}

// agrees compares every byte's names with those of addr2line for the program of other flags, whose code is the same.
func agrees(t *testing.T, opt loaders.Symbols, file, reference string) {
	t.Helper()
	addrs := randomAddresses(t, file, 300)
	table, problems := resolved(t, opt, moduleOf(t, file, file, loadedAt), addrs...)
	want := asked(t, "addr2line", reference, addrs)
	if want == nil {
		t.Skip("there is no addr2line")
	}
	bad, inlined := 0, 0
	for i := range addrs {
		frames := table.Frames(i)
		if inlined += max(0, len(frames)-1); !same(told(frames), base(want[i], reference, file)) {
			if bad++; bad < 4 {
				t.Errorf("%#x\ngot\n%swant\n%s", addrs[i], told(frames), want[i])
			}
		}
	}
	if inlined == 0 || len(problems) > 0 {
		t.Errorf("%d inlined frames, %d differ, problems %v", inlined, bad, problems)
	}
}

// base puts the folder of one program into what is said about another.
func base(said, reference, file string) string {
	return strings.ReplaceAll(said, filepath.Dir(reference), filepath.Dir(file))
}

// What compilers write in any of their ways is read as addr2line reads it. That cannot read split debug information, so
// that for this it is asked about the same program without.
func TestCompiled(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	for name, flags := range map[string][2]string{
		"4":                {"-gdwarf-4"},
		"5 compressed":     {"-gdwarf-5 -gz"},
		"not movable":      {"-g -no-pie"},
		"shared":           {"-g -shared -fPIC"},
		"2":                {"-gdwarf-2"},
		"split 4":          {"-gdwarf-4 -gsplit-dwarf", "-gdwarf-4"},
		"split 5":          {"-gdwarf-5 -gsplit-dwarf", "-gdwarf-5"},
		"split compressed": {"-gdwarf-5 -gsplit-dwarf -gz", "-gdwarf-5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := build(t, t.TempDir(), flags[0])
			reference := file
			if flags[1] != "" {
				reference = build(t, t.TempDir(), flags[1])
			}
			agrees(t, loaders.Symbols{}, file, reference)
		})
	}
}

// Reproducible builds, such as Debian's, name the folder of a unit relative to the source tree. It precedes each relative
// name once, also that of a file right in it: addr2line repeats it there.
func TestRelativeFolders(t *testing.T) {
	for _, flags := range []string{"-gdwarf-4", "-gdwarf-5"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "inc"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"inc/twice.h": "static inline __attribute__((always_inline)) int twice(volatile int *x) { return *x * 2; }\n",
			"main.c":      "#include \"inc/twice.h\"\nint work(int n) { volatile int x = n; x += 3; return twice(&x) * x; }\nint main() { return work(1); }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tool(t, dir, "gcc", flags, "-O2", "-ffile-prefix-map="+dir+"=made/here", "main.c", "-o", "prog")
		file, files := filepath.Join(dir, "prog"), map[string]bool{}
		addrs := randomAddresses(t, file, 300)
		table, _ := resolved(t, loaders.Symbols{}, moduleOf(t, file, file, loadedAt), addrs...)
		for i := range addrs {
			for _, f := range table.Frames(i) {
				if f.File != "" {
					files[f.File] = true
				}
			}
		}
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, []string{"made/here/inc/twice.h", "made/here/main.c"}) {
			t.Errorf("%s: %q", flags, got)
		}
	}
}

// TestStrictDWARF2 reads a program of C++ in strict DWARF 2, which cannot say that a function has several pieces:
// what is inlined into it may be outside of its range.
func TestStrictDWARF2(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	dir := t.TempDir()
	source, err := filepath.Abs("testdata/sample.cpp")
	if err != nil {
		t.Fatal(err)
	}
	tool(t, dir, "g++", "-O2", "-gdwarf-2", "-gstrict-dwarf", source, "-o", "prog", "-lpthread")
	file := filepath.Join(dir, "prog")
	compare(t, file, randomAddresses(t, file, 2000))
}

// TestDamagedCompanions cuts and changes what has a part of the debug information: nothing fails, and what a cut takes
// away is told.
func TestDamagedCompanions(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	for name, c := range map[string]struct {
		flags string
		file  string // that is damaged
		tool  []string
	}{
		"dwo 4": {"-gdwarf-4 -gsplit-dwarf", "prog-lib.dwo", nil},
		"dwo 5": {"-gdwarf-5 -gsplit-dwarf", "prog-lib.dwo", nil},
		"dwp":   {"-gdwarf-4 -gsplit-dwarf", "prog.dwp", []string{"dwp", "-e", "prog", "-o", "prog.dwp"}},
		"dwz":   {"-gdwarf-4", "common", []string{"dwz", "-m", "common", "prog", "copy"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := build(t, dir, c.flags)
			if name == "dwz" {
				tool(t, dir, "cp", "prog", "copy")
			}
			if c.tool != nil {
				tool(t, dir, c.tool[0], c.tool[1:]...)
			}
			if name == "dwp" { // or these are read
				tool(t, dir, "rm", "prog-lib.dwo", "prog-main.dwo")
			}
			path := filepath.Join(dir, c.file)
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, addrs := moduleOf(t, file, file, loadedAt), randomAddresses(t, file, 300)
			names := func(b []byte) (all string, problems []string) {
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
				table, list := resolved(t, loaders.Symbols{}, m, addrs...)
				for i := range addrs {
					all += told(table.Frames(i))
				}
				for _, p := range list {
					problems = append(problems, p.Message)
				}
				noDefects(t, name, problems)
				return all, problems
			}
			want, said := names(good)
			if len(said) > 0 {
				t.Fatal(said)
			}
			for i := range 50 {
				n := len(good) * i / 50
				if got, said := names(good[:n]); got != want && len(said) == 0 {
					t.Errorf("cut at %d of %d bytes: other names, and nothing is told", n, len(good))
				}
			}
			r, silent := rand.New(rand.NewPCG(1, 2)), 0
			for range 100 { // these files have no checksum: a letter of a name may change unnoticed
				b := slices.Clone(good)
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
				if got, said := names(b); got != want && len(said) == 0 {
					silent++
				}
			}
			if silent > 25 {
				t.Errorf("%d of 100 changes are not noticed", silent)
			}
		})
	}
}

// Split debug information is found in a package, and in a folder that the user names; what is not there is told, and
// symbols are used.
func TestSplitElsewhere(t *testing.T) {
	dir, plain := t.TempDir(), t.TempDir()
	file, reference := build(t, dir, "-gdwarf-4 -gsplit-dwarf"), build(t, plain, "-gdwarf-4")
	parts, _ := filepath.Glob(filepath.Join(dir, "*.dwo"))
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Mkdir(moved, 0o700); err != nil || len(parts) != 2 {
		t.Fatal(err, parts)
	}
	packed := exec.Command("dwp", "-e", file, "-o", filepath.Join(moved, "prog.dwp"))
	packed.Dir = dir
	noPackage := packed.Run()
	for _, p := range parts {
		if err := os.Rename(p, filepath.Join(moved, filepath.Base(p))); err != nil {
			t.Fatal(err)
		}
	}
	addrs := randomAddresses(t, file, 300)
	table, problems := resolved(t, loaders.Symbols{}, moduleOf(t, file, file, loadedAt), addrs...)
	if got := strings.Join(codes(problems), " "); got != "symbols-split" || !strings.Contains(problems[0].Message, "2 units") {
		t.Errorf("problems %v", problems)
	}
	named := 0
	for i := range addrs {
		for _, f := range table.Frames(i) {
			if f.Function == "work" && strings.HasSuffix(f.File, "lib.c") && f.Line > 0 {
				named++
			}
		}
	}
	if named == 0 {
		t.Error("symbols and lines are not used")
	}
	t.Run("package", func(t *testing.T) {
		if noPackage != nil {
			t.Skip(noPackage)
		}
		agrees(t, loaders.Symbols{Dirs: []string{moved}}, file, reference)
	})
	if err := os.Remove(filepath.Join(moved, "prog.dwp")); err != nil && noPackage == nil {
		t.Fatal(err)
	}
	agrees(t, loaders.Symbols{Dirs: []string{moved}}, file, reference)
	other := filepath.Join(moved, filepath.Base(parts[0]))
	b, err := os.ReadFile(filepath.Join(moved, filepath.Base(parts[1])))
	if err == nil {
		err = os.WriteFile(other, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, problems = resolved(t, loaders.Symbols{Dirs: []string{moved}}, moduleOf(t, file, file, loadedAt), addrs...)
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "1 unit") || !strings.Contains(problems[0].Message, "not the one that belongs") {
		t.Errorf("a file of another unit: %v", problems)
	}
}

// What dwz moves to a file that several share is found there, and told where that is missing.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	file := build(t, dir, "-gdwarf-4")
	whole, err := os.ReadFile(file)
	for _, name := range []string{"a", "b"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), whole, 0o700)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	tool(t, dir, "dwz", "-m", "common", "a", "b")
	agrees(t, loaders.Symbols{}, filepath.Join(dir, "a"), file)
	if err := os.Rename(filepath.Join(dir, "common"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	m := moduleOf(t, file, filepath.Join(dir, "a"), loadedAt)
	if _, problems := resolved(t, loaders.Symbols{}, m, randomAddresses(t, file, 300)...); strings.Join(codes(problems), " ") != "symbols-shared" {
		t.Errorf("problems %v", problems)
	}
}
