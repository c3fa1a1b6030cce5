package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// leaked returns what is never freed of a function, in a file of any format.
func leaked(t *testing.T, path, function string) (bytes, blocks uint64) {
	t.Helper()
	_, trace, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	sites, err := trace.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByFunction})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sites {
		if s.Name == function {
			bytes, blocks = bytes+s.LiveBytes, blocks+s.LiveCount
		}
	}
	return bytes, blocks
}

// Of the known program's mode plain: 50 blocks of 100 bytes and more.
const plainBytes, plainBlocks = 100*50 + 49*50/2, 50

// Where the built-in hook does not fit, one that is compiled on the machine, or heaptrack's library, records the same.
func TestFallbacksRecordTheSame(t *testing.T) {
	for _, only := range []string{fromBinary, fromMemory, fromCompiler, fromHeaptrack} {
		t.Run(only, func(t *testing.T) {
			if _, err := installedHeaptrack(); err != nil && only == fromHeaptrack {
				t.Skip(err)
			}
			files, status := run(t, Options{only: only}, "plain")
			if status != 0 || len(files) != 1 || files[0].Events < 20050 || files[0].Events > 20060 {
				t.Fatalf("status %d, %+v", status, files)
			}
			if info, err := os.Stat(files[0].Path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			if bytes, blocks := leaked(t, files[0].Path, "leaking"); bytes != plainBytes || blocks != plainBlocks {
				t.Errorf("%d B in %d blocks", bytes, blocks)
			}
		})
	}
}

// Where no library may be loaded of the folder for temporary files, the hook is loaded of memory.
func TestTemporaryFilesMayNotBeExecutable(t *testing.T) {
	program, folder := known(t), t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOEXEC, "size=1m"); err != nil {
		t.Skipf("cannot mount a file system: %v", err)
	}
	defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
	t.Setenv("TMPDIR", folder)
	files, status := run(t, Options{Command: []string{program, "plain"}, Output: filepath.Join(filepath.Dir(folder), "out.mlyze")}, "plain")
	if status != 0 || len(files) != 1 || files[0].Events < 20050 {
		t.Errorf("status %d, %+v", status, files)
	}
}

// A recording of heaptrack's library is named as others, and what it cannot do is refused before the program runs.
func TestHeaptracksLibraryHasNoOtherOptions(t *testing.T) {
	if _, err := installedHeaptrack(); err != nil {
		t.Skip(err)
	}
	program := known(t)
	t.Chdir(t.TempDir())
	o := Options{Command: []string{program, "plain"}, Frames: 64, Ring: 1 << 20, Log: t.Logf, only: fromHeaptrack}
	files, _, err := Run(t.Context(), o)
	if err != nil || len(files) != 1 || files[0].Path != fileName(program, files[0].PID, ".heaptrack") {
		t.Errorf("%v, %+v", err, files)
	}
	o.MaxSize = 1 << 20
	if files, _, err := Run(t.Context(), o); err == nil || len(files) > 0 {
		t.Errorf("%v, %+v", err, files)
	}
}

// Where nothing can be preloaded, that is said with what is missing.
func TestWhatIsMissingIsSaid(t *testing.T) {
	program := known(t)
	t.Setenv("PATH", t.TempDir())
	before := heaptrackFolders
	heaptrackFolders = nil
	defer func() { heaptrackFolders = before }()
	for only, want := range map[string]string{fromCompiler: "no compiler (cc, gcc or clang)", fromHeaptrack: "is not installed"} {
		_, _, err := Run(t.Context(), Options{Command: []string{program, "plain"}, Frames: 1, Ring: 1 << 20, Log: t.Logf, only: only})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--pages PID") {
			t.Errorf("%s: %v", only, err)
		}
	}
}

// The loader of a program says whether a library fits it.
func TestLoadersRefuseOtherLibraries(t *testing.T) {
	loader := loaderOf(known(t), 0)
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#! "+known(t)+" plain\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if of := loaderOf(script, 0); of != loader || loader == "" {
		t.Errorf("%q of a script, %q of its interpreter", of, loader)
	}
	own := filepath.Join(t.TempDir(), "own.so")
	if err := os.WriteFile(own, []byte("\x7fELF of another machine"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := accepted(loader, own); err == nil || !strings.Contains(err.Error(), "cannot load own.so") {
		t.Error(err)
	}
}

// Programs of musl's C library are recorded as those of the GNU C library.
func TestMuslIsRecorded(t *testing.T) {
	gcc, err := exec.LookPath("musl-gcc")
	if err != nil {
		t.Skip("no musl-gcc on this machine")
	}
	path := filepath.Join(t.TempDir(), "known")
	if out, err := exec.Command(gcc, "-O1", "-g", "-o", path, "testdata/known.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, mode := range []string{"plain", "threads", "family", "fork", "closed", "exec"} {
		files, status := run(t, Options{Command: []string{path, mode}}, mode)
		if status != 0 || len(files) != 1 {
			t.Fatalf("%s: status %d, %+v", mode, status, files)
		}
		blocks, unmatched, _ := read(t, files[0].Path)
		if unmatched != 0 {
			t.Errorf("%s: %d frees without a block", mode, unmatched)
		}
		if left, _ := from(blocks, "leaking"); mode == "plain" && (len(left) != plainBlocks || sum(left) != plainBytes) {
			t.Errorf("%d B in %d blocks", sum(left), len(left))
		}
	}
}

// Code is named whatever the loader of the program calls the file that it is in.
func TestLibrariesAreFoundWhereTheyAreMapped(t *testing.T) {
	_ = known(t) // or it is skipped
	folder := t.TempDir()
	path := filepath.Join(folder, "plugin")
	for _, args := range [][]string{{"-o", path}, {"-DLIBRARY", "-shared", "-fPIC", "-o", filepath.Join(folder, "plugged.so")}} {
		if out, err := exec.Command("gcc", append(args, "-O1", "-g", "testdata/plugin.c", "-ldl")...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, how := range []string{"chdir", "chroot"} {
		files, status := run(t, Options{Command: []string{path, folder, how}}, how)
		if how == "chroot" && status == 2 && os.Getuid() != 0 {
			t.Skip("only root can change the root")
		}
		if status != 0 || len(files) != 1 {
			t.Fatalf("%s: status %d, %+v", how, status, files)
		}
		blocks, _, _ := read(t, files[0].Path)
		if of, _ := from(blocks, "plugged"); len(of) != 10 || sum(of) != 50000 {
			t.Errorf("%s: %d blocks of the library", how, len(of))
		}
	}
}

// A file ends with the event that reaches the size it may have, and says why.
func TestAFileEndsAtItsSize(t *testing.T) {
	files, status := run(t, Options{MaxSize: 1 << 20, NoRSS: true, Symbols: loaders.Symbols{Off: true}}, "many")
	if status != 0 || len(files) != 1 || !errors.Is(files[0].Stopped, errSize) || !strings.Contains(files[0].Lines()[0], "--max-size") {
		t.Fatalf("status %d, %+v", status, files)
	}
	info, err := os.Stat(files[0].Path)
	if err != nil || info.Size() < 1<<20 || info.Size() > 1<<20+2*reserve {
		t.Errorf("%v, %+v", err, info)
	}
	if _, _, p := read(t, files[0].Path); !slices.ContainsFunc(p.Problems, func(f model.Problem) bool { return f.Code == "stopped-early" }) {
		t.Error(p.Problems)
	}
}

// Where files may not be as large as the memory to share with the program, less is shared.
func TestASmallLimitOnFilesIsSaid(t *testing.T) {
	before := unix.Rlimit{}
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	path, said := filepath.Join(t.TempDir(), "out.mlyze"), ""
	program := known(t)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 20, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	files, _, err := Run(t.Context(), Options{Command: []string{program, "plain"}, Output: path, Frames: 64, Ring: 16 << 20,
		Log: func(format string, args ...any) { said += fmt.Sprintf(format, args...) }})
	if failed := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); failed != nil {
		t.Fatal(failed)
	}
	if err != nil || len(files) != 1 || files[0].Events == 0 || !strings.Contains(said, "has 512 KiB, not 16.0 MiB") {
		t.Errorf("%v, %+v, %s", err, files, said)
	}
}

// Programs of Go, which do without malloc, are told from others.
func TestGoIsToldHowItIsRecorded(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if why := whyUnloaded(self); !strings.Contains(why, fetchGo) || !strings.Contains(unseen(self), fetchGo) {
		t.Error(why)
	}
	if why := whyUnloaded("sh"); !strings.Contains(why, "linked statically") || unseen("/bin/sh") != "" {
		t.Error(why)
	}
}

// A program that crashed is said to have; one that its user ended is not.
func TestExitStatusNamesTheSignal(t *testing.T) {
	for script, want := range map[string]string{
		"kill -SEGV $$": "139 the program was ended by SIGSEGV", "kill -KILL $$": "137 the program was ended by SIGKILL",
		"kill -INT $$": "130 ", "exit 139": "139 ", "true": "0 ",
	} {
		cmd, said := exec.Command("sh", "-c", script), ""
		_ = cmd.Run()
		status := exitStatus(cmd.ProcessState, func(format string, args ...any) { said += fmt.Sprintf(format, args...) })
		if got := fmt.Sprint(status, " ", said); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// Files state how the program ended, and what that means for blocks that were never freed.
func TestFilesStateHowTheProgramEnded(t *testing.T) {
	killed, failed := "ended-by-signal", "exit_status=3"
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{known(t), "kill"}, killed}, {[]string{known(t), "plain"}, ""}, {[]string{"/bin/bash", "-c", "exit 3"}, failed},
	} {
		files, _ := run(t, Options{Command: c.command}, "")
		_, _, p := read(t, files[0].Path)
		if ended := map[string]string{killed: "ended by SIGKILL", failed: "exit status 3"}[c.want]; p.Meta.Ended != ended {
			t.Errorf("%v: %q, want %q", c.command, p.Meta.Ended, ended)
		}
		said := ""
		for _, problem := range p.Problems {
			said += problem.Code + ": " + problem.Message + "\n"
		}
		for _, f := range p.Meta.Facts {
			said += f.Key + "=" + f.Value + "\n"
		}
		for _, text := range []string{killed, failed, "signal=SIGKILL"} {
			want := text == c.want || text == "signal=SIGKILL" && c.want == killed
			if strings.Contains(said, text) != want {
				t.Errorf("%v: %q said is %v:\n%s", c.command, text, !want, said)
			}
		}
		if c.want == killed && !strings.Contains(said, "the program was ended by SIGKILL: what it would have freed at its end counts as never freed") {
			t.Errorf("%s", said)
		}
	}
}

func TestEmbeddedHookIsWhatItsSourceBuilds(t *testing.T) {
	for _, tool := range []string{"gcc", "aarch64-linux-gnu-gcc"} {
		out, err := exec.Command(tool, "--version").Output()
		if err != nil || !bytes.Contains(out, []byte("12.2.0-14")) {
			t.Skipf("needs %s 12.2.0-14 of Debian", tool)
		}
	}
	folder := t.TempDir()
	if out, err := exec.Command("hook/src/build.sh", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		want, err := os.ReadFile(filepath.Join(folder, "hook_"+arch+".so"))
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile("hook/hook_" + arch + ".so")
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: run hook/src/build.sh: %d bytes are embedded, the source gives %d, %v", arch, len(have), len(want), err)
		}
	}
}
