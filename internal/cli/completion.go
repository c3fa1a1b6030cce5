package cli

import (
	"io"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/manual"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script that completes commands, flags, their values, and files; all from the grammar itself.
func (c *completionCmd) Run(a *app) error {
	write := map[string]func(io.Writer, manual.Grammar){"bash": manual.Bash, "zsh": manual.Zsh, "fish": manual.Fish}[c.Shell]
	write(a.out, a.grammar())
	return nil
}

type manCmd struct{}

// Run prints the manual page.
func (c *manCmd) Run(a *app) error {
	manual.Man(a.out, a.grammar(), exitStatuses())
	return nil
}

// grammar is the whole command line with the flags of each command.
func (a *app) grammar() manual.Grammar {
	app := a.parser.Model
	return manual.Grammar{Application: app, Shared: func(command *kong.Node) []*kong.Flag { return sharedFlags(app, command) }}
}
