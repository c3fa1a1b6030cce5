package places

import (
	"math"

	"github.com/memtui/memtui/model"
)

// Sure is how certain a verdict is, 0 … 1.
type Sure float64

// NewSure returns a confidence in steps of a thousandth.
func NewSure(confidence float64) Sure { return Sure(math.Round(1000*confidence) / 1000) }

// String returns the certainty in percent, "" for nil.
func (s *Sure) String() string {
	if s == nil {
		return ""
	}
	return model.Share(*s).Certainty()
}

// Part returns the certainty, nil for nil.
func (s *Sure) Part() any {
	if s == nil {
		return nil
	}
	return float64(*s)
}
