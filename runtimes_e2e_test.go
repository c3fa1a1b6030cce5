//go:build linux

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kept is how many objects of the class Session each program keeps.
const kept = 1234

// TestRuntimesHeaps has each runtime that is installed write a heap dump with the command that the pages tell, and looks
// in it for the objects that the program keeps: their number, and what holds them.
func TestRuntimesHeaps(t *testing.T) {
	for _, tt := range []struct {
		name, format string
		needs        []string
		dump         func(t *testing.T, dir string) string
	}{
		{"Node.js", "heapsnapshot", []string{"node"}, nodeHeap},
		{"Java", "hprof", []string{"java", "javac", "jcmd"}, javaHeap},
		{"Ruby", "ruby-heap", []string{"ruby"}, rubyHeap},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, program := range tt.needs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip(program + " is not installed")
				}
			}
			holdsSessions(t, tt.format, tt.dump(t, t.TempDir()))
		})
	}
}

// TestPythonHeaps does that for each Python that is installed, from 3.6 on, which the module needs.
func TestPythonHeaps(t *testing.T) {
	found := 0
	for _, version := range []string{"3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"} {
		python := pythonOf(version)
		if python == "" {
			continue
		}
		found++
		t.Run(version, func(t *testing.T) {
			holdsSessions(t, "python-heap", pythonHeap(t, python, t.TempDir()))
		})
	}
	if found == 0 {
		t.Skip("no Python is installed")
	}
}

// pythonOf returns the interpreter of a version, "" if there is none.
func pythonOf(version string) string {
	home, _ := os.UserHomeDir()
	installed, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions", version+".*", "bin/python"+version))
	for _, path := range append(installed, "python"+version) {
		out, err := exec.Command(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").Output()
		if err == nil && strings.TrimSpace(string(out)) == version {
			return path
		}
	}
	return ""
}

// holdsSessions looks for the sessions in a dump.
func holdsSessions(t *testing.T, format, path string) {
	t.Helper()
	var report struct {
		File     struct{ Format string }
		Complete bool
		Heap     struct {
			Types []struct {
				Type  string
				Count int
			}
			Suspects []struct {
				Type   string
				Holder string `json:"holder_label"`
			}
		}
	}
	out := said(t, "", binary, "report", "-f", "json", "--limit", "0", path)
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if report.File.Format != format || !report.Complete {
		t.Errorf("%s, complete %t", report.File.Format, report.Complete)
	}
	n := 0
	for _, row := range report.Heap.Types {
		if name := row.Type[strings.LastIndexAny(row.Type, ".:$")+1:]; name == "Session" {
			n = max(n, row.Count)
		}
	}
	if n != kept {
		t.Errorf("%d sessions, want %d", n, kept)
	}
	if text := fmt.Sprint(report.Heap.Suspects); !strings.Contains(text, "Session") && !strings.Contains(strings.ToLower(text), "sessions") {
		t.Errorf("no suspect is about sessions: %s", text)
	}
}

// said runs a command in a folder, and returns what it printed.
func said(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

// programFile writes a program.
func programFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "KEPT", fmt.Sprint(kept))), 0o600); err != nil {
		t.Fatal(err)
	}
}

func nodeHeap(t *testing.T, dir string) string {
	programFile(t, dir, "app.js", `
		class Session { constructor(id) { this.id = id; this.payload = new Array(60).fill(id + 0.5); } }
		globalThis.sessions = new Map();
		for (let i = 0; i < KEPT; i++) sessions.set("session-" + i, new Session(i));
		process.kill(process.pid, "SIGUSR2");
		setTimeout(() => {}, 300);`)
	said(t, dir, "node", "--heapsnapshot-signal=SIGUSR2", "app.js")
	list, _ := filepath.Glob(filepath.Join(dir, "*.heapsnapshot"))
	if len(list) != 1 {
		t.Fatalf("node wrote %v", list)
	}
	return list[0]
}

func javaHeap(t *testing.T, dir string) string {
	programFile(t, dir, "App.java", `
		import java.util.*;
		public class App {
			static class Session { long id; byte[] payload = new byte[600]; Session(long id) { this.id = id; } }
			static final Map<String, Session> SESSIONS = new HashMap<>();
			public static void main(String[] args) throws Exception {
				for (int i = 0; i < KEPT; i++) SESSIONS.put("session-" + i, new Session(i));
				new ProcessBuilder("jcmd", "" + ProcessHandle.current().pid(), "GC.heap_dump", args[0]).start().waitFor();
			}
		}`)
	said(t, dir, "javac", "App.java")
	path := filepath.Join(dir, "app.hprof")
	said(t, dir, "java", "-cp", dir, "App", path)
	return path
}

func rubyHeap(t *testing.T, dir string) string {
	programFile(t, dir, "app.rb", `
		class Session; def initialize(id); @id = id; @payload = 'x' * 600; end; end
		SESSIONS = {}
		KEPT.times { |i| SESSIONS["session-#{i}"] = Session.new(i) }
		GC.start
		ObjectSpace.dump_all(output: File.open("app.json", "w"))`)
	said(t, dir, "ruby", "-robjspace", "app.rb")
	return filepath.Join(dir, "app.json")
}

func pythonHeap(t *testing.T, python, dir string) string {
	programFile(t, dir, "heapdump.py", said(t, dir, binary, "heap", "dumper", "python"))
	programFile(t, dir, "app.py", `
class Session(object):
    def __init__(self, id):
        self.id = id
        self.payload = "x%d" % id * 100
SESSIONS = dict(("session-%d" % i, Session(i)) for i in range(KEPT))
import heapdump
heapdump.dump("app.pydump")
`)
	said(t, dir, python, "app.py")
	return filepath.Join(dir, "app.pydump")
}
