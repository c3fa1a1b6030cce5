package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/internal/reading"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// streamOf returns a recording as it is sent to a pipe: blocks of 1 to 40 bytes by 40 functions, the even ones freed.
func streamOf(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	f, err := newStreamTo(&out, time.Now(), "/bin/test", Options{Sample: 512})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		_ = f.note(&journal.Note{Frame: &journal.Frame{Function: fmt.Sprintf("function_%02d", i), File: "a.c", Line: 7}})
		_ = f.note(&journal.Note{Stack: []uint64{journal.Known | uint64(i+1)}})
		f.event(uint64(i), &model.Event{Kind: model.Alloc, Addr: uint64(i+1) << 4, Size: uint64(i + 1), ID: uint64(i + 1), Thread: 1})
		if i%2 == 1 {
			f.event(uint64(i), &model.Event{Kind: model.Free, Addr: uint64(i+1) << 4})
		}
		if err := f.flush(); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes were sent before a wrapper could execute a program", out.Len())
	}
	_ = f.note(&journal.Note{Ended: &journal.Ending{Signal: "SIGKILL"}})
	if _, err := f.finish(t.Context(), map[string]any{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRecordingGoesThroughAPipe(t *testing.T) {
	store, trace, err := opened.Bytes(t, "piped", streamOf(t))
	if err != nil {
		t.Fatal(err)
	}
	if have := named(t, trace); strings.Count(have, "\n") != 39 || !strings.Contains(have, "function_38 39/1 live 39/1") || !strings.Contains(have, "function_39 40/1 live 0/0") {
		t.Error(have)
	}
	if p := store.Current(); p.Meta.Sampled != "sampled every 512 B" || model.HasError(p.Problems) || !p.Complete ||
		!strings.Contains(fmt.Sprint(p.Problems), "ended-by-signal") {
		t.Errorf("%q, %v", p.Meta.Sampled, p.Problems)
	}
}

// Where a pipe ends early, what arrived is shown, and that it is not all.
func TestCutPipeIsShownAsFarAsItCame(t *testing.T) {
	whole := streamOf(t)
	for n := len(whole) - 1; n > 5000; n -= 11 {
		store, _, err := opened.Bytes(t, "piped", whole[:n])
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if p := store.Current(); p.Complete || !strings.Contains(fmt.Sprint(p.Problems), "it ends before the recording does") {
			t.Errorf("%d bytes: complete %v, %v", n, p.Complete, p.Problems)
		}
	}
}

func TestHostilePipesAreRefused(t *testing.T) {
	whole := streamOf(t)
	magic := loaders.RecordedMagic
	for name, data := range map[string]string{
		"no blocks":      magic,
		"other version":  "MTRS\x02\x00\x00\x00" + string(whole[8:]),
		"unknown block":  magic + "X\x04\x00\x00\x00abcd",
		"huge block":     magic + "T\xff\xff\xff\xffabcd",
		"huge journal":   magic + "J\xff\xff\xff\xffabcd",
		"not a trace":    magic + "T\x04\x00\x00\x00abcdE\x00\x00\x00\x00",
		"broken journal": strings.Replace(string(whole), `"frame"`, `"frame!`, 1),
		"unknown frame":  strings.Replace(string(whole), `"stack":[9223372036854775809]`, `"stack":[9223372036854775999]`, 1),
		"nested":         magic + "T\x08\x00\x00\x00" + magic,
	} {
		src, err := loaders.OpenStream(t.Context(), name, strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		format, err := loaders.Detect(src, all.Formats())
		if err == nil {
			in := reading.Input{Source: src, Format: format, Store: &model.Store{}, Index: traceindex.NewKeptIndex(nil)}
			if err = in.Read(t.Context()); err == nil && len(in.Store.Current().Problems) == 0 {
				t.Errorf("%s: no error, and no problem", name)
			}
		}
		_ = src.Close()
	}
}

// A file without a limit says how large it became, with the flags that limit it, and then at each doubling.
func TestFileSaysHowLargeItBecame(t *testing.T) {
	var said []string
	g := grown{func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }, firstSaid, true}
	for size := int64(0); size <= 300<<20; size += 10 << 20 {
		g.say("out.mlyze", size)
	}
	want := []string{
		"out.mlyze has 70.0 MiB so far: --max-size ends a recording at a size, and without --sample all it grows far more slowly",
		"out.mlyze has 130 MiB so far", "out.mlyze has 260 MiB so far",
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	for limit, says := range map[int64]bool{0: true, 1 << 30: false} {
		f := &traceFile{stacks: journal.NewNames(loaders.Symbols{}), notes: bufio.NewWriter(io.Discard)}
		f.begin(time.Now(), "program", Options{MaxSize: limit, Log: t.Logf})
		if (f.grown.log != nil) != says {
			t.Errorf("a limit of %d bytes: says %v", limit, f.grown.log != nil)
		}
	}
}
