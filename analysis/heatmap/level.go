package heatmap

import "github.com/memtui/memtui/analysis"

// Levels is the number of levels of heat.
const Levels = 5

// least returns the smallest figure of a level, given the largest figure of all: every level is four times the one
// before.
func least(level int, most uint64) uint64 {
	if level == 0 {
		return 1
	}
	return max(most>>(2*(Levels-level)), 1)
}

// Level returns the level of a figure, -1 for 0.
func Level(n, most uint64) int {
	if n == 0 {
		return -1
	}
	level := Levels - 1
	for level > 0 && n < least(level, most) {
		level--
	}
	return level
}

// Sign returns the character of a level, a blank for -1.
func Sign(level int, ascii bool) string {
	switch {
	case level < 0:
		return " "
	case ascii:
		return [Levels]string{".", ":", "+", "*", "#"}[level]
	}
	return [Levels]string{"·", "░", "▒", "▓", "█"}[level]
}

// Legend says from which figure on each sign is used; amount writes a figure.
func Legend(most uint64, ascii bool, amount func(uint64) string) string {
	text := "from"
	for level := range Levels {
		if level == Levels-1 || least(level, most) < least(level+1, most) {
			text += "  " + Sign(level, ascii) + " " + amount(least(level, most))
		}
	}
	return text
}

// LifeName returns a class of lifetimes in words.
func LifeName(class int) string {
	if class == analysis.NeverFreed {
		return "never freed"
	}
	if class == 0 {
		return "below 1 µs"
	}
	return "from " + analysis.LifeEdge(class)
}
