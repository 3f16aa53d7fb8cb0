import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { openMetricsServer } from '../../../src/server/metrics/metrics-server.js';

/** docs/operations.md#metrics */
test('on a loopback address, no page reaches the metrics by a name that it lets lead there', async (context) => {
  const log = { info() {}, error() {} };
  const metrics = { text: async () => 'a_metric 1\n', contentType: 'text/plain' };
  const server = await openMetricsServer({ host: '127.0.0.1', port: 0 }, metrics, log);
  context.after(server.close);
  const { port } = new URL(server.url);
  const statusFor = async (host: string) => {
    const sent = request(server.url, { headers: { host }, agent: false }).end();
    const [answer] = await once(sent, 'response');
    const [chunk] = await Promise.race([once(answer, 'data'), once(answer, 'end')]);
    return { status: answer.statusCode, text: chunk?.toString() ?? '' };
  };
  for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', 'LocalHost', '[::1]'])
    for (const named of [host, `${host}:${port}`]) assert.equal((await statusFor(named)).status, 200, named);
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1'])
    for (const named of [host, `${host}:${port}`])
      assert.deepEqual(await statusFor(named), { status: 403, text: '' }, named);
});
