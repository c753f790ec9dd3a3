/**
 * Goes on with a value: at once where it is there, else once it is. A promise for each step of a
 * call that nobody has to wait for would cost more than the call.
 */
export function andThen<T, R>(
  value: T | Promise<T>,
  step: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(step) : step(value);
}
