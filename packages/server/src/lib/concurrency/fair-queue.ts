/** Who waits: the projects take turns, and within a project its keys do. */
export interface Waiter {
  readonly project: string;
  readonly keyId: string;
}

/** A queue in which nobody waits for everything that somebody else has sent. The values of one key stay in their order. */
export class FairQueue<T> {
  /** In the order of their next turns. No list is empty. */
  private readonly projects = new Map<string, Map<string, T[]>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  sizeOf({ project }: Waiter): number {
    let size = 0;
    for (const values of this.projects.get(project)?.values() ?? []) size += values.length;
    return size;
  }

  /** All values. Those of one key come in their order. */
  *values(): Iterable<T> {
    for (const keys of this.projects.values()) for (const values of keys.values()) yield* values;
  }

  push({ project, keyId }: Waiter, value: T): void {
    this.count++;
    const keys = this.projects.get(project);
    if (keys === undefined) this.projects.set(project, new Map([[keyId, [value]]]));
    else {
      const values = keys.get(keyId);
      if (values === undefined) keys.set(keyId, [value]);
      else values.push(value);
    }
  }

  /** The value whose turn is next. */
  get first(): T | undefined {
    const [keys] = this.projects.values();
    const [values] = keys?.values() ?? [];
    return values?.[0];
  }

  /** Takes the first value out. Its project and its key come last from now on. */
  shift(): T | undefined {
    const [[project, keys] = []] = this.projects;
    const [[keyId, values] = []] = keys ?? [];
    if (project === undefined || keys === undefined || keyId === undefined || values === undefined)
      return undefined;
    const value = values.shift();
    this.count--;
    keys.delete(keyId);
    if (values.length > 0) keys.set(keyId, values);
    this.projects.delete(project);
    if (keys.size > 0) this.projects.set(project, keys);
    return value;
  }

  /** Takes out all values for which `isOver` holds. */
  remove(isOver: (value: T) => boolean): readonly T[] {
    const removed: T[] = [];
    for (const [project, keys] of this.projects) {
      for (const [keyId, values] of keys) {
        const left: T[] = [];
        for (const value of values) (isOver(value) ? removed : left).push(value);
        if (left.length > 0) keys.set(keyId, left);
        else keys.delete(keyId);
      }
      if (keys.size === 0) this.projects.delete(project);
    }
    this.count -= removed.length;
    return removed;
  }
}
