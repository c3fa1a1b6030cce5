// Package compare has what replaces a screen while the difference of two sides is shown.
package compare
