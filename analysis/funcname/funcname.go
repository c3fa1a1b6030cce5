// Package funcname shortens names of functions to what people call them: without arguments of templates and generics,
// signatures and scopes. Names are bytes of a file; callers clean them before printing.
package funcname

import "strings"

// Bare returns a name as tables show it: without template arguments, arguments and return type.
func Bare(name string) string { return WithoutSignature(ShortenTemplates(name)) }

// Last returns what follows the last "::" of a name.
func Last(name string) string {
	if i := strings.LastIndex(name, "::"); i >= 0 && i+2 < len(name) {
		return name[i+2:]
	}
	return name
}

// WithoutSignature removes the arguments and the return type of a C++ function's name: "void a::f(int) const" becomes
// "a::f". Other names are returned unchanged. Call it after [ShortenTemplates].
func WithoutSignature(name string) string {
	body := strings.TrimSuffix(strings.TrimSuffix(name, " const"), "[abi:cxx11]")
	if !strings.HasSuffix(body, ")") {
		return name
	}
	open, depth := -1, 0
	for i := len(body) - 1; i >= 0 && open < 0; i-- {
		switch body[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				open = i
			}
		}
	}
	if open <= 0 || strings.HasSuffix(body[:open], "operator") || body[open-1] == '.' {
		return name
	}
	body = strings.TrimSuffix(body[:open], "[abi:cxx11]")
	if i := strings.LastIndexByte(body, ' '); i >= 0 && !strings.Contains(body, "operator") && !strings.HasSuffix(body[:i], ",") {
		if rest := body[i+1:]; rest != "" && strings.Count(rest, "<") == strings.Count(rest, ">") &&
			strings.Count(rest, "(") == strings.Count(rest, ")") {
			return rest
		}
	}
	return body
}

// NoName is the name of functions known by address only where addresses of several runs are merged.
const NoName = "?"

// Unnamed reports whether a name is an address or a placeholder: what tools write where a binary has no symbols.
func Unnamed(name string) bool {
	digits, ok := strings.CutPrefix(name, "0x")
	if !ok || digits == "" {
		return name == "??" || name == NoName
	}
	return strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}
