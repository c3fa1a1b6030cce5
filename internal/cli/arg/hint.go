package arg

import (
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/near"
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
