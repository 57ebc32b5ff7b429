// The functions and values that components are given.

/** Takes a value. */
export type Take<T> = (value: T) => void;
/** Answers a question about an item. */
export type Ask<T, A> = (item: T) => A;

/** One line of a menu. */
export interface MenuLine {
	id: string;
	icon: string;
	label: string;
	detail?: string;
	disabled?: boolean;
}
