import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createComparison, notSeen } from '../../src/openapi/comparison.js';
import { type Document, readDescription } from '../../src/openapi/description.js';
import type { Exchange } from '../../src/openapi/recording.js';
import { launchTarget } from '../../src/target.js';
import { useService } from '../support/service.js';

// `npm test -- --all` compares everything; this shows that its comparison finds what is wrong.
describe('the comparison with the OpenAPI document', () => {
  const service = useService(() => launchTarget());

  async function description() {
    const answer = await service.api.send('GET', '/openapi.json', { key: null });
    return readDescription(answer.json<Document>());
  }

  const json = 'application/json';
  const put: Exchange = {
    method: 'PUT',
    target: '/v1/demo/users/items',
    requestType: `${json}; charset=utf-8`,
    requestBody: '{"items":[{"key":"a"}]}',
    status: 207,
    answerType: json,
    answerBody: '{"processed":{"items":[{"key":"a"}]}}',
  };

  const right: readonly Partial<Exchange>[] = [
    {},
    {
      status: 400,
      requestBody: 'nonsense',
      answerBody: '{"errors":["body: …"],"codes":[{"code":"invalid_json"}]}',
    },
    { status: 405, answerBody: '{"errors":["Method not allowed"]}' },
    { method: 'PUT', target: '/nowhere', status: 404, answerBody: '{"errors":["Not found"]}' },
    {
      status: 200,
      requestType: 'application/x-ndjson',
      requestBody: '{"key":""}\n',
      answerType: 'application/x-ndjson',
      answerBody: '{"line":1,"errors":["x"]}\n{"stored":0,"failed":1}\n',
    },
  ];
  const wrong: readonly (readonly [why: string, change: Partial<Exchange>])[] = [
    ['a status that is not described', { status: 299 }],
    ['an answer without a member', { answerBody: '{"processed":{}}' }],
    ['an answer with a member of another type', { answerBody: '{"processed":{"items":[{"key":1}]}}' }],
    ['an answer of another content type', { answerType: 'text/html', answerBody: '<p>' }],
    ['a request that is accepted and not described', { requestBody: '{"items":{}}' }],
    ['a path that is not described', { target: '/v2/demo', answerBody: '{}' }],
    ['an error without messages', { status: 400, answerBody: '{"errors":[],"codes":[]}' }],
    ['an error without codes', { status: 400, answerBody: '{"errors":["body: …"]}' }],
    [
      'a code that is not described',
      { status: 400, answerBody: '{"errors":["body: …"],"codes":[{"code":"bad_body"}]}' },
    ],
    [
      'a bad line of NDJSON',
      { status: 200, answerType: 'application/x-ndjson', answerBody: '{"stored":"1"}\n' },
    ],
  ];

  test('finds nothing wrong with what is described', async () => {
    const { find } = await description();
    for (const change of right) {
      const { add, problems } = createComparison(find);
      add({ ...put, ...change });
      assert.deepEqual([...problems], []);
    }
  });

  for (const [why, change] of wrong) {
    test(`finds ${why}`, async () => {
      const { find } = await description();
      const { add, problems } = createComparison(find);
      add({ ...put, ...change });
      assert.equal(problems.size, 1, [...problems].join('\n'));
    });
  }

  test('lists what is described and was not seen', async () => {
    const { all, find } = await description();
    const { add, seen } = createComparison(find);
    add(put);
    add({
      ...put,
      method: 'GET',
      target: '/v1/demo/photos/files?limit=1',
      status: 200,
      answerBody: '{"names":[]}',
    });
    const missing = notSeen(all, seen, () => false);
    for (const what of ['putItems 207', 'putItems < application/json', 'listFiles 200', 'listFiles ?limit'])
      assert.ok(!missing.includes(what), what);
    for (const what of [
      'putItems 200',
      'putItems < application/x-ndjson',
      'listFiles ?prefix',
      'getItem 200',
    ])
      assert.ok(missing.includes(what), what);
  });
});
