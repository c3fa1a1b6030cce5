package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
)

// TestInterruptDoesNotWait interrupts a command that is in the middle of something that cannot listen.
func TestInterruptDoesNotWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	busy := make(chan struct{})
	defer close(busy)
	var said strings.Builder
	status := Main(ctx, Env{Args: []string{"keys"}, Stdout: io.Discard, Stderr: &said, Getenv: func(string) string {
		cancel()
		<-busy
		return ""
	}})
	if status != fail.StatusSignal || !strings.Contains(said.String(), "interrupted") {
		t.Errorf("status %d: %q", status, said.String())
	}
}

func TestInterruptRemovesUnfinishedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".out.1")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var e ending
	e.begin(path)
	e.removeUnfinished()
	if _, err := os.Stat(path); err == nil {
		t.Error("an unfinished file is left behind")
	}
}
