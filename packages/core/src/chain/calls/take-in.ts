/** Takes a call into the chain. */
export type TakeIn = () => void;
