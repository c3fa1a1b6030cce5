package arg

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

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
	names, _ := commands()
	if best := typo(word, names); best != "" {
		return "; did you mean the command " + best + "?"
	}
	return ""
}

// typo returns the name that a word is a misspelling of, "" if there is none.
func typo(word string, names []string) string {
	if word == "" || len(word) > 40 {
		return ""
	}
	best, least := "", 3 // more changes than two, or than a third of the word, are not a typo
	for _, name := range names {
		if d := near.Letters(word, name); d < least && d <= len(name)/3 {
			best, least = name, d
		}
	}
	if least == 0 {
		return ""
	}
	return best
}

// VerbHint suggests the verb of a command that an argument which is too many may have meant, or names all of them. It is ""
// where the command has no verbs, or one was given.
func VerbHint(commands []*kong.Node, args []string, text string) string {
	word, ok := strings.CutPrefix(text, "unexpected argument ")
	i := slices.IndexFunc(commands, func(n *kong.Node) bool { return len(args) > 0 && n.Name == args[0] })
	if !ok || i < 0 || strings.Contains(word, ", did you mean ") || len(commands[i].Children) == 0 {
		return ""
	}
	var verbs []string
	for _, verb := range commands[i].Children {
		if slices.Contains(args[1:], verb.Name) {
			return ""
		}
		verbs = append(verbs, verb.Name)
	}
	if best := typo(strings.ToLower(word), verbs); best != "" {
		return "; did you mean " + args[0] + " " + best + "?"
	}
	return "; what " + args[0] + " does: " + strings.Join(verbs, ", ")
}
