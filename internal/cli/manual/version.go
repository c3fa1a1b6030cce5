package manual

import (
	"runtime"
	"runtime/debug"
)

// Build describes the program.
type Build struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"` // of the source, with "+" when it was changed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Version returns what the Go tool recorded in the binary.
func Version() Build {
	v := Build{Schema: "memtui.version/1", Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
