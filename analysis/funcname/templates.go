package funcname

import "strings"

// ShortenTemplates replaces the arguments of templates and generics by "…": "std::map<int, std::vector<x> >::f(int)"
// becomes "std::map<…>::f(int)". Names that are themselves in angle brackets ("<lambda>", "<T as Trait>::f"), operators
// and unbalanced names stay unchanged.
func ShortenTemplates(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if n := operatorLen(name, i); n > 0 {
			b.WriteString(name[i : i+n])
			i += n
			continue
		}
		if name[i] == '<' && i > 0 && opensArguments(name[i-1]) {
			if end := closing(name, i); end > i+1 {
				b.WriteString("<…>")
				i = end + 1
				continue
			}
		}
		b.WriteByte(name[i])
		i++
	}
	return b.String()
}

// opensArguments reports whether "<" after c begins template arguments: it follows a name or, in Rust, "::".
func opensArguments(c byte) bool {
	return c == '_' || c == ':' || c == '$' || c >= 0x80 || isAlnum(c)
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// operatorLen returns the length of a C++ operator's name or an arrow at name[i:] that has "<" or ">" in it, or 0.
func operatorLen(name string, i int) int {
	if strings.HasPrefix(name[i:], "->") {
		return 2
	}
	const op = "operator"
	if !strings.HasPrefix(name[i:], op) || i > 0 && (isAlnum(name[i-1]) || name[i-1] == '_') {
		return 0
	}
	rest := strings.TrimLeft(name[i+len(op):], " ")
	for _, sign := range [...]string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"} {
		if strings.HasPrefix(rest, sign) {
			return len(name) - i - len(rest) + len(sign)
		}
	}
	return 0
}

// closing returns the index of the ">" that closes name[open], or -1. Parentheses and brackets must balance as well.
func closing(name string, open int) int {
	depth := 0
	for i := open; i < len(name); {
		if n := operatorLen(name, i); n > 0 {
			i += n
			continue
		}
		switch name[i] {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}
