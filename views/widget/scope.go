package widget

import "strings"

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

// ShortenPath cuts a path (or "path:line") to w cells by dropping folders at its beginning ("…/src/kvleak.cpp:17"), then
// the beginning of what is left.
func ShortenPath(path string, w int) string {
	path = Clean(path)
	if Width(path) <= w {
		return path
	}
	for rest := path; ; {
		i := strings.IndexAny(rest, `/\`)
		if i < 0 {
			break
		}
		if i > 0 && Width(rest[i:])+1 <= w {
			return ellipsis + rest[i:]
		}
		rest = rest[i+1:]
		if rest != "" && Width(rest) <= w && !strings.ContainsAny(rest, `/\`) {
			return rest
		}
	}
	return TruncateLeft(path, w)
}
