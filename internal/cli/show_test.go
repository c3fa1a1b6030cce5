package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// slowDump is a memory dump of one series that comes through a pipe: its end only after more was closed.
func slowDump(more <-chan struct{}) io.Reader {
	const point = `{"timestamp": 1763613840000000, "value": 1},`
	r, w := io.Pipe()
	go func() {
		io.WriteString(w, `[{"id": "", "name": "RSS", "data": [`+strings.Repeat(point, 4096))
		<-more
		io.WriteString(w, strings.TrimSuffix(point, ",")+`]}]`)
		w.Close()
	}()
	return r
}

func noFullScreen(context.Context, screen.Screen) error { return errors.New("it waited") }

func TestFileThatTakesLongIsShownEarly(t *testing.T) {
	more, got := make(chan struct{}), 0
	opening := func(_ context.Context, o screen.Opening) error {
		if o.Name != "standard input" || o.Screen.Keys == nil || o.Screen.Theme != "light" || !strings.Contains(o.Progress(), "reading standard input") {
			t.Errorf("%q %q, %s", o.Name, o.Screen.Theme, o.Progress())
		}
		close(more)
		s, err := o.Ready()
		if err == nil {
			got = len(s.Store.Current().Timeline.Series)
		}
		return err
	}
	env := Env{IsTerminal: true, FullScreen: noFullScreen, Opening: opening, Stdin: slowDump(more)}
	if status, _, errs := run(t, env, "--theme", "light", "-"); status != fail.Done || errs != "" || got != 1 {
		t.Errorf("status %d, %d series: %s", status, got, errs)
	}
}

func TestFileThatTakesLongIsLeft(t *testing.T) {
	more := make(chan struct{})
	defer close(more)
	leave := func(context.Context, screen.Opening) error { return nil } // as on q
	env := Env{IsTerminal: true, FullScreen: noFullScreen, Opening: leave, Stdin: slowDump(more)}
	if status, _, errs := run(t, env, "-"); status != fail.Done || errs != "" {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestFileThatTakesLongAndIsNothing(t *testing.T) {
	more := make(chan struct{})
	r, w := io.Pipe()
	go func() {
		io.WriteString(w, "["+strings.Repeat(" ", 8192))
		<-more
		io.WriteString(w, `"no series"`)
		w.Close()
	}()
	opening := func(_ context.Context, o screen.Opening) error {
		close(more)
		_, err := o.Ready()
		return err
	}
	env := Env{IsTerminal: true, FullScreen: noFullScreen, Opening: opening, Stdin: r}
	if status, _, errs := run(t, env, "-"); status != fail.StatusInput || !strings.Contains(errs, "standard input") && !strings.Contains(errs, "-") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// A table that is asked for stands alone, in text and in Markdown; JSON, which has all, says so.
func TestOneTable(t *testing.T) {
	modeltest.Plain(t)
	for name, tables := range map[string][]string{
		"kvleak": report.Tables(), "stacks": report.StackTables(), "heap": report.HeapTables(), "pages": report.DumpTables(),
	} {
		path := sampleFile(t, name)
		for _, table := range tables {
			line := []string{"report", "--table", table, path}
			if table == "groups" {
				line = append(line, "--group", "owner")
			}
			status, text, errs := run(t, Env{}, line...)
			if status != 0 || strings.Count(text, " ──") != 1 {
				t.Errorf("%s of %s: status %d, %s%s", table, name, status, text, errs)
			}
			status, markdown, errs := run(t, Env{}, append(line, "-f", "markdown")...)
			if status != 0 || strings.Count(markdown, "\n## ") != 1 {
				t.Errorf("%s of %s: status %d, %s%s", table, name, status, markdown, errs)
			}
		}
		line := []string{"report", "-f", "json", path}
		if slices.Contains(tables, "groups") {
			line = append(line, "--group", "owner")
		}
		_, whole, _ := run(t, Env{}, line...)
		for _, table := range tables {
			status, _, errs := run(t, Env{}, append(line, "--table", table)...)
			if status == 0 {
				continue // the object has this one alone, or only if it is asked for
			}
			_, member, _ := strings.Cut(errs, "this one as ")
			member, _, _ = strings.Cut(member, ":")
			_, last, _ := strings.Cut("."+member, ".")
			last = last[strings.LastIndexByte(last, '.')+1:]
			if status != fail.StatusUsage || !strings.Contains(errs, "json has all tables") || last == "" || !strings.Contains(whole, `"`+last+`": `) {
				t.Errorf("%s of %s: status %d, %s", table, name, status, errs)
			}
		}
	}
}
