export interface Component {
	/** With its version. */
	name: string;
	licence: string;
	text: string;
	more: string;
}

export function licenceOf(text: string): string;
export function goModules(): Component[];
export function npmPackages(): Promise<Component[]>;
export function notice(): Promise<string>;
