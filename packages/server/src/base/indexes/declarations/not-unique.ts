import { badField, RequestError } from '../../../request-error.js';
import type { Declaration } from './declarations.js';

/** An item that would have the same values as another one. */
export interface Collision {
  readonly key: string;
  readonly index: Pick<Declaration, 'name' | 'fields'>;
}

/**
 * A unique index does not allow a change: the 409 of docs/http.md#unique-indexes. Nothing was changed. `collisions` has
 * one or more, in the order of the change.
 */
export class NotUnique extends RequestError {
  constructor(readonly collisions: readonly [Collision, ...Collision[]]) {
    super([{ code: 'not_unique', message: messageOf(collisions[0]) }]);
  }

  /** The same, about the item at this path of the request. */
  at(path: string): RequestError {
    return badField(path, 'not_unique', messageOf(this.collisions[0]));
  }
}

function messageOf({ index: { name, fields } }: Collision): string {
  return `another item has the same ${fields.join(' and ')}, which the index ${name} does not allow`;
}
