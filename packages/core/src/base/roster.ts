/** A member's place on a roster. */
export interface Place<T> {
  readonly member: T;
  isTaken: boolean;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/**
 * Who is there, in the order of arrival. For what comes and goes with every call: a `Set` that is
 * emptied is made anew each time.
 */
export class Roster<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns the place, which is given back with `leave` */
  enter(member: T): Place<T> {
    const before = this.#last;
    const place: Place<T> = { member, isTaken: true, before, after: undefined };
    if (before === undefined) this.#first = place;
    else before.after = place;
    this.#last = place;
    this.#size++;
    return place;
  }

  /** A place that was given back is given back once. */
  leave(place: Place<T>): void {
    if (!place.isTaken) return;
    const { before, after } = place;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    place.isTaken = false;
    place.before = undefined;
    place.after = undefined;
    this.#size--;
  }

  /** Those who are there now; whoever comes or goes meanwhile changes nothing in it. */
  members(): readonly T[] {
    const members: T[] = [];
    for (let place = this.#first; place !== undefined; place = place.after)
      members.push(place.member);
    return members;
  }
}
