package price

// Usage counts tokens, in one meaning for every provider: Input is all of the input, cached parts included; Output is
// all of the output, reasoning included.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead,omitempty"`
	CacheWrite int64 `json:"cacheWrite,omitempty"`
	Reasoning  int64 `json:"reasoning,omitempty"`
}

// Add gives the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, CacheRead: u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite, Reasoning: u.Reasoning + v.Reasoning,
	}
}

// Total is the number of tokens in and out.
func (u Usage) Total() int64 { return u.Input + u.Output }
