package diff

import (
	"math"

	"github.com/memtui/memtui/model"
)

// Drawn states how the figures of a side are estimated from samples.
type Drawn struct {
	by     model.Sampling
	counts bool // the compared figure is a number of samples, not bytes
	scaled bool // counts of rows are estimated, too; otherwise they are those of samples
	blocks bool // the compared figure is such a count; rows have the sizes
}

// weight is what a row weighs on a side.
type weight struct{ bytes, count float64 }

// samples returns how many samples a row has.
func (d *Drawn) samples(of weight) float64 {
	switch {
	case of.count <= 0:
		return 0
	case d.scaled:
		_, chance := d.by.Sample(of.bytes / of.count)
		return of.count * chance
	}
	return of.count
}

// each returns what one of the samples of a row represents, and the chance of its block to be one.
func (d *Drawn) each(of weight, samples float64) (bytes, chance float64) {
	switch {
	case d.counts:
		return 1, 0
	case d.blocks: // in place of bytes
		return of.count / samples, samples / of.count
	}
	bytes = of.bytes / samples
	return bytes, d.by.Chance(bytes)
}

// one returns the same for a row without samples, of which the other side has something.
func (d *Drawn) one(other weight, by *Drawn) (bytes, chance float64) {
	if by != nil {
		return by.each(other, max(by.samples(other), 1))
	}
	if d.by == (model.Sampling{}) {
		return other.bytes, 0 // the only one that was missed may represent all
	}
	return d.by.Sample(other.bytes / max(other.count, 1))
}

// spread returns the variance of the bytes of a row on a side, next to those of the other side, which by estimated; it
// is nil if they are exact. What is on neither side has none.
//
// It is the square of [model.Sampling.Error] in bytes, with two additions for few samples, which understate it: between
// two sides that are sampled each has one more; next to an exact side it has at least as many as that makes expect.
func (d *Drawn) spread(own, other weight, by *Drawn) float64 {
	if own.bytes <= 0 && other.bytes <= 0 {
		return 0
	}
	n := d.samples(own)
	each, chance := d.one(other, by)
	if n > 0 {
		each, chance = d.each(own, n)
	}
	if by != nil {
		n++
	} else if each > 0 {
		n = max(n, other.bytes/each)
	}
	return each * each * (1 - chance) * n
}

// plain returns the same without what few samples add, which is too much in a sum of many rows. What was missed of an
// exact side counts nevertheless.
func (d *Drawn) plain(own, other weight, by *Drawn) float64 {
	n := d.samples(own)
	switch {
	case n > 0:
		each, chance := d.each(own, n)
		return each * each * (1 - chance) * n
	case by == nil:
		return d.spread(own, other, by)
	}
	return 0
}

// deviations is how many standard errors 19 of 20 estimates are off at most.
const deviations = 1.96

// off returns how far a figure is off at most in 19 of 20 cases, by its variance.
func off(variance float64) uint64 {
	if e := math.Ceil(deviations * math.Sqrt(variance)); e < math.MaxUint64 {
		return uint64(e)
	}
	return math.MaxUint64
}

// known reports whether errors can be computed for the changes of rows. Numbers of samples are comparable only if both
// sides were sampled the same way, and estimated numbers of blocks only with each other; of two places in one profile it is unknown which samples are in both.
func (c *Comparison) known() bool {
	a, b := c.Before, c.After
	switch {
	case !a.Estimated && !b.Estimated, a.Estimated && a.Drawn == nil, b.Estimated && b.Drawn == nil:
		return false
	case a.File == b.File && a.File != "" && (a.Estimated && a.Drawn.scaled || b.Estimated && b.Drawn.scaled):
		return false
	case a.Estimated && a.Drawn.blocks, b.Estimated && b.Drawn.blocks:
		return a.Estimated && b.Estimated && a.Drawn.blocks && b.Drawn.blocks
	case a.Estimated && a.Drawn.counts, b.Estimated && b.Drawn.counts:
		return a.Estimated && b.Estimated && *a.Drawn == *b.Drawn
	}
	return true
}

// unlike reports whether the sides count different things: samples, those of another chance, or blocks.
func (c *Comparison) unlike() bool {
	for _, d := range c.drawn() {
		if d != nil && d.counts {
			return !c.Errors
		}
	}
	return false
}

// drawn returns how the figures of both sides were estimated, nil for exact ones.
func (c *Comparison) drawn() (by [2]*Drawn) {
	for i, s := range []*Side{c.Before, c.After} {
		if s.Estimated {
			by[i] = s.Drawn
		}
	}
	return by
}

// measure computes how far the changes of rows, and of the totals, are off by sampling. Figures are scaled already.
func (c *Comparison) measure() {
	if c.Errors = c.known(); !c.Errors {
		return
	}
	sum := 0.0
	for i := range c.Rows {
		r := &c.Rows[i]
		spread, plain := c.spreads(r)
		r.Error = off(spread)
		sum += plain
	}
	if sum == 0 || c.Before.nested || c.After.nested { // rows overlap, or tell nothing
		sum, _ = c.spreads(&Row{Figures: c.Totals, both: c.Before.both})
	}
	c.TotalError = off(sum)
}

// spreads returns the variance of the change of a row, and the same without what few samples add.
func (c *Comparison) spreads(r *Row) (spread, plain float64) {
	by, factor := c.drawn(), c.Factor()
	own := r.weights(factor)
	for side, d := range by {
		if d != nil && d.blocks {
			own[side].bytes = float64(r.sizes[side])
		}
	}
	for side, d := range by {
		if d == nil {
			continue
		}
		scale := 1.0 // of figures of the side
		if side == 0 {
			scale = factor
		}
		other := own[1-side].times(factor / scale / scale) // as if it were of the side
		spread += scale * scale * d.spread(own[side], other, by[1-side])
		plain += scale * scale * d.plain(own[side], other, by[1-side])
	}
	return spread, plain
}

// times returns a weight scaled by a factor.
func (w weight) times(factor float64) weight { return weight{w.bytes * factor, w.count * factor} }

// weights returns the weights of a row on both sides as they are in the files, without what is in both.
func (r *Row) weights(factor float64) [2]weight {
	before := weight{float64(r.BeforeBytes), float64(r.BeforeCount)}.times(1 / factor)
	after := weight{float64(r.AfterBytes), float64(r.AfterCount)}
	for _, w := range []*weight{&before, &after} {
		w.bytes, w.count = max(w.bytes-float64(r.both.bytes), 0), max(w.count-float64(r.both.count), 0)
	}
	return [2]weight{before, after}
}

// Within reports whether a row changed by no more than the error of sampling, so that it may not have changed at all.
func (r *Row) Within() bool { return r.Change() > 0 && r.Change() <= r.Error }

// Became returns what became of a row in a word or two for people.
func (r *Row) Became() string {
	if r.Within() {
		return WithinError
	}
	return r.Status.String()
}

// WithinError is what became of a row whose change does not exceed the error of sampling.
const WithinError = "within ±"

// within reports whether the total changed by no more than the error of sampling.
func (c *Comparison) within() bool {
	return distance(c.Totals.BeforeBytes, c.Totals.AfterBytes) <= c.TotalError
}

// ErrorText returns an error with its sign, out of an amount of memory that may be marked as an estimate.
func ErrorText(amount string) string { return "±" + model.Unmarked(amount) }

// ErrorNote returns what errors mean, and how many rows changed by more, or that they are unknown; "" if both sides are
// exact, or no row changed.
func (c *Comparison) ErrorNote() string {
	switch {
	case !c.Before.Estimated && !c.After.Estimated, c.beyond+c.Within == 0:
		return ""
	case !c.Errors:
		return "differences may be due to sampling: by how much they may be off is unknown"
	}
	return "±: by how much a difference may be off by sampling, in 19 of 20 cases; exceeded by " +
		model.Group(uint64(c.beyond)) + " of " + model.Counted(c.beyond+c.Within, "difference")
}
