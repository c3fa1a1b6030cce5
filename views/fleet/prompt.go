package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// prompt is one line being typed in place of the footer, with what it may be above it.
type prompt struct {
	widget.Input
	typed  func(text string)            // after every change that passes check; may be nil
	accept func(text string) error      // on Enter; an error is shown and typing goes on
	cancel func()                       // on Esc; may be nil
	check  func(text string) error      // nil for none
	offers func(text string) []proposal // may be nil
}

// proposal is a text that may be meant.
type proposal struct{ text, help string }

// changed reports a changed text.
func (p *prompt) changed() {
	p.Problem = ""
	if p.check != nil {
		if err := p.check(p.Text()); err != nil {
			p.Problem = err.Error()
			return
		}
	}
	if p.typed != nil {
		p.typed(p.Text())
	}
}

// mostOffered is the most texts that are listed above the line.
const mostOffered = 12

// firstOffered returns at most n proposals, the last of which is how many more there are.
func firstOffered(list []proposal, n int) []proposal {
	if len(list) <= n || n == 0 {
		return list[:min(len(list), n)]
	}
	more := proposal{model.Group(uint64(len(list)-n+1)) + " more: type a part of the name", ""}
	return append(slices.Clone(list[:n-1]), more)
}

func (p *prompt) draw(s tcell.Screen, r widget.Rect, k *widget.Look, st tcell.Style) {
	look := *k
	look.Text = st
	if p.offers != nil {
		list := p.offers(p.Text())
		list = firstOffered(list, min(mostOffered, max(r.Y-3, 0)))
		box := widget.Rect{X: r.X, Y: r.Y - len(list), W: r.W, H: len(list)}
		widget.Fill(s, box, k.Box)
		in := k.InBox()
		for i, o := range list {
			const names = 30
			if o.help == "" {
				widget.Print(s, box.X+1, box.Y+i, box.W-2, o.text, in.Text)
				continue
			}
			widget.Print(s, box.X+1, box.Y+i, names, o.text, in.Text)
			widget.Print(s, box.X+2+names, box.Y+i, box.W-names-3, o.help, in.Muted)
		}
	}
	widget.Fill(s, r, st)
	p.Input.Draw(s, r, &look)
}

// ask shows a prompt.
func (a *app) ask(p *prompt, label, hint, text string) {
	p.Prompt, p.Hint = label, hint
	p.SetText(text)
	a.prompt = p
}

// typeKey passes a key to the prompt.
func (a *app) typeKey(ev *tcell.EventKey) {
	p := a.prompt
	ev, act := a.EditKey(ev)
	if act != "" {
		a.doProgram(act)
	}
	if ev == nil {
		return
	}
	if ev.Key() == tcell.KeyTab && p.offers != nil {
		p.complete()
		return
	}
	switch p.Key(ev) {
	case widget.InputChanged:
		p.changed()
	case widget.InputAccepted:
		if err := p.accept(p.Text()); err != nil {
			p.Problem = model.Clean(err.Error())
			return
		}
		if a.prompt == p {
			a.prompt = nil
		}
	case widget.InputCanceled:
		a.prompt = nil
		if p.cancel != nil {
			p.cancel()
		}
	}
}

// complete extends the text as far as all proposals that begin with it agree.
func (p *prompt) complete() {
	text, same := p.Text(), ""
	for _, o := range p.offers(text) {
		switch {
		case !strings.HasPrefix(o.text, text):
		case same == "":
			same = o.text
		default:
			same = same[:common(same, o.text)]
		}
	}
	if len(same) > len(text) {
		p.SetText(strings.ToValidUTF8(same, ""))
		p.changed()
	}
}

// common returns how many bytes two texts begin with in common.
func common(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// command is what can be typed after the colon.
type command struct {
	name, argument, help string
	column               string // of [Fleet.Names], whose names it takes
	values               []string
	site                 bool // it takes a site
	set                  func(v *view, text string)
}

// commands returns what can be typed, in the order in which it is listed.
func commands() []command {
	figures, whats := []string{}, []string{}
	for _, f := range fleet.Figures() {
		figures = append(figures, strings.TrimSuffix(string(f), "_bytes"))
	}
	for _, w := range fleet.Whats() {
		whats = append(whats, string(w))
	}
	return []command{
		{name: "service", argument: "NAME", help: "Only recordings of this service; without a name, of all.", column: "service",
			set: func(v *view, text string) { v.service = text }},
		{name: "version", argument: "NAME", help: "Only recordings of this version.", column: "version",
			set: func(v *view, text string) { v.version = text }},
		{name: "host", argument: "NAME", help: "Only recordings of this host.", column: "host",
			set: func(v *view, text string) { v.host = text }},
		{name: "label", argument: "KEY=VALUE", help: "Only recordings with this label, and those given before.", column: fleet.Labels,
			set: func(v *view, text string) { v.labels = strings.TrimPrefix(v.labels+"\n"+text, "\n") }},
		{name: "site", argument: "NAME", site: true, help: "Only this site, on every screen: its STACK, or the name of its function, or the beginning of that.",
			set: func(v *view, text string) { v.site, v.siteName = text, model.Clean(text) }},
		{name: "before", argument: "VERSION", help: "The older version of Changes.", column: "version",
			set: func(v *view, text string) { v.before, v.kind = text, fleet.Diff }},
		{name: "after", argument: "VERSION", help: "The newer version of Changes.", column: "version",
			set: func(v *view, text string) { v.after, v.kind = text, fleet.Diff }},
		{name: "figure", argument: "NAME", help: "What is counted: leaked, live, peak or alloc.", values: figures,
			set: func(v *view, text string) { v.figure, _ = fleet.FigureNamed(text) }},
		{name: "what", argument: "NAME", help: "What is asked about: sites, owners, leaks, types or pages.", values: whats,
			set: func(v *view, text string) { v.what, v.site, v.siteName = fleet.What(text), "", "" }},
		{name: "all-versions", help: "A host counts by the largest of its versions, or again by its newest recording.",
			set: func(v *view, _ string) { v.all = !v.all }},
		{name: "clear", help: "All recordings again.",
			set: func(v *view, _ string) { *v = view{kind: v.kind, what: v.what, figure: v.figure} }},
	}
}

// askCommand asks for a command.
func (a *app) askCommand() {
	a.ask(&prompt{accept: a.run, offers: a.offers}, ":", a.Hint("what to ask; {input.complete} completes, {input.accept} asks"), "")
}

// offers lists what a typed command may be.
func (a *app) offers(text string) (list []proposal) {
	name, argument, typed := strings.Cut(strings.TrimLeft(text, " "), " ")
	for _, c := range commands() {
		switch {
		case !typed && strings.HasPrefix(c.name, name):
			list = append(list, proposal{strings.TrimSpace(c.name + " " + c.argument), c.help})
		case typed && c.name == name:
			values := slices.DeleteFunc(slices.Clone(a.valuesOf(&c)), func(v string) bool {
				return !strings.Contains(strings.ToLower(v), strings.ToLower(argument))
			})
			for _, v := range likest(values, argument) {
				list = append(list, proposal{name + " " + v, ""})
			}
			if len(list) == 0 {
				list = append(list, proposal{c.name + " " + c.argument, c.help})
			}
		}
	}
	if !typed {
		list = append(list, a.others(name)...)
	}
	return list
}

// likest sorts names that have a text: those that begin with it first, in the order in which they were.
func likest(names []string, text string) []string {
	within := func(name string) int {
		return cmp.Compare(strings.Index(strings.ToLower(name), strings.ToLower(text)), 0)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(within(a), within(b)) })
	return names
}

// others lists screens and the actions of the program that a name may mean.
func (a *app) others(name string) (list []proposal) {
	for _, k := range screens() {
		if word := strings.ToLower(nameOf(k)); strings.HasPrefix(word, name) {
			list = append(list, proposal{word, "Go to this screen."})
		}
	}
	for _, e := range a.Keys.Actions(keymap.ScopeFleet, keymap.ScopeTable, keymap.ScopeGlobal) {
		if works(e.Action) && name != "" && strings.HasPrefix(string(e.Action), name) {
			list = append(list, proposal{string(e.Action), e.Help})
		}
	}
	return list
}

// valuesOf returns the values that a command takes, as far as they are known.
func (a *app) valuesOf(c *command) (list []string) {
	switch {
	case c.site:
		for _, p := range a.placesNow() {
			list = append(list, model.Clean(p.String()))
		}
		return list
	case c.column == "":
		return c.values
	}
	z := a.names[c.column]
	if z == nil {
		z = ui.NewLazy(&a.Env, func(ctx context.Context, column string) ([]string, error) { return a.o.Fleet.Names(ctx, column) })
		a.names[c.column] = z
	}
	z.Ask(c.column)
	list, _ = z.Get()
	return list
}

// placesNow returns the names of all things that the screens are about, none until they are known. Those on screen are
// first, with the most first.
func (a *app) placesNow() []fleet.Place {
	a.places.Ask(a.now.what)
	all, ok := a.places.Get()
	if !ok || !a.places.Fresh() {
		return nil
	}
	var shown []fleet.Place
	if d, ok := a.page().lazy.Get(); ok && d.of.what == a.now.what {
		for i := range d.rows {
			shown = append(shown, d.rows[i].place)
		}
	}
	return fleet.Leading(shown, all)
}

// siteNamed returns the site that a typed name means. Until all are known, it is taken as it is, and the answer says
// whether there is one.
func (a *app) siteNamed(typed string) (string, error) {
	_, isKey := fleet.KeyOf(typed)
	all := a.placesNow()
	if typed == "" || isKey && a.now.what.Stacks() || all == nil {
		return typed, nil
	}
	return a.now.what.Site(typed, all)
}

// run performs a typed command.
func (a *app) run(text string) error {
	name, argument, _ := strings.Cut(strings.TrimSpace(text), " ")
	argument = strings.TrimSpace(argument)
	if name == "" {
		return nil
	}
	if name == string(keymap.Save) && argument != "" {
		return a.save(argument)
	}
	for _, k := range screens() {
		if strings.ToLower(nameOf(k)) == name {
			a.goTo(k)
			return nil
		}
	}
	for _, c := range commands() {
		if c.name == name {
			return a.command(&c, argument)
		}
	}
	for _, e := range a.Keys.Actions(keymap.ScopeFleet, keymap.ScopeTable, keymap.ScopeGlobal) {
		if string(e.Action) == name && works(e.Action) {
			a.prompt = nil
			a.do(e.Action)
			return nil
		}
	}
	return fmt.Errorf("there is no command %q", name)
}

// command changes what is queried.
func (a *app) command(c *command, argument string) error {
	known := a.valuesOf(c)
	if c.site {
		var err error
		if argument, err = a.siteNamed(argument); err != nil {
			return err
		}
		known = nil
	}
	switch {
	case argument == "" && len(c.values) > 0:
		return errors.New("one of " + strings.Join(c.values, ", "))
	case argument != "" && len(known) > 0 && !slices.Contains(known, argument):
		return fmt.Errorf("the fleet has no %s %q", c.name, argument)
	case argument != "" && c.argument == "":
		return fmt.Errorf("no name follows %s", c.name)
	case c.column == fleet.Labels && argument != "" && !strings.Contains(argument, "="):
		return errors.New("write KEY=VALUE")
	}
	to := a.now
	if c.column == fleet.Labels && argument == "" {
		to.labels = ""
	} else {
		c.set(&to, argument)
	}
	a.visit(to)
	return nil
}

// askSave asks where to save the answer.
func (a *app) askSave() {
	name := "fleet-" + strings.ToLower(nameOf(a.now.kind)) + ".txt"
	p := &prompt{accept: a.save}
	p.Beside = true
	a.ask(p, "save: ", ".txt .md .csv .json .html", name)
}

// restrictionList lists what is kept only.
type restrictionList struct {
	app  *app
	list widget.List
}

func newRestrictionList(a *app) *restrictionList {
	v := &restrictionList{app: a}
	v.list = widget.List{Table: v, SortColumn: -1, Column: -1, HideHeader: true, Focused: true,
		Columns: []widget.Column{{Width: 12}, {Width: 20, Grow: 1}}, Empty: []string{"All recordings count: nothing is left out."}}
	return v
}

// Len, ID and Cell implement [widget.Table].
func (v *restrictionList) Len() int { return len(v.app.now.restrictions()) }

func (v *restrictionList) ID(row int) uint64 { return uint64(row) }

func (v *restrictionList) Cell(row, col int) widget.Cell {
	r := v.app.now.restrictions()[row]
	if col == 0 {
		return widget.Cell{Text: r.label, Style: v.app.Look.InBox().Muted}
	}
	return widget.Cell{Text: r.value}
}

// Draw implements [ui.Overlay], as do the methods below.
func (v *restrictionList) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := ui.OverlayBox(s, r, 80, max(v.Len(), 1)+4, k, "Only these recordings count")
	list, hint := in.CutBottom(1)
	v.list.Draw(s, list, k.InBox())
	widget.Print(s, hint.X, hint.Y, hint.W, v.app.Hint("{open} removes one, {back} closes"), k.InBox().Muted)
}

func (v *restrictionList) Scopes() []keymap.Scope { return nil }

func (v *restrictionList) Key(*tcell.EventKey) bool { return false }

func (v *restrictionList) Do(act keymap.Action) bool {
	if act != keymap.Open {
		return ui.MoveList(&v.list, act)
	}
	if row, ok := v.list.Selected(); ok {
		to := v.app.now
		list := to.restrictions()
		list[row].drop(&to)
		v.app.visit(to)
		v.list.Refresh()
	}
	return true
}

// newHelp describes the screens, their keys and what figures mean.
func (a *app) newHelp() *textView {
	k := a.Look.InBox()
	lines := []widget.Line{}
	heading := func(text string) {
		if len(lines) > 0 {
			lines = append(lines, widget.Line{})
		}
		lines = append(lines, widget.Line{Spans: []widget.Span{{Text: text, Style: k.Title}}})
	}
	const width = 16
	item := func(keys, help string) {
		lines = append(lines, widget.Line{Indent: width, Spans: []widget.Span{
			{Text: keys + strings.Repeat(" ", max(width-widget.Width(keys), 1)), Style: k.Sorted}, {Text: help}}})
	}
	heading("Screens")
	for i, s := range []string{
		"What allocates most over all hosts: sum, median and 95th percentile of the hosts that have it, and how many these are.",
		"What a host of the newer version has more than one of the version before, on average.",
		"Hosts by their distance from the median host of their service, as robust z: those far from it first.",
		"How a service, or the chosen site, changes from version to version.",
		"Services, or those that share the chosen site.",
		a.Hint("Recordings with what each has, in all or at the chosen site. {open} opens the file."),
	} {
		item(fmt.Sprintf("%d %s", i+1, nameOf(screens()[i])), s)
	}
	for _, s := range a.Keys.Help(keymap.ScopeFleet, keymap.ScopeTable, keymap.ScopeGlobal) {
		shown := slices.DeleteFunc(s.Rows, func(r keymap.Row) bool {
			_, name, _ := strings.Cut(r.Name, ".")
			return !works(keymap.Action(name)) || strings.HasPrefix(name, "screen-")
		})
		if len(shown) == 0 {
			continue
		}
		heading(s.Title)
		for _, r := range shown {
			item(r.Keys, r.Help)
		}
	}
	heading("Typed after " + a.Hint("{palette}"))
	for _, c := range commands() {
		item(strings.TrimSpace(c.name+" "+c.argument), c.help)
	}
	if d, ok := a.page().lazy.Get(); ok && len(d.notes) > 0 {
		heading("What these figures are of")
		for _, n := range d.notes {
			lines = append(lines, widget.Plain(n))
		}
	}
	return newTextView("Keys of a fleet", lines)
}
