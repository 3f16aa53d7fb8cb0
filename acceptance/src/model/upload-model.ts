import { bytesOf, type Random } from '../random.js';
import type { Client, RequestHeaders } from './client.js';
import { type Content, compareFile, deleteFile, randomSize } from './file-model.js';
import { expectStatus, type Finding, knownState, lost, type Model, WrongAnswer } from './model.js';

const minPartBytes = 5 * 1024 * 1024;

interface Upload {
  readonly id: string;
  readonly parts: Content;
  /** The number of acknowledged parts: the upload must know them after any kill. */
  sent: number;
  /** Whether End or Abort was sent without an answer: the upload may no longer exist. */
  closing: boolean;
}

/** A file that is uploaded in parts across several kills: the upload is opened, continued, ended or aborted; the file is deleted. */
export function uploadModel(drive: string, name: string): Model {
  const state = knownState<Content | undefined>(undefined);
  const query = `name=${encodeURIComponent(name)}`;
  const pathOf = ({ id }: Upload) => `${drive}/uploads/${id}?${query}`;
  let upload: Upload | undefined;

  async function initialize(client: Client, random: Random): Promise<void> {
    const { status, body } = await client.send('POST', `${drive}/uploads?${query}`);
    expectStatus(`initialize ${name}`, status, 202);
    const { upload_id: id } = JSON.parse(body.toString()) as { upload_id: string };
    const large = random.int(12) === 0 ? [{ seed: random.int(1e9), size: minPartBytes }] : [];
    const parts = [...large, { seed: random.int(1e9), size: randomSize(random) }];
    upload = { id, parts, sent: 0, closing: false };
  }

  async function sendPart(client: Client, open: Upload): Promise<void> {
    const part = open.parts[open.sent];
    if (part === undefined) throw new Error('no part is left');
    const path = `${drive}/uploads/${open.id}/parts?${query}&part=${open.sent + 1}`;
    expectOpen(open, `part ${name}`, (await client.send('POST', path, bytesOf(part.seed, part.size))).status);
    open.sent++;
  }

  /** With `onlyNew`, End demands that there is no file; otherwise the upload stays open. */
  async function close(
    client: Client,
    open: Upload,
    method: 'PATCH' | 'DELETE',
    onlyNew: boolean,
  ): Promise<void> {
    const wasClosing = open.closing;
    const isRefused = onlyNew && state.current !== undefined;
    let isEnded = false;
    open.closing = true;
    await state.advance(method === 'PATCH' && !isRefused ? open.parts : state.current, async () => {
      const headers: RequestHeaders = onlyNew ? { 'If-None-Match': '*' } : {};
      const { status } = await client.send(method, pathOf(open), undefined, headers);
      isEnded = wasClosing && status === 404;
      if (!isEnded) expectStatus(`${method} ${name}`, status, isRefused ? 412 : 200);
    });
    open.closing = false;
    if (!isRefused || isEnded) upload = undefined;
  }

  function expectOpen(open: Upload, what: string, status: number): void {
    if (status === 404)
      throw new WrongAnswer(`${what}: the upload is missing, ${open.sent} parts were acknowledged`, 'lost');
    expectStatus(what, status, 200);
  }

  return {
    name: `upload ${name}`,
    list: { kind: 'files', store: drive, names: [name] },
    get exists() {
      return state.current !== undefined;
    },
    get isInDoubt() {
      return state.isInDoubt;
    },
    async act(client, random) {
      if (upload === undefined) {
        return random.int(4) === 0 ? deleteFile(client, drive, name, state) : initialize(client, random);
      }
      if (upload.sent < upload.parts.length) return sendPart(client, upload);
      if (random.int(5) === 0) return close(client, upload, 'DELETE', false);
      return close(client, upload, 'PATCH', random.int(3) === 0);
    },
    async observe(client) {
      const findings = await compareFile(client, { drive, name }, state, 'observe');
      // The End in doubt has happened.
      if (!state.isInDoubt && upload?.closing) upload = undefined;
      return findings;
    },
    async verify(client) {
      const losses = await compareFile(client, { drive, name }, state, 'resolve');
      // The file shows whether End has happened; in either case a new upload follows.
      if (upload?.closing) upload = undefined;
      return upload === undefined
        ? losses
        : [...losses, ...(await findLostParts(client, pathOf(upload), upload))];
    },
  };
}

/** Get Upload must show every acknowledged part. */
async function findLostParts(client: Client, path: string, open: Upload): Promise<Finding[]> {
  const { status, body } = await client.send('GET', path);
  expectStatus(path, status, 200, 404);
  const stored = status === 404 ? [] : (JSON.parse(body.toString()) as { parts: { size: number }[] }).parts;
  const isWhole =
    status === 200 && open.parts.slice(0, open.sent).every(({ size }, index) => stored[index]?.size === size);
  return isWhole ? [] : [lost(`${path}: ${JSON.stringify(stored)}, ${open.sent} parts acknowledged`)];
}
