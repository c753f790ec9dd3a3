import type { ApprovalRequest } from "./approval.ts";

const digest = Symbol("digest");

/**
 * Gives what is asked its `argsDigest`, worked out when it is looked at: hashing costs more than most
 * of the gate. It is its own, as other members are. All share their getter, since V8 keeps an object's
 * very own getter, and whatever that can see, until the next full collection.
 *
 * @param of gives it; where that costs something, once
 */
export function withArgsDigest<Plain extends object>(
  plain: Plain,
  of: () => string,
): Plain & Pick<ApprovalRequest, "argsDigest"> {
  Object.defineProperty(plain, "argsDigest", getter);
  return Object.defineProperty(plain, digest, { value: of }) as ReturnType<
    typeof withArgsDigest<Plain>
  >;
}

const getter: PropertyDescriptor = {
  enumerable: true,
  get(this: { readonly [digest]: () => string }) {
    return this[digest]();
  },
};
