import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driveOperations } from '../../src/drive/operations.js';
import { createDriveService } from '../../src/drive/service.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { listed } from '../../src/http/routing/operation-groups.js';
import { createRouter } from '../../src/http/routing/router.js';
import { createGate } from '../support/gate.js';
import { listening } from '../support/listening.js';

const mib = 1024 * 1024;
/** Of the budget of `listening`, 48 MiB are for large requests. */
const keptByWrite = 10 * mib;
const fitting = 4;

test('an upload counts for as many bytes as the blob store keeps of it: the next one waits for room', async () => {
  const memory = openMemoryBlobStore();
  const takenBytes: number[] = [];
  const end = createGate();
  const blobs: BlobStore = {
    ...memory,
    keptByWrite,
    add(chunks) {
      const number = takenBytes.push(0) - 1;
      async function* counted() {
        for await (const chunk of chunks) {
          takenBytes[number] = (takenBytes[number] as number) + chunk.length;
          yield chunk;
        }
        if (number < fitting) await end.passed;
      }
      return memory.add(counted());
    },
  };
  const service = createDriveService({
    items: await openLevelStore({ memory: true }),
    blobs,
    clock: Date.now,
    settings: { uploadTtlSeconds: 60 },
    wakeMaintenance: () => {},
  });
  const server = await listening(createRouter(listed(driveOperations), { drives: service }), 'Node');
  const url = `http://127.0.0.1:${server.port}/v1/demo/drive/files`;
  const headers = { 'X-API-Key': 'demo_s3cret' };
  // Of unknown length, so that not the length is counted.
  const upload = (name: string) => {
    const body = new Blob([Buffer.alloc(4 * mib, name)]).stream();
    return fetch(`${url}?name=${name}`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  };
  const until = async (holds: () => boolean) => {
    while (!holds()) await (await fetch(url, { headers })).arrayBuffer();
  };
  try {
    const uploads = Array.from({ length: fitting }, (_, n) => upload(`a${n}`));
    await until(() => takenBytes.filter((bytes) => bytes === 4 * mib).length === fitting);
    uploads.push(upload('b'));
    await until(() => (takenBytes[fitting] ?? 0) > 0);
    for (let n = 0; n < 50; n++) await (await fetch(url, { headers })).arrayBuffer();
    const taken = takenBytes[fitting] as number;
    assert.ok(taken < mib, `${taken} bytes of the upload without room were taken`);
    end.open();
    for (const answer of await Promise.all(uploads)) assert.equal(answer.status, 201);
  } finally {
    end.open();
    server.close();
  }
});
