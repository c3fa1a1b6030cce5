// Package state holds what all screens share: the file, the instant, range, filters, cost and selection, and the
// intents that change them. [State] is a value and Apply is pure, so that every interaction can be tested without a
// screen.
package state
