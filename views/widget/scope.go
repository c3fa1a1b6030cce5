package widget

import (
	"iter"
	"strings"
	"unicode"
)

// OwnedSign is between the owner of a site and the library function that it calls ("open_session › _M_mutate").
const OwnedSign = " › "

// ShortenScopes cuts a name to w cells by dropping scopes and folders at its beginning ("…vector<…>::push_back",
// "…http.(*Server).Serve"), then its middle.
// Of an owner and what it calls, the owner stays as long as it fits.
func ShortenScopes(name string, w int) string {
	name = Clean(name)
	if Width(name) <= w {
		return name
	}
	if owner, called, ok := strings.Cut(name, OwnedSign); ok {
		return shortenOwned(owner, called, w)
	}
	if short, ok := dropScopes(name, w); ok {
		return short
	}
	return TruncateMiddle(name[lastScope(name):], w)
}

// shortenOwned cuts what an owner calls at its end, then the owner's scopes, then the owner's end.
func shortenOwned(owner, called string, w int) string {
	least := Width(OwnedSign) + 1 // with an ellipsis in place of what is called
	if Width(owner)+least > w {
		short, ok := dropScopes(owner, w-least)
		if !ok {
			short, _ = dropScopes(owner, w-1)
		}
		owner = short
	}
	return Truncate(owner+OwnedSign+called, w)
}

// dropScopes drops as many scopes at the beginning of a name as it takes to fit w cells; ok is false where its last
// part is wider.
func dropScopes(name string, w int) (short string, ok bool) {
	for begin := range scopes(name) {
		if rest := name[begin:]; Width(rest)+1 <= w {
			return ellipsis + rest, true
		}
	}
	return name, false
}

// lastScope returns where the last folder of a name ends, 0 if it has none.
func lastScope(name string) (at int) {
	for begin := range scopes(name) {
		if name[begin-1] == '/' {
			at = begin
		}
	}
	return at
}

// scopes yields where the parts of a name begin that follow a "::" or a "/" outside of brackets.
func scopes(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth := 0
		for i := range len(name) {
			switch name[i] {
			case '<', '(', '{', '[':
				depth++
			case '>', ')', '}', ']':
				depth--
			case ':', '/':
				if c := name[i]; depth != 0 || c == ':' && (i == 0 || name[i-1] != ':') || i+1 == len(name) {
					continue
				}
				if !yield(i + 1) {
					return
				}
			}
		}
	}
}

// ShortenType cuts the name of a type to w cells by dropping packages, modules and scopes at its beginning
// ("…ConcurrentHashMap$Node[]"), then its middle. Signs and numbers before the name stay ("12 × …HashMap"); what follows
// it after a blank, such as the number of an object, has no scopes. Paths of types keep the last step.
func ShortenType(name string, w int) string {
	name = Clean(name)
	if Width(name) <= w {
		return name
	}
	if last := strings.LastIndex(name, OwnedSign); last >= 0 {
		return shortenSteps(name, last+len(OwnedSign), w)
	}
	begin := nameStart(name)
	before, name := name[:begin], name[begin:]
	room := w - Width(before)
	if room <= 1 {
		return Truncate(before+name, w)
	}
	last := 0
	for i := range typeScopes(name) {
		if last = i; Width(name[i:])+1 <= room {
			return before + ellipsis + name[i:]
		}
	}
	return before + TruncateMiddle(name[last:], room)
}

// shortenSteps cuts what is before the last step of a path of types, which begins at last; where that has no room, only
// the last step is left.
func shortenSteps(path string, last, w int) string {
	if room := w - Width(path[last:]) - Width(OwnedSign); room > 1 {
		return Truncate(path[:last-len(OwnedSign)], room) + OwnedSign + path[last:]
	}
	return ShortenType(path[last:], w)
}

// nameStart returns where the first word with a letter begins, 0 if there is none.
func nameStart(text string) int {
	at := 0
	for word := range strings.SplitSeq(text, " ") {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			return at
		}
		at += len(word) + 1
	}
	return 0
}

// typeScopes yields where the parts of a type's name begin that follow a "." or a "::", none of paths.
func typeScopes(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		if i := strings.IndexAny(name, " <([{"); i >= 0 {
			name = name[:i]
		}
		if strings.ContainsAny(name, `/\`) {
			return
		}
		for i := 1; i+1 < len(name); i++ {
			scoped := name[i] == '.' && name[i-1] != '.' && name[i+1] != '.' || name[i] == ':' && name[i-1] == ':'
			if scoped && !yield(i+1) {
				return
			}
		}
	}
}

// ShortenPath cuts a path (or "path:line") to w cells by dropping folders at its beginning ("…/src/kvleak.cpp:17"),
// then the beginning of what is left.
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
