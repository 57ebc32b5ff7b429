package planner

import "embedded-agent/wasm/internal/regex"

// The ways in which a request names what is selected, in the languages of the
// interface. A word that has another meaning ("natural selection", "a selection of
// recipes") counts with what makes it the person's own alone.
var (
	selectedEnglish = regex.Lazy(`(?i)\b(?:the|my|this|that|current)\s+selection\b` +
		`|\b(?:selected|highlighted)\s+(?:text|lines?|bullets?|words?|paragraphs?|passages?|lists?|items?|parts?|sections?|sentences?|tasks?|rows?|names?|block)\b` +
		`|\b(?:what|text|lines?|everything)\s+(?:I\s+have\s+|I've\s+|I\s+|is\s+)(?:selected|highlighted)\b`)
	selectedGerman = regex.Lazy(`(?i)(?:^|[\s(„"])(?:die|der|diese|dieser|meine|meiner|aktuelle|aktuellen)\s+(?:auswahl|markierung)(?:$|[^\pL])` +
		`|(?:^|[\s(„"])(?:ausgewählt|markiert)e[nrsm]?\s+(?:text|zeilen?|wörter[n]?|wort|abs[aä]tze?[ns]?|stellen?|liste|punkte?n?|abschnitte?[ns]?|s[aä]tze?[ns]?|aufgaben?|namen?|teile?[ns]?)(?:$|[^\pL])` +
		`|(?:^|[\s(„"])was\s+ich\s+(?:ausgewählt|markiert)\s+habe`)
	selectedChinese = regex.Lazy(`选中的|选中(?:文字|文本|内容|部分)|所选(?:的|文字|文本|内容|部分|段落|行)|选定的?(?:文字|文本|内容|部分|段落)|当前选择|选区`)
)

// NamesSelection says whether a request is about what is selected in a note, by its
// words.
func NamesSelection(text string) bool {
	return selectedEnglish().MatchString(text) || selectedGerman().MatchString(text) || selectedChinese().MatchString(text)
}
