package widget

import "strings"

// WithoutSignature takes the arguments and the return type off a C++ function's name: "void a::f(int) const" becomes
// "a::f". Other names stay. Call it after [ShortenTemplates].
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
		if rest := body[i+1:]; rest != "" && strings.Count(rest, "<") == strings.Count(rest, ">") && strings.Count(rest, "(") == strings.Count(rest, ")") {
			return rest
		}
	}
	return body
}

// ShortenScopes cuts a name to w cells by dropping scopes at its beginning ("…vector<…>::push_back"), then its middle.
func ShortenScopes(name string, w int) string {
	name = Clean(name)
	if Width(name) <= w {
		return name
	}
	depth := 0
	for i := 0; i+1 < len(name); i++ {
		switch name[i] {
		case '<', '(', '{':
			depth++
		case '>', ')', '}':
			depth--
		case ':':
			if rest := name[i+1:]; depth == 0 && name[i+1] == ':' && Width(rest[1:])+1 <= w && len(rest) > 1 {
				return ellipsis + rest[1:]
			}
		}
	}
	return TruncateMiddle(name, w)
}
