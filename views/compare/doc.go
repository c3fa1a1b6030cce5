// Package compare has what stands for a screen while the difference of two sides is shown.
package compare
