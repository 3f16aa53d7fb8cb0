import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { SignatureV4 } from '@smithy/signature-v4';
import { S3Error } from '../../src/s3/errors.js';
import { readAuthorizationHeader, readPresignedQuery } from '../../src/s3/signature/authorization.js';
import { createSignatureCheck, type UncheckedParts } from '../../src/s3/signature/check-signature.js';
import { decodePath, encode, encodePath, readQuery } from '../../src/s3/signature/encoding.js';

// The signer of the AWS SDK is the oracle: what it signs is accepted, and nothing else.

const secretAccessKey = 'cGxlYXNlIGtlZXAgdGhpcyBhIHNlY3JldA-_+/=';
const accessKeyId = 'BDRV0123456789AB';
const nowMs = Date.UTC(2026, 0, 31, 23, 59, 30);

class Sha256 {
  private readonly hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', Buffer.from(secret as Uint8Array));
  }
  update(data: string | Uint8Array): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
  reset(): void {}
}

const signer = new SignatureV4({
  service: 's3',
  region: 'eu-central-1',
  credentials: { accessKeyId, secretAccessKey },
  sha256: Sha256,
  uriEscapePath: false,
  applyChecksum: false,
});
const check = createSignatureCheck({
  find: (id) => (id === accessKeyId ? { signer: 'shop', secret: secretAccessKey } : undefined),
  clock: () => nowMs,
});

/** A request as it arrives. */
interface Wire {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

function partsOf({ method, path, query, fields }: Wire): UncheckedParts {
  return {
    method,
    path: decodePath(path),
    query: readQuery(query),
    valuesOf: (wanted) => fields.filter(([name]) => name === wanted).map(([, value]) => value),
    amzFields: fields.map(([name]) => name).filter((name) => name.startsWith('x-amz-')),
  };
}

/** Who signed it in a header. */
function verify(wire: Wire): string {
  const parts = partsOf(wire);
  const authorization = readAuthorizationHeader(parts.valuesOf('authorization')[0] as string, parts);
  return check.request(authorization, parts, parts.valuesOf('x-amz-content-sha256')[0] as string).signer;
}

/** Who signed it in its query string. */
function verifyPresigned(wire: Wire): string {
  const parts = partsOf(wire);
  const authorization = readPresignedQuery(parts.query);
  const query = parts.query.filter(([name]) => name !== 'X-Amz-Signature');
  return check.request(authorization, { ...parts, query }, 'UNSIGNED-PAYLOAD').signer;
}

function random(seed: number) {
  let state = seed;
  const below = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  return { below, pick };
}

const pieces = ['a', 'Z', '0', '-', '.', '_', '~', ' ', '+', '%', '%2F', '%41', '/', '//', 'ä', '漢', '😀', '&', '=', '?',
  '#', '!', "'", '(', ')', '*', ';', ':', '@', ',', '$', '"', '<', '\\', '^', '`', '{', '|', '\u00a0']; // biome-ignore format: a row of texts
const values = ['', 'x', ' x ', 'two  spaces', 'a,b', 'tab\there', '"q"', 'a=b;c', '   ', '1', 'ü'];

function requestOf(seed: number) {
  const { below, pick } = random(seed);
  const text = (most: number) => Array.from({ length: below(most) }, () => pick(pieces)).join('');
  const path = `/bucket/${text(12)}`;
  const names = [
    ...new Set(Array.from({ length: below(5) }, () => pick(['prefix', 'a', 'A', 'acl', 'x-y', 'ä b', '+']))),
  ];
  const query = Object.fromEntries(names.map((name) => [name, below(4) === 0 ? '' : text(6)]));
  const metadata = Array.from({ length: below(4) }, (_, n): [string, string] => [
    `x-amz-meta-${pick(['a', 'b-c', 'z'])}${n}`,
    pick(values),
  ]);
  const method = pick(['GET', 'PUT', 'HEAD', 'POST', 'DELETE']);
  return { method, path, query, metadata };
}

const host = '127.0.0.1:8080';
const payload = createHash('sha256').update('body').digest('hex');
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const wireQuery = (query: Readonly<Record<string, string>>) =>
  Object.entries(query)
    .map(([name, value]) => (value === '' && name === 'acl' ? name : `${encode(name)}=${encode(value)}`))
    .join('&');

async function signed(seed: number): Promise<Wire> {
  const { method, path, query, metadata } = requestOf(seed);
  const headers = {
    host,
    'x-amz-content-sha256': payload,
    'content-type': 'text/plain; charset=utf-8',
    ...Object.fromEntries(metadata),
  };
  const request = {
    method,
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: encodePath(path),
    query,
    headers,
  };
  const { headers: sent } = await signer.sign(request, { signingDate: new Date(nowMs - 60_000) });
  const fields = Object.entries(sent as Record<string, string>).map(
    ([name, value]) => [name.toLowerCase(), utf8(value)] as const,
  );
  return { method, path: encodePath(path), query: wireQuery(query), fields };
}

async function presigned(seed: number): Promise<Wire> {
  const { method, path, query } = requestOf(seed);
  const request = {
    method,
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: encodePath(path),
    query,
    headers: { host },
  };
  const options = { signingDate: new Date(nowMs - 60_000), expiresIn: 3600 };
  const { query: sent } = await signer.presign(
    { ...request, headers: { ...request.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
    options,
  );
  return {
    method,
    path: encodePath(path),
    query: wireQuery(sent as Record<string, string>),
    fields: [['host', host]],
  };
}

const rounds = 3000;

describe('SigV4', () => {
  test(`accepts ${rounds} random requests that the signer of the AWS SDK signed in a header`, async () => {
    for (let seed = 0; seed < rounds; seed++)
      assert.equal(verify(await signed(seed)), 'shop', `seed ${seed}`);
  });

  test(`accepts ${rounds} random presigned URLs of it`, async () => {
    for (let seed = 0; seed < rounds; seed++)
      assert.equal(verifyPresigned(await presigned(seed)), 'shop', `seed ${seed}`);
  });

  test('accepts the same request in other spellings that mean the same', async () => {
    const wire = await signed(7);
    const reversed = wire.query.split('&').reverse().join('&');
    assert.equal(verify({ ...wire, query: reversed, fields: wire.fields.toReversed() }), 'shop');
    const lower = wire.path.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
    assert.equal(verify({ ...wire, path: lower }), 'shop');
    const padded = wire.fields.map(
      ([name, value]) => [name, name === 'content-type' ? ` ${value}	` : value] as const,
    );
    assert.equal(verify({ ...wire, fields: padded }), 'shop');
  });

  test('refuses every request of which one bit was changed', async () => {
    const { below, pick } = random(99);
    for (let seed = 0; seed < 1000; seed++) {
      const wire = await signed(seed);
      const changed = pick([changeMethod, changePath, changeQuery, changeField])(wire, below);
      if (sameMeaning(wire, changed)) continue;
      assert.throws(() => verify(changed), S3Error, `seed ${seed}: ${JSON.stringify(changed)}`);
    }
  });

  test('reads a header that is known but for its signature as strictly as a new one', () => {
    const head = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260131/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=`;
    const valuesOf = (name: string) => (name === 'x-amz-date' ? ['20260131T235930Z'] : []);
    const read = (authorization: string) =>
      readAuthorizationHeader(authorization, { method: 'GET', path: '/', query: [], valuesOf });
    for (const digit of ['a', 'b']) assert.equal(read(head + digit.repeat(64)).signature, digit.repeat(64));
    const digits = 'c'.repeat(64);
    for (const bad of [
      `${head}${'C'.repeat(64)}`,
      `${head}${'c'.repeat(63)}`,
      `${head}c${digits}`,
      `${head}${'c'.repeat(40)},Signature=${'c'.repeat(13)}`,
      `${head}${'c'.repeat(58)},A=bcd`,
      `${head}Signature=${digits}`,
      `${head}, Signature=${digits}`,
      head,
    ]) {
      assert.throws(() => read(bad), { code: 'AuthorizationHeaderMalformed' }, bad);
    }
  });

  test('refuses a presigned URL of which one bit was changed', async () => {
    const { below, pick } = random(77);
    for (let seed = 0; seed < 1000; seed++) {
      const wire = await presigned(seed);
      const changed = pick([changeMethod, changePath, changeQuery])(wire, below);
      if (sameMeaning(wire, changed)) continue;
      assert.throws(() => verifyPresigned(changed), S3Error, `seed ${seed}: ${JSON.stringify(changed)}`);
    }
  });

  test('refuses a parameter more, one fewer, and one that is repeated', async () => {
    for (let seed = 0; seed < 200; seed++) {
      for (const [wire, verifies] of [
        [await signed(seed), verify],
        [await presigned(seed), verifyPresigned],
      ] as const) {
        const given = wire.query.split('&').filter((parameter) => parameter !== '');
        const changes = given.flatMap((parameter, n) => [given.toSpliced(n, 1), [...given, parameter]]);
        for (const changed of [...changes, [...given, 'uploads']]) {
          const query = changed.join('&');
          assert.throws(() => verifies({ ...wire, query }), S3Error, `seed ${seed}: ${query}`);
        }
      }
    }
  });

  test('refuses a field that begins with x-amz- and is not signed, a repeated field, and one fewer', async () => {
    const wire = await signed(3);
    const more = [...wire.fields, ['x-amz-copy-source', '/other/secret'] as const];
    assert.throws(() => verify({ ...wire, fields: more }), { code: 'AccessDenied' });
    const twice = [...wire.fields, ['content-type', 'text/html'] as const];
    assert.throws(() => verify({ ...wire, fields: twice }), { code: 'SignatureDoesNotMatch' });
    const fewer = wire.fields.filter(([name]) => name !== 'content-type');
    assert.throws(() => verify({ ...wire, fields: fewer }), { code: 'SignatureDoesNotMatch' });
  });

  test('knows when a request was signed, and until when a link is valid', async () => {
    const wire = await signed(5);
    const link = await presigned(5);
    const at = (ms: number) =>
      createSignatureCheck({ find: () => ({ signer: 'shop', secret: secretAccessKey }), clock: () => ms });
    const signedMs = nowMs - 60_000;
    const parts = partsOf(wire);
    const authorization = readAuthorizationHeader(parts.valuesOf('authorization')[0] as string, parts);
    const whole = (ms: number) => () => at(ms).request(authorization, parts, payload).signer;
    assert.equal(whole(signedMs + 15 * 60_000)(), 'shop');
    assert.equal(whole(signedMs - 15 * 60_000)(), 'shop');
    assert.throws(whole(signedMs + 15 * 60_000 + 1), { code: 'RequestTimeTooSkewed' });
    assert.throws(whole(signedMs - 15 * 60_000 - 1), { code: 'RequestTimeTooSkewed' });
    const linked = partsOf(link);
    const query = linked.query.filter(([name]) => name !== 'X-Amz-Signature');
    const open = (ms: number) => () =>
      at(ms).request(readPresignedQuery(linked.query), { ...linked, query }, 'UNSIGNED-PAYLOAD').signer;
    assert.equal(open(signedMs + 3_600_000)(), 'shop');
    assert.throws(open(signedMs + 3_600_001), { code: 'AccessDenied', message: 'Request has expired' });
    assert.throws(open(signedMs - 15 * 60_000 - 1), {
      code: 'AccessDenied',
      message: 'Request is not yet valid',
    });
  });

  test('names SigV2, and the setting that helps', () => {
    const parts = partsOf({
      method: 'GET',
      path: '/b/k',
      query: 'AWSAccessKeyId=x&Signature=y&Expires=1',
      fields: [],
    });
    assert.throws(() => readAuthorizationHeader('AWS AKID:c2ln', parts), /SigV2.*s3v4/);
    assert.throws(
      () => readPresignedQuery(parts.query),
      /SigV2.*aws configure set .*s3v4.*s3cmd signurl cannot/,
    );
  });
});

type Change = (wire: Wire, below: (n: number) => number) => Wire;

const changeMethod: Change = (wire) => ({ ...wire, method: wire.method === 'GET' ? 'PUT' : 'GET' });
const changePath: Change = (wire, below) => ({ ...wire, path: flipped(wire.path, below, 8) });
const changeQuery: Change = (wire, below) => ({ ...wire, query: flipped(wire.query || 'a', below, 0) });
const changeField: Change = (wire, below) => {
  const n = below(wire.fields.length);
  const fields = wire.fields.map(
    ([name, value], index) => [name, index === n ? flipped(value || 'a', below, 0) : value] as const,
  );
  return { ...wire, fields };
};

function flipped(text: string, below: (n: number) => number, from: number): string {
  if (text.length <= from) return `${text}x`;
  const at = from + below(text.length - from);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << below(7))) + text.slice(at + 1);
}

/** Whether two requests differ only in how they are written. */
function sameMeaning(a: Wire, b: Wire): boolean {
  try {
    const [x, y] = [partsOf(a), partsOf(b)];
    const values = (parts: UncheckedParts, wire: Wire) =>
      wire.fields.map(([name]) => parts.valuesOf(name).map((value) => value.trim().replace(/[ \t]+/g, ' ')));
    const meaning = (parts: UncheckedParts, wire: Wire) =>
      JSON.stringify([parts.method, parts.path, parts.query.toSorted(), values(parts, wire)]);
    return meaning(x, a) === meaning(y, b);
  } catch {
    return false;
  }
}
