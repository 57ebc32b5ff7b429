package host

import "context"

// Owner is a place in which a core may run.
type Owner struct {
	Device string `json:"device"`
	Window string `json:"window"` // one process, or one window of the app
}

// Owners tells which place this is, which others are open, and what the cores
// before this one have left under way.
type Owners interface {
	// Self names this place. A core that is started anew in it is the same owner.
	Self(ctx context.Context) (Owner, error)
	// Gone says whether another window of this device is known to be closed. Where
	// a host cannot tell, it is not.
	Gone(ctx context.Context, window string) (bool, error)
	// Quiet returns when nothing is under way any more that a former core of this
	// place has asked the host to write. It fails with TIMEOUT or CANCELLED when
	// ctx ends before.
	Quiet(ctx context.Context) error
}

// DeviceName names this device in the names of files that it alone writes: some
// hexadecimal digits, or "here" where a host has no owners.
func DeviceName(ctx context.Context, owners Owners) (string, error) {
	if owners == nil {
		return "here", nil
	}
	self, err := owners.Self(ctx)
	if err != nil {
		return "", err
	}
	return NameOf(self.Device), nil
}

// WriterName names who alone writes a file in the folder that travels with the
// vault, to which two windows of a device may add at the same moment: the device,
// or this window of it while another one writes the device's records.
func WriterName(ctx context.Context, owners Owners, s Store) (string, error) {
	placed, ok := PlacedOf(s)
	if !ok || owners == nil {
		return DeviceName(ctx, owners)
	}
	owns, err := placed.Owns(ctx)
	if err != nil {
		return "", err
	}
	if owns {
		return DeviceName(ctx, owners)
	}
	self, err := owners.Self(ctx)
	if err != nil {
		return "", err
	}
	return NameOf(self.Device + " " + self.Window), nil
}

// NameOf gives the name of a device, as an owner names it, for file names and
// records.
func NameOf(device string) string { return Etag([]byte(device))[:12] }
