package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/memdump"
	"github.com/memtui/memtui/model"
)

// load reads a dump from memory.
func load(t *testing.T, f loaders.Format, data []byte) *model.Profile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dump")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	var store model.Store
	if err := f.Load(t.Context(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	return store.Current()
}

// inflated is the body of a .mb.
func inflated(t *testing.T, mb []byte) []byte {
	t.Helper()
	if !bytes.HasPrefix(mb, []byte(mbHeader)) {
		t.Fatalf("header %q", mb[:min(8, len(mb))])
	}
	z, err := gzip.NewReader(bytes.NewReader(mb[len(mbHeader):]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// The sample was written by an encoder that agrees with the application byte for byte.
func TestDumpsComeBackByteForByte(t *testing.T) {
	sample, err := os.ReadFile("../internal/demo/samples/real_proc_python.mb")
	if err != nil {
		t.Fatal(err)
	}
	var text, again, direct bytes.Buffer
	p := load(t, memdump.MB(), sample)
	if lost, err := WriteDumpJSON(t.Context(), &text, p); err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	if lost, err := WriteMB(t.Context(), &again, load(t, memdump.JSON(), text.Bytes())); err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	if _, err := WriteMB(t.Context(), &direct, p); err != nil {
		t.Fatal(err)
	}
	want := inflated(t, sample)
	if !bytes.Equal(inflated(t, again.Bytes()), want) || !bytes.Equal(inflated(t, direct.Bytes()), want) {
		t.Error("the body is another")
	}
}

const odd = `[{"id": "x", "name": "a", "data": [
 {"timestamp": 5, "value": 1e400, "name": "", "meta": {}},
 {"timestamp": "yesterday", "value": null},
 {"timestamp": 3.5, "value": -0.25, "pointId": "00000001-1111-4222-8333-000000000001", "meta": {"event": "", "memory": {"pageTypes": [
  {"name": "p", "uniformPageSize": 64, "pages": [{"freeList": [[8, 16]]}, {"freeList": []}, {"occupancy": 0.5}, {"occupancy": 0}, {}, {"bitmap": "80"}, {"bitmap": "01"}]}]}}}]},
 {"name": "b", "color": "#fff", "visible": false, "data": []}]`

func TestWhatADumpCannotHoldIsSaid(t *testing.T) {
	var mb, text bytes.Buffer
	lost, err := WriteMB(t.Context(), &mb, load(t, memdump.JSON(), []byte(odd)))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, l := range lost {
		said = append(said, l.What)
	}
	all := strings.Join(said, "\n")
	for _, part := range []string{"no color", "visible", "not a UUID", "damaged page layout"} {
		if !strings.Contains(all, part) {
			t.Errorf("nothing is said about %q:\n%s", part, all)
		}
	}
	back := load(t, memdump.MB(), mb.Bytes())
	var records []model.PointRecord
	if err := back.Timeline.Points.Points(t.Context(), func(r *model.PointRecord) error {
		records = append(records, *r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(records) != 3 || !math.IsInf(records[0].Value, 1) || !records[0].HasName || !records[0].HasMeta || records[0].HasEvent ||
		!math.IsNaN(records[1].Time) || !math.IsNaN(records[1].Value) ||
		records[2].Time != 3.5 || !records[2].HasEvent || records[2].Layout != 0 || records[2].ID == "" {
		t.Errorf("got %+v", records)
	}
	l, err := back.Pages.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for page := range l.Types[0].Len() {
		runs = append(runs, string(l.Types[0].RunsOf(page)))
	}
	if got, want := strings.Join(runs, "|"), "\x01\x01\x06|\x08|\x04\x04|\x00\x08|\x08|\x80|\x01"; got != want {
		t.Errorf("runs %q, want %q", got, want)
	}
	if lost, err = WriteDumpJSON(t.Context(), &text, back); err != nil || len(lost) == 0 {
		t.Errorf("%v, %v", lost, err)
	}
	for _, part := range []string{`"value": 1e999, "name": "", "meta": {}}`, `"timestamp": null, "value": null}`, `"meta": {"event": "", "memory"`, `"timestamp": 3.5, "value": -0.25`} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %s in\n%s", part, text.String())
		}
	}
}

func TestNamesSurviveAndControlNothing(t *testing.T) {
	name := "a\"\\\x1b[2J\u009b1m\u202e\U000e0001\n日本"
	var mb, text bytes.Buffer
	p := load(t, memdump.JSON(), model.AppendJSONString([]byte(`[{"data":[],"name":`), name))
	if _, err := WriteMB(t.Context(), &mb, p); err != nil {
		t.Fatal(err)
	}
	back := load(t, memdump.MB(), mb.Bytes())
	if _, err := WriteDumpJSON(t.Context(), &text, back); err != nil {
		t.Fatal(err)
	}
	for _, r := range text.String() {
		if r != '\n' && (r < ' ' || r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf)) {
			t.Errorf("%U stands in the file", r)
		}
	}
	if again := load(t, memdump.JSON(), text.Bytes()); p.Timeline.Series[0].Name != name || again.Timeline.Series[0].Name != name {
		t.Errorf("got %q, then %q", p.Timeline.Series[0].Name, again.Timeline.Series[0].Name)
	}
}

func TestDumpsAreWrittenOfDumpsOnly(t *testing.T) {
	for _, write := range []func(context.Context, io.Writer, *model.Profile) ([]Loss, error){WriteMB, WriteDumpJSON} {
		if _, err := write(t.Context(), io.Discard, &model.Profile{}); !errors.Is(err, errNoDump) {
			t.Errorf("got %v", err)
		}
		p := load(t, memdump.JSON(), []byte(odd))
		if _, err := write(t.Context(), full{}, p); !errors.Is(err, errFull) {
			t.Errorf("a full disk gives %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := write(ctx, io.Discard, p); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
		var out bytes.Buffer
		if _, err := write(t.Context(), &out, load(t, memdump.JSON(), []byte("[]"))); err != nil || out.Len() == 0 {
			t.Errorf("no series: %v, %q", err, out.String())
		}
	}
}

var errFull = errors.New("no space left")

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
