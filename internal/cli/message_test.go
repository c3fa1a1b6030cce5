package cli

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
)

// What the parser of command lines finds wrong is said in the program's words, whatever command it is about.
func TestParserMessages(t *testing.T) {
	for line, want := range map[string]string{
		"heap path " + sample:     "missing argument: <row> ...",
		"heap path":               "missing argument: <file> <row> ...",
		"heap holders " + sample:  "missing flag: --type",
		"convert":                 "missing argument: <file> ...",
		"report --color=red x":    `--color: unknown value "red"; available: auto, always, never`,
		"report --color=a,b x":    `--color: unknown value "a,b"; available: auto, always, never`,
		"convert --table=x a b":   `--table: unknown value "x"; available: types, frames, dominators`,
		"completion tcsh":         `<shell>: unknown value "tcsh"; available: bash, zsh, fish`,
		"completion":              "missing argument: <shell>",
		"report --limit=x x":      `--limit: invalid number "x"`,
		"report --snapshot=1.5 x": `--snapshot: invalid number "1.5"`,
		"report --ascii=maybe x":  `--ascii: invalid value "maybe"; available: true, false`,
		"report --at":             "--at: missing value",
		"report --at --limit 3":   "--at: missing value before --limit",
		"keys extra":              "unexpected argument extra",
		"fleet tpo --from x":      "unexpected argument tpo; did you mean fleet top?",
		"fleet --from x everyone": "unexpected argument everyone; what fleet does: show, add, top, diff, ",
		"fleet top extra":         "unexpected argument extra\n",
		"heap tpes x":             `unexpected argument tpes, did you mean "types"?`,
	} {
		status, _, errs := run(t, Env{}, strings.Fields(line)...)
		if got := strings.TrimSpace(errs); status != fail.StatusUsage || !strings.HasPrefix(errs, "memtui: "+want) {
			t.Errorf("%s: status %d, %s\nwant %s", line, status, got, want)
		}
		for _, foreign := range []string{"expected", "EOL", "must be one of", "but got"} {
			if strings.Contains(strings.ReplaceAll(errs, "unexpected argument", ""), foreign) {
				t.Errorf("%s: %s", line, errs)
			}
		}
	}
}
