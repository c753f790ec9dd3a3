/** A record during its construction: optional fields are assigned later. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
