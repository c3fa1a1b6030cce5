package hprof

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// javaValue writes a primitive value as Java does, a char as a literal.
func javaValue(kind byte, bits uint64) string {
	switch kind {
	case typeBoolean:
		return strconv.FormatBool(bits != 0)
	case typeChar:
		return javaChar(rune(uint16(bits)))
	case typeFloat:
		return javaFloat(float64(math.Float32frombits(uint32(bits))), 32)
	case typeDouble:
		return javaFloat(math.Float64frombits(bits), 64)
	case typeByte:
		return strconv.Itoa(int(int8(bits)))
	case typeShort:
		return strconv.Itoa(int(int16(bits)))
	case typeInt:
		return strconv.Itoa(int(int32(bits)))
	}
	return strconv.FormatInt(int64(bits), 10)
}

// javaChar writes a char as a literal.
func javaChar(r rune) string {
	const escapes, meant = "\b\t\n\f\r'\\", `btnfr'\`
	if i := strings.IndexRune(escapes, r); i >= 0 {
		return `'\` + meant[i:i+1] + `'`
	}
	if unicode.IsPrint(r) && !utf16.IsSurrogate(r) {
		return "'" + string(r) + "'"
	}
	text := strconv.FormatInt(int64(r), 16)
	return `'\u` + strings.Repeat("0", 4-len(text)) + text + "'"
}

// javaFloat writes a number as Double.toString and Float.toString do: plainly from 10^-3 up to 10^7, otherwise with an
// exponent, and always with a digit after the point.
func javaFloat(x float64, size int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, size)[:1], "+") + "Infinity"
	}
	if a := math.Abs(x); a == 0 || a >= 1e-3 && a < 1e7 {
		text := strconv.FormatFloat(x, 'f', -1, size)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, size), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// latin1 decodes characters of one byte each into at most so many bytes.
func latin1(b []byte, most int) string {
	var out strings.Builder
	for _, x := range b {
		if out.Len()+utf8.RuneLen(rune(x)) > most {
			break
		}
		out.WriteRune(rune(x))
	}
	return out.String()
}

// wideText decodes UTF-16 into at most so many bytes.
func wideText(b []byte, order binary.ByteOrder, most int) string {
	return string(appendWide(nil, b, order, most))
}

// appendWide appends UTF-16 as UTF-8, while the result has at most so many bytes.
func appendWide(out, b []byte, order binary.ByteOrder, most int) []byte {
	for ; len(b) >= 2; b = b[2:] {
		r := rune(order.Uint16(b))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if len(b) >= 4 {
				low = rune(order.Uint16(b[2:]))
			}
			if r = utf16.DecodeRune(r, low); r != unicode.ReplacementChar {
				b = b[2:]
			}
		}
		if len(out)+utf8.RuneLen(r) > most {
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// units returns how many UTF-16 units a text has.
func units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// unitsIn returns how many characters are in bytes.
func unitsIn(b []byte, wide bool) int {
	if wide {
		return len(b) / 2
	}
	return len(b)
}
