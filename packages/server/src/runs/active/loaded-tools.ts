import type { CallRecord, Message } from "@capstan/core";
import { foundNames, searchTool } from "../../tool-search/search-tools.ts";

type LoadingCall = Pick<CallRecord, "toolId" | "name" | "round" | "parentCallId" | "result">;

/**
 * The tools that a conversation's model has found or called. They follow from the recorded calls, so
 * they survive a restart and are the same on every node. The order does not depend on which of several
 * parallel calls ended first.
 */
export class LoadedTools {
  /** The tools of each round of earlier turns. */
  readonly #rounds: Set<string>[] = [];
  #current = new Map<number, Set<string>>();

  /** Adds an earlier turn: the messages that preceded it, and its calls. */
  addTurn(calls: readonly LoadingCall[], before: readonly Message[] = []): void {
    this.addMessages(before);
    for (const call of calls) this.add(call);
    this.#endTurn();
  }

  /** Adds messages whose calls were made by another server or by an unstored run. */
  addMessages(messages: readonly Message[]): void {
    const names = messages.flatMap((message) =>
      message.role === "assistant"
        ? (message.tool_calls ?? []).map(({ function: called }) => called.name)
        : [],
    );
    if (names.length > 0) this.#rounds.push(new Set(names));
  }

  /** Adds a call of the current turn. */
  add({ toolId, name, round, parentCallId, result }: LoadingCall): void {
    // A call that a tool or code made needs no definition.
    if (parentCallId !== undefined) return;
    let loaded = this.#current.get(round);
    if (loaded === undefined) this.#current.set(round, (loaded = new Set()));
    if (toolId === searchTool)
      for (const found of foundNames(result?.finalText ?? "")) loaded.add(found);
    else loaded.add(toolId ?? name);
  }

  #endTurn(): void {
    this.#rounds.push(...inOrder(this.#current));
    this.#current = new Map();
  }

  /**
   * Returns the tools as `group.Tool`, or the name of a client's tool.
   *
   * @param names the offered tools by name
   */
  list(names: { readonly [modelName: string]: string }): readonly string[] {
    const loaded = [...this.#rounds, ...inOrder(this.#current)].flatMap((round) =>
      [...round]
        .map((each) => (Object.hasOwn(names, each) ? (names[each] ?? each) : each))
        .toSorted(),
    );
    return [...new Set(loaded)];
  }
}

function inOrder(rounds: ReadonlyMap<number, Set<string>>): readonly Set<string>[] {
  return [...rounds].toSorted(([a], [b]) => a - b).map(([, loaded]) => loaded);
}
