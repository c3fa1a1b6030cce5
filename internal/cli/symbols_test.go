package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/bundle"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/memtest"
)

// addressed is a heap profile of a program that stood at /opt/shop.
const addressed = `heap_v2/1
  t*: 3: 30 [5: 50]
@ 0x7001000 0x50012b5
  t*: 3: 30 [5: 50]

MAPPED_LIBRARIES:
5000000-5001000 r--p 00000000 00:00 1     /opt/shop
5001000-5002000 r-xp 00001000 00:00 1     /opt/shop
5002000-5003000 r--p 00002000 00:00 1     /opt/shop
5003000-5004000 r--p 00002000 00:00 1     /opt/shop
5004000-5005000 rw-p 00003000 00:00 1     /opt/shop
7000000-7001000 r-xp 00000000 00:00 2     /lib/libjemalloc.so.2
`

// recordedMachine returns a folder with a heap profile, and the program that it is about in opt.
func recordedMachine(t *testing.T) (dir, profile string) {
	t.Helper()
	dir = t.TempDir()
	program := unpackedSample(t, "sample.full")
	profile = filepath.Join(dir, "shop.heap")
	for name, data := range map[string][]byte{filepath.Join(dir, "opt", "shop"): program, profile: []byte(addressed)} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, profile
}

// TestNamesAreLookedForWhereTheUserSays expects each flag to change what frames are called or which there are, in all
// commands that show stacks, and names to be kept between runs unless nothing is.
func TestNamesAreLookedForWhereTheUserSays(t *testing.T) {
	dir, profile := recordedMachine(t)
	opt, cache := filepath.Join(dir, "opt"), filepath.Join(dir, "cache")
	const named, unnamed = "shop::Session::open", "shop+0x12b5"
	for _, c := range []struct{ flags, has, lacks string }{
		{"", unnamed, named},
		{"--index none --symbols " + opt, named, unnamed},
		{"--index none --symbols " + dir + "/cut --symbols " + opt, named, unnamed},
		{"--index none --sysroot " + dir, named, unnamed},
		{"--no-symbols", unnamed, named},
		{"--allocator-frames", "libjemalloc.so.2+0x", named},
	} {
		if err := os.MkdirAll(filepath.Join(dir, "cut"), 0o700); err != nil {
			t.Fatal(err)
		}
		words := append(strings.Fields("convert --to folded "+c.flags), profile)
		status, out, errs := run(t, cachedIn(cache), words...)
		out = strings.ReplaceAll(out, "libjemalloc.so.2 ", "libjemalloc.so.2;")
		if status != 0 || !strings.Contains(out, c.has) || strings.Contains(out, c.lacks) {
			t.Errorf("%s: status %d, %q, %q", c.flags, status, out, errs)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(cache, "*", "*names")); len(kept) > 0 {
		t.Errorf("%v are kept with --index none", kept)
	}
	for _, line := range []string{"report", "check --max-leak 1M", "diff " + profile} {
		run(t, cachedIn(cache), append(strings.Fields(line), "--symbols", opt, profile)...)
	}
	if kept, _ := filepath.Glob(filepath.Join(cache, "*", "*names")); len(kept) != 1 {
		t.Errorf("%v are kept", kept)
	}
}

// cachedIn returns an environment with a folder for caches.
func cachedIn(dir string) Env {
	return Env{Getenv: func(name string) string { return map[string]string{"XDG_CACHE_HOME": dir}[name] }}
}

// TestFoldersOfSymbolsAreChecked expects flags that cannot mean anything to be refused.
func TestFoldersOfSymbolsAreChecked(t *testing.T) {
	dir, profile := recordedMachine(t)
	for line, want := range map[string]string{
		"--symbols " + dir + "/none " + profile:         "--symbols: ",
		"--sysroot " + profile + " " + profile:          "--sysroot: " + profile + " is not a folder",
		"--no-symbols --symbols " + dir + " x":          "--no-symbols and --symbols cannot be combined",
		"--symbols " + dir + " " + sample:               "names its functions itself",
		"--allocator-frames " + sampleFile(t, "stacks"): "has no frames that memtui leaves out",
		"--allocator-frames " + sample:                  "does not apply to a trace",
		"--no-symbols " + sampleFile(t, "heap"):         "--no-symbols: does not apply to heap snapshots",
	} {
		status, out, errs := run(t, Env{}, append([]string{"report"}, strings.Fields(line)...)...)
		if status != fail.StatusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
}

// TestFlagsWithoutValuesTakeNone expects lists of flags to be told apart where some have no value.
func TestFlagsWithoutValuesTakeNone(t *testing.T) {
	flags := []string{"--no-symbols", "--unit", "bytes", "--snapshot", "-1", "--allocator-frames"}
	if got := uses.Understood("convert", flags); !slices.Equal(got, flags) {
		t.Errorf("%q", got)
	}
	if got := bundle.Without(flags, "--unit"); !slices.Equal(got, slices.Concat(flags[:1], flags[3:])) {
		t.Errorf("%q", got)
	}
}

// unpackedSample returns one of the sample binaries of the symbolizer.
func unpackedSample(t *testing.T, name string) []byte {
	t.Helper()
	return memtest.Unpacked(t, "../../loaders/symbols/testdata/"+name+".gz")
}

// Nothing is fetched unless the user names a server, directly or by the environment.
func TestDebuginfodFlag(t *testing.T) {
	dir, profile := recordedMachine(t)
	if err := os.WriteFile(filepath.Join(dir, "opt", "shop"), unpackedSample(t, "sample.stripped"), 0o600); err != nil {
		t.Fatal(err)
	}
	const id = "0633df093def1d3e008fc262b40e28791d9142d0"
	address, asked := memtest.DebugServer(t, "/buildid/"+id+"/debuginfo", unpackedSample(t, "sample.debug"))
	for _, c := range []struct {
		flags, urls string
		named       bool
		status      int
	}{
		{"", address, false, 0},
		{"--debuginfod " + address, "", true, 0},
		{"--debuginfod env", "http://127.0.0.1:1 " + address, true, 0},
		{"--debuginfod env", "", false, fail.StatusUsage},
		{"--debuginfod localhost", "", false, fail.StatusUsage},
		{"--no-symbols --debuginfod " + address, "", false, fail.StatusUsage},
	} {
		*asked = nil
		env := Env{Getenv: func(name string) string { return map[string]string{"DEBUGINFOD_URLS": c.urls}[name] }}
		words := append(strings.Fields("convert --to folded --index none --symbols "+filepath.Join(dir, "opt")+" "+c.flags), profile)
		if strings.Contains(c.flags, "no-symbols") {
			words = append(strings.Fields("convert --to folded "+c.flags), profile)
		}
		status, out, errs := run(t, env, words...)
		if status != c.status || strings.Contains(out, "shop::Session::open") != c.named || len(*asked) > 0 != c.named {
			t.Errorf("%s: status %d, asked %v, %q, %q", c.flags, status, *asked, out, errs)
		}
	}
}
