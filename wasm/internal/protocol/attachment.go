package protocol

// AttachedOutput is an output that was too long to be told, kept beside its run.
type AttachedOutput struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// AttachmentRef names one of them.
type AttachmentRef struct {
	Run  string `json:"run"`
	File string `json:"file"`
}

// AttachmentText is an attachment's text: JSON, redacted.
type AttachmentText struct {
	Run  string `json:"run"`
	File string `json:"file"`
	Text string `json:"text"`
}
