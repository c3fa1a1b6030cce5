package arg

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/model"
)

// LeastLeak is the minimum size of leaks that make a check fail. Its flag is a switch with an optional value. The zero
// value means that the flag is absent.
type LeastLeak struct {
	Given bool
	Text  string // as written, "" for any size
	Bytes uint64
}

// IsBool makes the value of the flag optional.
func (l *LeastLeak) IsBool() bool { return true }

// Decode reads --no-leaks or --no-leaks=1MiB. From an environment or a config file it also reads true and false.
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
