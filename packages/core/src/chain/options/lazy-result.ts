import type { TurnLog } from "../journal/chain-result.ts";
import type { ToolChainResult } from "./tool-chain-result.ts";

/** Computes the members that a program may never read. */
interface LazyParts {
  readonly log: () => TurnLog;
  readonly messages: () => ToolChainResult["messages"];
  readonly history: () => ToolChainResult["toolCallHistory"];
}

type LazyMember =
  | "responseContent"
  | "toolChainContent"
  | "replayContent"
  | "messages"
  | "toolCallHistory";

const parts = Symbol("parts");

/**
 * A chain's result, of which some members are made when they are read. They are its own, as the
 * others are: spread or written as JSON, it has them all. All results share their getters, since
 * V8 keeps an object's very own getter, and whatever that can see, until the next full collection.
 */
export function withLazyMembers(
  plain: Omit<ToolChainResult, LazyMember>,
  made: LazyParts,
): ToolChainResult {
  Object.defineProperties(plain, getters);
  return Object.defineProperty(plain, parts, { value: made }) as ToolChainResult;
}

const getters: { readonly [member in LazyMember]: PropertyDescriptor } = {
  responseContent: getter(({ log }) => log().flow),
  toolChainContent: getter(({ log }) => log().hint),
  replayContent: getter(({ log }) => log().replay),
  messages: getter(({ messages }) => messages()),
  toolCallHistory: getter(({ history }) => history()),
};

function getter(make: (from: LazyParts) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: { readonly [parts]: LazyParts }) {
      return make(this[parts]);
    },
  };
}
