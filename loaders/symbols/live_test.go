package symbols

import (
	"debug/elf"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders"
)

// randomAddresses returns addresses of the code of a file, sorted.
func randomAddresses(t testing.TB, file string, n int) (addrs []uint64) {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(1, 2))
	text := f.Section(".text")
	for range n {
		addrs = append(addrs, text.Addr+r.Uint64N(text.Size))
	}
	slices.Sort(addrs)
	return slices.Compact(addrs)
}

// compare counts where the answers differ from addr2line's.
func compare(t *testing.T, file string, addrs []uint64) {
	t.Helper()
	m := moduleOf(t, file, absolute(t, file), loadedAt)
	start := time.Now()
	table, problems := resolved(t, loaders.Symbols{}, m, addrs...)
	t.Log(time.Since(start), problems)
	start = time.Now()
	want := asked(t, "addr2line", file, addrs)
	t.Log("addr2line", time.Since(start))
	second := asked(t, "llvm-addr2line", file, addrs) // addr2line reads some files of DWARF 5 wrong
	if want == nil {
		t.Skip("there is no addr2line")
	}
	bad := 0
	for i, a := range addrs {
		if got := told(table.Frames(i)); !same(got, want[i]) && (second == nil || !same(got, second[i])) {
			if bad++; bad <= 20 {
				t.Logf("%#x\ngot\n%swant\n%s", a, got, want[i])
			}
		}
	}
	t.Logf("%d of %d differ", bad, len(addrs))
	if bad*500 > len(addrs) { // demanglers write a few names of templates differently
		t.Error("too many differ")
	}
}

// same reports whether addr2line says the same, but for what it is known to say otherwise: it names the nearest symbol
// where none covers an address, gives functions of C that are inlined the name of the one around them, and calls a
// constructor that a class inherits as the base class is called. It knows no lines of the cold part of a function in strict
// DWARF 2.
func same(got, want string) bool {
	if got == want {
		return true
	}
	g, w := strings.Split(strings.TrimSpace(got), "\n"), strings.Split(strings.TrimSpace(want), "\n")
	if strings.HasSuffix(w[0], ":0") && len(w) == 1 && len(g) == 1 {
		if function, _ := split(g[0]); strings.HasSuffix(function, ".cold") && strings.HasPrefix(w[0], function+" ") {
			return true
		}
		name, _, _ := strings.Cut(g[0], " ??:0")
		return name == "??" || strings.HasPrefix(w[0], name+" ")
	}
	if len(g) != len(w) {
		return false
	}
	around, _ := split(w[len(w)-1])
	for i := range g {
		name, place := split(g[i])
		other, otherPlace := split(w[i])
		inherited := strings.HasPrefix(name, "std::__uniq_ptr_data<") && strings.Contains(other, ">::__uniq_ptr_impl(")
		bare := strings.Contains(name, "::"+other+"(") // of a copy that the compiler made
		if place != otherPlace || name != other && other != around && !inherited && !bare {
			return false
		}
	}
	return true
}

// split cuts a line into the function and the place.
func split(line string) (function, place string) {
	i := strings.LastIndexByte(line, ' ')
	return line[:max(i, 0)], line[i+1:]
}

// TestAgainstAddr2line compares with binutils, for the file that MEMTUI_SYMBOLS names.
func TestAgainstAddr2line(t *testing.T) {
	file := os.Getenv("MEMTUI_SYMBOLS")
	if file == "" {
		t.Skip("MEMTUI_SYMBOLS names no file")
	}
	compare(t, file, randomAddresses(t, file, 2000))
}
