package cli

import (
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/keymap"
)

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
