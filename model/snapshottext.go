package model

import "fmt"

// SnapshotText names snapshot i, counted from 0, of n: "snapshot #1 (2nd of 3)", "snapshot #2 (last of 3)".
func SnapshotText(i, n int) string {
	switch {
	case n <= 1:
		return fmt.Sprintf("snapshot #%d (the only one)", i)
	case i == n-1:
		return fmt.Sprintf("snapshot #%d (last of %s)", i, Group(uint64(n)))
	}
	return fmt.Sprintf("snapshot #%d (%s of %s)", i, ordinal(i+1), Group(uint64(n)))
}

// ordinal returns "1st", "2nd", "11th".
func ordinal(n int) string {
	end := "th"
	if tens := n / 10 % 10; tens != 1 && n%10 > 0 && n%10 < 4 {
		end = [...]string{"", "st", "nd", "rd"}[n%10]
	}
	return Group(uint64(n)) + end
}
