import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { createPresignedPost, type PresignedPostOptions } from '@aws-sdk/s3-presigned-post';
import type { Reply } from '../src/api.js';
import { openRaw } from './support/raw-connection.js';
import { bytesOf, newBucket, useS3 } from './support/s3.js';

/** What the name of the file takes the place of. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: forms have it as it stands.
const filename = '${filename}';
const kib = 1024;
const mib = 1024 * 1024;

/** What a form has, in its order; the file is a field, too. */
type Fields = readonly (readonly [name: string, value: string | File])[];

type Field = readonly [name: string, value: string];

describe('forms that browsers post', { concurrency: true }, () => {
  const s3 = useS3();

  async function post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Reply> {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    const { headers: made, body } = await encoded(form);
    return await s3.api.send('POST', path, { key: null, type: made, body, headers });
  }

  async function encoded(form: FormData) {
    const response = new Response(form);
    const headers = response.headers.get('content-type') as string;
    return { headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** Posts what the SDK presigned. `change`: of its fields. */
  async function presigned(
    options: Omit<PresignedPostOptions, 'Bucket'> & { readonly Bucket?: string },
    file: File,
    more: Fields = [],
    change: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Reply & { readonly Bucket: string }> {
    const Bucket = options.Bucket ?? (await s3.bucket());
    const { url, fields } = await createPresignedPost(s3.client, { ...options, Bucket });
    const given = Object.entries({ ...fields, ...change }).filter(
      (one): one is [string, string] => one[1] !== undefined,
    );
    const reply = await post(new URL(url).pathname, [...given, ...more, ['file', file]]);
    return Object.assign(reply, { Bucket });
  }

  const text = (value: string, name = 'a b.txt') => new File([value], name);
  const read = async (Bucket: string, Key: string) => {
    const found = await s3.client.send(new GetObjectCommand({ Bucket, Key }));
    return { ...found, text: (await bytesOf(found.Body)).toString() };
  };
  const isRefused = (reply: Reply, status: number, code: string, words = /./) => {
    assert.equal(reply.status, status, reply.text);
    assert.equal(/<Code>(\w+)<\/Code>/.exec(reply.text)?.[1], code, reply.text);
    assert.match(reply.text, words);
  };
  const isAbsent = async (Bucket: string, Key: string) =>
    assert.rejects(s3.client.send(new HeadObjectCommand({ Bucket, Key })), { name: 'NotFound' });

  test('what the SDK presigned is put, with what its fields say', async () => {
    const reply = await presigned(
      {
        Key: 'in/größe 1.txt',
        Fields: {
          'Content-Type': 'text/x-mine',
          'Cache-Control': 'max-age=60',
          'x-amz-meta-who': 'ännchen',
          acl: 'private',
        },
        Conditions: [['content-length-range', 1, 100]],
      },
      text('hello'),
    );
    assert.equal(reply.status, 204, reply.text);
    assert.equal(reply.text, '');
    const etag = `"${createHash('md5').update('hello').digest('hex')}"`;
    assert.equal(reply.headers.etag, etag);
    assert.equal(reply.headers.location, `/${reply.Bucket}/in/gr%C3%B6%C3%9Fe%201.txt`);
    const found = await read(reply.Bucket, 'in/größe 1.txt');
    assert.equal(found.text, 'hello');
    assert.equal(found.ETag, etag);
    assert.equal(found.ContentType, 'text/x-mine');
    assert.equal(found.CacheControl, 'max-age=60');
    assert.equal(Buffer.from(found.Metadata?.who ?? '', 'latin1').toString(), 'ännchen');
    // The file API has it at once.
    const file = await s3.api.send(
      'GET',
      `/v1/${s3.target.project}/${reply.Bucket}/files/download?name=${encodeURIComponent('in/größe 1.txt')}`,
    );
    assert.equal(file.text, 'hello');
  });

  test('files of every size', async () => {
    const Bucket = await s3.bucket();
    for (const size of [0, 1, 16 * kib, 16 * kib + 1, 12 * mib]) {
      const reply = await presigned({ Bucket, Key: `n${size}` }, new File([Buffer.alloc(size, 'ab')], 'f'));
      assert.equal(reply.status, 204, reply.text);
      const found = await read(Bucket, `n${size}`);
      assert.equal(found.ContentLength, size);
      assert.equal(found.ContentType, 'binary/octet-stream');
    }
  });

  test('the name of the file takes the place of its variable', async () => {
    const reply = await presigned({ Key: `up/${filename}` }, text('x', 'C:\\my files\\größe & more.txt'));
    assert.equal(reply.status, 204, reply.text);
    assert.equal((await read(reply.Bucket, 'up/größe & more.txt')).text, 'x');
  });

  test('success is said as the form asks', async () => {
    const Bucket = await s3.bucket();
    const asked = (Fields: Record<string, string>) =>
      presigned({ Bucket, Key: 'a&b/c d', Fields }, text('x'));
    const created = await asked({ success_action_status: '201' });
    assert.equal(created.status, 201);
    assert.match(created.text, /<PostResponse/);
    assert.match(created.text, new RegExp(`<Bucket>${Bucket}</Bucket><Key>a&amp;b/c d</Key><ETag>&quot;`));
    assert.equal((await asked({ success_action_status: '200' })).status, 200);
    assert.equal((await asked({ success_action_status: '404' })).status, 204);
    const shown = await asked({ success_action_redirect: 'https://shop.example/done?n=1#end' });
    assert.equal(shown.status, 303);
    const etag = String(shown.headers.etag).replaceAll('"', '%22');
    assert.equal(
      shown.headers.location,
      `https://shop.example/done?n=1&bucket=${Bucket}&key=a%26b%2Fc%20d&etag=${etag}#end`,
    );
    const older = await asked({ redirect: 'http://shop.example' });
    assert.match(String(older.headers.location), /^http:\/\/shop\.example\/\?bucket=/);
    for (const bad of ['javascript:alert(1)', '/done', '']) {
      assert.equal((await asked({ success_action_redirect: bad })).status, 204, bad);
    }
  });

  test('every condition that is not met refuses the form, and stores nothing', async () => {
    const Bucket = await s3.bucket();
    const Key = 'k.txt';
    const refused = async (
      options: Partial<PresignedPostOptions>,
      change: Record<string, string | undefined>,
      words: RegExp,
    ) => {
      const reply = await presigned({ Key, ...options, Bucket }, text('hello'), [], change);
      isRefused(reply, 403, 'AccessDenied', words);
    };
    await refused({}, { key: 'other' }, /Policy Condition failed: \[&quot;eq&quot;, ?&quot;\$key&quot;/);
    await refused({ Key: `up/${filename}` }, { key: 'k.txt' }, /\$key&quot;, ?&quot;up\//);
    await refused({ Conditions: [{ acl: 'private' }] }, {}, /\$acl/);
    await refused({ Conditions: [['eq', '$x-amz-meta-a', '1']] }, { 'x-amz-meta-a': '2' }, /x-amz-meta-a/);
    await refused(
      { Conditions: [['starts-with', '$Content-Type', 'image/']] },
      { 'Content-Type': 'image/png, text/html' },
      /content-type/,
    );
    await refused({ Conditions: [['starts-with', '$Content-Type', '']] }, {}, /content-type/);
    await refused({ Fields: { success_action_status: '201' } }, { success_action_status: '200' }, /status/);
    await refused({}, { 'x-amz-meta-more': '1' }, /Extra input fields: x-amz-meta-more/);
    await refused({}, { 'Content-Type': 'text/html' }, /Extra input fields: content-type/);
    await refused({ Expires: -10 }, {}, /Policy expired/);
    const other = await s3.bucket();
    const { fields } = await createPresignedPost(s3.client, { Bucket, Key });
    isRefused(
      await post(`/${other}`, [...Object.entries(fields), ['file', text('x')]]),
      403,
      'AccessDenied',
      /bucket/,
    );
    const sized = (min: number, max: number) =>
      presigned({ Bucket, Key, Conditions: [['content-length-range', min, max]] }, text('hello'));
    isRefused(await sized(0, 4), 400, 'EntityTooLarge');
    isRefused(await sized(6, 9), 400, 'EntityTooSmall');
    await isAbsent(Bucket, Key);
    await isAbsent(other, Key);
    assert.equal((await sized(5, 5)).status, 204);
  });

  test('nobody without a signature, with a wrong one, or beyond the limits of the key', async () => {
    const Bucket = await s3.bucket();
    const Key = 'in/k';
    const file = text('x');
    const anonymous = await post(`/${Bucket}`, [
      ['key', Key],
      ['file', file],
    ]);
    isRefused(anonymous, 403, 'AccessDenied');
    const changed = (change: Record<string, string | undefined>) =>
      presigned({ Bucket, Key }, file, [], change);
    isRefused(await changed({ 'X-Amz-Signature': '0'.repeat(64) }), 403, 'SignatureDoesNotMatch');
    isRefused(await changed({ 'X-Amz-Signature': undefined }), 400, 'InvalidArgument', /x-amz-signature/);
    isRefused(await changed({ Policy: undefined }), 400, 'InvalidArgument', /policy/);
    isRefused(await changed({ key: undefined }), 400, 'InvalidArgument', /named &apos;key&apos;|named 'key'/);
    isRefused(await changed({ 'X-Amz-Algorithm': 'AWS4-HMAC-MD5' }), 400, 'InvalidArgument');
    isRefused(await changed({ 'X-Amz-Date': '20200101T000000Z' }), 400, 'InvalidArgument');
    isRefused(await changed({ 'X-Amz-Credential': 'a/b' }), 400, 'InvalidArgument');
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    const foreign = `BDRVNOBODY/${day}/us-east-1/s3/aws4_request`;
    const unknown = await changed({ 'X-Amz-Credential': foreign, 'X-Amz-Date': `${day}T000000Z` });
    isRefused(unknown, 403, 'InvalidAccessKeyId');
    for (const limits of [{ access: 'read' }, { prefix: 'out/' }, { drives: ['elsewhere'] }]) {
      const client = s3.clientOf(await s3.credentialsOf(limits));
      const { fields } = await createPresignedPost(client, { Bucket, Key });
      isRefused(await post(`/${Bucket}`, [...Object.entries(fields), ['file', file]]), 403, 'AccessDenied');
      client.destroy();
    }
    await isAbsent(Bucket, Key);
    const within = s3.clientOf(await s3.credentialsOf({ access: 'write', prefix: 'in/', drives: [Bucket] }));
    const { fields } = await createPresignedPost(within, { Bucket, Key: `in/${filename}` });
    const climbing = await post(`/${Bucket}`, [
      ...Object.entries({ ...fields, key: 'in/k' }),
      ['file', file],
    ]);
    assert.equal(climbing.status, 204, climbing.text);
    within.destroy();
  });

  /** Signs in the older way, with which boto3 signs forms unless it is told otherwise. */
  const signed = (policy: string): readonly [Field, Field, Field] => {
    const base64 = Buffer.from(policy).toString('base64');
    const { accessKeyId, secretAccessKey } = s3.credentials;
    return [
      ['AWSAccessKeyId', accessKeyId],
      ['signature', createHmac('sha1', secretAccessKey).update(base64).digest('base64')],
      ['policy', base64],
    ];
  };
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  test('the older signature of forms', async () => {
    const bucket = await s3.bucket();
    const policy = JSON.stringify({
      expiration: inAnHour(),
      conditions: [{ bUcKeT: bucket }, ['StArTs-WiTh', '$KeY', 'up/'], { AcL: 'private' }],
    });
    const [id, signature, sent] = signed(policy);
    const own: readonly Field[] = [
      ['kEy', 'up/k'],
      ['acl', 'private'],
      ['x-ignore-me', '1'],
    ];
    const right: Fields = [...own, id, signature, ['pOLICy', sent[1]], ['FILE', text('x')]];
    const reply = await post(`/${bucket}/`, right);
    assert.equal(reply.status, 204, reply.text);
    const wrong: readonly Field[] = [id, ['signature', [...signature[1]].reverse().join('')], sent];
    isRefused(
      await post(`/${bucket}`, [...own, ...wrong, ['file', text('x')]]),
      403,
      'SignatureDoesNotMatch',
    );
    const without = await post(`/${bucket}`, [...own, id, sent, ['file', text('x')]]);
    isRefused(without, 400, 'InvalidArgument', /signature/);
  });

  test('a policy that is none is refused', async () => {
    const bucket = await s3.bucket();
    const all = [{ bucket }, ['starts-with', '$key', '']];
    const sent = (policy: string) =>
      post(`/${bucket}`, [['key', 'k'], ...signed(policy), ['file', text('x')]]);
    const of = (document: object) => sent(JSON.stringify(document));
    const expiration = inAnHour();
    for (const reply of [
      await sent('{'),
      await sent('[]'),
      await of({ conditions: all }),
      await of({ EXPIRATION: expiration, conditions: all }),
      await of({ expiration: 'tomorrow', conditions: all }),
      await of({ expiration: 1e13, conditions: all }),
      await of({ expiration: '2099-13-01T00:00:00Z', conditions: all }),
      await of({ expiration }),
      await of({ expiration, CONDITIONS: all }),
      await of({ expiration, conditions: {} }),
      await of({ expiration, conditions: [{}] }),
      await of({ expiration, conditions: [...all, { a: '1', b: '2' }] }),
      await of({ expiration, conditions: [...all, ['content-length-range', 0]] }),
      await of({ expiration, conditions: [...all, ['content-length-range', -1, 0]] }),
      await of({ expiration, conditions: [...all, ['matches', '$key', 'k']] }),
      await of({ expiration, conditions: [...all, ['eq', 'key', 'k']] }),
      await of({ expiration, conditions: [...all, 7] }),
    ]) {
      isRefused(reply, 400, 'InvalidPolicyDocument');
    }
    await isAbsent(bucket, 'k');
    // A policy may write a dollar as `\$`.
    const escaped = `{"expiration":"${expiration}","conditions":[{"bucket":"${bucket}"},["eq","$key","\\$k"]]}`;
    const dollar = await post(`/${bucket}`, [['key', '$k'], ...signed(escaped), ['file', text('x')]]);
    assert.equal(dollar.status, 204, dollar.text);
  });

  test('a policy in other characters, whose low bytes are those that were signed, is none', async () => {
    const Bucket = await s3.bucket();
    const { fields } = await createPresignedPost(s3.client, { Bucket, Key: 'k' });
    const wide = fields.Policy?.replaceAll('c', '\u0163');
    assert.notEqual(wide, fields.Policy);
    const reply = await presigned({ Bucket, Key: 'k' }, text('x'), [], { ...fields, Policy: wide });
    isRefused(reply, 400, 'InvalidPolicyDocument');
    await isAbsent(Bucket, 'k');
  });

  test('a checksum needs no condition, and is compared', async () => {
    const Bucket = await s3.bucket();
    const sum = createHash('sha256').update('hello').digest('base64');
    const sent = (Key: string, value: string) =>
      presigned({ Bucket, Key }, text('hello'), [['x-amz-checksum-sha256', value]]);
    assert.equal((await sent('good', sum)).status, 204);
    const head = await s3.client.send(
      new HeadObjectCommand({ Bucket, Key: 'good', ChecksumMode: 'ENABLED' }),
    );
    assert.equal(head.ChecksumSHA256, sum);
    isRefused(await sent('bad', createHash('sha256').digest('base64')), 400, 'BadDigest');
    assert.equal((await sent('bad', 'sailorjerry')).status, 400);
    await isAbsent(Bucket, 'bad');
  });

  test('what is not here is refused, and never ignored', async () => {
    const Bucket = await s3.bucket();
    const asked = (Fields: Record<string, string>) => presigned({ Bucket, Key: 'k', Fields }, text('x'));
    isRefused(await asked({ acl: 'public-read' }), 501, 'NotImplemented');
    isRefused(await asked({ tagging: '<Tagging/>' }), 501, 'NotImplemented');
    isRefused(await asked({ 'x-amz-server-side-encryption': 'AES256' }), 501, 'NotImplemented');
    isRefused(await asked({ 'x-amz-meta-big': 'x'.repeat(3000) }), 400, 'MetadataTooLarge');
    isRefused(
      await asked({ 'x-ignore-big': 'x'.repeat(21 * kib) }),
      400,
      'MaxPostPreDataLengthExceededError',
    );
    isRefused(await presigned({ Bucket: newBucket(), Key: 'k' }, text('x')), 404, 'NoSuchBucket');
    await isAbsent(Bucket, 'k');
  });

  test('a form that is none, or not whole, stores nothing', async () => {
    const Bucket = await s3.bucket();
    const { fields } = await createPresignedPost(s3.client, { Bucket, Key: 'k' });
    const own = Object.entries(fields);
    isRefused(await post(`/${Bucket}`, own), 400, 'InvalidArgument', /exactly one file/);
    const twice: Fields = [...own, ['Key', 'other'], ['file', text('x')]];
    isRefused(await post(`/${Bucket}`, twice), 400, 'InvalidArgument', /once/);
    isRefused(await post('/', [...own, ['file', text('x')]]), 405, 'MethodNotAllowed');
    const form = new FormData();
    for (const [name, value] of own) form.append(name, value);
    form.append('file', text('x'.repeat(50_000)));
    form.append('late', 'ignored');
    const { headers: type, body } = await encoded(form);
    for (const length of [300, body.indexOf('X-Amz-Signature') + 40, body.length - 40_000, body.length - 4]) {
      const cut = await s3.api.send('POST', `/${Bucket}`, {
        key: null,
        type,
        body: body.subarray(0, length),
      });
      isRefused(cut, 400, 'MalformedPOSTRequest');
    }
    await isAbsent(Bucket, 'k');
    const whole = await s3.api.send('POST', `/${Bucket}`, { key: null, type, body });
    assert.equal(whole.status, 204, whole.text);
  });

  test('fields that follow the file are ignored, however small it is', async () => {
    const Bucket = await s3.bucket();
    const { fields } = await createPresignedPost(s3.client, { Bucket, Key: 'k' });
    const late: Fields = [
      ['x-amz-meta-late', '1'],
      ['key', 'other'],
      ['x-ignore-big', 'x'.repeat(21 * kib)],
    ];
    const reply = await post(`/${Bucket}`, [...Object.entries(fields), ['file', text('x')], ...late]);
    assert.equal(reply.status, 204, reply.text);
    assert.deepEqual((await read(Bucket, 'k')).Metadata, {});
    await isAbsent(Bucket, 'other');
  });

  test('a form whose file does not come is not read to its end', async () => {
    const raw = await openRaw(s3.target);
    const part = '--x\r\nContent-Disposition: form-data; name="junk"\r\n\r\n';
    const head = 'Host: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000000\r\n';
    raw.write(`POST /${newBucket()} HTTP/1.1\r\n${head}\r\n${part}`);
    raw.write(Buffer.alloc(3 * mib, 'a'));
    const { status, text } = await raw.reply();
    assert.equal(status, 400);
    assert.match(text, /<Code>MaxPostPreDataLengthExceededError</);
    raw.destroy();
  });

  test('a field may be named as what every object of JavaScript has', async () => {
    const Bucket = await s3.bucket();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const conditions = [{ bucket: Bucket }, { key: 'k' }, ['starts-with', `$${name}`, '']];
      const policy = JSON.stringify({ expiration: inAnHour(), conditions });
      const own: readonly Field[] = [...signed(policy), ['key', 'k'], [name, 'x']];
      const reply = await post(`/${Bucket}`, [...own, ['file', text('x')]]);
      assert.equal(reply.status, 204, `${name}: ${reply.text}`);
    }
  });

  test('a client that leaves in the middle of a form stores nothing', async () => {
    const Bucket = await s3.bucket();
    const { fields } = await createPresignedPost(s3.client, { Bucket, Key: 'k' });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', text('x'.repeat(50_000)));
    const { headers: type, body } = await encoded(form);
    const raw = await openRaw(s3.target);
    const head = `POST /${Bucket} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
    raw.write(Buffer.concat([Buffer.from(head), body.subarray(0, body.length - 10)]));
    raw.end();
    await raw.closed;
    await isAbsent(Bucket, 'k');
  });

  test('pages of other origins may read the answer', async () => {
    const Bucket = await s3.bucket();
    const { fields } = await createPresignedPost(s3.client, { Bucket, Key: 'k' });
    const sent: Fields = [...Object.entries(fields), ['file', text('x')]];
    const reply = await post(`/${Bucket}`, sent, { Origin: 'https://shop.example' });
    assert.equal(reply.status, 204);
    assert.equal(reply.headers['access-control-allow-origin'], '*');
  });
});
