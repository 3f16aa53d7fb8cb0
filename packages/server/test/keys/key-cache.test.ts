import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Grant } from '../../src/access/grant.js';
import { KeyCache } from '../../src/keys/limited/key-cache.js';

test('a request learns of the end of its key when nothing else has the key in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const rowOf = (sha256: string) => ({
    project: 'shop',
    createdSeconds: 1,
    limited: { access: 'full', sha256 } as const,
  });
  const evicted: string[] = [];
  const cache = new KeyCache({ onEvicted: ({ grant }) => evicted.push(grant.keyId), bytes: 5000 });
  const grantOf = (id: string) => cache.add(id, rowOf(id))?.grant as Grant;
  const grant = grantOf('of a request');
  for (let n = 0; n < 60; n++) grantOf(`other ${n}`);
  assert.ok(evicted.includes('of a request'));
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  assert.ok(cache.end('of a request'));
  assert.equal(grant.isDeleted, true);
  // Those that no request has are gone.
  assert.ok([...cache.all()].length < 20);
});
