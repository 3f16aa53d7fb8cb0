import type { Random } from '../random.js';
import type { FuzzRequest, Sender } from './request.js';

const none = Buffer.alloc(0);
const keys = ['a', 'b', 'c', 'd/e', 'ü', '🙂', '..', '__proto__'];
const uploadIds = ['0'.repeat(32), 'f'.repeat(32), 'no-such-upload', '0123456789abcdef0123456789abcdef'];

/** A valid request to a random route. There are few names, so that requests meet the same items and files. */
export function goodRequest(random: Random, sender: Sender, name: string): FuzzRequest {
  const root = `/v1/${sender.project}/${name}`;
  const key = random.pick(keys);
  const path = encodeURIComponent(key);
  const own: [string, string] = ['X-API-Key', sender.key];
  const json = (method: string, target: string, body: unknown): FuzzRequest => ({
    method,
    target: root + target,
    headers: [own, ['Content-Type', 'application/json']],
    body: Buffer.from(JSON.stringify(body)),
  });
  const plain = (method: string, target: string, body = none): FuzzRequest => ({
    method,
    target: root + target,
    headers: [own],
    body,
  });
  const item = { key, text: 'some text', number: random.int(1000), list: [1, 'two', null], deep: { er: {} } };
  const upload = `/uploads/${random.pick(uploadIds)}`;
  const makers: (() => FuzzRequest)[] = [
    () => json('PUT', '/items', { items: [item, { key: 'z', at: 1.5, __expires: 4_102_444_800 }] }),
    () => json('POST', '/items', { item }),
    () => json('PATCH', `/items/${path}`, { set: { text: 'new' }, increment: { number: -1 } }),
    () => json('PATCH', `/items/${path}`, { append: { list: [3] }, delete: ['deep.er'] }),
    () => json('POST', '/query', { query: [{ 'number?gt': 10, 'text?pfx': 's' }], limit: 3, sort: 'desc' }),
    () => json('POST', '/query', { query: [{ 'key?r': ['a', 'd'] }], limit: 2, last: key }),
    () => json('PATCH', `/items/${path}`, { if: { 'number?gt': 10 }, set: { text: 'new' } }),
    () => json('POST', '/transactions', { operations: [{ put: item }, { delete: { key, if: null } }] }),
    () =>
      json('POST', '/transactions', {
        operations: [
          { update: { key, if: [{ 'text?pfx': 's' }], increment: { number: 1 } } },
          { insert: { at: 1.5 } },
          { check: { key: 'b', if: { 'key?gte': 'a' } } },
        ],
      }),
    () => json('POST', '/query', { order: ['-number', 'text'], select: ['text'], limit: 3, offset: 2 }),
    () =>
      json('POST', '/query', { query: { 'number?in': [1, 'x'], 'text?ipfx': 'S' }, count: true, offset: 1 }),
    () => json('POST', '/query', { query: { 'text?exists': true, 'list?has': 1, 'text?icontains': 'ä' } }),
    () => plain('GET', `/items/${path}`),
    () => plain('DELETE', `/items/${path}`),
    () => plain('POST', `/files?name=${path}`, Buffer.from('the bytes of a file')),
    () => plain('GET', `/files?limit=3&prefix=${path}&last=a`),
    () => json('DELETE', '/files', { names: [key, 'b', 'not/there'] }),
    () => plain('GET', `/files/download?name=${path}`),
    () => plain('POST', `/uploads?name=${path}`),
    () => plain('POST', `${upload}/parts?name=${path}&part=1`, Buffer.from('a part')),
    () => plain('PATCH', `${upload}?name=${path}`),
    () => plain('DELETE', `${upload}?name=${path}`),
    () => plain('HEAD', `/files/download?name=${path}`),
    () => ({ ...plain('GET', ''), target: random.pick(['/health', '/ready']) }),
  ];
  return random.pick(makers)();
}
