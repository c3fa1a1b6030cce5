package memdump

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"testing"

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

// TestLimitsOfMemory asks for the limits of what stands in memory a while: those of the user's memory say so, and those of a file's
// size are lifted by as much as they name.
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
	if narrow := ask(model.NewBudget(named/2), 0); narrow.n >= usual.n || !strings.HasPrefix(narrow.String(), "what follows was left out: --max-memory is ") {
		t.Errorf("half the memory: %d: %s", narrow.n, narrow)
	}
	if lifted := ask(model.NewBudget(2*named), 2*named); lifted.n != 2*usual.n {
		t.Errorf("twice the memory: %d, not %d", lifted.n, 2*usual.n)
	}
}
