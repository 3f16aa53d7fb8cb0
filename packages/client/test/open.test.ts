import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { Base, Basedrive, type BasedriveOptions, Deta, Drive } from '../src/in-node.js';

const variables = ['BASEDRIVE_KEY', 'BASEDRIVE_URL', 'DETA_PROJECT_KEY', 'DETA_BASE_HOST', 'DETA_DRIVE_HOST'];

/** Used in place of the network: records the address and the key of each request. */
const asked: string[] = [];
const options: BasedriveOptions = {
  fetch: async (input, init) => {
    asked.push(`${String(input)} ${new Headers(init?.headers).get('x-api-key')}`);
    return Response.json({ key: 'k', names: [] });
  },
};

async function where(open: () => Base | Drive): Promise<string> {
  const opened = open();
  await ('names' in opened ? opened.list() : opened.get('k'));
  return asked.pop() ?? '';
}

describe('the address and the key of a base or drive', () => {
  afterEach(() => {
    for (const name of variables) delete process.env[name];
  });

  test('the given address and key are used', async () => {
    const { Base, Drive } = Basedrive('p_1', { url: 'https://data.example/', ...options });
    assert.equal(await where(() => Base('b')), 'https://data.example/v1/p/b/items/k p_1');
    assert.equal(await where(() => Drive('d')), 'https://data.example/v1/p/d/files? p_1');
    assert.equal(await where(() => Base('b', 'other.example')), 'https://other.example/v1/p/b/items/k p_1');
    assert.equal(await where(() => Drive('d', 'http://other:1')), 'http://other:1/v1/p/d/files? p_1');
  });

  test('an address may have a path or only a host, and spaces around it are ignored', async () => {
    for (const [url, root] of [
      ['http://127.0.0.1:1/data//', 'http://127.0.0.1:1/data'],
      [' data.example:8443 ', 'https://data.example:8443'],
      ['HTTP://data.example', 'HTTP://data.example'],
    ] as const) {
      const place = await where(() => Basedrive(' p_1 ', { url, ...options }).Base('b'));
      assert.equal(place, `${root}/v1/p/b/items/k p_1`);
    }
  });

  test('the environment gives address and key, and options and BASEDRIVE_ variables take precedence', async () => {
    process.env.DETA_PROJECT_KEY = 'old_1';
    assert.equal(
      await where(() => Basedrive(undefined, options).Base('b')),
      'http://127.0.0.1:8080/v1/old/b/items/k old_1',
    );
    process.env.DETA_BASE_HOST = 'base.example';
    process.env.DETA_DRIVE_HOST = 'drive.example';
    assert.equal(
      await where(() => Deta(undefined, options).Base('b')),
      'https://base.example/v1/old/b/items/k old_1',
    );
    assert.equal(await where(() => Drive('d', options)), 'https://drive.example/v1/old/d/files? old_1');
    process.env.BASEDRIVE_KEY = 'new_2';
    process.env.BASEDRIVE_URL = 'http://new.example';
    assert.equal(await where(() => Base('b', options)), 'http://new.example/v1/new/b/items/k new_2');
    assert.equal(await where(() => Drive('d', options)), 'http://new.example/v1/new/d/files? new_2');
    const given = { key: 'given_3', url: 'https://given.example', ...options };
    assert.equal(await where(() => Base('b', given)), 'https://given.example/v1/given/b/items/k given_3');
  });

  test('names are encoded, and the project ends at the first `_` of the key', async () => {
    const { Base } = Basedrive('a_b_c', { url: 'x', ...options });
    assert.equal(await where(() => Base('a/b ä?')), 'https://x/v1/a/a%2Fb%20%C3%A4%3F/items/k a_b_c');
  });

  test('a key that is not of the form {project}_{secret} is refused before anything is sent', () => {
    for (const malformed of ['demo', 'demo_', '_s3cret', '_', 'demo-s3cret']) {
      for (const openWith of [
        () => Basedrive(malformed),
        () => Base('b', { key: malformed }),
        () => Drive('d', { key: malformed }),
      ]) {
        assert.throws(openWith, {
          code: 'invalid',
          message: 'Project key is malformed: a key is {project}_{secret}, in visible ASCII characters',
        });
      }
    }
  });

  test('a missing or malformed key, name or address is refused when the base or drive is opened', () => {
    assert.throws(() => Basedrive(), { code: 'invalid', message: 'Project key is not defined' });
    for (const key of ['_x', 'a_b\nc', 'a_ä'])
      assert.throws(() => Basedrive(key), { code: 'invalid', message: /malformed/ });
    const { Base, Drive } = Basedrive('a_b');
    for (const name of ['', '.', '..', '\ud800', undefined as never]) {
      assert.throws(() => Base(name), { code: 'invalid' });
      assert.throws(() => Drive(name), { code: 'invalid' });
    }
    for (const url of ['http://', 'a b', 'https://[']) {
      assert.throws(() => Basedrive('a_b', { url }).Base('b'), { code: 'invalid', message: /address/ });
    }
  });
});
