// Package widget holds memtui's own terminal primitives: time chart, virtual list, lazy tree, flame graph, edit line,
// text view and boxes, and the text functions that make names from files safe to draw. It knows tcell and nothing of
// memtui.
//
// A widget is a plain struct: state in fields, Draw(screen, rect, look) to show it, methods to move. Draw and every
// method belong to one goroutine, the event loop. Widgets know no keys and no colors: views translate keys into method
// calls, and pass styles and glyphs in a [Look] with every Draw, so that themes change without touching state.
//
// The screen must have been cleared to the background before a frame: widgets write the cells they use and leave the
// others alone. Only [Box] and [Fill] blank what is below. Every string passes [Clean] on its way to the screen.
package widget
