package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"memtui": func() {
			os.Exit(Main(context.Background(), Env{
				Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
			}))
		},
	})
}

// TestScripts runs every script of testdata/script in a folder with real recordings, kv.mlyze and heap.mvmheap, and
// what can become of them.
func TestScripts(t *testing.T) {
	const folder = "testdata/script"
	dir, some := folder, []string(nil)
	if modeltest.UnderRace { // most scripts differ in what they print, not in what runs at the same time
		dir = ""
		for _, name := range []string{"damaged", "dump", "index", "lines", "program", "record", "report_json"} {
			some = append(some, filepath.Join(folder, name+".txt"))
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		Files:         some,
		UpdateScripts: memtest.Updating(),
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			kv, err := os.ReadFile("../../testdata/small_kvleak.mlyze")
			if err != nil {
				return err
			}
			// The recording's own paths would look like those of a developer's machine in the expected output.
			kv = bytes.ReplaceAll(kv, []byte("/home/dev/wo"+"rk/"), []byte("/home/dev/code/"))
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			if _, err := z.Write(kv); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
			heap, err := os.ReadFile("../demo/samples/records.mvmheap")
			if err != nil {
				return err
			}
			dump, err := os.ReadFile("../demo/samples/real_proc_python.mb")
			if err != nil {
				return err
			}
			cut := len(kv) - 50_000
			for name, data := range map[string][]byte{
				"kv.mlyze": kv, "kv.mlyze.gz": packed.Bytes(), "empty.mlyze": nil,
				"cut.mlyze": kv[:cut], "header.mlyze": kv[:200], "noise": bytes.Repeat([]byte("\x1b[31m?!"), 100),
				"hole.mlyze":        append(append(bytes.Clone(kv[:cut]), bytes.Repeat([]byte{0xfe}, 40)...), kv[cut:]...),
				"evil\x1b[2J.mlyze": kv[:cut],
				"heap.mvmheap":      heap, "heap#1": heap, "heapcut.mvmheap": heap[:800_000], "heapfirst.mvmheap": heap[:50_000], "heapone.mvmheap": heap[:400_000],
				"heapstart.mvmheap": heap[:16], "python.mb": dump, "cut.mb": dump[:20_000],
			} {
				if err := os.WriteFile(filepath.Join(env.WorkDir, name), data, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "plain": plain,
		},
	})
}

// status N COMMAND… runs a command that must end with exit status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: status N COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// plain checks that the last command wrote nothing that controls a terminal.
func plain(ts *testscript.TestScript, _ bool, _ []string) {
	for _, stream := range []string{"stdout", "stderr"} {
		for i, r := range ts.ReadFile(stream) {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
				ts.Fatalf("%s holds %U at %d", stream, r, i)
			}
		}
	}
}
