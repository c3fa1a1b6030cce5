package calltree

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// asked is a context that counts how often it is asked, and is done once that was more than most times.
type asked struct {
	context.Context
	n, most int
}

func (a *asked) Err() error {
	if a.n++; a.n > a.most {
		return context.Canceled
	}
	return nil
}

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
	ctx := &asked{t.Context(), 0, 1 << 30}
	if _, err := FilterStacks(ctx, s, filter, FullStacks); err != nil || ctx.n < names {
		t.Errorf("%v, asked %d times", err, ctx.n)
	}
	if _, err := FilterStacks(&asked{t.Context(), 0, 2}, s, filter, FullStacks); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
