package cli

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/keymap"
)

type versionCmd struct{}

// Run prints the version as the Go tool recorded it in the binary.
func (c *versionCmd) Run(a *app) error {
	if err := a.formats("version", "text", "json"); err != nil {
		return err
	}
	v := manual.Version()
	if a.flags.Format == "json" {
		return report.WriteJSON(a.out, v)
	}
	rev := ""
	if v.Revision != "" {
		rev = " (" + v.Revision + ")"
	}
	_, err := fmt.Fprintf(a.out, "memtui %s%s %s %s\n", v.Version, rev, v.Go, v.Platform)
	return err
}

type keysCmd struct{}

type keysObject struct {
	Schema string          `json:"schema"`
	Keys   []keymap.Record `json:"keys"`
}

// Run prints the table of keys, with the user's own bindings.
func (c *keysCmd) Run(a *app) error {
	if err := a.formats("keys", "text", "markdown", "json"); err != nil {
		return err
	}
	switch a.flags.Format {
	case "json":
		return report.WriteJSON(a.out, keysObject{"memtui.keys/1", a.keys.Records()})
	case "markdown":
		return a.keys.WriteMarkdown(a.out)
	default:
		return a.keys.WriteText(a.out)
	}
}

type guideCmd struct{}

// Run prints a short guide for scripts and automated callers. Commands, arguments, flags and their help are the
// grammar's own.
func (c *guideCmd) Run(a *app) error {
	if err := a.formats("guide", "text", "markdown", "json"); err != nil {
		return err
	}
	g := manual.NewGuide(a.grammar())
	switch a.flags.Format {
	case "json":
		return report.WriteJSON(a.out, g)
	case "markdown":
		g.WriteMarkdown(a.out)
	default:
		g.WriteText(a.out)
	}
	return nil
}

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
	manual.Man(a.out, a.grammar(), manual.ExitStatuses())
	return nil
}

// grammar returns the complete command line with the flags of each command.
func (a *app) grammar() manual.Grammar {
	app := a.parser.Model
	return manual.Grammar{Application: app, Shared: func(command *kong.Node) []*kong.Flag { return sharedFlags(app, command) }}
}
