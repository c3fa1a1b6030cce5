package cli

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// An index that others may have written is not used, wherever it lies, and nothing is written where others can write.
func TestIndexOfOthersIsNotUsed(t *testing.T) {
	path, home := copied(t), t.TempDir()
	dir, index := filepath.Dir(path), path+indexcache.Suffix
	want := reportOf(t, home, path, "--index", "none")
	reportOf(t, home, path, "--index", "beside")
	for what, spoil := range map[string]func() (undo func()){
		"file": func() func() { os.Chmod(index, 0o620); return func() { os.Chmod(index, 0o600) } },
		"folder": func() func() {
			os.Chmod(dir, fs.ModeSticky|0o777)
			return func() { os.Chmod(dir, 0o700) }
		},
		"owner": func() func() {
			if os.Chown(index, 12345, -1) != nil { // root alone may
				os.Chmod(index, 0o602)
			}
			return func() { os.Chown(index, os.Geteuid(), -1); os.Chmod(index, 0o600) }
		},
	} {
		undo := spoil()
		if s := infoOf(t, home, path, "--index", "beside"); !strings.Contains(s, `"state": "unusable"`) || !strings.Contains(s, "not trusted: it") {
			t.Error(what, s)
		}
		before, _ := os.Stat(index)
		if got := reportOf(t, home, path, "--index", "beside"); got != want {
			t.Error(what, "the report differs")
		}
		if after, _ := os.Stat(index); what == "folder" && !os.SameFile(before, after) {
			t.Error("an index is written where others can write")
		}
		undo()
		reportOf(t, home, path, "--index", "beside")
		if s := infoOf(t, home, path, "--index", "beside"); !strings.Contains(s, `"state": "ready"`) {
			t.Error(what, "is not used again", s)
		}
	}
}

// The cache is for its owner alone, also where others could write there once.
func TestCacheIsForItsOwner(t *testing.T) {
	path, home := copied(t), t.TempDir()
	dir := filepath.Join(home, ".cache", "memtui")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir, 0o777)
	env := Env{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	if status, _, errs := run(t, env, "index", path); status != fail.Done {
		t.Fatal(errs)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	names := filesIn(t, dir)
	if len(names) != 1 {
		t.Fatal(names)
	}
	if info, err := os.Stat(filepath.Join(dir, names[0])); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	os.Chmod(dir, 0o770)
	if s := infoOf(t, home, path); !strings.Contains(s, "its folder can be written by others (0770)") {
		t.Error(s)
	}
}

// forged writes, beside a trace, the index of another one as if it were its own. The traces must be of the same size.
func forged(t *testing.T, home, path string, other []byte) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(path)
	if err != nil || len(own) != len(other) {
		t.Fatal(len(own), len(other), err)
	}
	indexOf := func(trace []byte) []byte {
		os.Remove(path + indexcache.Suffix)
		os.WriteFile(path, trace, 0o600)
		os.Chtimes(path, time.Time{}, info.ModTime())
		reportOf(t, home, path, "--index", "beside")
		b, err := os.ReadFile(path + indexcache.Suffix)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	lie := indexOf(other)
	truth := indexOf(own)
	const trailer, key = 96, 24
	end := lie[len(lie)-trailer:]
	copy(end[key:key+32], truth[len(truth)-trailer+key:])
	binary.LittleEndian.PutUint32(end[trailer-4:], crc32.Checksum(end[:trailer-4], crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(path+indexcache.Suffix, lie, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A forged index has the right key and checksums, and is the user's own. It must make no check pass, nor change a
// report.
func TestForgedIndexIsNotUsed(t *testing.T) {
	trace := func(size uint64) []byte {
		out := append(mlyze.AppendHeader(nil, 0, 2), "{}"...)
		for i := range uint64(50) {
			out = mlyze.AppendEvent(out, 1, &model.Event{Addr: 0x1000 + i<<24, Size: size, Thread: 1})
		}
		return out
	}
	path, home := filepath.Join(t.TempDir(), "trace.mlyze"), t.TempDir()
	os.Chmod(filepath.Dir(path), 0o700)
	if err := os.WriteFile(path, trace(1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	forged(t, home, path, trace(1<<14))
	lie, err := os.ReadFile(path + indexcache.Suffix)
	if err != nil {
		t.Fatal(err)
	}
	if s := infoOf(t, home, path, "--index", "beside"); !strings.Contains(s, `"state": "ready"`) {
		t.Fatal("its ends are not right", s)
	}
	env := Env{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	if status, out, errs := run(t, env, "check", "--index", "beside", "--max-peak", "1M", path); status != fail.Violated {
		t.Errorf("check: status %d, %s%s", status, out, errs)
	}
	if now, err := os.ReadFile(path + indexcache.Suffix); err != nil || bytes.Equal(now, lie) {
		t.Error("what check built is not kept", err)
	}
	os.WriteFile(path+indexcache.Suffix, lie, 0o600)
	if got, want := reportOf(t, home, path, "--index", "beside"), reportOf(t, home, path, "--index", "none"); got != want {
		t.Errorf("the report believes it")
	}
}
