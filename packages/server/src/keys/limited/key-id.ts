import { hash, randomInt, timingSafeEqual } from 'node:crypto';

// The ids of limited keys: 9 characters are the millisecond of their creation, so that their order is that of their age;
// 5 are random; 6 are a mark that only a server of this store can make. The key of a request begins with its id. So who
// makes up keys, or ids in links, causes no read: one guess in two thousand million passes, and only to be looked up.

const timeLength = 9;
const randomLength = 5;
const markLength = 6;
const radix = 36;
const marks = radix ** markLength;
const markDigits = 12;
const randoms = radix ** randomLength;

export const keyIdLength = timeLength + randomLength + markLength;

/** A new id. `nowMs`: milliseconds since 1970 UTC. */
export function newMarkedId(nowMs: number, secret: string): string {
  const begin = timeText(nowMs) + padded(randomInt(randoms), randomLength);
  return begin + markOf(begin, secret);
}

/** Whether a text looks like the id of a limited key. */
export function isKeyId(id: string): boolean {
  return id.length === keyIdLength && /^[0-9a-z]+$/.test(id);
}

/** Whether a server of this store has made the id, which looks like one. */
export function isMarkedId(id: string, secret: string): boolean {
  const begin = id.slice(0, -markLength);
  return timingSafeEqual(Buffer.from(id.slice(-markLength)), Buffer.from(markOf(begin, secret)));
}

/** What all ids of this millisecond begin with. */
export function timeText(ms: number): string {
  return padded(Math.max(0, ms), timeLength);
}

function markOf(begin: string, secret: string): string {
  // All texts are equally long, so this is as good as an HMAC, in a fifth of the time.
  const digest = hash('sha256', secret + begin, 'hex');
  return padded(Number.parseInt(digest.slice(0, markDigits), 16) % marks, markLength);
}

function padded(number: number, length: number): string {
  return number.toString(radix).padStart(length, '0');
}
