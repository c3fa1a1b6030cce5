package symbols

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// expected returns the addresses that addr2line was asked for, and its answers.
func expected(t testing.TB, name string) (addrs []uint64, want []string) {
	t.Helper()
	return parsed(t, string(content(t, name+".txt")))
}

// check compares a table's answers with addr2line's.
func check(t *testing.T, table *Table, addrs []uint64, want []string) {
	t.Helper()
	bad := 0
	for i, a := range addrs {
		if got := told(table.Frames(i)); !same(got, want[i]) {
			if bad++; bad < 5 {
				t.Errorf("%#x\ngot\n%swant\n%s", a, got, want[i])
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d differ", bad, len(addrs))
	}
}

func codes(problems []model.Problem) (list []string) {
	for _, p := range problems {
		list = append(list, p.Code)
	}
	return list
}

func TestSamplesEqualAddr2line(t *testing.T) {
	for _, name := range []string{"sample.full", "sample.old"} { // position-independent with DWARF 5; fixed addresses with DWARF 4
		file := unpacked(t, name, filepath.Join(t.TempDir(), "shop"))
		addrs, want := expected(t, name)
		table, problems := resolved(t, loaders.Symbols{}, moduleOf(t, file, file, loadedAt), addrs...)
		if len(problems) > 0 || len(addrs) < 200 {
			t.Errorf("%d addresses, problems %v", len(addrs), problems)
		}
		check(t, table, addrs, want)
		inlined := 0
		for i := range addrs {
			frames := table.Frames(i)
			for _, f := range frames[:max(len(frames)-1, 0)] {
				if f.Inlined {
					inlined++
				} else {
					t.Errorf("%s is not marked as inlined", f.Function)
				}
			}
			if n := len(frames); n > 0 && frames[n-1].Inlined {
				t.Errorf("%s is marked as inlined", frames[n-1].Function)
			}
		}
		if inlined < 100 {
			t.Errorf("%d inlined frames", inlined)
		}
	}
}

// A stripped binary is named by its debug file: beside it by its link, by build id, or in a folder that the user names.
func TestDebugFiles(t *testing.T) {
	addrs, want := expected(t, "sample.full")
	id := buildIDOf(t, "sample.stripped")
	byID := filepath.Join(".build-id", id[:2], id[2:]+".debug")
	for name, c := range map[string]struct{ binary, debug, symbols, sysroot string }{
		"link beside":        {"opt/shop", "opt/sample.debug", "", ""},
		"link in .debug":     {"opt/shop", "opt/.debug/sample.debug", "", ""},
		"link in symbols":    {"opt/shop", "dir/sample.debug", "dir", ""},
		"build id":           {"opt/shop", filepath.Join("dir", byID), "dir", ""},
		"build id in itself": {"opt/shop", filepath.Join("dir/.build-id", id[:2], id[2:]+".debug"), "dir/.build-id", ""},
		"both in symbols":    {"dir/opt/shop", filepath.Join("dir", byID), "dir", ""},
		"base name":          {"dir/shop", filepath.Join("dir", byID), "dir", ""},
		"sysroot":            {"root/opt/shop", filepath.Join("root/usr/lib/debug", byID), "", "root"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, from := range map[string]string{c.binary: "sample.stripped", c.debug: "sample.debug"} {
				if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700); err != nil {
					t.Fatal(err)
				}
				unpacked(t, from, filepath.Join(root, file))
			}
			var opt loaders.Symbols
			if c.symbols != "" {
				opt.Dirs = []string{filepath.Join(root, c.symbols)}
			}
			path := filepath.Join(root, "opt/shop")
			if c.binary != "opt/shop" {
				path = "/opt/shop"
			}
			if c.sysroot != "" {
				opt.Sysroot = filepath.Join(root, c.sysroot)
			}
			m := moduleOf(t, filepath.Join(root, c.binary), path, loadedAt)
			table, problems := resolved(t, opt, m, addrs...)
			if len(problems) > 0 {
				t.Error(problems)
			}
			check(t, table, addrs, want)
		})
	}
}

func buildIDOf(t testing.TB, name string) string {
	t.Helper()
	im, err := openImage(context.Background(), unpacked(t, name, filepath.Join(t.TempDir(), name)))
	if err != nil {
		t.Fatal(err)
	}
	defer im.close()
	return im.buildID
}

// The debug file alone is enough where the recording tells the build id.
func TestDebugFileAlone(t *testing.T) {
	dir := t.TempDir()
	full := unpacked(t, "sample.full", filepath.Join(dir, "full"))
	unpacked(t, "sample.debug", filepath.Join(dir, "shop.debug"))
	addrs, want := expected(t, "sample.full")
	m := moduleOf(t, full, "/no/such/shop", loadedAt)
	m.BuildID = buildIDOf(t, "sample.full")
	opt := loaders.Symbols{Dirs: []string{dir}}
	table, problems := resolved(t, opt, m, addrs...)
	if len(problems) > 0 {
		t.Error(problems)
	}
	check(t, table, addrs, want)

	m = mapped(t, full, m)
	table, _ = resolved(t, opt, m, 0)
	for _, a := range addrs {
		table.Address(loadedAt+a, false)
	}
	if _, err := table.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range addrs {
		if got := told(table.Frames(i + 1)); !same(got, want[i]) {
			t.Fatalf("by mappings: %s want %s", got, want[i])
		}
	}
}

// mapped returns a module as /proc/PID/maps tells it.
func mapped(t testing.TB, file string, m Module) Module {
	t.Helper()
	im, err := openImage(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer im.close()
	m.Segments = nil
	for _, p := range im.loads() {
		start, end := p.Vaddr&^4095, (p.Vaddr+p.Filesz+4095)&^4095
		m.Mappings = append(m.Mappings, Mapping{m.Base + start, m.Base + end, p.Off &^ 4095})
	}
	m.Base = 0
	return m
}

func TestMappings(t *testing.T) {
	for _, name := range []string{"sample.full", "sample.old"} {
		file := unpacked(t, name, filepath.Join(t.TempDir(), "shop"))
		addrs, want := expected(t, name)
		table := NewTable(loaders.Symbols{})
		table.Add(mapped(t, file, Module{Path: file, Base: loadedAt}))
		for _, a := range addrs {
			table.Address(loadedAt+a+1, true) // returns look at the byte before
		}
		if _, err := table.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, table, addrs, want)
	}
}

// A file that is not the recorded one names nothing.
func TestMismatch(t *testing.T) {
	file := unpacked(t, "sample.full", filepath.Join(t.TempDir(), "shop"))
	addrs, _ := expected(t, "sample.full")
	good := moduleOf(t, file, file, loadedAt)
	for name, change := range map[string]func(m *Module){
		"build id":         func(m *Module) { m.BuildID = "902e75611d1aeb96d528debd6cf23ffd2184faa3" },
		"a segment's size": func(m *Module) { m.Segments[1].Size++ },
		"a segment's place": func(m *Module) {
			m.Segments[0].Addr += 4096
			m.Base -= 4096
		},
		"a segment more": func(m *Module) { m.Segments = append(m.Segments, Segment{1 << 20, 5}) },
		"a segment less": func(m *Module) { m.Segments = m.Segments[:3] },
		"a mapping's size": func(m *Module) {
			*m = mapped(t, file, *m)
			for i := range m.Mappings {
				m.Mappings[i].End += 4096
			}
		},
		"other offsets": func(m *Module) {
			*m = mapped(t, file, *m)
			for i := range m.Mappings {
				m.Mappings[i].Offset += 1 << 20
			}
		},
	} {
		m := good
		m.Segments = slices.Clone(m.Segments)
		change(&m)
		table := NewTable(loaders.Symbols{})
		table.Add(m)
		for _, a := range addrs {
			table.Address(loadedAt+a, false)
		}
		problems, err := table.Resolve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(codes(problems), []string{"symbols-mismatch"}) || !strings.Contains(problems[0].Message, "is not the file that was recorded: ") {
			t.Errorf("%s: %v", name, problems)
		}
		for id := range table.places {
			if len(table.Frames(id)) > 0 || table.Why(id) == Known {
				t.Fatalf("%s: %v %v", name, table.Frames(id), table.Why(id))
			}
		}
	}
}

// A debug file whose checksum differs is not used: functions come from the symbols that are left.
func TestOtherDebugFile(t *testing.T) {
	dir := t.TempDir()
	file := unpacked(t, "sample.stripped", filepath.Join(dir, "shop"))
	other := bytes.Replace(content(t, "sample.debug"), idBytes(t, "sample.debug"), make([]byte, 20), 1)
	if err := os.WriteFile(filepath.Join(dir, "sample.debug"), other, 0o600); err != nil {
		t.Fatal(err)
	}
	addrs, _ := expected(t, "sample.full")
	table, problems := resolved(t, loaders.Symbols{}, moduleOf(t, file, file, loadedAt), addrs...)
	for i := range addrs {
		for _, f := range table.Frames(i) {
			if f.File != "" {
				t.Fatalf("%+v from another debug file; %v", f, problems)
			}
		}
	}
}

func idBytes(t *testing.T, name string) []byte {
	t.Helper()
	id := buildIDOf(t, name)
	b := make([]byte, len(id)/2)
	for i := range b {
		for _, c := range id[2*i : 2*i+2] {
			b[i] = b[i]<<4 | byte(strings.IndexRune("0123456789abcdef", c))
		}
	}
	return b
}

// Nothing but regular files is opened, as others may wait forever.
func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, bytes.Repeat([]byte("hello\n"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Why{fifo: Damaged, dir: Damaged, text: Damaged, "/dev/zero": Damaged, filepath.Join(dir, "none"): NoFile, "[vdso]": NoFile, "": NoFile, "relative": NoFile} {
		table, problems := resolved(t, loaders.Symbols{}, Module{Path: path, Base: loadedAt, Segments: []Segment{{0, 4096}}}, 16)
		if table.Why(0) != want || len(problems) > 1 {
			t.Errorf("%s: %v, %v", path, table.Why(0), problems)
		}
	}
}

// Modules hide and replace each other as the recording goes on; the address's module is that of the moment.
func TestModulesChange(t *testing.T) {
	table := NewTable(loaders.Symbols{Off: true})
	if id := table.Address(0x1000, false); table.Why(id) != NotResolved {
		t.Error(table.Why(id))
	}
	table.Add(Module{Path: "/a", Mappings: []Mapping{{0x1000, 0x3000, 0}}})
	first := table.Address(0x1800, false)
	table.Add(Module{Path: "/b", Mappings: []Mapping{{0x1800, 0x2000, 0}}})
	second, returned := table.Address(0x1800, false), table.Address(0x1800, true)
	after := table.Address(0x2000, false)
	table.Forget()
	none := table.Address(0x1800, false)
	table.Add(Module{Path: "/a", Mappings: []Mapping{{0x1000, 0x3000, 0}}})
	again := table.Address(0x1800, false)
	path := func(id int) string { m, _ := table.Module(id); return m.Path }
	if path(first) != "/a" || path(second) != "/b" || path(returned) != "/a" || path(after) != "/a" || path(none) != "" || again != first {
		t.Error(path(first), path(second), path(returned), path(after), path(none), again)
	}
	if problems, err := table.Resolve(t.Context()); err != nil || problems != nil || table.Why(none) != NotMapped {
		t.Error(problems, err, table.Why(none))
	}
}

func TestCanceled(t *testing.T) {
	file := unpacked(t, "sample.full", filepath.Join(t.TempDir(), "shop"))
	table := NewTable(loaders.Symbols{})
	table.Add(moduleOf(t, file, file, loadedAt))
	table.Address(loadedAt+0x1100, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := table.Resolve(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
