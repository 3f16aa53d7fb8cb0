import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Grant, limitedGrant, unlimitedGrant } from '../../src/access/grant.js';
import { noDeletions } from '../../src/access/project-gate.js';
import type { Answer, Call } from '../../src/http/requests/call.js';
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js';
import { RequestError } from '../../src/request-error.js';
import { type Link, signLink } from '../../src/sharing/link.js';
import { createListedLinks } from '../../src/sharing/listed-links.js';
import { readLinkedFile } from '../../src/sharing/operations/linked-files.js';
import { createPublicPrefixStore } from '../../src/sharing/public-prefixes.js';
import { type DriveFixture, drive, openDriveFixture } from '../support/drive-fixture.js';

const belongsTo = () => {};

describe('a link, while the key that made it changes', () => {
  let fixture: DriveFixture;
  let keys: KeyRing;
  let keyId: string;
  let grant: Grant | undefined;
  let get: (call: Call) => Answer | Promise<Answer>;

  const [project, driveName] = drive;
  const link: Link = {
    method: 'GET',
    project,
    drive: driveName,
    name: 'in/cat.png',
    expiresAtSeconds: 4_000_000_000,
  };

  beforeEach(async () => {
    fixture = await openDriveFixture();
    keys = await createKeyRing(fixture.items, [], Date.now);
    keyId = (await keys.create(project)).id;
    grant = unlimitedGrant(keyId, project);
    await fixture.service.put(project, driveName, link.name, {
      source: Buffer.from('a cat'),
      contentType: 'image/png',
    });
    const services = {
      drives: fixture.service,
      prefixes: createPublicPrefixStore(fixture.items),
      listedLinks: createListedLinks(fixture.items, Date.now),
      keys: { linkSecret: keys.linkSecret, grantOf: () => grant, readId: keys.readId },
      gate: { admit: () => noDeletions },
      maxLinkSeconds: 60,
      publicUrl: undefined,
      isSecure: false,
      clock: Date.now,
    };
    get = (call) => readLinkedFile.handle(call, services);
  });
  afterEach(() => fixture.close());

  async function follow(given: Link = link): Promise<Answer> {
    const token = signLink(given, keyId, keys.linkSecret(keyId) as Buffer);
    return await get({ params: { token, file: 'cat.png' }, headers: {}, belongsTo } as unknown as Call);
  }

  const isRefused = (cause: unknown) =>
    cause instanceof RequestError && cause.status === 403 && cause.message.startsWith('Forbidden: the link');

  test('works as long as the key could make it', async () => {
    for (const now of [
      unlimitedGrant(keyId, project),
      limitedGrant(keyId, project, { access: 'full' }),
      limitedGrant(keyId, project, { access: 'full', drives: ['photo*'], prefix: 'in/' }),
    ]) {
      grant = now;
      assert.equal(String((await follow()).body), 'a cat');
    }
  });

  test('ends with any right that the key loses', async () => {
    for (const now of [
      undefined,
      limitedGrant(keyId, project, { access: 'write' }),
      limitedGrant(keyId, project, { access: 'read' }),
      limitedGrant(keyId, project, { access: 'full', drives: ['films'] }),
      limitedGrant(keyId, project, { access: 'full', bases: ['photos'] }),
      limitedGrant(keyId, project, { access: 'full', prefix: 'out/' }),
      unlimitedGrant(keyId, 'other'),
    ]) {
      grant = now;
      await assert.rejects(follow(), isRefused);
    }
  });

  test('ends with the key, even if its rights were still known', async () => {
    const token = signLink(link, keyId, keys.linkSecret(keyId) as Buffer);
    await keys.revoke(keyId);
    const call = { params: { token, file: 'cat.png' }, headers: {}, belongsTo } as unknown as Call;
    await assert.rejects(async () => await get(call), isRefused);
  });

  test('ends in its second', async () => {
    const now = Math.floor(Date.now() / 1000);
    await assert.rejects(follow({ ...link, expiresAtSeconds: now }), isRefused);
    assert.equal((await follow({ ...link, expiresAtSeconds: now + 60 })).status, 200);
  });
});
