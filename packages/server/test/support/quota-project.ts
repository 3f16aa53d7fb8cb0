import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { temporaryFolder } from './run-cli.js';

const adminKey = '0perat0r-s3cret-0f-32-characters';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

interface Sent {
  readonly key?: string;
  readonly type?: string;
  /** Chunked: the server does not know how many bytes come. */
  readonly isChunked?: boolean;
}

/** Sends a request. Gives status 0 if the connection was cut before the answer, as it may be while bytes are refused. */
export function exchange(
  url: string,
  method: string,
  body?: object | string,
  sent: Sent = {},
): Promise<Answer> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const type = sent.type ?? (typeof body === 'object' ? 'application/json' : 'text/plain');
  const headers = {
    'X-API-Key': sent.key ?? '',
    ...(text !== undefined && { 'Content-Type': type }),
    ...(text !== undefined && !sent.isChunked && { 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve) => {
    const call = request(url, { method, headers, agent: false }, async (response) => {
      const status = response.statusCode ?? 0;
      resolve({ status, text: await readText(response).catch(() => ''), headers: response.headers });
    });
    call.once('error', () => resolve({ status: 0, text: '', headers: {} }));
    if (sent.isChunked) call.flushHeaders();
    call.end(text);
  });
}

export interface Project {
  readonly name: string;
  readonly key: string;
  readonly url: string;
  send(method: string, path: string, body?: object | string, sent?: Sent): Promise<Answer>;
  quota(quota: object): Promise<void>;
  usage(): Promise<Record<string, number>>;
  /** Deletes it with the key of the operator. */
  delete(): Promise<Answer>;
  /** The list of projects whose names begin with this one's. */
  listing(): Promise<string>;
  /** The answer to an upload of so many bytes, of which none is sent. */
  announce(path: string, bytes: number): Promise<Answer>;
}

let projects = 0;

/** A new project on a server. */
export async function projectOn(url: string, name = `p${++projects}`): Promise<Project> {
  const admin = (method: string, path: string, body?: object) =>
    exchange(`${url}/admin/projects${path}`, method, body, { key: adminKey });
  const made = await admin('POST', '', { name });
  assert.equal(made.status, 201, made.text);
  return { name, url, ...(await reachedBy(url, name, JSON.parse(made.text).key as string)) };
}

export async function reachedBy(url: string, name: string, key: string) {
  const root = `${url}/v1/${name}`;
  const admin = (method: string, path: string, body?: object) =>
    exchange(`${url}/admin/projects/${name}${path}`, method, body, { key: adminKey });
  return {
    key,
    send: (method: string, path: string, body?: object | string, sent: Sent = {}) =>
      exchange(root + path, method, body, { key, ...sent }),
    async quota(quota: object) {
      const answer = await admin('PUT', '/quota', quota);
      assert.equal(answer.status, 200, answer.text);
    },
    async usage() {
      const answer = await admin('GET', '/usage');
      assert.equal(answer.status, 200, answer.text);
      return JSON.parse(answer.text);
    },
    delete: () => admin('DELETE', ''),
    async listing() {
      const answer = await exchange(`${url}/admin/projects?prefix=${name}`, 'GET', undefined, {
        key: adminKey,
      });
      assert.equal(answer.status, 200, answer.text);
      return answer.text;
    },
    announce(path: string, bytes: number) {
      return new Promise<Answer>((resolve, reject) => {
        const headers = { 'X-API-Key': key, 'Content-Length': bytes, Expect: '100-continue' };
        const call = request(root + path, { method: 'POST', headers, agent: false });
        call.once('continue', () => reject(new Error('it was asked to send its bytes')));
        call.once('response', async (response) => {
          const status = response.statusCode ?? 0;
          resolve({ status, text: await readText(response), headers: response.headers });
          call.destroy();
        });
        call.on('error', reject);
        call.flushHeaders();
      });
    },
  };
}

export async function adminKeyFile(context: TestContext): Promise<string> {
  const file = join(await temporaryFolder(context), 'admin.key');
  await writeFile(file, adminKey, { mode: 0o600 });
  return file;
}

export function assertExceeded(answer: Answer, quota: string): void {
  assert.equal(answer.status, 507, answer.text);
  assert.deepEqual(JSON.parse(answer.text).codes, [{ code: 'quota_exceeded', path: quota }]);
}

export const putItem = (name: string, more: object = {}) => ({ items: [{ key: name, ...more }] });
