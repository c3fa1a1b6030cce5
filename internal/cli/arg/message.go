package arg

import (
	"regexp"
	"strings"
)

// parserMessages are the messages of the parser of command lines, and what is said instead.
var parserMessages = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^expected "([^"]*)"$`), "missing argument: $1"},
	{regexp.MustCompile(`^missing flags: (.*)$`), "missing flag: $1"},
	{regexp.MustCompile(`^expected one of (.*)$`), "missing command: one of $1"},
	{regexp.MustCompile(`^(.*) must be one of (.*) but got "(.*)"$`), "$1: unknown value \"$3\"; available: $2"},
	{regexp.MustCompile(`^(.*): expected a valid \d+ bit u?int but got "(.*)"$`), "$1: invalid number \"$2\""},
	{regexp.MustCompile(`^(.*): expected an? (?:int|float) but got "([^"]*)".*$`), "$1: invalid number \"$2\""},
	{regexp.MustCompile(`^(.*): bool value must be .* but got "(.*)"$`), "$1: invalid value \"$2\"; available: true, false"},
	{regexp.MustCompile(`^([^=: ]*)[^: ]*: expected .* value but got "EOL" \(<EOL>\)$`), "$1: missing value"},
	{regexp.MustCompile(`^([^=: ]*)[^: ]*: expected .* value but got "(.*)" \(.*\).*$`), "$1: missing value before $2"},
	{regexp.MustCompile(`^unexpected flag argument "(.*)"$`), "unexpected value \"$1\" of a flag that has none"},
}

// quotedList matches a list of the parser's: "a","b", which may end with an empty choice.
var quotedList = regexp.MustCompile(`"[^",]*"(?:,"[^",]*")+`)

// Message returns a message of the parser of command lines in the words of the program. Other messages stay unchanged.
func Message(text string) string {
	for _, m := range parserMessages {
		if !m.theirs.MatchString(text) {
			continue
		}
		text = quotedList.ReplaceAllStringFunc(text, func(list string) string {
			names := strings.Split(strings.ReplaceAll(list, `"`, ""), ",")
			if last := len(names) - 1; names[last] == "" { // leaving a flag out is not a choice
				names = names[:last]
			}
			return strings.Join(names, ", ")
		})
		return m.theirs.ReplaceAllString(text, m.ours)
	}
	return text
}
