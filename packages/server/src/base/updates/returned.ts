import { choiceOf } from '../../http/requests/bodies/members.js';
import type { JsonValue } from '../../json/value.js';
import { replacedItem, returnedItems } from '../schemas.js';

/** Which item an update gives back: as it was before, or as it is after (docs/http.md#returned-items). */
export type Returned = 'new' | 'old';

/** Reads the member `return`. Gives undefined for null. Throws a 400 `RequestError`. */
export function readReturned(value: JsonValue, path: string): Returned | undefined {
  return value === null ? undefined : choiceOf(value, path, returnedItems);
}

/** The same of an operation that leaves no other item than the one that is sent. */
export function readReplaced(value: JsonValue, path: string): 'old' | undefined {
  return value === null ? undefined : choiceOf(value, path, replacedItem);
}

const itemMember = Buffer.from(',"item":');
const nothing = Buffer.from('null');
const end = Buffer.from('}');

/** Adds the member `item` to the JSON of an object that has others; null if there is no item. */
export function withItem(object: Buffer, item: Buffer | undefined): Buffer {
  return Buffer.concat([object.subarray(0, -1), itemMember, item ?? nothing, end]);
}
