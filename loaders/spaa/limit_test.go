package spaa

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// A file whose only line is longer than a limit allows is refused for the limit, not as damaged.
func TestLineBeyondTheLimitIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.spaa")
	line := `{"type": "sample", "id": 1, "ev": 1, "stack": [` + strings.Repeat("1, ", 4<<20) + "1]}\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := model.WithBudget(t.Context(), model.NewBudget(16<<20))
	src, err := loaders.OpenSource(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	err = load(ctx, src, loaders.Options{}, &model.Store{})
	if err == nil || !strings.Contains(err.Error(), "--max-memory") {
		t.Errorf("%v", err)
	}
}
