package folded

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
)

const (
	enoughLines = 0.8 // of the first lines must be stacks
	enoughNames = 0.9 // of the frames of a stack that is longer than what is judged
	fewFrames   = 8   // of such a stack
	rootBlanks  = 3   // outside of brackets, the most that a name has
)

// sniff judges whether the first lines are stacks.
func sniff(head []byte) loaders.Confidence {
	cut := len(head) >= loaders.SniffLength
	if order := wideOrder(head); order != nil {
		head = narrow(head[2:], order)
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(head, 0) >= 0 {
		return loaders.No
	}
	if cut && !bytes.ContainsAny(head, "\r\n") {
		if deepStack(head) {
			return loaders.Maybe
		}
		return loaders.No
	}
	c := count(head, cut)
	switch {
	case c.all == 0 || float64(c.stacks) < enoughLines*float64(c.all) || 2*c.nested < c.stacks:
		return loaders.No
	case c.stacks == c.all && (c.addresses > 0 || c.deep == c.stacks):
	case c.stacks < 4:
		if c.plain == 0 { // one or two lines of prose may look like a stack
			return loaders.No
		}
	case 2*len(c.roots) > c.stacks:
		return loaders.No
	}
	return loaders.Maybe
}

// deepStack judges the beginning of a line whose end is not seen: nearly all of its frames must look like names.
func deepStack(head []byte) bool {
	frames := bytes.Split(head, []byte(";"))
	frames = frames[:len(frames)-1] // the last one is cut
	names := 0
	for _, f := range frames {
		if nameLike(f) {
			names++
		}
	}
	return len(frames) >= fewFrames && wordLike(frames[0]) && float64(names) >= enoughNames*float64(len(frames))
}

// nameLike reports whether text can be the name of a function rather than a piece of a program.
func nameLike(text []byte) bool {
	return named(text) && blanks(text) <= rootBlanks && !bytes.ContainsAny(text, "\"={}")
}

// counts is the number of lines of each kind.
type counts struct {
	all, stacks, nested int
	plain               int // nested ones without blanks outside of brackets
	deep                int // plain ones of three frames or more whose outermost one is a word
	addresses           int // with a frame that is an address
	roots               map[string]bool
}

// count judges the lines of a text; the last one is left out if it may be cut.
func count(head []byte, cut bool) (c counts) {
	c.roots = map[string]bool{}
	lines := bytes.Split(head, []byte("\n"))
	if cut && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		text := bytes.TrimSpace(line)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		c.all++
		stack, _, ok := split(text)
		root, rest, deep := bytes.Cut(stack, []byte(";"))
		if !ok || !named(stack) || !rootLike(root) {
			continue
		}
		c.stacks++
		c.roots[string(root)] = true
		if deep && len(bytes.Trim(rest, "; \t")) > 0 {
			if c.nested++; blanks(stack) == 0 {
				c.plain++
				if bytes.IndexByte(rest, ';') > 0 && wordLike(root) {
					c.deep++
				}
			}
			if addressed(stack) {
				c.addresses++
			}
		}
	}
	return c
}

// named reports whether a stack has a letter.
func named(stack []byte) bool { return bytes.IndexFunc(stack, unicode.IsLetter) >= 0 }

// wordLike reports whether a name begins like those of functions and programs.
func wordLike(name []byte) bool {
	r, _ := utf8.DecodeRune(name)
	return unicode.IsLetter(r) || r == '_'
}

// addressed reports whether one of several frames is only an address, or one in a binary, such as "libc.so.6+0x2a36"
// or "0x2a36 in libc.so.6".
func addressed(stack []byte) bool {
	for f := range bytes.SplitSeq(stack, []byte(";")) {
		digits, ok := bytes.CutPrefix(f, []byte("0x"))
		if digits, _, _ = bytes.Cut(digits, []byte(" in ")); !ok {
			_, digits, ok = bytes.Cut(f, []byte("+0x"))
		}
		if ok && len(digits) >= 3 && len(bytes.Trim(digits, "0123456789abcdefABCDEF")) == 0 {
			return true
		}
	}
	return false
}

// rootLike reports whether the outermost frame can be a name: few blanks outside of brackets, and no quotes.
func rootLike(root []byte) bool { return !bytes.ContainsAny(root, `"=`) && blanks(root) <= rootBlanks }

// blanks counts the blanks outside of brackets.
func blanks(text []byte) (n int) {
	depth := 0
	for _, c := range text {
		switch c {
		case '(', '<', '[', '{':
			depth++
		case ')', '>', ']', '}':
			depth--
		case ' ', '\t':
			if depth <= 0 {
				n++
			}
		}
	}
	return n
}

// wideOrder returns the byte order of UTF-16 by its mark, nil for other text.
func wideOrder(head []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	return nil
}

// narrow converts UTF-16 to UTF-8. A single last byte is left out.
func narrow(b []byte, order binary.ByteOrder) (out []byte) {
	for i := 0; i+1 < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) && i+3 < len(b) {
			if pair := utf16.DecodeRune(r, rune(order.Uint16(b[i+2:]))); pair != unicode.ReplacementChar {
				r = pair
				i += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
