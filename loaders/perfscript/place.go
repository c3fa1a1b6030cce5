package perfscript

import "bytes"

// place is a frame's line: "  ADDRESS FUNCTION+0xOFFSET (BINARY)". The names are the file's bytes.
type place struct{ address, function, dso []byte }

// placeOf splits a frame's line. The function may have parentheses, and so may the binary: those of " (deleted)", once.
func placeOf(line []byte) (p place, ok bool) {
	rest := bytes.TrimLeft(line, " \t\f\r\n")
	n := 0
	for n < len(rest) && isHex(rest[n]) {
		n++
	}
	if len(rest) == len(line) || n == 0 || n == len(rest) || rest[n] != ' ' || rest[len(rest)-1] != ')' {
		return p, false
	}
	p.address, rest = rest[:n], rest[n+1:len(rest)-1]
	for at := 0; ; at++ {
		i := bytes.Index(rest[at:], []byte(" ("))
		if i < 0 {
			return p, false
		}
		if at += i; isBinary(rest[at+2:]) {
			p.function, p.dso = withoutOffset(rest[:at]), rest[at+2:]
			return p, true
		}
	}
}

func isPlace(line []byte) bool {
	_, ok := placeOf(line)
	return ok
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// isBinary reports whether a name has no parentheses, or one pair of them.
func isBinary(name []byte) bool {
	i := bytes.IndexAny(name, "()")
	if i < 0 {
		return true
	}
	j := bytes.IndexAny(name[i+1:], "()")
	return name[i] == '(' && j >= 0 && name[i+1+j] == ')' && !bytes.ContainsAny(name[i+1+j+1:], "()")
}

// withoutOffset returns a function's name without "+0x" and digits at its end.
func withoutOffset(name []byte) []byte {
	n := len(name)
	for n > 0 && isHex(name[n-1]) {
		n--
	}
	if n < len(name) && bytes.HasSuffix(name[:n], []byte("+0x")) {
		return name[:n-3]
	}
	return name
}
