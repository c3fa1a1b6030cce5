package arg

import (
	"fmt"
	"math"
	"strconv"

	"github.com/memtui/memtui/model"
)

// Sample chooses what is recorded: a block about every so many bytes, or more rarely where they come fast, or each block
// with a chance. The zero one is every event.
type Sample struct {
	Bytes int64
	Adapt bool // Bytes is the least distance
	Rate  float64
}

// IsRate reports whether each block has the same chance.
func (s Sample) IsRate() bool { return s.Rate > 0 }

// leastSample is the distance of samples where blocks come slowly.
const leastSample = 4 << 10

// smallestSample is the least distance: less is meant to be a rate.
const smallestSample = 16

// UnmarshalText reads a size, a rate below 1, or the word all.
func (s *Sample) UnmarshalText(text []byte) error {
	*s = Sample{}
	switch string(text) {
	case "all":
		return nil
	case "auto":
		*s = Sample{Bytes: leastSample, Adapt: true}
		return nil
	}
	if rate, err := strconv.ParseFloat(string(text), 64); err == nil && rate <= 1 {
		if !(rate > 0) {
			return fmt.Errorf("invalid rate %q: it must be above 0", text)
		}
		if rate < 1 {
			s.Rate = rate
		}
		return nil
	}
	n, err := model.ParseSize(string(text))
	if err == nil && n < smallestSample {
		return fmt.Errorf("invalid sampling %q: a rate is at most 1, a size at least %d bytes", text, smallestSample)
	}
	if err != nil {
		return fmt.Errorf("invalid sampling %q: a size such as 512KiB, a rate such as 0.1, auto or all", text)
	}
	s.Bytes = int64(min(n, math.MaxInt64/2))
	return nil
}
