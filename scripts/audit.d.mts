export interface AuditAnswer {
	message?: string;
	vulnerabilities?: Record<
		string,
		{ name: string; severity: string; range: string; via: (string | { title: string })[] }
	>;
}
export function weaknesses(answer: AuditAnswer, names: string[]): string[];
