package arg

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/model"
)

// LeastLeak is the size of leaks that make a check fail: a switch that may have a value. The zero value was not given.
type LeastLeak struct {
	Given bool
	Text  string // as written, "" for any size
	Bytes uint64
}

// IsBool tells the parser that no word need follow.
func (l *LeastLeak) IsBool() bool { return true }

// Decode reads --no-leaks or --no-leaks=1MiB; of an environment or a config file also true and false.
func (l *LeastLeak) Decode(ctx *kong.DecodeContext) error {
	*l = LeastLeak{Given: true}
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	switch text {
	case "true":
		return nil
	case "false":
		l.Given = false
		return nil
	}
	n, err := model.ParseSize(text)
	if err == nil {
		l.Text, l.Bytes = text, uint64(n)
	}
	return err
}
