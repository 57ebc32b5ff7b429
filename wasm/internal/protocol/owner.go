package protocol

// Owner is a place in which a core may run: a device, and a window of it. The
// device has a name of its own for each vault.
type Owner struct {
	Device string `json:"device"`
	Window string `json:"window"`
	// Kept says that the device has kept its name: it will be the same tomorrow.
	Kept bool `json:"kept"`
	// Owns says that of all windows of this vault, this one writes the records that
	// stay on the device.
	Owns bool `json:"owns"`
	// Persisted says that the browser has promised not to remove what is stored.
	Persisted bool `json:"persisted"`
}

// WindowRef names a window of this device.
type WindowRef struct {
	Window string `json:"window"`
}

// WindowGone says whether a window is known to be closed.
type WindowGone struct {
	Gone bool `json:"gone"`
}
