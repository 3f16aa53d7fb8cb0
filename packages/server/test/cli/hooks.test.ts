import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, openReceiver } from 'basedrive-acceptance/receiver';
import { run, startServer } from '../support/run-cli.js';

const key = 'demo_s3cret';

test('webhooks are created, listed, tested, paused, resumed and deleted', async (context) => {
  const options = ['--memory', '--key', key, '--hook-networks', '127.0.0.0/8'];
  const { url } = await startServer(context, options);
  const receiver = await openReceiver();
  context.after(() => receiver.close());
  const hooks = (...words: string[]) => run(['hooks', ...words, '--url', url], { BASEDRIVE_KEY: key });
  const json = async <T>(...words: string[]): Promise<T> => {
    const { code, out, err } = await hooks(...words, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  };
  const scope = [
    '--base',
    'tasks',
    '--base',
    'plan*',
    '--prefix',
    'a',
    '--query',
    '{"n":9007199254740993}',
    '--no-values',
  ];
  const made = await json<{ id: string; secret: string }>(
    'create',
    receiver.url,
    '--name',
    'search',
    ...scope,
  );
  const { secret, ...details } = made;
  assert.match(secret, /^whsec_/);
  const [listed] = await json<object[]>('list');
  assert.deepEqual(listed, details);
  const { bases, prefix, query, values } = details as Record<string, unknown>;
  assert.deepEqual([bases, prefix, query, values], [['tasks', 'plan*'], 'a', { n: 2 ** 53 }, false]);

  receiver.answers.push(answering(204), answering(500));
  assert.deepEqual(await hooks('test', made.id), { code: 0, out: 'Taken with 204\n', err: '' });
  assert.deepEqual(await hooks('test', made.id), { code: 1, out: 'Not taken: 500\n', err: '' });
  assert.equal(receiver.received.length, 2);

  const paused = await hooks('pause', made.id);
  assert.match((await hooks('list', '--json')).out, /"query":\{"n":9007199254740993\}/);
  const row =
    /^(\S+) +search +(\w+) +- +- +bases tasks plan\*, prefix a, query \{"n":9007199254740993\} +(\S+)$/;
  const [head = '', shown = ''] = paused.out.split('\n');
  assert.match(head, /^ID +NAME +STATE +LAG +LAST +SENDS +ADDRESS$/);
  assert.deepEqual(row.exec(shown)?.slice(1), [made.id, 'paused', receiver.url]);
  assert.match((await hooks('resume', made.id, '--since', 'yesterday')).err, /since: /);
  assert.match((await hooks('resume', made.id, '--since', 'now')).out, /search +active/);
  assert.equal((await hooks('delete', made.id)).out, `Deleted ${made.id}\n`);
  assert.deepEqual(await json('list'), []);

  for (const action of ['delete', 'test', 'pause']) {
    const again = await hooks(action, made.id);
    assert.equal(again.code, 2);
    assert.match(again.err, /There is no webhook with the id/, action);
  }
  const text = await hooks('create', receiver.url);
  assert.match(text.out, /\n\S+ +- +active +- +- +all +http:\S+\nSecret: whsec_\S+\n$/);
  const wrong = await hooks('create', 'ftp://example.com');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /url: /);

  const plain = await run(['hooks', 'list', '--url', url.replace('http:', 'https:'), '--key', key]);
  assert.deepEqual([plain.code, plain.out], [2, '']);
  assert.match(
    plain.err,
    /^[^\n]*wrong version number[^\n]*: the server speaks HTTP there: begin .* http:\/\/\n$/,
  );
});
