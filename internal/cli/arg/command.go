package arg

import (
	"strings"

	"github.com/memtui/memtui/analysis/near"
)

// CommandHint suggests the command that the first word may have meant, "" without a good guess. commands returns names and
// other words for commands, which are not suggested.
func CommandHint(args []string, commands func() (names, aliases []string)) string {
	word := ""
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			word = strings.ToLower(arg)
			break
		}
	}
	if word == "" || len(word) > 40 {
		return ""
	}
	best, least := "", 3 // more changes than two, or than a third of the word, are not a typo
	names, _ := commands()
	for _, command := range names {
		if d := near.Letters(word, command); d < least && d <= len(command)/3 {
			best, least = command, d
		}
	}
	if best == "" || least == 0 {
		return ""
	}
	return "; did you mean the command " + best + "?"
}
