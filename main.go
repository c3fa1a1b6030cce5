// Command memtui shows in a terminal where memory went.
package main

import (
	"context"
	"os"

	"github.com/memtui/memtui/internal/cli"
	"github.com/memtui/memtui/internal/cli/screen"
	"golang.org/x/term"
)

func main() {
	if cli.Guard() {
		return
	}
	ctx := cli.Signals(context.Background())
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	os.Exit(cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, IsTerminal: err == nil, Width: width, FullScreen: screen.Run, Opening: screen.RunOpening,
		Fleet: screen.RunFleet, Exit: os.Exit, Watched: cli.Watched,
	}))
}
