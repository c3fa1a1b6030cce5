package cli

import "strings"

// hint suggests the command that the first word was probably meant to be, "" without a good guess.
func (a *app) hint(args []string) string {
	word := ""
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			word = strings.ToLower(arg)
			break
		}
	}
	if word == "" {
		return ""
	}
	best, least := "", 3 // more changes than two, or than a third of the word, are no typo
	names, _ := commandNames()
	for _, command := range names {
		if d := distance(word, command); d < least && d <= len(command)/3 {
			best, least = command, d
		}
	}
	if best == "" || least == 0 {
		return ""
	}
	return "; did you mean the command " + best + "?"
}

// distance is the number of single-character changes, swaps of neighbours included, that turn a into b.
func distance(a, b string) int {
	const far = 99
	if len(a) > 40 {
		return far
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
