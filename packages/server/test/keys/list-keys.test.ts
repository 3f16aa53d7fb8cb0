import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createKeyLists } from '../../src/keys/key-lists.js';
import { createKeyRing } from '../../src/keys/key-ring.js';

test('requests for the list of keys at the same time share it, and each shows what was made before it', async () => {
  const ring = await createKeyRing(await openLevelStore({ memory: true }), [], () => 1_700_000_000_000);
  let listed = 0;
  const list: typeof ring.list = (range) => {
    listed++;
    return ring.list(range);
  };
  const lists = createKeyLists({ list });
  const textOf = async (project: string) =>
    String(await lists.textOf({ project, limit: 1000, after: undefined }));
  await ring.create('shop');
  const first = textOf('shop');
  const { id } = await ring.create('shop');
  const { id: foreign } = await ring.create('other');
  const texts = await Promise.all(Array.from({ length: 99 }, () => textOf('shop')));
  await first;
  // That of the first, that of the next, and one that all later ones share.
  assert.ok(listed <= 3, `${listed} lists`);
  for (const text of texts) assert.ok(text.includes(id) && !text.includes(foreign), text);
  assert.ok((await textOf('other')).includes(foreign));
});
