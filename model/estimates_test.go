package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAsEstimates(t *testing.T) {
	for text, want := range map[string]string{
		"55 blocks (227 KiB), 1 block live": "55 samples (~227 KiB), 1 sample live",
		"blocked by a blockade":             "blocked by a blockade",
		"":                                  "",
		"+3.09 MiB/s until the last frees":  "~+3.09 MiB/s until the last frees",
		"live 1,024 B 4 KiB 0 B":            "live ~1,024 B ~4 KiB 0 B",
		"64 KiB–128 KiB, 64–127 B, 12.5M (31.6 %)": "64 KiB–128 KiB, 64–127 B, ~12.5M (31.6 %)",
		"at 1.30 s for 262 µs":                     "at 1.30 s for 262 µs",
		"≤ 5.00 MiB":                               "≤ ~5.00 MiB",
	} {
		if got := AsEstimates(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestErrorText(t *testing.T) {
	for e, want := range map[float64]string{0: "±0 %", 0.001: "±<1 %", 0.123: "±12 %", 1: "±100 %"} {
		if got := ErrorText(e); got != want {
			t.Errorf("%v: %s", e, got)
		}
	}
}

// TestErrorOfSamples compares the stated error with how far sums of samples are off.
func TestErrorOfSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, s := range []Sampling{{Period: 64 << 10}, {Rate: 0.1}} {
		for _, size := range []float64{64, 3000, 64 << 10, 300 << 10} {
			const blocks, runs = 2000, 300
			chance := s.Rate
			if s.Period > 0 {
				chance = -math.Expm1(-size / float64(s.Period))
			}
			stated, squares := 0.0, 0.0
			for range runs {
				k := uint64(0)
				for range blocks {
					if random.Float64() < chance {
						k++
					}
				}
				sum := float64(k) * math.Round(size/chance)
				stated += s.Error(uint64(sum), k) / runs
				off := sum/(size*blocks) - 1
				squares += off * off / runs
			}
			if got := math.Sqrt(squares); differ(got, stated) && chance*blocks > 10 {
				t.Errorf("%+v, blocks of %v: off by %.4f, stated %.4f", s, size, got, stated)
			}
		}
	}
	if e := (Sampling{}).Error(1<<40, 4); e != 0.5 {
		t.Errorf("unknown chance: %v", e)
	}
	if e := (Sampling{Period: 1 << 16}).Error(100<<20, 1); e > 0.001 {
		t.Errorf("a block far above the period: %v", e)
	}
}

// differ reports whether two errors differ by more than a quarter.
func differ(a, b float64) bool { return math.Abs(a-b) > max(a, b)/4 }

func TestSizeOfASample(t *testing.T) {
	s := Sampling{Period: 64 << 10}
	for _, size := range []uint64{16, 64, 1000, 64 << 10, 1 << 20, 1 << 40} {
		weight := uint64(math.Round(float64(size) / -math.Expm1(-float64(size)/float64(s.Period))))
		if got, ok := s.Size(weight); !ok || max(got, size)-min(got, size) > 2 {
			t.Errorf("%d: %d %v", size, got, ok)
		}
	}
	if _, ok := (Sampling{Period: 64 << 10, Varies: true}).Size(1 << 20); ok {
		t.Error("a size is told although periods vary")
	}
	if size, ok := (Sampling{Rate: 0.1}).Size(1000); !ok || size != 100 {
		t.Error(size, ok)
	}
}
