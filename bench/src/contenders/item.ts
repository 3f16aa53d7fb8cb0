import { renderText } from '../load/request-template.js';

const prose =
  'It was a bright cold day in April, and the clocks were striking thirteen. Call me Ishmael. Some years ago, ' +
  'never mind how long precisely, having little or no money in my purse, and nothing particular to interest me ' +
  'on shore, I thought I would sail about a little and see the watery part of the world. ';

/**
 * The JSON text of an item, which has exactly `sizeBytes` (at least 200) once its key is filled in.
 * @param slot the index of its key among the keys of the request
 */
export function item(slot = 0, sizeBytes = 300): string {
  const key = slot === 0 ? '{key}' : `{key:${slot}}`;
  const before =
    `{"key":"${key}","ref":"r${key}","number":1${key},"count":{nonce},"name":"Ada Lovelace",` +
    '"nested":{"age":36,"town":"London"},"tags":["first","second"],"text":"';
  const rendered = renderText(before, 0).length + '"}'.length;
  return `${before}${prose.repeat(Math.ceil(sizeBytes / prose.length)).slice(0, sizeBytes - rendered)}"}`;
}

/** The texts of the 25 items of one request. */
export function items25(sizeBytes?: number): string[] {
  return Array.from({ length: 25 }, (_, slot) => item(slot, sizeBytes));
}

/** The same item for every key, for stores that keep the key separately. */
export const keylessItem = renderText(item(), 0);
