package server

import "embedded-agent/wasm/internal/protocol"

// questioned answers every question the same until a review opens or the turn
// ends, and gives the questions but those about what model steps cost; of a turn that ends with an answer, that.
func (ui *panel) questioned(yes bool) (asked []protocol.Question, r *protocol.Review) {
	ui.t.Helper()
	for {
		e := ui.await("question, review or end", func(e protocol.Event) bool {
			return e.Type == protocol.EventQuestionOpened || e.Type == protocol.EventReviewOpened || e.Type == protocol.EventTurnEnded
		})
		if e.Turn != nil && e.Turn.Findings != nil && e.Turn.Findings.Done { // an answer, as a review has it
			return asked, &protocol.Review{Run: e.Turn.Run, Findings: e.Turn.Findings, Problem: e.Turn.Problem}
		}
		if e.Question == nil {
			return asked, e.Review
		}
		if e.Question.Text.Key == "question.model" {
			continue // the panel has answered it
		}
		asked = append(asked, *e.Question)
		call[protocol.Empty](ui, "answer", protocol.Answer{ID: e.Question.ID, Yes: yes})
	}
}
