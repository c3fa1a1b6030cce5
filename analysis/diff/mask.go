package diff

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
)

// Mask changes names so that those of two builds or machines match. The zero Mask changes nothing.
type Mask struct {
	text    string // as the user wrote it
	replace func(string) string
}

// String returns the mask as it was written.
func (m Mask) String() string { return m.text }

// Apply changes one name.
func (m Mask) Apply(name string) string {
	if m.replace == nil {
		return name
	}
	return m.replace(name)
}

func applyMasks(masks []Mask, name string) string {
	for _, m := range masks {
		name = m.Apply(name)
	}
	return name
}

// MaskPreset is a mask that has a name.
type MaskPreset struct{ Name, help string }

// MaskPresets lists the masks that [ParseMask] knows by name.
func MaskPresets() []MaskPreset {
	return []MaskPreset{
		{"paths", "directories before file names"},
		{"templates", "template and generic arguments"},
		{"addresses", "hexadecimal addresses"},
		{"hashes", "hashes, build ids and suffixes that compilers add"},
	}
}

// recordFolder matches the folder that the recorder of this program keeps its library in, which has a name of its own in
// each recording.
var recordFolder = calltree.Expression(`^(/[^/]+)*/memtui-record-[0-9]+/`)

// withoutRecordFolder returns the name of a file or module as it is in every recording.
func withoutRecordFolder(name string) string {
	if !strings.Contains(name, "/memtui-record-") {
		return name
	}
	return recordFolder().ReplaceAllLiteralString(name, "")
}

var (
	buildPath  = calltree.Expression(`(^|[^\w.])(?:/|\.{1,2}/|[A-Za-z]:[/\\])(?:[^/\\\s()<>,:;"']+[/\\])*`)
	hexAddress = calltree.Expression(`\b0[xX][0-9a-fA-F]+`)
	hashSuffix = calltree.Expression(`::h[0-9a-f]{16}\b|\.(?:llvm|constprop|isra|part|lto_priv|cold|localalias)(?:\.[0-9]+)*\b`)
	hashText   = calltree.Expression(`\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{12,}|[0-9A-F]{12,})\b`)
)

// ParseMask reads the name of a preset, or REGEXP=REPLACEMENT with $1 for what the first group matched; without a
// replacement the match is removed. An equals sign in the expression is written \=.
func ParseMask(text string) (Mask, error) {
	switch text {
	case "":
		return Mask{}, errors.New("an empty mask: write REGEXP=REPLACEMENT, or paths, templates, addresses or hashes")
	case "paths":
		return Mask{text, func(s string) string { return buildPath().ReplaceAllString(s, "$1") }}, nil
	case "templates":
		return Mask{text, cutTemplates}, nil
	case "addresses":
		return Mask{text, func(s string) string { return hexAddress().ReplaceAllLiteralString(s, "0x?") }}, nil
	case "hashes":
		return Mask{text, func(s string) string {
			return hashText().ReplaceAllLiteralString(hashSuffix().ReplaceAllLiteralString(s, ""), "#")
		}}, nil
	}
	pattern, replacement := text, ""
	for i := range len(text) {
		if text[i] == '=' && (i == 0 || text[i-1] != '\\') {
			pattern, replacement = text[:i], text[i+1:]
			break
		}
	}
	expr, err := regexp.Compile(pattern)
	if err != nil || pattern == "" {
		return Mask{}, fmt.Errorf("invalid mask %q: neither a regular expression nor paths, templates, addresses or hashes", pattern)
	}
	return Mask{text, func(s string) string { return expr.ReplaceAllString(s, replacement) }}, nil
}

// cutTemplates removes the contents of angle brackets that follow a name: vector<int, allocator<int>> becomes vector<>.
// Operators, arrows and brackets that open a name, as in <T as Trait>::f, stay unchanged.
func cutTemplates(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var out strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case depth > 0 && c == '<':
			depth++
		case depth > 0 && c == '>' && s[i-1] != '-' && s[i-1] != '=':
			depth--
		}
		if depth == 0 {
			out.WriteByte(c)
		}
		if depth == 0 && c == '<' && i > 0 && (isWord(s[i-1]) || s[i-1] == ':') && !strings.HasSuffix(s[:i], "operator") && closes(s[i:]) {
			depth = 1
		}
	}
	return out.String()
}

// isWord reports whether a byte may be part of a name.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// closes reports whether the bracket at the beginning of s is closed in it.
func closes(s string) bool {
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '<':
			depth++
		case s[i] == '>' && s[i-1] != '-' && s[i-1] != '=':
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}
