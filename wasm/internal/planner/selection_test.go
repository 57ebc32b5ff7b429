package planner

import "testing"

func TestARequestThatNamesTheSelectionIsKnownByItsWords(t *testing.T) {
	for text, want := range map[string]bool{
		"Create a note for each bullet of the selection in folder Projects": true,
		"Translate my selection":                                      true,
		"Shorten the selected text.":                                  true,
		"make a table of the highlighted lines":                       true,
		"Summarize what I have selected":                              true,
		"Fasse die Auswahl zusammen":                                  true,
		"Mach aus der Auswahl eine Liste":                             true,
		"Übersetze den markierten Text ins Englische.":                true,
		"Lege für jede ausgewählte Zeile eine Notiz an":               true,
		"Kürze, was ich markiert habe":                                true,
		"总结选中的文字":                                                     true,
		"把所选内容翻译成英文":                                                  true,
		"Which notes mention natural selection?":                      false,
		"Find a selection of recipes":                                 false,
		"List the tasks that Ada selected for the team":               false,
		"Schreib eine Auswahl guter Bücher auf":                       false,
		"Notizen mit dem Wort Auswahlverfahren":                       false,
		"Suche Notizen, die als wichtig markiert sind":                false,
		"选择三篇笔记":                                                      false,
		"Rename the note Selection criteria to Criteria":              false,
		"Create a note for each bullet of Inbox/Ideas for the garden": false,
	} {
		if got := NamesSelection(text); got != want {
			t.Errorf("%q: want %v, got %v", text, want, got)
		}
	}
}
