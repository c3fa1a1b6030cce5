package calltree

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/model"
)

// TestExpressionsAskTheirContext applies an expression to a few names as long as a file may hold them.
func TestExpressionsAskTheirContext(t *testing.T) {
	const names = 6
	s := model.NewStacks()
	for i := range names {
		s.Functions = append(s.Functions, strings.Repeat("a", model.MaxName-1)+strconv.Itoa(i))
		s.FrameFunc = append(s.FrameFunc, model.FuncID(len(s.Functions)-1))
		s.FrameFile, s.FrameLine = append(s.FrameFile, 0), append(s.FrameLine, model.NoLine)
	}
	filter := NewFilter(Step{Kind: Focus, Name: "/(a|b)*c/"})
	ctx := &memtest.AskedContext{Context: t.Context(), Most: 1 << 30}
	if _, err := FilterStacks(ctx, s, filter, FullStacks); err != nil || ctx.N < names {
		t.Errorf("%v, asked %d times", err, ctx.N)
	}
	if _, err := FilterStacks(&memtest.AskedContext{Context: t.Context(), Most: 2}, s, filter, FullStacks); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
