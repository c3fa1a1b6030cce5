package views_test

import (
	"bytes"
	"testing"

	"github.com/memtui/memtui/internal/cli"
	"github.com/memtui/memtui/views"
)

func init() {
	views.RunCommand = func(t testing.TB, args ...string) (status int, stdout, stderr string) {
		var out, errs bytes.Buffer
		status = cli.Main(t.Context(), cli.Env{Args: args, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
		return status, out.String(), errs.String()
	}
}
