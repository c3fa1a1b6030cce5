// Package areas is the screens that show memory as areas and colors: the treemap, and heat maps over time.
package areas
