const defaultDuration = 5000;

function container(): HTMLElement {
	return (
		document.querySelector<HTMLElement>(".notice-container") ??
		document.body.createDiv({ cls: "notice-container", attr: { role: "status", "aria-live": "polite" } })
	);
}

/** A message at the corner of the window; 0 ms keeps it until it is clicked. */
export class Notice {
	noticeEl: HTMLElement;
	containerEl: HTMLElement;
	messageEl: HTMLElement;
	private timer = 0;

	constructor(message: string | DocumentFragment, duration = defaultDuration) {
		this.containerEl = this.noticeEl = container().createDiv("notice");
		this.messageEl = this.noticeEl.createDiv("notice-message");
		this.setMessage(message);
		this.noticeEl.addEventListener("click", () => this.hide());
		this.setAutoHide(duration);
	}

	setMessage(message: string | DocumentFragment): this {
		this.messageEl.setText(message);
		return this;
	}

	setAutoHide(duration: number): void {
		window.clearTimeout(this.timer);
		if (duration > 0) this.timer = window.setTimeout(() => this.hide(), duration);
	}

	hide(): void {
		window.clearTimeout(this.timer);
		this.noticeEl.remove();
	}
}
