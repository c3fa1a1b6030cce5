package themes

import (
	"math"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

func get(t *testing.T, name string) *Theme {
	t.Helper()
	theme, err := Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

func TestEveryThemeSetsEveryRole(t *testing.T) {
	for _, name := range Names() {
		theme := get(t, name)
		for r := range RoleCount {
			if !theme.specs.isSet[r] {
				t.Errorf("%s does not set %s", name, r)
			}
		}
		if theme.Name() != name || len(theme.Flames()) < 6 || len(theme.heat) < 3 {
			t.Errorf("%s: %d flame styles, %d of heat", theme.Name(), len(theme.flame), len(theme.heat))
		}
	}
}

func TestRoleNames(t *testing.T) {
	for r := range RoleCount {
		if got, ok := roleNamed(r.String()); !ok || got != r || strings.ContainsAny(r.String(), " =_") {
			t.Errorf("role %d is called %q and read back as %d", r, r, got)
		}
	}
	if RoleCount.String() != "unknown" {
		t.Error("there are more names than roles")
	}
}

// luminance is WCAG's relative luminance.
func luminance(c tcell.Color) float64 {
	r, g, b := linear(c)
	return 0.2126*r + 0.7152*g + 0.0722*b
}

func linear(c tcell.Color) (r, g, b float64) {
	x, y, z := c.RGB()
	f := func(v int32) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return f(x), f(y), f(z)
}

func contrast(s spec) float64 {
	a, b := luminance(s.fg), luminance(s.bg)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// text is every role that colors words; the others color lines, areas and grounds.
func textRoles() []Role {
	return []Role{Text, Muted, Title, StatusBar, Badge, Header, Accent, Selection, Unfocused, Cursor, RangeMark, Axis, Gain, Loss,
		Warning, Error, Note, Mark, GC, Match, FlameSelected, FlameRest, Input, Popup, HintKey, HintText, Focus, PeakMark}
}

func TestContrast(t *testing.T) {
	for name, least := range map[string]float64{"dark": 4.5, "light": 4.5, "high-contrast": 7, "color-blind": 4.5} {
		theme := get(t, name)
		check := func(what string, s spec, least float64) {
			t.Helper()
			if c := contrast(s); c < least {
				t.Errorf("%s: %s has a contrast of %.2f, want %.1f", name, what, c, least)
			}
		}
		for _, r := range textRoles() {
			check(r.String(), theme.parts[r], least)
		}
		for _, r := range []Role{Bar, Spark, ChartArea, ChartBand} {
			check(r.String(), theme.parts[r], 3)
		}
		for _, s := range theme.specs.flame {
			check("flame", s.on(theme.specs.roles[Text]), least)
		}
		// Words keep their color in the selected row, in a range and in a popup.
		for _, r := range []Role{Text, Muted, Accent, Gain, Loss, Warning, Note, Mark, GC} {
			for _, ground := range []Role{Selection, Unfocused, RangeMark, Popup, StatusBar} {
				if name == "high-contrast" && ground == StatusBar {
					continue // its own black on white
				}
				s := theme.parts[r]
				s.bg = theme.parts[ground].bg
				check(r.String()+" over "+ground.String(), s, 4.5)
			}
		}
	}
}

// seen is how a person without one kind of cone sees a color (Viénot, Brettel, Mollon 1999), in linear RGB.
func seen(c tcell.Color, deutan bool) [3]float64 {
	r, g, b := linear(c)
	if deutan {
		y := 0.29275*r + 0.70725*g
		return [3]float64{y, y, -0.02234*r + 0.02234*g + b}
	}
	y := 0.11238*r + 0.88762*g
	return [3]float64{y, y, 0.00401*r - 0.00401*g + b}
}

// lab is CIE L*a*b* of linear sRGB.
func lab(c [3]float64) [3]float64 {
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestColorBlindTellsGainFromLoss(t *testing.T) {
	theme := get(t, "color-blind")
	for _, pair := range [][2]Role{{Gain, Loss}, {Gain, Warning}, {Text, Loss}, {Text, Gain}} {
		for _, deutan := range []bool{false, true} {
			a, b := lab(seen(theme.parts[pair[0]].fg, deutan)), lab(seen(theme.parts[pair[1]].fg, deutan))
			d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
			if d < 40 {
				t.Errorf("%s and %s are only %.0f apart (deutan %v)", pair[0], pair[1], d, deutan)
			}
		}
	}
}

func TestMonoHasNoColor(t *testing.T) {
	theme := get(t, "mono")
	if theme.colors != 0 {
		t.Errorf("mono needs %d colors", theme.colors)
	}
	if get(t, "terminal16").colors != 8 {
		t.Errorf("terminal16 needs %d colors", get(t, "terminal16").colors)
	}
	if theme.Style(Selection) == theme.Style(Text) || theme.Style(Match) == theme.Style(Text) || theme.Style(Loss) == theme.Style(Gain) {
		t.Error("roles look the same without color")
	}
}

func TestHeat(t *testing.T) {
	for _, name := range Names() {
		theme := get(t, name)
		for _, v := range []float64{math.NaN(), math.Inf(-1), -1, 0} {
			if theme.Heat(v) != theme.heat[0] {
				t.Errorf("%s: Heat(%v) is not the least", name, v)
			}
		}
		for _, v := range []float64{1, 2, math.Inf(1)} {
			if theme.Heat(v) != theme.heat[len(theme.heat)-1] {
				t.Errorf("%s: Heat(%v) is not the most", name, v)
			}
		}
		if theme.colors < 256 {
			continue
		}
		ground := theme.parts[Text]
		for i, s := range theme.specs.heat {
			s = s.on(ground)
			if i > 0 {
				last := theme.specs.heat[i-1].on(ground)
				if contrast(s) <= contrast(last) {
					t.Errorf("%s: heat %d stands out less than %d", name, i, i-1)
				}
			}
		}
	}
}

func TestOver(t *testing.T) {
	dark := get(t, "dark")
	want := tcell.StyleDefault.Foreground(tcell.PaletteColor(114)).Background(tcell.PaletteColor(237)).Bold(true)
	if got := dark.Over(Gain, Selection); got != want {
		t.Errorf("a gain in the selected row is %+v", got)
	}
	if got := get(t, "mono").Over(Gain, Selection); got != tcell.StyleDefault.Bold(true).Reverse(true) {
		t.Errorf("without color it is %+v", got)
	}
}

func TestFlameUsesAllStyles(t *testing.T) {
	theme := get(t, "dark")
	used := map[tcell.Style]bool{}
	for h := range uint32(100) {
		used[theme.Flame(h)] = true
	}
	if theme.Flame(math.MaxUint32); len(used) < 6 {
		t.Errorf("only %d styles are used", len(used))
	}
}

func names(list []*Theme) string {
	var words []string
	for _, t := range list {
		words = append(words, t.Name())
	}
	return strings.Join(words, " ")
}

func TestUsableAndPick(t *testing.T) {
	mine, err := Load("mine", []Line{{1, "base", "terminal16"}, {2, "gain", "bright-green"}})
	if err != nil {
		t.Fatal(err)
	}
	night, err := Load("light", []Line{{1, "text", "#fff on #000"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		colors  int
		noColor bool
		want    string
	}{
		{1 << 24, false, "dark high-contrast color-blind terminal16 mono mine light"},
		{256, false, "dark high-contrast color-blind terminal16 mono mine light"},
		{88, false, "terminal16 mono mine"},
		{16, false, "terminal16 mono mine"},
		{8, false, "terminal16 mono"},
		{0, false, "mono"},
		{256, true, "mono"},
	} {
		if got := names(Usable(c.colors, c.noColor, mine, night)); got != c.want {
			t.Errorf("%d colors: %s, want %s", c.colors, got, c.want)
		}
		for name, want := range map[string]string{"": "", "auto": "", "high-contrast": "high-contrast", "mono": "mono", "mine": "mine"} {
			got, err := Pick(name, c.colors, c.noColor, mine, night)
			if !strings.Contains(c.want, name) || want == "" {
				want, _, _ = strings.Cut(c.want, " ")
			}
			if err != nil || got.Name() != want {
				t.Errorf("%d colors, %q: %v, %v; want %s", c.colors, name, got, err, want)
			}
		}
		if _, err := Pick("nope", c.colors, c.noColor, mine); err == nil {
			t.Errorf("%d colors: an unknown theme is accepted", c.colors)
		}
	}
	if got, err := Pick("light", 256, false, mine, night); err != nil || got != night {
		t.Errorf("the user's light theme is hidden by the built-in one: %v", err)
	}
}

// Without colors tcell reverses what has a dark foreground; nothing that Pick returns there may have one.
func TestNothingIsReversedByAccident(t *testing.T) {
	for _, name := range []string{"color-blind", "colour-blind"} { // the former spelling stays valid in users' files
		if got, err := Pick(name, 256, false); err != nil || got.Name() != "color-blind" {
			t.Errorf("%s is the theme %v, %v", name, got, err)
		}
		if got, err := Get(name); err != nil || got.Name() != "color-blind" {
			t.Errorf("%s is the built-in theme %v, %v", name, got, err)
		}
	}
	theme, err := Pick("light", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	for r, s := range theme.parts {
		if s.fg != tcell.ColorDefault || s.bg != tcell.ColorDefault {
			t.Errorf("%s has a color", Role(r))
		}
	}
}
