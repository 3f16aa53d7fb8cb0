import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Grant } from '../../src/access/grant.js';
import { HeldKeys } from '../../src/keys/limited/held-keys.js';

test('a request learns of the end of its key when nothing else has the key in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const rowOf = (sha256: string) => ({
    project: 'shop',
    createdSeconds: 1,
    limited: { access: 'full', sha256 } as const,
  });
  const letGo: string[] = [];
  const held = new HeldKeys({ onLetGo: ({ grant }) => letGo.push(grant.keyId), bytes: 5000 });
  const grantOf = (id: string) => held.add(id, rowOf(id))?.grant as Grant;
  const grant = grantOf('of a request');
  for (let n = 0; n < 60; n++) grantOf(`other ${n}`);
  assert.ok(letGo.includes('of a request'));
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  assert.ok(held.end('of a request'));
  assert.equal(grant.isDeleted, true);
  // Those that no request has are gone.
  assert.ok([...held.all()].length < 20);
});
