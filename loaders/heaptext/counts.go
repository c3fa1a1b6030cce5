package heaptext

import (
	"bytes"
	"math"

	"github.com/memtui/memtui/loaders/internal/json"
)

// counts are the numbers of a row: what is live, and what was allocated in total.
type counts struct{ blocks, bytes, allBlocks, allBytes int64 }

// cutCounts cuts "n: b [N: B]" off a line; ok is false if it begins otherwise.
func cutCounts(line []byte) (c counts, rest []byte, ok bool) {
	rest = line
	for _, part := range []struct {
		n   *int64
		end byte
	}{{&c.blocks, ':'}, {&c.bytes, '['}, {&c.allBlocks, ':'}, {&c.allBytes, ']'}} {
		i := bytes.IndexByte(rest, part.end)
		if i < 0 || i > 64 {
			return c, line, false
		}
		if *part.n, ok = json.Int(bytes.Trim(rest[:i], " ")); !ok {
			return c, line, false
		}
		rest = rest[i+1:]
	}
	return c, rest, true
}

// add adds the numbers of another row, saturating.
func (c *counts) add(d counts) {
	c.blocks, c.bytes = plus(c.blocks, d.blocks), plus(c.bytes, d.bytes)
	c.allBlocks, c.allBytes = plus(c.allBlocks, d.allBlocks), plus(c.allBytes, d.allBytes)
}

func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

// unsampled returns the estimate for c if one allocation per rate bytes is sampled; rate <= 1 changes nothing.
func (c counts) unsampled(rate float64) counts {
	n, b, all, allBytes := c.scaled(rate)
	return counts{truncate(n), truncate(b), truncate(all), truncate(allBytes)}
}

func (c counts) scaled(rate float64) (blocks, size, allBlocks, allBytes float64) {
	live, all := scale(c.blocks, c.bytes, rate), scale(c.allBlocks, c.allBytes, rate)
	return float64(c.blocks) * live, float64(c.bytes) * live, float64(c.allBlocks) * all, float64(c.allBytes) * all
}

// scale returns the factor for the numbers of a stack: blocks of its average size are sampled with a probability of
// 1-exp(-size/rate).
func scale(blocks, size int64, rate float64) float64 {
	if rate <= 1 || blocks <= 0 || size <= 0 {
		return 1
	}
	return -1 / math.Expm1(-float64(size)/float64(blocks)/rate)
}

func truncate(f float64) int64 {
	if !(math.Abs(f) < math.MaxInt64) {
		return math.MaxInt64
	}
	return int64(f)
}

// carried rounds fractions to integers so that their sums are those of the fractions, as in a viewer that adds up
// fractions.
type carried struct{ exact, given [4]float64 }

func (k *carried) unsampled(c counts, rate float64) counts {
	if rate <= 1 {
		return c
	}
	var add [4]float64
	add[0], add[1], add[2], add[3] = c.scaled(rate)
	var out [4]int64
	for i, f := range add {
		k.exact[i] += f
		out[i] = truncate(math.Round(k.exact[i]) - k.given[i])
		k.given[i] += float64(out[i])
	}
	return counts{out[0], out[1], out[2], out[3]}
}

// divide divides the estimate of a total among its parts, so that they add up to it; the last one gets the remainder.
func divide(whole, estimate counts, parts []counts) []counts {
	out := make([]counts, len(parts))
	rest := estimate
	for i, p := range parts {
		share := counts{
			part(estimate.blocks, p.blocks, whole.blocks), part(estimate.bytes, p.bytes, whole.bytes),
			part(estimate.allBlocks, p.allBlocks, whole.allBlocks), part(estimate.allBytes, p.allBytes, whole.allBytes),
		}
		if i == len(parts)-1 {
			share = rest
		}
		out[i] = share
		rest.add(counts{-share.blocks, -share.bytes, -share.allBlocks, -share.allBytes})
	}
	return out
}

func part(estimate, part, whole int64) int64 {
	switch {
	case estimate == whole:
		return part
	case whole == 0:
		return 0
	}
	return truncate(float64(estimate) * (float64(part) / float64(whole)))
}
