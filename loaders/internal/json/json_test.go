package json

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// tokens reads everything that c gives, and the faults: tolerant reads on where it may.
func tokens(c *Cursor, tolerant bool) (out []string) {
	c.OnFault = func(f Fault) bool {
		out = append(out, fmt.Sprintf("fault %d, %d at %d, byte %d, line %d", f.Code, f.Want, f.At, f.Byte, f.Line))
		return tolerant
	}
	var value func(depth int)
	value = func(depth int) {
		k := c.Next()
		at, line := c.At()
		switch k {
		case String, Number, wordBytes:
			out = append(out, fmt.Sprintf("%c %q at %d, line %d", k, c.Text(), at, line))
			return
		case End:
			return
		}
		out = append(out, fmt.Sprintf("%c at %d, line %d", k, at, line))
		switch {
		case depth > 200:
			if c.Stop(); k != '{' && k != '[' {
				out = append(out, "too deep")
			}
		case k == '[':
			for first := true; c.Element(&first); {
				value(depth + 1)
			}
		case k == '{':
			for first := true; ; {
				name, ok := c.Member(&first)
				if !ok {
					return
				}
				out = append(out, fmt.Sprintf("name %q", name))
				value(depth + 1)
			}
		case k == '}' || k == ']' || k == ',' || k == ':':
			c.Stop()
			out = append(out, "no value")
		}
	}
	value(0)
	if c.More() {
		out = append(out, fmt.Sprintf("more at %d, line %d", c.Offset(), c.Line()))
	}
	return out
}

// standard is what encoding/json makes of b, in the words of tokens but for places.
func standard(b []byte) (out []string) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	names := []bool{false} // by depth: a name comes next
	inObject := []bool{false}
	for {
		t, err := d.Token()
		if err != nil {
			return out
		}
		top := len(names) - 1
		named := inObject[top] && names[top]
		names[top] = inObject[top] && !names[top]
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				names, inObject = append(names, t == '{'), append(inObject, t == '{')
				out = append(out, t.String())
			} else {
				names, inObject = names[:top], inObject[:top]
			}
		case string:
			if named {
				out = append(out, fmt.Sprintf("name %q", t))
			} else {
				out = append(out, fmt.Sprintf("\" %q", t))
			}
		case json.Number:
			out = append(out, fmt.Sprintf("0 %q", string(t)))
		case bool:
			out = append(out, map[bool]string{true: "t", false: "f"}[t])
		case nil:
			out = append(out, "n")
		}
	}
}

func bare(list []string) (out []string) {
	for _, s := range list {
		s, _, _ = strings.Cut(s, " at ")
		out = append(out, s)
	}
	return out
}

// agree compares what all kinds of cursors make of b.
func agree(t *testing.T, b []byte) {
	for _, tolerant := range []bool{false, true} {
		var c Cursor
		c.Reset(b)
		want := tokens(&c, tolerant)
		for name, c := range map[string]*Cursor{
			"bytes": NewBytes(t.Context(), b), "large chunks": NewReader(bytes.NewReader(b), 0, 1<<10),
			"small chunks": NewReader(bytes.NewReader(b), 0, 3), "single bytes": NewReader(iotest.OneByteReader(bytes.NewReader(b)), 0, 8),
		} {
			if got := tokens(c, tolerant); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q, %s, %v:\n%q\nwant\n%q", b, name, tolerant, got, want)
			}
		}
	}
}

// checked reports whether a cursor that passes over b finds nothing wrong, or how it ended.
func checked(b []byte) (ok, deep bool) {
	var c Cursor
	c.Reset(b)
	ok = true
	c.OnFault = func(f Fault) bool {
		ok, deep = false, f.Code == TooDeep
		return false
	}
	c.Value()
	return ok && !c.More(), deep
}

var seeds = []string{
	`{}`, `[]`, `null`, ` [1, -2.5e3 ,true,{"y":null}] `, `{"a":"\u0041\ud83d\ude00\n","b":[[],{}]}`, `"\ud800"`, `"\ud800\u0041"`, `"\ud800\ud83d\ude00"`,
	`"\udc00\ud800\n"`, `[1,]`, `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{,}`, `[01]`, `[-]`, `[1.]`, `[NaN,-Infinity]`, `[truex]`, `"\x"`, `"\u12x4"`, "\"\x01\n\"", "\"\xff\"",
	`{"a":"b`, `["\`, `["\u1`, `[1 2]`, `[1:2]`, "{\n\"a\"\n:\n1}", `[tru`, `[1e`, `]`, `[}`, `{"a":]`, `[[[[[[`, `[1]2`, "\x00", `{"a" : 1, "long name": "` + strings.Repeat("x", 300) + `"}`,
}

// FuzzCursor compares cursors over chunks of any size, and all of them with encoding/json.
func FuzzCursor(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		agree(t, b)
		ok, deep := checked(b)
		if valid := json.Valid(b); ok != valid && !deep {
			t.Fatalf("%q: %v, want %v", b, ok, valid)
		}
		var c Cursor
		c.Reset(b)
		got := tokens(&c, false)
		if want := standard(b); ok && bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) < 200 && !bytes.ContainsRune(b, 0xfffd) && json.Valid(b) && bytes.Equal(b, bytes.ToValidUTF8(b, nil)) &&
			fmt.Sprint(bare(got)) != fmt.Sprint(want) {
			t.Fatalf("%q:\n%q\nwant\n%q", b, bare(got), want)
		}
		values(t, b, ok)
	})
}

// values takes b apart as it stands in memory: what is well-formed gives the same as a cursor.
func values(t *testing.T, b []byte, ok bool) {
	i := Blank(b, 0)
	if end := ValueEnd(b, i); end > len(b) || ok && Blank(b, end) != len(b) {
		t.Fatalf("%q ends at %d", b, end)
	}
	m, e := Members(b), Elements(b)
	for name, value, more := m.Member(); more; name, value, more = m.Member() {
		quoted := append(append([]byte{'"'}, name...), '"')
		var want any
		if s, isText := Text(quoted); ok && (!isText || json.Unmarshal(quoted, &want) != nil || want != string(bytes.ToValidUTF8(s, []byte("\ufffd"))) && string(s) == strings.ToValidUTF8(string(s), "")) {
			t.Fatalf("%q: %q, want %q", b, s, want)
		}
		if ok && !json.Valid(value) {
			t.Fatalf("%q: %q", b, value)
		}
	}
	for value, more := e.Element(); more; value, more = e.Element() {
		if ok && !json.Valid(value) {
			t.Fatalf("%q: %q", b, value)
		}
	}
	if ok && m.Bad && e.Bad && (b[i] == '{' || b[i] == '[') {
		t.Fatalf("%q is bad", b)
	}
}

// TestFaults tells each fault, where it is, and what can be read in spite of it.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`[1,`:            "[[ at 0, line 1 0 \"1\" at 1, line 1 fault 1, 0 at 3, byte 3, line 1]",
		`{"a"`:           "[{ at 0, line 1 fault 1, 4 at 4, byte 4, line 1]",
		`{"a" 1}`:        "[{ at 0, line 1 fault 4, 4 at 5, byte 5, line 1]",
		"[1\n 2]":        "[[ at 0, line 1 0 \"1\" at 1, line 1 fault 5, 5 at 4, byte 4, line 2]",
		`[1,]`:           "[[ at 0, line 1 0 \"1\" at 1, line 1 fault 11, 0 at 2, byte 3, line 1]",
		`{"a":1,}`:       "[{ at 0, line 1 name \"a\" 0 \"1\" at 5, line 1 fault 11, 0 at 7, byte 7, line 1]",
		`{7:1}`:          "[{ at 0, line 1 fault 3, 3 at 1, byte 1, line 1]",
		`[NaN,-Inf]`:     "[[ at 0, line 1 fault 12, 0 at 1, byte 1, line 1 ? \"NaN\" at 1, line 1 fault 12, 0 at 5, byte 6, line 1 ? \"-Inf\" at 5, line 1]",
		`[01]`:           "[[ at 0, line 1 fault 12, 0 at 1, byte 2, line 1 ? \"01\" at 1, line 1]",
		`["\q\u00g"]`:    "[[ at 0, line 1 fault 13, 0 at 1, byte 3, line 1 fault 13, 0 at 1, byte 8, line 1 \" \"q\ufffd\" at 1, line 1]",
		"[\"a\nb\", 1]":  "[[ at 0, line 1 fault 14, 0 at 1, byte 3, line 1 \" \"a\\nb\" at 1, line 1 0 \"1\" at 8, line 2]",
		`["a` + "\\":     "[[ at 0, line 1 fault 1, 0 at 1, byte 4, line 1]",
		`[#`:             "[[ at 0, line 1 fault 7, 0 at 1, byte 1, line 1]",
		`{"a":1 #`:       "[{ at 0, line 1 name \"a\" 0 \"1\" at 5, line 1 fault 7, 6 at 7, byte 7, line 1]",
		`[[],]` + " \n9": "[[ at 0, line 1 [ at 1, line 1 fault 11, 0 at 3, byte 4, line 1 more at 7, line 2]",
	} {
		c := NewReader(strings.NewReader(text), 0, 4)
		if got := fmt.Sprint(tokens(c, true)); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
	}
}

// skipped passes over the value of a and returns what stands after it, loosely or not.
func skipped(text string, loose bool, chunk int) string {
	c := NewReader(strings.NewReader(`{"a":`+text+`,"b":1}`), 0, chunk)
	c.Loose = loose
	c.OnFault = func(f Fault) bool { return f.Code > fatal }
	c.Next()
	first := true
	c.Member(&first)
	k := c.Value()
	name, ok := c.Member(&first)
	return fmt.Sprintf("%c %s %v", k, name, ok)
}

func TestSkip(t *testing.T) {
	for _, chunk := range []int{1, 2, 3, 5, 100} {
		for _, text := range []string{`{"x":["]}\"",{}]}`, `[[[],{}],"\\",1,NaN]`, `[]`, `"x"`, `1`} {
			want := text[:1] + " b true"
			if text == "1" {
				want = "0 b true"
			}
			for _, loose := range []bool{false, true} {
				if got := skipped(text, loose, chunk); got != want {
					t.Errorf("%s, loose %v, chunks of %d: %s", text, loose, chunk, got)
				}
			}
		}
		if skipped(`[[}]`, true, chunk) != "[ b true" || skipped(`[1:2]`, false, chunk) != "[  false" {
			t.Error("brackets", chunk)
		}
	}
}

func TestDepth(t *testing.T) {
	for depth, want := range map[int]bool{MaxDepth: true, MaxDepth + 1: false} {
		ok, deep := checked([]byte(strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)))
		if ok != want || deep == want {
			t.Error(depth, ok, deep)
		}
		if got := skipped(strings.Repeat(`{"a":[`, depth)+strings.Repeat("]}", depth), true, 100); got != "{ b true" {
			t.Error(depth, got)
		}
	}
}

// TestNames holds that names are told with their depth, and which are the first of their object.
func TestNames(t *testing.T) {
	var c Cursor
	got := ""
	c.OnName = func(depth int, first bool, name []byte) { got += fmt.Sprintf("%d %v %s, ", depth, first, name) }
	c.Reset([]byte(`{"a":{"b":[{"c":1,"d":{}},{"c":2}]},"\u0065":3}`))
	c.Value()
	if want := "1 true a, 2 true b, 4 true c, 4 false d, 4 true c, 1 false e, "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestLongText stops at a string that is too long, or reads on where the limit is raised.
func TestLongText(t *testing.T) {
	for _, raise := range []bool{false, true} {
		c := NewReader(strings.NewReader(`["`+strings.Repeat("x", 100)+`"]`), 0, 16)
		c.MaxText = 40
		var at []int64
		c.OnFault = func(f Fault) bool {
			at = append(at, f.Byte)
			c.MaxText *= 2
			return f.Code == LongText && raise
		}
		c.Next()
		if k := c.Next(); (k == String) != raise || raise && len(c.Text()) != 100 || at[0] != 43 || (len(at) == 2) != raise {
			t.Errorf("%v: %c, %d bytes, %v", raise, k, len(c.Text()), at)
		}
	}
	for _, text := range []string{`\"` + "\n", `\`} { // the limit stays: the rest is passed, and told once
		c := NewReader(strings.NewReader(`["`+strings.Repeat("x", 1000)+text+`", 7]`), 0, 16)
		c.MaxText = 39
		faults := 0
		c.OnFault = func(f Fault) bool { faults += int(f.Code / LongText); return true }
		c.Next()
		k := c.Next()
		if text == `\` { // which makes the quote a part of the string, that ends nowhere
			if k != End || !c.Dead() {
				t.Errorf("%q: %c", text, k)
			}
			continue
		}
		first := false
		if got := len(c.Text()); k != String || got != 40 || faults != 1 || c.Line() != 2 || !c.Element(&first) || c.Next() != Number {
			t.Errorf("%q: %c, %d bytes, %d faults, line %d", text, k, got, faults, c.Line())
		}
	}
	c := NewReader(strings.NewReader("["+strings.Repeat("1", maxWord+100)+"]"), 0, 16)
	var f Fault
	c.OnFault = func(g Fault) bool { f = g; return true }
	if c.Next(); c.Next() != End || f.Code != LongWord || !c.Dead() {
		t.Errorf("%+v", f)
	}
}

// TestErrors holds that an error of reading, or the end of a context, is no fault of the file.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []*Cursor{
		NewReader(io.MultiReader(strings.NewReader(`[1, "ab`), iotest.ErrReader(broken)), 0, 4), NewBytes(ctx, []byte(`[1, 2]`)),
	} {
		c.OnFault = func(f Fault) bool { t.Errorf("%+v", f); return true }
		for c.Next() != End {
		}
		if err := c.Err(); !errors.Is(err, broken) && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// TestPlainEnd compares the search by eight bytes with one by one.
func TestPlainEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		b := make([]byte, 1+rng.IntN(40))
		for i := range b {
			b[i] = "ab\"\\\x1f\x20"[rng.IntN(6)]
			if rng.IntN(2) == 0 {
				b[i] = byte(rng.IntN(256))
			}
		}
		want := 0
		for want < len(b) && b[want] != '"' && b[want] != '\\' && b[want] >= ' ' {
			want++
		}
		if got := plainEnd(b, 0); got != want {
			t.Fatalf("%q: %d, want %d", b, got, want)
		}
		b[0] = '"'
		end := 1
		for end < len(b) && b[end] != '"' {
			if b[end] == '\\' {
				end++
			}
			end++
		}
		if end++; end > len(b) {
			end = -1
		}
		if got := stringEnd(b, 0); got != end {
			t.Fatalf("%q: %d, want %d", b, got, end)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, s := range []string{
		"0", "1", "-1", "1.5", "12345.6789", "0.1", "1e3", "1E-7", "18446744073709551615", "18446744073709551616", "9007199254740993.5",
		"123456789012345678", "0.000001", "-9223372036854775808", "-9223372036854775809", "1.7976931348623157e308", "99999999999999999999.25", "1e400",
	} {
		want, _ := strconv.ParseFloat(s, 64)
		if got, ok := Float([]byte(s)); !ok || got != want || !IsNumber([]byte(s)) {
			t.Error(s, got, ok)
		}
		u, err := strconv.ParseUint(s, 10, 64)
		if got, ok := Uint([]byte(s)); ok != (err == nil) || ok && got != u {
			t.Error(s, got, ok)
		}
		i, err := strconv.ParseInt(s, 10, 64)
		if got, ok := Int([]byte(s)); ok != (err == nil) || ok && got != i {
			t.Error(s, got, ok)
		}
	}
	for _, s := range []string{"", `"1"`, "null", "1.2.3", ".5", "5.", "+1", "-", "NaN", "0x1", "1_0", "Infinity", "1e", "--1"} {
		if f, ok := Float([]byte(s)); ok && s != "5." { // strconv takes "5."; IsNumber does not
			t.Error(s, f)
		}
		_, isUint := Uint([]byte(s))
		if _, isInt := Int([]byte(s)); isUint || isInt || IsNumber([]byte(s)) {
			t.Error(s)
		}
	}
	if f, _ := Float([]byte("-1e999")); !math.IsInf(f, -1) {
		t.Error(f)
	}
}

// TestNothingIsAllocated reads a plain document.
func TestNothingIsAllocated(t *testing.T) {
	text := []byte(`{"a" : [1,2,"three",{"four":true}], "b":null}`)
	var c Cursor
	if n := testing.AllocsPerRun(100, func() {
		c.Reset(text)
		c.Next()
		for first := true; ; {
			if _, ok := c.Member(&first); !ok {
				break
			}
			c.Value()
		}
	}); n > 0 {
		t.Error(n, "allocations")
	}
}
