/** Adds a call to the chain. */
export type AddCall = () => void;
