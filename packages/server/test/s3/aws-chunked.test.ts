import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { readAwsChunked } from '../../src/s3/bodies/aws-chunked.js';
import { SigningKey } from '../../src/s3/signature/signing-key.js';

// What a client sends in aws-chunked, made here by the description of AWS, and everything that an attacker could do to it.

const key = createHash('sha256').update('a signing key').digest();
const authorization = {
  signature: 'f'.repeat(64),
  timestamp: '20260131T235900Z',
  scope: { date: '20260131', region: 'us-east-1', text: '20260131/us-east-1/s3/aws4_request' },
};
const hex = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const sign = (text: string) => createHmac('sha256', key).update(text).digest('hex');

interface Chunk {
  readonly bytes: Buffer;
  readonly signature: string;
}

/** The chunks of a body with their signatures, the empty last one included. */
function signedChunks(parts: readonly string[]): {
  readonly chunks: readonly Chunk[];
  readonly last: string;
} {
  let before = authorization.signature;
  const chunks = [...parts, ''].map((part) => {
    const bytes = Buffer.from(part);
    const about = [
      'AWS4-HMAC-SHA256-PAYLOAD',
      authorization.timestamp,
      authorization.scope.text,
      before,
      hex(''),
      hex(bytes),
    ];
    before = sign(about.join('\n'));
    return { bytes, signature: before };
  });
  return { chunks, last: before };
}

function trailerSignature(last: string, lines: string): string {
  return sign(
    ['AWS4-HMAC-SHA256-TRAILER', authorization.timestamp, authorization.scope.text, last, hex(lines)].join(
      '\n',
    ),
  );
}

const written = (chunks: readonly Chunk[]) =>
  chunks
    .map(
      ({ bytes, signature }) =>
        `${bytes.length.toString(16)};chunk-signature=${signature}\r\n${bytes}${bytes.length > 0 ? '\r\n' : ''}`,
    )
    .join('');

interface Options {
  readonly signed?: boolean;
  readonly trailers?: readonly string[];
  readonly decodedBytes?: number;
  readonly step?: number;
}

const parts = ['a'.repeat(70), 'b'.repeat(70), 'c'.repeat(11)];
const whole = parts.join('');

/** The bytes and the trailers of a body that arrives in pieces of `step` bytes. */
async function read(
  body: string,
  { signed = true, trailers, decodedBytes = whole.length, step = 7 }: Options = {},
) {
  const input = Buffer.from(body);
  async function* arriving() {
    for (let at = 0; at < input.length; at += step) yield input.subarray(at, at + step);
  }
  const found: Record<string, string> = {};
  const chunks: Buffer[] = [];
  const options = {
    signer: signed ? { key: new SigningKey(key), authorization } : undefined,
    decodedBytes,
    trailerNames: trailers,
    onTrailer: (name: string, value: string) => {
      found[name] = value;
    },
  };
  for await (const chunk of readAwsChunked(arriving(), options)) chunks.push(Buffer.from(chunk));
  return { text: Buffer.concat(chunks).toString(), trailers: found };
}

describe('a body in aws-chunked', () => {
  const { chunks, last } = signedChunks(parts);
  const [a, b, c, end] = chunks as [Chunk, Chunk, Chunk, Chunk];

  for (const step of [1, 2, 63, 100_000]) {
    test(`is read, however it arrives: ${step} bytes at a time`, async () => {
      assert.equal((await read(`${written(chunks)}\r\n`, { step })).text, whole);
      const line = 'x-amz-checksum-crc32:AAAAAA==';
      const signed = `${written(chunks)}${line}\r\nx-amz-trailer-signature:${trailerSignature(last, `${line}\n`)}\r\n\r\n`;
      const trailers = ['x-amz-checksum-crc32'];
      assert.deepEqual((await read(signed, { step, trailers })).trailers, {
        'x-amz-checksum-crc32': 'AAAAAA==',
      });
      const plain = `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n${line}\r\n\r\n`;
      const { text, trailers: found } = await read(plain, { signed: false, step, trailers });
      assert.deepEqual([text, found], [whole, { 'x-amz-checksum-crc32': 'AAAAAA==' }]);
    });
  }

  const bodies: Readonly<Record<string, readonly Chunk[]>> = {
    'two are swapped': [b, a, c, end],
    'one is dropped': [a, c, end],
    'one is repeated': [a, a, b, c, end],
    'the first is dropped': [b, c, end],
    'a byte differs': [{ ...a, bytes: Buffer.from(`${'a'.repeat(69)}b`) }, b, c, end],
    'a signature differs': [
      a,
      { ...b, signature: b.signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
      c,
      end,
    ],
    'the last is another one': [a, b, c, { ...end, signature: a.signature }],
    'two are joined': [{ bytes: Buffer.concat([a.bytes, b.bytes]), signature: b.signature }, c, end],
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(`is refused when ${name}`, async () => {
      const decodedBytes = body.reduce((sum, { bytes }) => sum + bytes.length, 0);
      await assert.rejects(read(`${written(body)}\r\n`, { decodedBytes }), { code: 'SignatureDoesNotMatch' });
    });
  }

  const line = 'x-amz-checksum-crc32:AAAAAA==';
  const good = `x-amz-trailer-signature:${trailerSignature(last, `${line}\n`)}`;
  const trailers: Readonly<Record<string, readonly [rest: string, code: string]>> = {
    missing: [`${good}\r\n\r\n`, 'MalformedTrailerError'],
    'there twice': [`${line}\r\n${line}\r\n${good}\r\n\r\n`, 'MalformedTrailerError'],
    'another one': [`x-amz-meta-a:b\r\n${good}\r\n\r\n`, 'MalformedTrailerError'],
    'behind its signature': [`${good}\r\n${line}\r\n\r\n`, 'MalformedTrailerError'],
    'not signed': [`${line}\r\n\r\n`, 'SignatureDoesNotMatch'],
    changed: [`x-amz-checksum-crc32:AAAAAQ==\r\n${good}\r\n\r\n`, 'SignatureDoesNotMatch'],
    'no line': [`x-amz-checksum-crc32\r\n${good}\r\n\r\n`, 'MalformedTrailerError'],
  };
  for (const [name, [rest, code]] of Object.entries(trailers)) {
    test(`is refused when its trailer is ${name}`, async () => {
      await assert.rejects(read(written(chunks) + rest, { trailers: ['x-amz-checksum-crc32'] }), { code });
    });
  }

  const broken: Readonly<Record<string, string>> = {
    'cut off': written([a, b]),
    'cut off within a chunk': written([a, b]).slice(0, -20),
    'without its last chunk': written([a, b, c]),
    'followed by more': `${written(chunks)}\r\nmore`,
    'longer than it says': `${written(chunks)}\r\n`.replace('46;', '47;'),
    'without a size': `${written(chunks)}\r\n`.replace('46;', 'x;'),
    'of a size with a sign': `${written(chunks)}\r\n`.replace('46;', '-46;'),
    'of an endless size': `${'0'.repeat(20)}46;chunk-signature=${a.signature}\r\n`,
    'with an endless line': 'a'.repeat(5000),
    'with lines that end in \\n': `${written(chunks)}\r\n`.replaceAll('\r\n', '\n'),
    'without signatures': `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`,
  };
  for (const [name, body] of Object.entries(broken)) {
    test(`is refused ${name}`, async () => {
      await assert.rejects(read(body), (cause: { code?: string }) =>
        ['IncompleteBody', 'SignatureDoesNotMatch'].includes(cause.code ?? ''),
      );
    });
  }

  test('is refused when it has more or fewer bytes than it was to have', async () => {
    for (const decodedBytes of [whole.length - 1, whole.length + 1, 0]) {
      await assert.rejects(read(`${written(chunks)}\r\n`, { decodedBytes }), { code: 'IncompleteBody' });
    }
  });
});
