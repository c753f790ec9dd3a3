/** A record while it is made: what it has only sometimes is put in where it has it. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
