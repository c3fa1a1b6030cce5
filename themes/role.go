// Package themes maps meanings to styles. Views name roles, never colors; a theme gives every role a style. Color is
// never the only indication: views add a glyph or a word, and mono has no color at all.
//
// The built-in themes use the 240 fixed colors of 256-color terminals, so that they look the same with and without true
// color, their contrast can be computed, and a style costs a third fewer bytes than an RGB one.
package themes

// Role is the meaning of something on the screen.
type Role uint8

const (
	Text          Role = iota // data; its background is that of the complete screen
	Muted                     // labels, units, what can be overlooked
	Title                     // titles of panes, with the answer in them
	StatusBar                 // first line: file, screen, instant
	Badge                     // in the status bar: partial, damaged
	Header                    // column heads
	Rule                      // thin lines and frames
	Focus                     // rule and title of the focused pane
	Accent                    // the most important thing
	Selection                 // the selected row of the focused pane
	Unfocused                 // the selected row of another pane
	Cursor                    // the column of the instant in a chart
	RangeMark                 // background of the selected range in a chart
	Bar                       // bars in tables
	Spark                     // sparklines in tables
	ChartArea                 // filled area below the curve
	ChartBand                 // between the smallest and the largest value of a column
	Axis                      // axes, ticks and their labels
	PeakMark                  // the position of the peak
	Gain                      // grew, more
	Loss                      // leaked, lost; undesirable
	Warning                   // uncertain
	Error                     // broken
	Note                      // explanation
	Mark                      // a marker of the program under test
	GC                        // a collection
	Match                     // matched text, matching frames of a flame graph
	FlameSelected             // the selected frame of a flame graph
	FlameRest                 // frames too narrow to show, merged
	Input                     // the line being typed
	Popup                     // text of overlays
	HintKey                   // footer: the key
	HintText                  // footer: what it does
	RoleCount
)

// String returns the role's name in config files.
func (r Role) String() string {
	names := [...]string{"text", "muted", "title", "status-bar", "badge", "header", "rule", "focus", "accent", "selection",
		"unfocused", "cursor", "range", "bar", "spark", "chart-area", "chart-band", "axis", "peak", "gain", "loss", "warning",
		"error", "note", "mark", "gc", "match", "flame-selected", "flame-rest", "input", "popup", "hint-key", "hint-text"}
	if int(r) < len(names) {
		return names[r]
	}
	return "unknown"
}

// roleNamed finds a role by its name.
func roleNamed(name string) (Role, bool) {
	for r := range RoleCount {
		if r.String() == name {
			return r, true
		}
	}
	return 0, false
}
