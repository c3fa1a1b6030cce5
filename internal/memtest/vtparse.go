package memtest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Write parses output for the emulator. It never fails.
func (v *VT) Write(p []byte) (int, error) {
	v.Bytes += len(p)
	v.buf = append(v.buf, p...)
	for len(v.buf) > 0 {
		n := v.step(v.buf)
		if n == 0 { // incomplete
			break
		}
		v.buf = v.buf[n:]
	}
	return len(p), nil
}

// step handles the sequence or rune at the start of b and returns its length, 0 if it is incomplete.
func (v *VT) step(b []byte) int {
	switch {
	case b[0] == 0x1b:
		return v.escape(b)
	case b[0] < ' ' || b[0] == 0x7f:
		v.control(b[0])
		return 1
	case b[0] < utf8.RuneSelf:
		v.put(rune(b[0]))
		return 1
	case !utf8.FullRune(b):
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 || r >= 0x80 && r < 0xa0 {
		v.unknown(string(b[:n]))
		return n
	}
	v.put(r)
	return n
}

func (v *VT) control(c byte) {
	switch c {
	case '\b':
		v.CursorX, v.wrapNext = max(0, v.CursorX-1), false
	case '\r':
		v.CursorX, v.wrapNext = 0, false
	case '\n':
		v.lineFeed()
		v.wrapNext = false
	case '\t':
		v.CursorX = min(v.W-1, v.CursorX/8*8+8)
	case 0x0e, 0x0f:
		v.acs = c == 0x0e
	default:
		v.unknown(string(rune(c)))
	}
}

func (v *VT) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		return v.csi(b)
	case ']', 'P', '_', '^':
		return v.str(b)
	case '(', ')':
		if len(b) < 3 {
			return 0
		}
		v.acs = b[1] == '(' && b[2] == '0'
		return 3
	case '=', '>':
		v.Keypad = b[1] == '='
	case 'M':
		v.CursorY = max(0, v.CursorY-1)
	case '\\':
	default:
		v.unknown(string(b[:2]))
	}
	return 2
}

// str handles a string sequence, which ends with BEL or ST.
func (v *VT) str(b []byte) int {
	end := bytes.IndexAny(b[2:], "\a\x1b")
	if end < 0 {
		return 0
	}
	body, n := string(b[2:2+end]), 2+end+1
	if b[2+end] == 0x1b {
		if len(b) < n+1 {
			return 0
		}
		if b[n] == '\\' {
			n++
		} else {
			n-- // interrupted by another sequence
		}
	}
	if b[1] == ']' {
		v.osc(body)
	} else {
		v.unknown("\x1b" + string(b[1]) + body)
	}
	return n
}

// csi finds the end of a control sequence and runs it.
func (v *VT) csi(b []byte) int {
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			v.run(string(b[2:i]), b[i])
			return i + 1
		}
		if b[i] < 0x20 || b[i] >= 0x7f {
			v.unknown(string(b[:i]))
			return i
		}
	}
	return 0
}

// run executes CSI params final.
func (v *VT) run(params string, final byte) {
	arg := numbers(params)
	switch key := prefix(params) + string(final); key {
	case "H", "f":
		v.CursorY, v.CursorX = clamp(arg(0, 1)-1, v.H), clamp(arg(1, 1)-1, v.W)
	case "A":
		v.CursorY = clamp(v.CursorY-arg(0, 1), v.H)
	case "B":
		v.CursorY = clamp(v.CursorY+arg(0, 1), v.H)
	case "C":
		v.CursorX = clamp(v.CursorX+arg(0, 1), v.W)
	case "D":
		v.CursorX = clamp(v.CursorX-arg(0, 1), v.W)
	case "G":
		v.CursorX = clamp(arg(0, 1)-1, v.W)
	case "d":
		v.CursorY = clamp(arg(0, 1)-1, v.H)
	case "J":
		v.eraseScreen(arg(0, 0))
	case "K":
		v.eraseLine(arg(0, 0))
	case "L":
		v.insertRows(arg(0, 1))
	case "M":
		v.deleteRows(arg(0, 1))
	case "X":
		v.erase(v.at(), v.at()+arg(0, 1))
	case "m":
		v.sgr(params)
	case "?h", "?l":
		v.setModes(params[1:], final == 'h')
	case ">m":
		v.Modes["modifyOtherKeys"] = params != ">4;0" && params != ">4"
	case ">u", "<u":
		v.kitty += map[byte]int{'>': 1, '<': -1}[params[0]]
		v.Modes["kitty"] = v.kitty > 0
	case "t", ">t", " q", "r": // window operations, cursor shapes, regions: no state that is kept
	default:
		v.unknown("\x1b[" + params + string(final))
	}
	if final != 'm' && final != 'h' && final != 'l' && final != 'q' {
		v.wrapNext = false
	}
}

// insertRows moves the rows from the cursor's on down, over the end of the screen.
func (v *VT) insertRows(n int) {
	from, n := v.CursorY*v.W, min(n, v.H-v.CursorY)*v.W
	cells := v.cells()[from:]
	copy(cells[n:], cells)
	v.erase(from, from+n)
	v.CursorX = 0
}

// deleteRows moves the rows below the cursor up over it.
func (v *VT) deleteRows(n int) {
	from, n := v.CursorY*v.W, min(n, v.H-v.CursorY)*v.W
	cells := v.cells()[from:]
	copy(cells, cells[n:])
	v.erase(v.W*v.H-n, v.W*v.H)
	v.CursorX = 0
}

func (v *VT) at() int { return v.CursorY*v.W + v.CursorX }

func (v *VT) eraseScreen(how int) {
	switch how {
	case 0:
		v.erase(v.at(), v.W*v.H)
	case 1:
		v.erase(0, v.at()+1)
	default:
		v.erase(0, v.W*v.H)
	}
}

func (v *VT) eraseLine(how int) {
	start := v.CursorY * v.W
	switch how {
	case 0:
		v.erase(v.at(), start+v.W)
	case 1:
		v.erase(start, v.at()+1)
	default:
		v.erase(start, start+v.W)
	}
}

func (v *VT) setModes(list string, on bool) {
	for m := range strings.SplitSeq(list, ";") {
		v.Modes["?"+m] = on
		if m == "1049" || m == "47" || m == "1047" {
			if on && !v.inAlt {
				copy(v.alt, blank(len(v.alt)))
			}
			v.inAlt = on
			delete(v.Modes, "?"+m)
		}
	}
}

// sgr changes the style.
func (v *VT) sgr(params string) {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' })
	if len(fields) == 0 {
		fields = []string{"0"}
	}
	for i := 0; i < len(fields); i++ {
		code, sub, hasSub := strings.Cut(fields[i], ":")
		n, err := strconv.Atoi(code)
		if err != nil {
			v.unknown("\x1b[" + params + "m")
			return
		}
		switch {
		case n == 38 || n == 48:
			color, used := extended(fields[i+1:], sub, hasSub)
			v.setColor(n == 38, color)
			i += used
		case n == 58:
			_, used := extended(fields[i+1:], sub, hasSub)
			i += used
		case n == 4 && hasSub && sub == "0":
			v.setAttr('u', false)
		default:
			v.sgrCode(n)
		}
	}
}

func (v *VT) sgrCode(n int) {
	switch {
	case n == 0:
		v.style = Style{}
	case n >= 1 && n <= 9 && n != 6 && n != 8:
		v.setAttr(map[int]rune{1: 'b', 2: 'd', 3: 'i', 4: 'u', 5: 'k', 7: 'v', 9: 'r'}[n], true)
	case n == 22:
		v.setAttr('b', false)
		v.setAttr('d', false)
	case n >= 23 && n <= 29:
		v.setAttr(map[int]rune{23: 'i', 24: 'u', 25: 'k', 27: 'v', 29: 'r'}[n], false)
	case n >= 30 && n <= 37, n >= 90 && n <= 97:
		v.setColor(true, strconv.Itoa(n%10+n/90*8))
	case n >= 40 && n <= 47, n >= 100 && n <= 107:
		v.setColor(false, strconv.Itoa(n%10+n/100*8))
	case n == 39:
		v.style.Fg = ""
	case n == 49:
		v.style.Bg = ""
	case n == 59:
	default:
		v.unknown(fmt.Sprintf("\x1b[%dm", n))
	}
}

func (v *VT) setColor(fg bool, color string) {
	if fg {
		v.style.Fg = color
	} else {
		v.style.Bg = color
	}
}

func (v *VT) setAttr(attr rune, on bool) {
	var b strings.Builder
	for _, a := range "bdiuvkr" {
		if a == attr && on || a != attr && strings.ContainsRune(v.style.Attrs, a) {
			b.WriteRune(a)
		}
	}
	v.style.Attrs = b.String()
}

// extended reads a 256-color or true-color parameter, in fields after its
// code or in colons within it, and returns how many fields it took.
func extended(fields []string, sub string, hasSub bool) (color string, used int) {
	if hasSub {
		fields = strings.Split(strings.Replace(sub, "::", ":", 1), ":")
	}
	num := func(i int) int {
		if i >= len(fields) {
			return 0
		}
		n, _ := strconv.Atoi(fields[i])
		return n
	}
	switch {
	case num(0) == 5:
		color, used = strconv.Itoa(num(1)), 2
	case num(0) == 2:
		color, used = fmt.Sprintf("#%02x%02x%02x", num(1), num(2), num(3)), 4
	}
	if hasSub {
		used = 0
	}
	return color, used
}

// prefix returns the private marker or the intermediate byte of a sequence.
func prefix(params string) string {
	if params == "" {
		return ""
	}
	if c := params[0]; c >= '<' && c <= '?' {
		return string(c)
	}
	if c := params[len(params)-1]; c == ' ' || c == '$' || c == '!' {
		return string(c)
	}
	return ""
}

// numbers returns a reader of parameters with a default for missing ones.
func numbers(params string) func(i, missing int) int {
	fields := strings.Split(params, ";")
	return func(i, missing int) int {
		if i < len(fields) {
			if n, err := strconv.Atoi(fields[i]); err == nil && n > 0 {
				return n
			}
		}
		return missing
	}
}

func clamp(n, size int) int { return max(0, min(n, size-1)) }
