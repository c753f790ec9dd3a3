/** A node of a `LinkedList`. */
export interface ListNode<T> {
  readonly value: T;
  isLinked: boolean;
  previous: ListNode<T> | undefined;
  next: ListNode<T> | undefined;
}

/**
 * A doubly linked list in the order of insertion. For values that come and go with every call: V8
 * allocates the table of a `Set` anew each time that the set becomes empty.
 */
export class LinkedList<T> {
  #first: ListNode<T> | undefined;
  #last: ListNode<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns the node, for `remove` */
  append(value: T): ListNode<T> {
    const previous = this.#last;
    const node: ListNode<T> = { value, isLinked: true, previous, next: undefined };
    if (previous === undefined) this.#first = node;
    else previous.next = node;
    this.#last = node;
    this.#size++;
    return node;
  }

  /** Removes a node. Does nothing if it was removed before. */
  remove(node: ListNode<T>): void {
    if (!node.isLinked) return;
    const { previous, next } = node;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    node.isLinked = false;
    node.previous = undefined;
    node.next = undefined;
    this.#size--;
  }

  /** Returns a copy, which later changes of the list do not affect. */
  values(): readonly T[] {
    const values: T[] = [];
    for (let node = this.#first; node !== undefined; node = node.next) values.push(node.value);
    return values;
  }
}
