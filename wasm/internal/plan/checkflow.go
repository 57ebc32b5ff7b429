package plan

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
)

// control settles onError, retry and timeoutMs.
func (c *checker) control(n *Node) {
	s := n.Step
	onError, retry, timeout := s.OnError, s.Retry, s.TimeoutMs
	if d := c.plan.Defaults; d != nil {
		if onError == "" && retry == nil {
			onError = d.OnError
		}
		if retry == nil {
			retry = d.Retry
		}
		if timeout == 0 {
			timeout = d.TimeoutMs
		}
	}
	said := onError
	if onError == "" {
		onError = OnErrorStop
		if retry != nil {
			onError = OnErrorRetry
		}
	}
	if !slices.Contains([]string{OnErrorStop, OnErrorSkip, OnErrorRetry}, onError) {
		c.problem("onError", "error.plan.type.oneOf", fault.P{"values": "stop, skip, retry"})
	}
	n.OnError, n.Retry, n.TimeoutMs = onError, Retry{MaxAttempts: 1}, timeout
	switch {
	case retry != nil:
		n.Retry = *retry
	case onError == OnErrorRetry:
		n.Retry = Retry{defaultAttempts, defaultBackoffMs}
	}
	if s.Foreach != nil && (said == "" || said == OnErrorRetry) {
		n.OnError = OnErrorItem
	}
	if n.Retry.MaxAttempts < 1 || n.Retry.BackoffMs < 0 {
		c.problem("retry", "error.plan.retry", nil)
	}
	if n.TimeoutMs < 0 {
		c.problem("timeoutMs", "error.plan.type.whole", fault.P{"min": "1"})
	}
	n.Retry.MaxAttempts = int(c.clamp("retry.maxAttempts", int64(n.Retry.MaxAttempts), int64(c.rules.MaxAttempts)))
	n.Retry.BackoffMs = c.clamp("retry.backoffMs", n.Retry.BackoffMs, c.rules.MaxBackoffMs)
	if c.rules.MaxTimeoutMs > 0 {
		n.TimeoutMs = c.clamp("timeoutMs", n.TimeoutMs, c.rules.MaxTimeoutMs)
	}
}

// clamp gives v, at most most, and warns when that is less than was asked.
func (c *checker) clamp(field string, v, most int64) int64 {
	if v <= most {
		return v
	}
	c.warn(field, "error.plan.clamped", fault.P{"asked": itoa(int(v)), "max": itoa(int(most))})
	return most
}

// cycles reports steps that wait for each other, each circle named in full.
func (c *checker) cycles() {
	for _, way := range cycles(c.deps) {
		names := make([]string, 0, len(way)+1)
		for _, i := range way {
			names = append(names, c.stepID(i))
		}
		circle := strings.Join(append(names, names[0]), " → ")
		c.at = way[0]
		if i, e, ok := c.laterEdge(way); ok {
			c.at = i
			c.problem(e.path, "error.plan.ref.later", fault.P{"ref": e.ref.text, "step": c.stepID(e.to), "cycle": circle})
			continue
		}
		c.problem("", "error.plan.cycle", fault.P{"cycle": circle})
	}
}

// laterEdge finds, in a circle made by dependsOn and a reference, the
// reference: it asks for what comes later.
func (c *checker) laterEdge(way []int) (int, edge, bool) {
	at, found, explicit := 0, edge{}, false
	for k, i := range way {
		to := way[(k+1)%len(way)]
		var byRef *edge
		named := false
		for j := range c.deps[i] {
			if e := &c.deps[i][j]; e.to == to {
				if e.ref == nil {
					named = true
				} else if byRef == nil {
					byRef = e
				}
			}
		}
		explicit = explicit || named
		if byRef != nil && !named && found.ref == nil {
			at, found = i, *byRef
		}
	}
	return at, found, explicit && found.ref != nil
}
