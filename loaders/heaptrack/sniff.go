package heaptrack

import (
	"bytes"

	"github.com/memtui/memtui/loaders"
)

// sniff recognizes the line of versions, and the next lines. A file of version 0 has no such line: all lines must be
// records then, and some of them ones that prose does not have by chance.
func sniff(head []byte) loaders.Confidence {
	if v, rest, ok := bytes.Cut(head, []byte{'\n'}); ok && bytes.HasPrefix(v, []byte("v ")) {
		f := newFields(trimLine(v)[1:])
		tool := f.number()
		if f.more() {
			f.number()
		}
		if f.ok && !f.more() && tool >= 0x10000 && tool < 1<<24 &&
			(len(rest) == 0 || bytes.IndexByte([]byte("xXIASmsitac+-R#"), rest[0]) >= 0) {
			return loaders.Sure
		}
		return loaders.No
	}
	return sniffOldest(head)
}

// sniffOldest recognizes files of version 0.
func sniffOldest(head []byte) loaders.Confidence {
	telling := 0
	for len(head) > 0 {
		line, rest, ok := bytes.Cut(head, []byte{'\n'})
		if !ok {
			break // cut at the end of the head
		}
		least, sure := oldestRecord(line)
		if least < 0 {
			return loaders.No
		}
		if sure {
			telling++
		}
		head = rest
	}
	if telling < 2 {
		return loaders.No
	}
	return loaders.Maybe
}

// oldestRecord returns how many numbers a line has, -1 if it is not a record of version 0. sure reports that prose does
// not look like it.
func oldestRecord(line []byte) (numbers int, sure bool) {
	line = trimLine(line)
	if len(line) == 0 || line[0] == '#' {
		return 0, false
	}
	if len(line) < 3 || line[1] != ' ' {
		return -1, false
	}
	switch line[0] {
	case 's', 'x', 'X', 'S':
		return 0, false
	case 'm':
		_, after, _ := bytes.Cut(line[2:], []byte{' '})
		if bytes.Equal(line[2:], []byte("-")) {
			return 0, false
		}
		numbers = countNumbers(after)
		return numbers, numbers >= 3
	}
	numbers = countNumbers(line[1:])
	least := map[byte]int{'i': 2, 't': 2, '+': 3, '-': 1, 'c': 1, 'R': 1, 'I': 2, 'a': 2}[line[0]]
	if least == 0 || numbers < least {
		return -1, false
	}
	return numbers, line[0] == 't' || line[0] == '+' || line[0] == 'i'
}

// countNumbers returns how many numbers a text consists of, -1 if it contains anything else.
func countNumbers(b []byte) (n int) {
	f := newFields(b)
	for f.more() {
		if f.number(); !f.ok {
			return -1
		}
		n++
	}
	return n
}
