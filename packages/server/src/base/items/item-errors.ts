import { type RequestError, refused } from '../../request-error.js';

export function itemExists(): RequestError {
  return refused('item_exists', 'Key already exists');
}

export function itemNotFound(): RequestError {
  return refused('item_not_found', 'Key not found');
}

/** The item is not as a condition demands (docs/http.md#conditional-updates). */
export function itemDiffers(): RequestError {
  return refused('condition_failed', 'The item does not match the condition');
}
