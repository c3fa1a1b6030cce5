package weights

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// pickParts is the number of parts in which samples are summed up in parallel. It does not depend on the machine, so
// sums of floats do not either.
const pickParts = 2

// fewChunks is the number of chunks below which parallel summing does not pay.
const fewChunks = 8

// pickSamples weights records by an event's samples with from <= time <= to: by their number, or by their periods.
func pickSamples(ctx context.Context, w *model.StackProfile, event uint16, counts bool, from, to model.Time) ([]float64, error) {
	var chunks []*model.SampleChunk
	for i := range w.Samples {
		if c := &w.Samples[i]; c.Len() > 0 && c.Last >= from && c.First <= to {
			chunks = append(chunks, c)
		}
	}
	n := pickParts
	if len(chunks) <= fewChunks {
		n = 1
	}
	parts := make([][]float64, n)
	var running sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range parts {
		running.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			parts[i] = make([]float64, w.Records.Len())
			for _, c := range chunks[i*len(chunks)/n : (i+1)*len(chunks)/n] {
				if ctx.Err() != nil {
					return
				}
				pickChunk(c, parts[i], event, counts, from, to)
			}
		})
	}
	running.Wait()
	sum := parts[0]
	for _, part := range parts[1:] {
		for r, v := range part {
			sum[r] += v
		}
	}
	return sum, ctx.Err()
}

// pickChunk sums up the samples of one chunk. This is a hot kernel.
func pickChunk(c *model.SampleChunk, picked []float64, event uint16, counts bool, from, to model.Time) {
	under := c.Under(event)
	all, inside := !slices.Contains(under, false), c.First >= from && c.Last <= to
	for k := range c.Len() {
		if !inside {
			if t := c.Time(k); t < from || t > to {
				continue
			}
		}
		if !all && !under[c.Label(k)] {
			continue
		}
		r := c.Record(k)
		switch {
		case r == model.NoRecord:
		case counts:
			picked[r]++
		default:
			picked[r] += c.Period(k)
		}
	}
}
