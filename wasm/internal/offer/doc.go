// Package offer says which tools a model is told of, and how: a core in full, the others by name with a few words, and
// in full those that the request seems to be about (docs/adr/0043-a-core-of-tools-in-full.md). Which tools are core, and
// by which words people ask for the others, is data: words.txt. A tool in full is one line, a signature in the manner of
// TypeScript; its schema would take ten times as much, and what is wrong with a call comes back to the model anyway.
package offer
