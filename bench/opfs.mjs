// The origin private file system for a worker of Node: what package browserstore
// asks of a browser's, over a folder, by synchronous calls as a sync access handle
// makes them. `flush` is the system's fsync.

/**
 * Gives navigator.storage over a folder, which counts the writes and the flushes. It
 * stands alone, with what it needs as its arguments, because its text is put into
 * the worker.
 */
export function opfs(fs, path, folder) {
	const thrown = (name, message = name) => new DOMException(message, name);
	const names = { ENOENT: "NotFoundError", ENOTDIR: "TypeMismatchError", EISDIR: "TypeMismatchError" };
	const asked = (work) => {
		try {
			return work();
		} catch (error) {
			throw error.code in names ? thrown(names[error.code], error.message) : error;
		}
	};
	const open = new Set();
	const counts = { writes: 0, flushes: 0 };

	class Access {
		constructor(at) {
			if (open.has(at)) throw thrown("NoModificationAllowedError");
			this.at = at;
			this.fd = fs.openSync(at, "r+");
			open.add(at);
		}
		read = (bytes, { at = 0 } = {}) => fs.readSync(this.fd, bytes, 0, bytes.length, at);
		write = (bytes, { at = 0 } = {}) => {
			counts.writes++;
			return fs.writeSync(this.fd, bytes, 0, bytes.length, at);
		};
		truncate = (size) => fs.ftruncateSync(this.fd, size);
		getSize = () => fs.fstatSync(this.fd).size;
		flush = () => {
			counts.flushes++;
			fs.fsyncSync(this.fd);
		};
		close = () => {
			if (open.delete(this.at)) fs.closeSync(this.fd);
		};
	}

	class FileEntry {
		kind = "file";
		constructor(at) {
			this.at = at;
			this.name = path.basename(at);
		}
		async getFile() {
			const { size, mtimeMs } = asked(() => fs.statSync(this.at));
			const arrayBuffer = async () => asked(() => new Uint8Array(fs.readFileSync(this.at)).buffer);
			return { size, lastModified: Math.trunc(mtimeMs), arrayBuffer };
		}
		createSyncAccessHandle = async () => asked(() => new Access(this.at));
	}

	class FolderEntry {
		kind = "directory";
		constructor(at) {
			this.at = at;
			this.name = path.basename(at);
		}
		async getDirectoryHandle(name, { create = false } = {}) {
			const at = path.join(this.at, name);
			if (create) fs.mkdirSync(at, { recursive: true });
			if (!asked(() => fs.statSync(at)).isDirectory()) throw thrown("TypeMismatchError");
			return new FolderEntry(at);
		}
		async getFileHandle(name, { create = false } = {}) {
			const at = path.join(this.at, name);
			if (create) asked(() => fs.closeSync(fs.openSync(at, "a")));
			if (!asked(() => fs.statSync(at)).isFile()) throw thrown("TypeMismatchError");
			return new FileEntry(at);
		}
		async *values() {
			for (const entry of asked(() => fs.readdirSync(this.at, { withFileTypes: true }))) {
				const at = path.join(this.at, entry.name);
				yield entry.isDirectory() ? new FolderEntry(at) : new FileEntry(at);
			}
		}
		async removeEntry(name, { recursive = false } = {}) {
			asked(() => fs.rmSync(path.join(this.at, name), { recursive }));
		}
	}

	return {
		counts,
		async getDirectory() {
			fs.mkdirSync(folder, { recursive: true });
			return new FolderEntry(folder);
		},
	};
}
