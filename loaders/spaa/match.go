package spaa

import (
	"encoding/binary"
	"math/bits"

	"github.com/memtui/memtui/model"
)

// target is where a value goes that a template extracts from a line.
type target uint8

const (
	slotNone target = iota
	slotID
	slotPID
	slotTID
	slotCPU
	slotPeriod
	slotLeaf
	slotDSO
	slotDepth
	slotTime
	slotFrames
	slotEvent // from here on, strings
	slotComm
	slotFunc
	slotSource
	slotIP
	slotSymoff
	slotText
	slots
)

// take is how a value is read.
type take uint8

const (
	takeEnd     take = iota // nothing: the line ends here
	takeNumber              // digits
	takeDecimal             // digits, a point and digits
	takeHex                 // 16 hexadecimal digits
	takeString              // plain ASCII up to a quote
	takeList                // numbers up to a bracket
	takeWeight              // digits, into the batch's weights
)

// literalWords is how many words of a literal are compared at once.
const literalWords = 4

// pad is how many bytes after the lines of a block can be read. Their values do not matter.
const pad = 8 * literalWords

// step is a part of a template: literal bytes, then a value.
type step struct {
	word, mask [literalWords]uint64 // the first bytes
	size       int
	more       string // the other bytes
	take       take
	slot       target
	metric     uint32 // of takeWeight
}

// template is a line of this writer with gaps for values, including its end. A line that matches it is well-formed,
// because the line was from which the template was made, and the values in its gaps are plain.
type template struct {
	kind  recordType
	steps []step
	has   uint32 // slots, as bits

	id                 model.IDKind
	weights, exclusive span        // of the weights that the line adds
	leaf               bool        // exclusive is there
	frame              frameRecord // the constant part of a frame
	unknownSource      bool        // "??:0" is not a source
}

// values are the values that a template has extracted from a line.
type values struct {
	number [slots]uint64
	text   [slots]span // of the block
	time   float64
	frames span // of batch.ids
}

const digitZeros = ones * '0'

// eight reads up to eight digits; n is how many there are, 8 also if there are more.
func eight(x uint64) (value uint64, n int) {
	x ^= digitZeros
	n = bits.TrailingZeros64((x+ones*0x76|x)&highs) >> 3
	x <<= (64 - 8*n) & 63 // any value for no digits
	x = x*10 + x>>8
	const low = 0x000000ff000000ff
	return (x&low*(100+1000000<<32) + x>>16&low*(1+10000<<32)) >> 32, n
}

// digits reads a JSON number without sign, point and exponent. n is 0 if there is none, or if it is too long.
func digits(b []byte, i int) (value uint64, n int) {
	value, n = eight(binary.LittleEndian.Uint64(b[i:]))
	for more := 8; n == more && n <= 16; more += 8 {
		v, k := eight(binary.LittleEndian.Uint64(b[i+n:]))
		value, n = value*powers[k]+v*uint64(min(k, 1)), n+k
	}
	if n > 1 && b[i] == '0' || n > 18 {
		return 0, 0
	}
	return value, n
}

// powers are the powers of ten that [eight] needs.
var powers = [...]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}

// match reads a line that starts at b[i] and returns the index after its end, -1 if it does not match. Then the values
// appended to the batch must be removed. b must have a line end after i, and pad bytes after that. This is a hot
// kernel.
func (p *parser) match(t *template, b []byte, i int) int {
	v := &p.values
	for k := range t.steps {
		s := &t.steps[k]
		w := b[i : i+pad : i+pad]
		if (binary.LittleEndian.Uint64(w)^s.word[0])&s.mask[0]|(binary.LittleEndian.Uint64(w[8:])^s.word[1])&s.mask[1]|
			(binary.LittleEndian.Uint64(w[16:])^s.word[2])&s.mask[2]|(binary.LittleEndian.Uint64(w[24:])^s.word[3])&s.mask[3] != 0 {
			return -1
		}
		if s.more != "" && (len(b)-i < s.size || string(b[i+pad:i+s.size]) != s.more) {
			return -1
		}
		i += s.size
		switch s.take {
		case takeNumber:
			n, size := digits(b, i)
			if size == 0 {
				return -1
			}
			v.number[s.slot] = n
			i += size
		case takeWeight:
			n, size := digits(b, i)
			if size == 0 {
				return -1
			}
			p.out.weights = append(p.out.weights, weight{s.metric, model.Unsigned(n)})
			i += size
		case takeHex:
			high, ok := hex8(b[i:])
			low, ok2 := hex8(b[i+8:])
			if !ok || !ok2 {
				return -1
			}
			v.number[s.slot] = high<<32 | low
			i += 16
		case takeString:
			end := plainEnd(b, i)
			v.text[s.slot] = span{uint32(i), uint32(end)}
			i = end
		case takeDecimal:
			end := p.decimal(b, i)
			if end < 0 {
				return -1
			}
			i = end
		case takeList:
			end := p.list(b, i)
			if end < 0 {
				return -1
			}
			i = end
		}
	}
	return i
}

// plainEnd returns the index of the first byte of a string that is not plain ASCII: its end, a backslash, a control
// character or a byte of UTF-8.
func plainEnd(b []byte, i int) int {
	for {
		x := binary.LittleEndian.Uint64(b[i:])
		q, s := x^(ones*'"'), x^(ones*'\\')
		hit := ((q-ones)&^q | (s-ones)&^s | (x-ones*' ')&^x | x) & highs
		if hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
		i += 8
	}
}

// decimal reads the time of a sample, -1 if it is not plain.
func (p *parser) decimal(b []byte, i int) int {
	n, size := digits(b, i)
	if size == 0 {
		return -1
	}
	i += size
	if b[i] != '.' {
		p.values.time = float64(n)
		return i
	}
	fraction, places := eight(binary.LittleEndian.Uint64(b[i+1:]))
	if places == 0 || places == 8 || size+places > 18 {
		return -1
	}
	if n = n*powers[places] + fraction; n > 1<<53 {
		return -1
	}
	p.values.time = float64(n) / float64(powers[places]) // exact operands: the nearest float
	return i + 1 + places
}

// list reads numbers up to a bracket, at least one.
func (p *parser) list(b []byte, i int) int {
	ids := p.out.ids
	from := len(ids)
	for {
		n, size := digits(b, i)
		i += size
		if size == 0 || b[i] != ',' && b[i] != ']' {
			return -1
		}
		ids = append(ids, n)
		if b[i] == ']' {
			break
		}
		i++
	}
	p.out.ids = ids
	p.values.frames = span{uint32(from), uint32(len(ids))}
	return i
}
