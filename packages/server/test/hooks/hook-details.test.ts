import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hook } from '../../src/hooks/hook.js';
import { detailsOf } from '../../src/hooks/hook-details.js';

test('what an earlier version has stored does not tell either whether a name was found', () => {
  const stored = JSON.stringify({
    ...{ id: 'h', project: 'p', keyId: 'k', url: 'https://intra.example/', followed: {} },
    ...{ createdSeconds: 1, cursor: '0', last: { atMs: 2000, failure: 'name_not_found' } },
  });
  const { last } = detailsOf(JSON.parse(stored) as Hook, true, 3);
  assert.deepEqual(last, { at: 2, error: 'address_refused' });
});
