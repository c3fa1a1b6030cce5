// Command memtui shows in a terminal where memory went.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/memtui/memtui/internal/cli"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	os.Exit(cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, IsTerminal: err == nil, Width: width, FullScreen: cli.FullScreen, Exit: os.Exit,
	}))
}
