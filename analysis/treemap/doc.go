// Package treemap divides memory into parts within parts, each as large as what it weighs, and lays these out as
// rectangles. It knows no screen: rectangles are in units that the caller chooses.
package treemap
