package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/memtui/memtui/export/report"
)

type versionCmd struct{}

type versionObject struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"` // of the source, with "+" when it was changed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run prints the version as the Go tool recorded it in the binary.
func (c *versionCmd) Run(a *app) error {
	if err := a.formats("version", "text", "json"); err != nil {
		return err
	}
	v := version()
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

func version() versionObject {
	v := versionObject{Schema: "memtui.version/1", Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v.Revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if v.Revision != "" {
		v.Revision += changed
	}
	return v
}
