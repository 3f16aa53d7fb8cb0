import type { Random } from '../random.js';
import { badJson } from './bad-json.js';
import type { FuzzRequest } from './request.js';

/** Valid HTTP with something that no route accepts: it has exactly one answer, and the next request is read. */
export function corrupt(random: Random, good: FuzzRequest): FuzzRequest {
  switch (random.int(6)) {
    case 0:
      return { ...good, target: badTarget(random, good.target) };
    case 1:
      return { ...good, headers: badHeaders(random, good) };
    case 2:
      return { ...good, method: random.pick(methods) };
    case 3:
      return corrupt(random, corruptBody(random, good));
    default:
      return corruptBody(random, good);
  }
}

function corruptBody(random: Random, good: FuzzRequest): FuzzRequest {
  return { ...good, body: badJson(random, good.body) };
}

/** Without `CONNECT`, which ends the connection. */
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'LINK', 'M-SEARCH'];
const segments = [
  '%',
  '%2',
  '%zz',
  '%00',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%2F',
  '%2e%2e',
  '..',
  '.',
  '%25%32%46',
  '%F0%9F%99%82',
  'a+b',
  '%0d%0aX: y',
  '%7f',
  '',
  '__proto__',
  'constructor',
  'x'.repeat(256),
  'x'.repeat(1025),
  '%F0%9F%99%82'.repeat(300),
  '\u00fc\u00e4',
  '\u00ff\u00fe',
  '"<>\\^`{|}',
];
const parameters = [
  'name=',
  'name=%20',
  'name=a/',
  'name=%00',
  'name=%ff',
  'name=x&name=y',
  'NAME=x',
  'n%61me=x',
  'part=0',
  'part=1&part=2',
  'part=1e3',
  'part=99999999999999999999',
  'part=-1',
  'limit=0',
  'limit=1.5',
  'limit=1000000000000000000000',
  'limit=',
  'last=%ed%b0%80',
  'prefix=%F0%9F',
  'recursive=maybe',
  '&&&==&',
  '?',
  '#fragment',
  `name=${'x'.repeat(1025)}`,
  `x=${'y&x='.repeat(2000)}`,
];

function badTarget(random: Random, target: string): string {
  const [path = '', query = ''] = target.split('?');
  const parts = path.split('/');
  switch (random.int(6)) {
    case 0:
      return `${path}?${random.pick(parameters)}`;
    case 1:
      return `${target}${query === '' ? '?' : '&'}${random.pick(parameters)}`;
    case 2:
      return `${path}/${random.pick(segments)}`;
    case 3:
      return path.slice(0, 1 + random.int(path.length));
    case 4:
      return random.pick([`/${target}`, `${path}/`, `http://elsewhere${target}`, '/', '//', '/v1', '*']);
    default: {
      parts[1 + random.int(parts.length - 1)] = random.pick(segments);
      return parts.join('/') + (query === '' ? '' : `?${query}`);
    }
  }
}

const odd: readonly (readonly [string, string])[] = [
  ['Content-Type', 'text/plain'],
  ['Content-Type', ''],
  ['Content-Type', 'application/json; charset="\u00ff'],
  ['Content-Type', '\u00fc/\u00e4'],
  ['Content-Type', 'application/jsonx'],
  ['Content-Type', 'x'.repeat(4000)],
  ['Content-Encoding', 'gzip'],
  ['Range', 'bytes=0-'],
  ['Range', 'bytes=-0'],
  ['Range', 'bytes=5-1'],
  ['Range', `bytes=${'0-0,'.repeat(100)}1-1`],
  ['Range', 'bytes=99999999999999999999-'],
  ['Range', 'lines=1-2'],
  ['Range', 'bytes=\u00ff'],
  ['If-Range', '"x'],
  ['If-Range', 'Sat, 99 Foo 2026 99:99:99 GMT'],
  ['If-None-Match', '*'],
  ['If-None-Match', '"a", W/"b",,,"'],
  ['If-Match', '"nope"'],
  ['If-Modified-Since', 'yesterday'],
  ['If-Unmodified-Since', '-1'],
  ['X-Request-Id', 'x'.repeat(300)],
  ['X-Request-Id', '<script>'],
  ['X-Request-Id', '\u00ff'],
  ['X-API-Key', ''],
  ['X-API-Key', 'nobody_0'],
  ['X-API-Key', '_'],
  ['X-API-Key', '\u00ff_\u00ff'],
  ['X-API-Key', 'k'.repeat(8000)],
  ['Authorization', 'Bearer x'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['__proto__', 'polluted'],
  ['constructor', 'x'],
  ['Cookie', 'a=b; c'],
  ['Accept-Encoding', 'gzip;q=x, *'],
  ['TE', 'trailers'],
  ['Connection', 'keep-alive, X-API-Key'],
  ['Host', 'another'],
];

function badHeaders(random: Random, { headers }: FuzzRequest): FuzzRequest['headers'] {
  const more = Array.from({ length: 1 + random.int(3) }, () => random.pick(odd));
  switch (random.int(4)) {
    case 0:
      return headers.filter((_, index) => index !== random.int(headers.length));
    case 1:
      return [...more, ...headers];
    case 2:
      return headers.map((header) => random.pick([header, random.pick(odd)]));
    default:
      return [...headers, ...more];
  }
}
