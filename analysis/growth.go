package analysis

import (
	"context"

	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// growthColumns is the number of columns that the growth of a trace is computed from.
const growthColumns = 4096

// Rise is how live bytes grow.
type Rise struct {
	PerSecond float64
	Freed     bool // most of what it added was freed at the end
}

// TraceGrowth returns how fast live bytes grow over a range, as verdicts see it: by the lower envelope on the clock of
// allocations, up to where the program begins to free everything. Of a complete run, it is at least the growth of the
// sites that leak: other memory that shrinks does not hide them. ok is false for a range without a duration.
func TraceGrowth(ctx context.Context, t Trace, r Range) (rise Rise, ok bool, err error) {
	columns, err := t.Chart(ctx, r, growthColumns)
	if err != nil || len(columns) == 0 {
		return Rise{}, false, err
	}
	parts := clockParts(columns)
	end := beforeTeardown(columns, parts)
	least, over := leastLevels(columns[:end], parts[:end])
	last, gained := &columns[len(columns)-1], verdict.Rise(&least)
	rise.Freed = float64(last.LastBytes) < gained/2
	rise.PerSecond, _ = rate(gained, over)
	ok = last.To > columns[0].From
	if r != FullRange {
		return rise, ok, nil
	}
	leak, late, err := leaksGrow(ctx, t)
	if leak+late > 0 {
		rise.Freed = late > leak
	}
	rise.PerSecond = max(rise.PerSecond, leak+late)
	return rise, ok, err
}

// leaksGrow returns how fast the sites grow that leak, and those that leaked until the program freed everything.
func leaksGrow(ctx context.Context, t Trace) (leak, late float64, err error) {
	sites, err := t.Verdicts(ctx, ByStack, "")
	for i := range sites {
		switch v := &sites[i]; v.Kind {
		case verdict.Leak:
			leak += v.Growth
		case verdict.Late:
			late += v.Growth
		}
	}
	return leak, late, err
}

// clockParts returns how much of the clock of verdicts each column is.
func clockParts(columns []Column) []uint64 {
	parts := AllocsIn(columns)
	if verdict.NewClock(parts).OfTime() {
		for i := range parts {
			parts[i] = min(parts[i], 1)
		}
	}
	return parts
}

// beforeTeardown returns the number of columns up to the highest level among the last ones by the clock, or before it
// where more follow. What is freed later is cleanup at exit.
func beforeTeardown(columns []Column, parts []uint64) int {
	all := sumOf(parts)
	peak, before := len(columns)-1, uint64(0)
	for i := range columns {
		if before += parts[i]; before < all-all/verdict.Windows {
			continue
		}
		if before-parts[i] < all-all/verdict.Windows || columns[i].MaxBytes > columns[peak].MaxBytes {
			peak = i
		}
	}
	if peak == len(columns)-1 {
		return len(columns)
	}
	return max(peak, 1)
}

// AllocsIn returns the number of allocations in each column.
func AllocsIn(columns []Column) []uint64 {
	n := make([]uint64, len(columns))
	for i := range columns {
		n[i] = columns[i].AllocCount
	}
	return n
}

func sumOf(parts []uint64) (n uint64) {
	for _, k := range parts {
		n += k
	}
	return n
}

// leastLevels returns the least live bytes in groups of columns that are equal by the clock, and the time that
// [verdict.Rise] is about. A column that is in several groups counts in each.
func leastLevels(columns []Column, parts []uint64) (least [verdict.Groups]float64, over model.Time) {
	all, before := max(sumOf(parts), 1), uint64(0)
	var begins [verdict.Groups]model.Time
	seen := -1
	for i := range columns {
		c := &columns[i]
		level := float64(min(c.MinBytes, c.LastBytes))
		first := min(before*verdict.Groups/all, verdict.Groups-1)
		last := max(first+1, ((before+parts[i])*verdict.Groups+all-1)/all)
		for g := int(first); g < int(last); g++ {
			if g > seen || level < least[g] {
				least[g] = level
			}
			if g > seen {
				begins[g], seen = c.From, g
			}
		}
		before += parts[i]
	}
	return least, begins[verdict.RisesTo] - begins[verdict.RisesFrom]
}

// Growth returns the rise per second of the lower envelope of values at ascending times. The envelope at a time is the
// least value from then on. Where there are enough values, it is as [verdict.Rise] says, else the mean from the first to
// the last. There are as many values as times. ok is false if all times are the same.
func Growth(times []model.Time, values []float64) (perSecond float64, ok bool) {
	n := len(values)
	if n == 0 {
		return 0, false
	}
	least := values[n-1]
	if n < verdict.Groups {
		for _, v := range values {
			least = min(least, v)
		}
		return rate(values[n-1]-least, times[n-1]-times[0])
	}
	var levels [verdict.Groups]float64
	beginning := func(group int) model.Time { return times[(group*n+verdict.Groups-1)/verdict.Groups] }
	for i, v := range values {
		g := i * verdict.Groups / n
		if i == 0 || (i-1)*verdict.Groups/n != g || v < levels[g] {
			levels[g] = v
		}
	}
	return rate(verdict.Rise(&levels), beginning(verdict.RisesTo)-beginning(verdict.RisesFrom))
}

// rate returns bytes per second; ok is false without a duration.
func rate(bytes float64, over model.Time) (perSecond float64, ok bool) {
	if over <= 0 {
		return 0, false
	}
	return bytes / float64(over) * float64(model.Second), true
}
