package arg

import (
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// choices matches the parser's message about a value that is not listed.
var choices = calltree.Expression(`^--\S+ must be one of (".*") but got "(.*)"$`)

// ValueHint suggests the value that one which is not among the choices may mean, "" without a good guess.
func ValueHint(text string) string {
	m := choices().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if best := near.Of(m[2], strings.Split(strings.Trim(m[1], `"`), `","`), 1); len(best) > 0 {
		return "; did you mean " + best[0] + "?"
	}
	return ""
}

// TypeHint suggests the flag for a type that was given as an argument, "" if none was.
func TypeHint(args []string, text string) string {
	if len(args) < 4 || args[0] != "heap" {
		return ""
	}
	name, isFind := strings.CutPrefix(text, "unexpected argument ")
	switch last := args[len(args)-1]; {
	case args[1] == "find" && isFind:
	case args[1] == "holders" && strings.HasPrefix(text, "missing flags: --type") && !strings.HasPrefix(last, "-"):
		name = last
	default:
		return ""
	}
	return "; for a type, give --type " + ShellWord(name)
}

// ShellWord returns a word as it is typed into a shell, cleaned.
func ShellWord(s string) string {
	return "'" + strings.ReplaceAll(model.Clean(s), "'", `'\''`) + "'"
}
