package memdump

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// bomb is JSON of so many equal points, compressed.
func bomb(t *testing.T, points int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write([]byte(`[{"name":"a","data":[{"timestamp":1,"value":2}`))
	more := strings.Repeat(`,{"timestamp":1,"value":2}`, 1<<10)
	for n := 1; n < points; n += 1 << 10 {
		z.Write([]byte(more))
	}
	z.Write([]byte(`]},{"name":"b","data":[]}]`))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPointLimitIsNamedAndLifted(t *testing.T) {
	modeltest.Plain(t)
	file := bomb(t, 9<<18)
	for _, allowed := range []int64{0, 1 << 30} {
		src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		src.Allow(allowed)
		var store model.Store
		if err := loadJSON(context.Background(), src, &store); err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, p := range store.Current().Problems {
			told = append(told, p.Code+": "+p.Message)
		}
		limited := len(told) == 1 && strings.HasPrefix(told[0], "too-large: the limit of ") && strings.Contains(told[0], "--max-memory")
		if limited == (allowed > 0) || allowed > 0 && len(told) > 0 {
			t.Errorf("with %d bytes allowed: %q", allowed, told)
		}
	}
}

// TestLimitsOfMemory asks for the limits of what stands in memory a while: those of the user's memory say so, and those
// of a file's size are lifted by as much as they name.
func TestLimitsOfMemory(t *testing.T) {
	ask := func(budget *model.Budget, allowed int64) limit {
		src, err := loaders.OpenSource(model.WithBudget(t.Context(), budget), "-", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		src.Allow(allowed)
		return limits{src}.pages()
	}
	usual := ask(nil, 0)
	named := int64(usual.n) * usual.each * usual.part
	if narrow := ask(model.NewBudget(named/2), 0); narrow.n >= usual.n || !strings.HasPrefix(narrow.String(), "the rest was left out: --max-memory is ") {
		t.Errorf("half the memory: %d: %s", narrow.n, narrow)
	}
	if lifted := ask(model.NewBudget(2*named), 2*named); lifted.n != 2*usual.n {
		t.Errorf("twice the memory: %d, not %d", lifted.n, 2*usual.n)
	}
}

// packed is text, compressed.
func packed(t *testing.T, text ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for _, s := range text {
		if _, err := z.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// wideFrame begins a zstd frame that makes its decoder remember more than it may.
const wideFrame = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00"

// TestALimitIsOneProblem reads what is larger than it may be: that is said once, as a limit, and what is missing after
// it is not damage.
func TestALimitIsOneProblem(t *testing.T) {
	modeltest.Plain(t)
	long := strings.Repeat("x", 18<<20)
	series, layout := strings.Repeat(`{"data":[]},`, 1<<17), `[{"data":[{"timestamp":1,"value":1,"meta":{"memory":{"pageTypes":[`
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for name, c := range map[string]struct {
		file   []byte
		strict bool // only validation and decoding layouts meet it
		source bool // the source tells it
	}{
		"name":          {file: packed(t, `[{"id":"`, long, `"},{"name":1}]`)},
		"color":         {file: packed(t, `[{"data":[],"color":"`, long, `","visible":0}]`)},
		"visible":       {file: packed(t, `[{"data":[],"visible":"`, long, `"}]`)},
		"name of point": {file: packed(t, `[{"data":[{"timestamp":1,"value":1,"name":"`, long, `"}]}]`)},
		"event":         {file: packed(t, `[{"data":[{"timestamp":1,"value":1,"meta":{"event":"`, long, `"}}]}]`)},
		"value":         {file: packed(t, `[{"data":[{"timestamp":1,"value":"`, long, `"}]}]`)},
		"series":        {file: packed(t, "[", series, `{"data":[]}]`)},
		"word":          {file: packed(t, `[{"data":[{"timestamp":1,"value":`, strings.Repeat("1", jsonChunk+70_000), `}]}]`)},
		"depth":         {file: packed(t, `[{"data":[],"x":`, strings.Repeat("[", 1001), strings.Repeat("]", 1001), `}]`), strict: true},
		"bitmap":        {file: packed(t, layout, `{"pages":[{"size":8,"bitmap":"`, long, `"}]}]}}}]}]`), strict: true},
		"page types":    {file: packed(t, layout, strings.Repeat(`{"pages":[]},`, 1<<17), `{}]}}}]}]`), strict: true},
		"window":        {file: append(z.EncodeAll([]byte(`[{"name":"a","data":[{"timestamp":1,"value":1},{"timestamp":`), nil), wideFrame...), source: true},
		"window, .mb":   {file: append(z.EncodeAll([]byte("MEMD\x02\x00\x00\x00\x01\x02\x00\x05ab"), nil), wideFrame...), source: true},
	} {
		src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(c.file))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		r := openSource(t, src)
		var loaded, checked []string
		if r.err == nil {
			for _, p := range r.profile.Problems {
				loaded = append(loaded, p.Code+": "+p.Message)
			}
		}
		for _, v := range r.violations {
			checked = append(checked, v.Rule+": "+v.Message)
		}
		want := 1
		if c.source {
			want = 0
		}
		for what, told := range map[string][]string{"report": loaded, "validate": checked} {
			if what == "report" && c.strict {
				continue
			}
			if len(told) != want || want > 0 && (!strings.HasPrefix(told[0], "too-large: ") || !strings.Contains(told[0], "limit of ")) {
				t.Errorf("%s, %s: %.200q (%v)", what, name, told, r.err)
			}
		}
	}
}
