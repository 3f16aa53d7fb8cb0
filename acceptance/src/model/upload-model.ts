import { bytesOf, type Random } from '../random.js';
import type { Client } from './client.js';
import { type Content, compareFile, deleteFile, randomSize } from './file-model.js';
import { expectStatus, known, type Subject, WrongAnswer } from './model.js';

const minPartBytes = 5 * 1024 * 1024;

interface Upload {
  readonly id: string;
  readonly parts: Content;
  /** So many parts are acknowledged: the upload must know them after any kill. */
  sent: number;
  /** End or Abort is in doubt: the upload may be gone. */
  leaving: boolean;
}

/** A file that is uploaded in parts over several kills: begun, continued, ended or aborted, deleted. */
export function uploadSubject(drive: string, name: string): Subject {
  const state = known<Content | undefined>(undefined);
  const query = `name=${encodeURIComponent(name)}`;
  let upload: Upload | undefined;

  async function begin(client: Client, random: Random): Promise<void> {
    const { status, body } = await client.send('POST', `${drive}/uploads?${query}`);
    expectStatus(`begin ${name}`, status, 202);
    const { upload_id: id } = JSON.parse(body.toString()) as { upload_id: string };
    const large = random.int(12) === 0 ? [{ seed: random.int(1e9), size: minPartBytes }] : [];
    const parts = [...large, { seed: random.int(1e9), size: randomSize(random) }];
    upload = { id, parts, sent: 0, leaving: false };
  }

  async function sendPart(client: Client, open: Upload): Promise<void> {
    const part = open.parts[open.sent];
    if (part === undefined) throw new Error('no part is left');
    const path = `${drive}/uploads/${open.id}/parts?${query}&part=${open.sent + 1}`;
    expectOpen(open, `part ${name}`, (await client.send('POST', path, bytesOf(part.seed, part.size))).status);
    open.sent++;
  }

  async function leave(client: Client, open: Upload, method: 'PATCH' | 'DELETE'): Promise<void> {
    const wasLeaving = open.leaving;
    open.leaving = true;
    await state.advance(method === 'PATCH' ? open.parts : state.current, async () => {
      const { status } = await client.send(method, `${drive}/uploads/${open.id}?${query}`);
      if (!(wasLeaving && status === 404)) expectStatus(`${method} ${name}`, status, 200);
    });
    upload = undefined;
  }

  function expectOpen(open: Upload, what: string, status: number): void {
    if (status === 404)
      throw new WrongAnswer(`${what}: the upload is gone, ${open.sent} parts were acknowledged`, 'lost');
    expectStatus(what, status, 200);
  }

  return {
    name: `upload ${name}`,
    list: { kind: 'files', store: drive, name },
    get isThere() {
      return state.current !== undefined;
    },
    get isInDoubt() {
      return state.isInDoubt;
    },
    async act(client, random) {
      if (upload === undefined) {
        return random.int(4) === 0 ? deleteFile(client, drive, name, state) : begin(client, random);
      }
      if (upload.sent < upload.parts.length) return sendPart(client, upload);
      return leave(client, upload, random.int(5) === 0 ? 'DELETE' : 'PATCH');
    },
    async look(client) {
      const findings = await compareFile(client, { drive, name }, state, 'observe');
      // It ended after all.
      if (!state.isInDoubt && upload?.leaving) upload = undefined;
      return findings;
    },
    async check(client) {
      const losses = await compareFile(client, { drive, name }, state, 'settle');
      // In doubt whether it ended: the file tells whether it did, and either way a new upload is begun.
      if (upload?.leaving) upload = undefined;
      return losses;
    },
  };
}
