package protocol

// Owner is a place in which a core may run: a device, and a window of it.
type Owner struct {
	Device string `json:"device"`
	Window string `json:"window"`
}

// WindowRef names a window of this device.
type WindowRef struct {
	Window string `json:"window"`
}

// WindowGone says whether a window is known to be closed.
type WindowGone struct {
	Gone bool `json:"gone"`
}

// OwnerSelfCall is the method owner.self.
type OwnerSelfCall struct {
	Params Empty `json:"params"`
	Result Owner `json:"result"`
}

// OwnerGoneCall is the method owner.gone.
type OwnerGoneCall struct {
	Params WindowRef  `json:"params"`
	Result WindowGone `json:"result"`
}

// OwnerQuietCall is the method owner.quiet. It is answered when nothing is under
// way any more that a former core of this window has asked the host to write.
type OwnerQuietCall struct {
	Params Empty `json:"params"`
	Result Empty `json:"result"`
}
