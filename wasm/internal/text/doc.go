// Package text holds what is asked of texts anywhere: how much two have in common
// at their ends, and the one rule of what text is, and of what in a text has to
// be marked, since drawing it as it is would hide it, move it, or hide something
// else. Whatever shows text that somebody else wrote (the review, a path, an
// answer, the terminal) asks here, so that no two places can disagree.
//
// Bytes are text when they are UTF-8. A NUL, an escape or a zero-width character
// does not make them anything else: it is drawn as a mark. So nothing can be put
// into a text that takes its difference out of a review.
//
// The panel has the same rule as a regular expression, which this package
// writes (Script) and a corpus holds to (testdata/marks.json).
package text
