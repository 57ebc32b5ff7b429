package workcopy

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// confinement is how this system can keep a command from the notes, if it lets it.
func confinement() Confinement { return Namespace }

// argsFor gives the arguments of the command, which the helper starts.
func (c *Copy) argsFor(args []string, _ Confinement) []string { return args }

// namespaces starts the helper in namespaces of its own: it is who it was, may mount
// there and nowhere else, and all processes in there end with it (user_namespaces(7),
// mount_namespaces(7), pid_namespaces(7)).
func namespaces(attr *syscall.SysProcAttr) {
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
}

// confine puts the copy in the place of the notes, and hides the folder of the copy.
// Mounts that are made here are seen by this process and those that it starts alone,
// and nobody in here can take them away again: they are locked for whoever makes
// another namespace.
func confine(t task) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := unix.Mount(t.Notes, t.Vault, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s: %w", t.Vault, err)
	}
	if err := unix.Mount("none", t.Hide, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "size=4k,mode=700"); err != nil {
		return fmt.Errorf("mount %s: %w", t.Hide, err)
	}
	// Where the system does not allow it, the command sees the numbers of processes
	// that it cannot reach.
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	return nil
}

// giveUpRights takes from this thread, and from all that it starts, the rights that the
// helper had in its namespace: nothing that runs in it gets them back.
func giveUpRights() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	// SECBIT_NOROOT and SECBIT_NO_SETUID_FIXUP, each locked: user 0 is nobody special
	// (capabilities(7)).
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, 0b1111, 0, 0, 0); err != nil {
		return fmt.Errorf("securebits: %w", err)
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}
