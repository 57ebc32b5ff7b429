/** Engines that refuse a plugin a place to keep things: a switch of the page's address, for tests. */

/** What an engine can refuse, and the script that makes this one do so, on the page and in workers. */
const refusals: Record<string, string> = {
	opfs: `Object.defineProperty(StorageManager.prototype, "getDirectory", { value: () =>
		Promise.reject(new DOMException("The playground refuses the origin private file system.", "SecurityError")) });`,
	handles: `if (self.FileSystemFileHandle) delete FileSystemFileHandle.prototype.createSyncAccessHandle;`,
	indexeddb: `Object.defineProperty(self, "indexedDB", { get: () => {
		throw new DOMException("The playground refuses databases.", "SecurityError"); } });`,
};

/** Makes the engine refuse what the list names, separated by commas. */
export function refuse(list: string): void {
	const named = list.split(",").filter((name) => name !== "");
	const script = named.map((name) => refusals[name] ?? unknown(name)).join("\n");
	if (script === "") return;
	evaluate(script);
	const Real = Worker;
	window.Worker = class extends Real {
		constructor(url: string | URL, options?: WorkerOptions) {
			super(url.toString().startsWith("blob:") ? before(script, url.toString()) : url, options);
		}
	};
}

function unknown(name: string): never {
	throw new Error(`There is nothing called ${name} that an engine could refuse.`);
}

/** Evaluates a script in the page, as a worker does with its own. */
function evaluate(script: string): void {
	const element = document.createElement("script");
	element.textContent = script;
	document.head.append(element);
	element.remove();
}

/** The address of a worker that evaluates a script first. */
function before(script: string, url: string): string {
	return URL.createObjectURL(new Blob([`${script}\nimportScripts(${JSON.stringify(url)});`]));
}
