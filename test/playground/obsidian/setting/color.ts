import { ValueComponent } from "./base";

export interface RGB {
	r: number;
	g: number;
	b: number;
}

export interface HSL {
	h: number;
	s: number;
	l: number;
}

export class ColorComponent extends ValueComponent<string> {
	colorPickerEl: HTMLInputElement;
	private callback: ((value: string) => unknown) | undefined;

	constructor(containerEl: HTMLElement) {
		super();
		this.colorPickerEl = containerEl.createEl("input", { type: "color" });
		this.colorPickerEl.addEventListener("input", () => this.callback?.(this.getValue()));
	}

	override setDisabled(disabled: boolean): this {
		this.colorPickerEl.disabled = disabled;
		return super.setDisabled(disabled);
	}

	/** As `#rrggbb`. */
	getValue(): string {
		return this.colorPickerEl.value;
	}

	getValueRgb(): RGB {
		const number = parseInt(this.getValue().slice(1), 16);
		return { r: number >> 16, g: (number >> 8) & 255, b: number & 255 };
	}

	getValueHsl(): HSL {
		return rgbToHsl(this.getValueRgb());
	}

	setValue(value: string): this {
		this.colorPickerEl.value = value;
		return this;
	}

	setValueRgb({ r, g, b }: RGB): this {
		return this.setValue(`#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`);
	}

	setValueHsl(hsl: HSL): this {
		return this.setValueRgb(hslToRgb(hsl));
	}

	onChange(callback: (value: string) => unknown): this {
		this.callback = callback;
		return this;
	}
}

/** Hue in degrees, saturation and lightness in percent. */
function rgbToHsl({ r, g, b }: RGB): HSL {
	const [red, green, blue] = [r / 255, g / 255, b / 255];
	const max = Math.max(red, green, blue);
	const min = Math.min(red, green, blue);
	const l = (max + min) / 2;
	const delta = max - min;
	if (delta === 0) return { h: 0, s: 0, l: Math.round(l * 100) };
	const s = delta / (1 - Math.abs(2 * l - 1));
	const sector =
		max === red
			? ((green - blue) / delta + 6) % 6
			: max === green
				? (blue - red) / delta + 2
				: (red - green) / delta + 4;
	return { h: Math.round(sector * 60), s: Math.round(s * 100), l: Math.round(l * 100) };
}

function hslToRgb({ h, s, l }: HSL): RGB {
	const a = (s / 100) * Math.min(l / 100, 1 - l / 100);
	const part = (n: number): number => {
		const k = (n + h / 30) % 12;
		return Math.round(255 * (l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return { r: part(0), g: part(8), b: part(4) };
}
