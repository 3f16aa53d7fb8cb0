import type { Random } from '../random.js';
import { mutateBytes } from './byte-mutations.js';
import { encode, type FuzzRequest, type Sender } from './request.js';

/** The material for one malformed request. */
export interface Ingredients {
  readonly random: Random;
  readonly sender: Sender;
  readonly good: FuzzRequest;
  /** A complete request that must never be processed as a request of its own (request smuggling). */
  readonly hidden: Buffer;
}

type Kind = (ingredients: Ingredients) => Buffer;

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** The head of a POST that is valid except for its framing. */
function post({ sender, good }: Pick<Ingredients, 'sender' | 'good'>, ...headers: readonly string[]): Buffer {
  const lines = [`POST ${good.target.split('?')[0]} HTTP/1.1`, 'Host: fuzz', `X-API-Key: ${sender.key}`];
  return latin1(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`);
}

const oddLengths = [
  '+5',
  '-1',
  '0x5',
  '5,5',
  '5, 6',
  '1e1',
  '5;a',
  '5 5',
  '',
  '\u00b2',
  '99999999999999999999999',
  '18446744073709551617',
  '5\u0000',
  '5\r\n 0',
];
const oddCodings = [
  'xchunked',
  'chunked, identity',
  'identity',
  'chunked;q=1',
  'gzip',
  '"chunked"',
  'chunked\u0000',
  'chunked\u000b',
  '\u000bchunked',
  'chun ked',
  '',
  '\r\n chunked',
  ',',
  'cow, chunked, cow',
];
const oddSizes = [
  '+5',
  '-5',
  '0x5',
  ' 5',
  '5 ',
  '5;a="\n"',
  `5;${'x'.repeat(20_000)}`,
  'FFFFFFFFFFFFFFFFF',
  '10000000000000005',
  '',
  'g',
  '5\u0000',
  '5\t',
  '\u00b2',
  '5.0',
];

/** The hidden request in one of the positions at which a parser could read it, after a head with ambiguous framing. */
function hideAnywhere({ random, hidden }: Ingredients): Buffer {
  switch (random.int(4)) {
    case 0:
      return hidden;
    case 1:
      return Buffer.concat([latin1('0\r\n\r\n'), hidden]);
    case 2:
      return Buffer.concat([latin1(`${hidden.length.toString(16)}\r\n`), hidden, latin1('\r\n0\r\n\r\n')]);
    default:
      return Buffer.concat([latin1('hello'), hidden]);
  }
}

/** Bytes that are not HTTP, or that two parsers could read differently: no hidden request may be processed. */
export const ambiguousKinds: Readonly<Record<string, Kind>> = {
  'both lengths': (it) => {
    const length = `Content-Length: ${it.random.pick([0, 5, it.hidden.length, it.hidden.length + 5])}`;
    const coding = it.random.pick([
      'Transfer-Encoding: chunked',
      'transfer-encoding:chunked',
      'Transfer-Encoding:\tchunked',
      'Transfer-Encoding: Chunked',
    ]);
    const order = it.random.int(2) === 0 ? [length, coding] : [coding, length];
    return Buffer.concat([post(it, ...order), latin1('0\r\n\r\n'), it.hidden]);
  },
  'two lengths': (it) => {
    const lengths = [`Content-Length: ${it.hidden.length}`, `Content-Length: ${it.random.int(6)}`];
    if (it.random.int(2) === 0) lengths.reverse();
    return Buffer.concat([post(it, ...lengths), it.hidden]);
  },
  'an odd length': (it) =>
    Buffer.concat([post(it, `Content-Length: ${it.random.pick(oddLengths)}`), hideAnywhere(it)]),
  'an odd coding': (it) =>
    Buffer.concat([post(it, `Transfer-Encoding: ${it.random.pick(oddCodings)}`), hideAnywhere(it)]),
  'two codings': (it) =>
    Buffer.concat([
      post(it, 'Transfer-Encoding: chunked', `Transfer-Encoding: ${it.random.pick(oddCodings)}`),
      hideAnywhere(it),
    ]),
  'a framing header with a space before its colon': (it) =>
    Buffer.concat([
      post(
        it,
        it.random.pick(['Content-Length : 5', 'Transfer-Encoding : chunked', 'Transfer-Encoding\t:chunked']),
      ),
      hideAnywhere(it),
    ]),
  'an odd chunk size': (it) =>
    Buffer.concat([
      post(it, 'Transfer-Encoding: chunked'),
      latin1(`${it.random.pick(oddSizes)}\r\nhello\r\n0\r\n\r\n`),
      it.hidden,
    ]),
  'a chunk of another size than it says': (it) =>
    Buffer.concat([
      post(it, 'Transfer-Encoding: chunked'),
      latin1(`${it.random.pick([1, 4, 6, 7, 8])}\r\nhello\r\n0\r\n\r\n`),
      it.hidden,
    ]),
  'chunks with other line ends': (it) => {
    const [a, b, c] = [0, 1, 2].map(() => it.random.pick(['\n', '\r', '\n\r', '\r\r\n', '\r\n ']));
    return Buffer.concat([
      post(it, 'Transfer-Encoding: chunked'),
      latin1(`5${a}hello${b}0${c}${c}`),
      it.hidden,
    ]);
  },
  'a request for a trailer': (it) =>
    Buffer.concat([post(it, 'Transfer-Encoding: chunked'), latin1('0\r\n'), it.hidden]),
  'a request in a body': (it) => Buffer.concat([post(it, `Content-Length: ${it.hidden.length}`), it.hidden]),
  'a request in a chunk': (it) =>
    Buffer.concat([
      post(it, 'Transfer-Encoding: chunked'),
      latin1(`${it.hidden.length.toString(16)}\r\n`),
      it.hidden,
      latin1('\r\n0\r\n\r\n'),
    ]),
  'a request in the value of a header': (it) =>
    Buffer.concat([
      latin1(
        `GET /health HTTP/1.1\r\nHost: fuzz\r\nX-Note: a${it.random.pick(['\r', '\n', '\r\n ', '\u0000'])}`,
      ),
      Buffer.from(it.hidden.toString('latin1').split('\r\n')[0] ?? '', 'latin1'),
      latin1('\u0000\r\n\r\n'),
      it.hidden,
    ]),
  'HTTP/1.0 with chunks': (it) =>
    Buffer.concat([
      latin1(
        `POST ${it.good.target} HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      ),
      it.hidden,
    ]),
};

const requestLines = [
  '',
  'GET',
  'GET /health',
  'GET  /health HTTP/1.1',
  'GET /health  HTTP/1.1',
  'GET\t/health\tHTTP/1.1',
  ' GET /health HTTP/1.1',
  'get /health HTTP/1.1',
  'GET /health HTTP/1.2',
  'GET /health HTTP/2.0',
  'GET /health HTTP/9.9',
  'GET /health HTTP/11',
  'GET /health http/1.1',
  'GET /health HTTP/1.1 x',
  'GET /he alth HTTP/1.1',
  'GET health HTTP/1.1',
  'GET /he\u0000alth HTTP/1.1',
  'GET /he\u00e4lth HTTP/1.1',
  'GET /\u001b[2J HTTP/1.1',
  'GET /health\rX: y HTTP/1.1',
  'GET http:///health HTTP/1.1',
  'GET http://[::1 HTTP/1.1',
  'GET fuzz:80 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'FOO /health HTTP/1.1',
  'G\u0000T /health HTTP/1.1',
  'CONNECT fuzz:80 HTTP/1.1',
  'PRI * HTTP/2.0',
  'HTTP/1.1 200 OK',
  `GET /${'x'.repeat(40_000)} HTTP/1.1`,
  `${'X'.repeat(40_000)} / HTTP/1.1`,
];
const headerLines = [
  'no colon',
  ': no name',
  'a b: c',
  'a\u0000: b',
  'a: \u0000',
  'a: \u0001\u0002',
  'a: b\rc: d',
  'a: b\nc: d',
  ' folded: a',
  'a: b\r\n folded',
  '\u00e4: b',
  'a: \u00e4',
  'Host',
  'Host: a\r\nHost: b',
  'Expect: something',
  'Expect: 100-continue',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA',
  'Connection: close',
  `X-Large: ${'x'.repeat(40_000)}`,
  `${'X'.repeat(40_000)}: y`,
];
const garbage = [
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
  '\u0000'.repeat(64),
  '\r\n'.repeat(50),
  '\n\n\n',
  'x'.repeat(100_000),
  '*1\r\n$4\r\nPING\r\n',
  'SSH-2.0-OpenSSH_9.6\r\n',
  '{"items":[]}\r\n\r\n',
];

/** Broken HTTP. A part of it that is a valid request may be answered as one. */
export const brokenKinds: Readonly<Record<string, Kind>> = {
  'an odd request line': ({ random }) => latin1(`${random.pick(requestLines)}\r\nHost: fuzz\r\n\r\n`),
  'an odd header': ({ random }) =>
    latin1(`GET /health HTTP/1.1\r\nHost: fuzz\r\n${random.pick(headerLines)}\r\n\r\n`),
  'a flood of headers': ({ random }) => {
    const lines = Array.from({ length: 1 + random.int(6000) }, (_, n) => `h${n}: x\r\n`);
    return latin1(`GET /health HTTP/1.1\r\nHost: fuzz\r\n${lines.join('')}\r\n`);
  },
  'no host': ({ good }) => latin1(encode(good).toString('latin1').replace('Host: fuzz\r\n', '')),
  'other line ends': ({ random, good }) =>
    latin1(
      encode(good)
        .toString('latin1')
        .replaceAll('\r\n', random.pick(['\n', '\r', '\r\r\n'])),
    ),
  'a cut': ({ random, good }) => {
    const bytes = encode(good);
    return bytes.subarray(0, random.int(bytes.length));
  },
  'a body longer than its length': ({ random, good, sender }) =>
    Buffer.concat([
      post({ good, sender }, `Content-Length: ${random.int(3)}`),
      latin1('rubbish that is no request\r\n\r\n'),
    ]),
  'a body shorter than its length': ({ random, good, sender }) =>
    post({ good, sender }, `Content-Length: ${random.pick([1, 1000, 11_000_000, 99_000_000])}`),
  mutations: ({ random, good }) => mutateBytes(random, encode(good)),
  garbage: ({ random }) => latin1(random.pick(garbage)),
  noise: ({ random }) => Buffer.from(Array.from({ length: 1 + random.int(300) }, () => random.int(256))),
};
