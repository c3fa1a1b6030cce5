package hprof

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// contentsOf returns what reads the objects of the first dump.
func contentsOf(t *testing.T, r *result) (model.HeapContents, *model.Heap) {
	t.Helper()
	c, ok := r.profile.Heaps.(model.HeapContents)
	if !ok || r.err != nil {
		t.Fatalf("no contents: %v", r.err)
	}
	return c, r.heaps[0]
}

func allFields(t *testing.T, c model.HeapContents, h *model.Heap, r model.Row) map[string]model.HeapField {
	t.Helper()
	list, total, err := c.Fields(context.Background(), 0, h, r, 0, 1000)
	if err != nil || total != len(list) {
		t.Fatalf("%d of %d fields: %v", len(list), total, err)
	}
	out := map[string]model.HeapField{}
	for _, f := range list {
		out[f.Name] = f
	}
	return out
}

// TestEverything compares the fields of an object that has one of every kind with what an independent program read.
func TestEverything(t *testing.T) {
	for _, name := range samples {
		want := answersOf(t, name)
		var fields map[string]any
		var planted struct{ Strong struct{ ID string } }
		if err := errors.Join(json.Unmarshal(want.Planted["everything_values"], &fields), json.Unmarshal(want.Planted["everything"], &planted)); err != nil {
			t.Fatal(err)
		}
		c, h := contentsOf(t, openFile(t, sample(name), loaders.SizesLayout))
		row, ok := h.RowOf(planted.Strong.ID)
		if !ok {
			t.Fatalf("%s: no object %s", name, planted.Strong.ID)
		}
		got := allFields(t, c, h, row)
		if len(got) != len(fields) || len(fields) < 20 {
			t.Errorf("%s: %d fields, want %d", name, len(got), len(fields))
		}
		for name, want := range fields {
			if text := said(t, c, h, got[name]); text != wanted(want) {
				t.Errorf("%s = %s, want %s", name, text, wanted(want))
			}
		}
	}
}

// said is a field as the answers write it.
func said(t *testing.T, c model.HeapContents, h *model.Heap, f model.HeapField) string {
	switch f.Form {
	case model.FieldNull:
		return "null"
	case model.FieldValue:
		return plain(f.Value)
	}
	if text, whole, ok, err := c.Text(context.Background(), 0, h, f.Row, 1000); ok {
		if !whole || err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return text
	}
	switch h.Kinds[f.Row] {
	case kindPrimitives:
		list, _, err := c.Fields(context.Background(), 0, h, f.Row, 0, 100)
		if err != nil {
			t.Error(err)
		}
		var all []string
		for _, e := range list {
			all = append(all, plain(e.Value))
		}
		return strings.Join(all, " ")
	case kindClass:
		return "class " + h.Tables.Type(h.About[f.Row])
	}
	return h.OnAxis(0, f.Row)
}

// plain is a value as the answers write it: a char is its number, and so are numbers with exponents.
func plain(v string) string {
	if r := []rune(v); len(r) == 3 && r[0] == '\'' {
		return strconv.Itoa(int(r[1]))
	}
	if x, err := strconv.ParseFloat(v, 64); err == nil && strings.Contains(v, "E") {
		return wanted(x)
	}
	return v
}

func wanted(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		if v == float64(int64(v)) && max(v, -v) < 1e13 {
			return strconv.FormatInt(int64(v), 10)
		}
		return fmt.Sprint(v)
	case []any:
		var all []string
		for _, x := range v {
			if x, ok := x.(float64); ok && x > 1e18 {
				all = append(all, "9223372036854775807")
				continue
			}
			all = append(all, wanted(x))
		}
		return strings.Join(all, " ")
	}
	return fmt.Sprint(v)
}

// TestTexts reads every string of a dump, and compares how often each stands there with what an independent program
// counted.
func TestTexts(t *testing.T) {
	for _, name := range samples {
		var want struct {
			Strings struct {
				Objects, Distinct int
				Top               []struct {
					Value string
					Count int
				}
			}
		}
		readAnswers(t, name, &want)
		c, h := contentsOf(t, openFile(t, sample(name), loaders.SizesLayout))
		count, all := map[string]int{}, 0
		for r := range h.Len() {
			text, whole, ok, err := c.Text(context.Background(), 0, h, model.Row(r), 1<<20)
			if err != nil || ok && !whole {
				t.Fatal(r, whole, err)
			}
			if ok {
				all++
				count[text]++
			}
		}
		if all != want.Strings.Objects || len(count) != want.Strings.Distinct || all < 1000 {
			t.Errorf("%s: %d strings, %d distinct, want %d and %d", name, all, len(count), want.Strings.Objects, want.Strings.Distinct)
		}
		for _, s := range want.Strings.Top {
			if count[s.Value] != s.Count {
				t.Errorf("%s: %q stands there %d times, want %d", name, s.Value, count[s.Value], s.Count)
			}
		}
	}
}

// TestPagesOfFields asks for parts of what objects state.
func TestPagesOfFields(t *testing.T) {
	ctx := context.Background()
	c, h := contentsOf(t, openFile(t, sample("shop1"), loaders.SizesLayout))
	for _, kind := range []model.HeapKind{kindClass, kindInstance, kindObjects, kindPrimitives} {
		for r, seen := 0, 0; r < h.Len() && seen < 200; r++ {
			if h.Kinds[r] != kind {
				continue
			}
			all, total, err := c.Fields(ctx, 0, h, model.Row(r), 0, 5000)
			if err != nil {
				t.Fatal(err)
			}
			if seen++; total < 3 || total > 5000 {
				continue
			}
			for _, from := range []int{1, total - 1, total, total + 7} {
				part, n, err := c.Fields(ctx, 0, h, model.Row(r), from, 2)
				want := all[min(from, total):min(from+2, total)]
				if err != nil || n != total || fmt.Sprint(part) != fmt.Sprint(want) {
					t.Fatalf("row %d from %d of %d: %v, want %v: %v", r, from, total, part, want, err)
				}
			}
		}
	}
}

// TestReferencesAreFields finds every reference of every row among its fields: each leads where the graph says.
func TestReferencesAreFields(t *testing.T) {
	c, h := contentsOf(t, openFile(t, sample("shop1"), loaders.SizesLayout))
	for r := 1; r < h.Len(); r += 3 {
		list, _, err := c.Fields(context.Background(), 0, h, model.Row(r), 0, 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, f := range list {
			if f.Form == model.FieldRow {
				name := f.Name
				if name == "" {
					name = fmt.Sprintf("[%d]", f.Index)
				}
				found[fmt.Sprint(name, f.Row)] = true
			}
		}
		to, first := h.Out(model.Row(r))
		for i, target := range to.All() {
			text := h.EdgeText(first + model.Ref(i))
			if !strings.HasPrefix(text, "<") && !found[fmt.Sprint(text, target)] {
				t.Fatalf("row %d: %s leads to row %d, not so in %v", r, text, target, list)
			}
		}
	}
}

// TestOldStrings reads strings that are parts of arrays of characters, and bytes in the other order.
func TestOldStrings(t *testing.T) {
	if got := wideText([]byte{0x30, 0x42, 0xD8, 0x3D, 0xDE, 0x00, 0xD8, 0x00}, binary.BigEndian, 100); got != "あ😀�" {
		t.Errorf("%q", got)
	}
	if got := wideText([]byte{0x42, 0x30, 0x3D, 0xD8, 0x00, 0xDE}, binary.LittleEndian, 6); got != "あ" {
		t.Errorf("%q", got)
	}
	if got := latin1([]byte("caf\xe9!"), 5); got != "café" {
		t.Errorf("%q", got)
	}
}

func TestJavaValues(t *testing.T) {
	for want, got := range map[string]string{
		"1.0E7": javaFloat(1e7, 64), "1.0E-4": javaFloat(1e-4, 64), "0.001": javaFloat(1e-3, 64), "-0.0": javaValue(typeDouble, 1<<63), "1.0": javaValue(typeFloat, 0x3F800000),
		"NaN": javaValue(typeFloat, 0x7FC00000), "-Infinity": javaValue(typeDouble, 0xFFF0<<48), "Infinity": javaValue(typeFloat, 0x7F800000), "-1": javaValue(typeByte, 0xFF),
		"-2": javaValue(typeShort, 0xFFFE), "'a'": javaValue(typeChar, 'a'), `'\u0000'`: javaValue(typeChar, 0), `'\n'`: javaValue(typeChar, '\n'), `'\ud800'`: javaValue(typeChar, 0xD800),
		"true": javaValue(typeBoolean, 1), "-9223372036854775808": javaValue(typeLong, 1<<63), "123.456": javaFloat(123.456, 64),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestContentsOfDamage asks for everything in files that were changed behind the reader's back, were never decoded, or
// whose readers gave up.
func TestContentsOfDamage(t *testing.T) {
	b := memtest.Java(memtest.JavaSpec{Notes: 40})
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := openSource(t, src, loaders.SizesLayout)
	c, h := contentsOf(t, r)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	last := model.Row(h.Len() - 1)
	if _, _, err := c.Fields(ctx, 0, h, last, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, _, err := c.Fields(context.Background(), 1, h, last, 0, 10); err == nil {
		t.Error("there is one dump only")
	}
	if _, n, err := c.Fields(context.Background(), 0, h, last+9, 0, 10); n > 0 || err != nil {
		t.Error("a row beyond the last has fields", err)
	}
	f := r.profile.Heaps.(*file)
	clear(f.readers)
	clear(f.places)
	if _, _, err := c.Fields(context.Background(), 0, h, last, 0, 10); err == nil {
		t.Error("the dump has not been decoded")
	}
}

// TestContentsOfGzipMembers reads fields and texts from a dump in many gzip members, which end anywhere in its records:
// they are those of the plain dump.
func TestContentsOfGzipMembers(t *testing.T) {
	plain, dir := memtest.Java(memtest.JavaSpec{Notes: 2000}), t.TempDir()
	var packed bytes.Buffer
	for rest := plain; len(rest) > 0; {
		n := min(7001, len(rest))
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	var contents [2]model.HeapContents
	var heaps [2]*model.Heap
	for i, data := range [][]byte{plain, packed.Bytes()} {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		contents[i], heaps[i] = contentsOf(t, openFile(t, path, loaders.SizesLayout))
	}
	if heaps[0].Len() != heaps[1].Len() {
		t.Fatalf("%d rows, not %d", heaps[1].Len(), heaps[0].Len())
	}
	fields := 0
	for r := heaps[0].Len() - 1; r > 0; r -= 37 { // backward, as nobody reads files
		want, got := allFields(t, contents[0], heaps[0], model.Row(r)), allFields(t, contents[1], heaps[1], model.Row(r))
		if fields += len(want); !reflect.DeepEqual(want, got) {
			t.Fatalf("row %d: %v, want %v", r, got, want)
		}
	}
	if fields < 100 {
		t.Errorf("%d fields only", fields)
	}
}
