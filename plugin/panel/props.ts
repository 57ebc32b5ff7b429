// The functions that components are given.

/** Takes a value. */
export type Take<T> = (value: T) => void;
/** Answers a question about an item. */
export type Ask<T, A> = (item: T) => A;
