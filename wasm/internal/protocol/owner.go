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
