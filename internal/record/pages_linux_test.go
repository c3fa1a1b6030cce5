package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/internal/memtest/opened"
)

// What is resident of a process, and where, is what the kernel itself counts by mapping.
func TestPagesAreThoseThatTheKernelCounts(t *testing.T) {
	source := filepath.Join(t.TempDir(), "part.c")
	text := `#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(void) {
  char *p = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q = malloc(3 << 10);
  madvise(p, 64 << 20, MADV_NOHUGEPAGE);
  for (int i = 0; i < 1000; i++) p[i * 3 * 4096] = q[i] = 1;
  setvbuf(stdin, NULL, _IONBF, 0);
  puts("done"); fflush(stdout);
  return getchar() == 'x';
}
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startRunning(t, compile(t, filepath.Join(t.TempDir(), "part"), source))
	if line, err := r.out.ReadString('\n'); line != "done\n" {
		t.Fatal(line, err)
	}
	var said []string
	o := PageOptions{PID: r.Process.Pid, Output: filepath.Join(t.TempDir(), "a.mb"), Limit: 300 * time.Millisecond, Layouts: 5,
		Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
	points, layouts, err := Pages(t.Context(), o)
	if err != nil || points < 2 || layouts != 1 || len(said) != 1 {
		t.Fatalf("%d points, %d layouts, %v, said %q", points, layouts, err, said)
	}
	store, _, err := opened.File(t, o.Output)
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Current().Pages.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", o.PID))
	if err != nil {
		t.Fatal(err)
	}
	want, kind := map[string]uint64{}, ""
	for line := range strings.Lines(string(smaps)) {
		f := strings.Fields(line)
		switch name := f[len(f)-1]; {
		case strings.Contains(f[0], "-") && len(f) >= 5:
			kind = "File"
			if len(f) == 5 {
				kind = "Anon"
			}
			if f[1][2] == 'x' {
				kind = "Code"
			}
			for suffix, k := range map[string]string{"[heap]": "Heap", "[stack]": "Stack", "[vvar]": "", "[vvar_vclock]": "", "[vsyscall]": ""} {
				if name == suffix {
					kind = k
				}
			}
		case f[0] == "Rss:" && kind != "":
			var kib uint64
			_, _ = fmt.Sscan(f[1], &kib)
			want[kind] += kib << 10
		}
	}
	for _, f := range pages.SumLayout(l).Types {
		have, name := f.OccupiedBytes, f.Name
		if have != want[name] || want[name] == 0 {
			t.Errorf("%s: %d B resident, by the kernel %d", name, have, want[name])
		}
	}
}
