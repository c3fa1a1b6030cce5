package cli

import (
	"testing"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/memory"
)

// TestTheSystemLiftsNoLimits opens a file where the system's limit, the user's or both hold: only the user says what
// may be read of a file that means far more than its size.
func TestTheSystemLiftsNoLimits(t *testing.T) {
	for _, tt := range []struct{ own, system, want int64 }{{0, 0, 0}, {0, 1 << 30, 0}, {1 << 20, 1 << 30, 1 << 20}, {1 << 40, 1 << 30, 1 << 30}} {
		a := &app{flags: &globals{MaxMemory: arg.Bytes(tt.own)}, budget: memory.NewBudget(tt.own, tt.system)}
		src, _, err := a.source(t.Context(), sample)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if got := src.Allowed(); got != tt.want {
			t.Errorf("--max-memory %d where the system allows %d: files may mean %d", tt.own, tt.system, got)
		}
	}
}
