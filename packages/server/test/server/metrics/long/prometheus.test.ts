import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { samplesOf } from '../../../support/metrics-text.js';
import { startServer, temporaryFolder } from '../../../support/run-cli.js';

// Prometheus' own tool judges the metrics, the rules and the queries of the dashboard.

const folder = fileURLToPath(new URL('../../../../../../../docs/monitoring/', import.meta.url));
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1')
  throw new Error('promtool is required (BASEDRIVE_REQUIRE_PROGRAMS) but not installed');
const skip = hasPromtool ? false : 'promtool is not installed (Debian: prometheus)';

function promtool(words: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8', cwd: folder });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

/** The text of the metrics after a request of every kind that makes labels. */
async function scraped(context: TestContext): Promise<string> {
  const data = await temporaryFolder(context);
  const server = await startServer(context, [
    '--data',
    data,
    '--key',
    'demo_s3cret',
    '--metrics',
    '127.0.0.1:0',
  ]);
  await server.said(/Metrics are at .*\n/);
  await (await fetch(`${server.url}/v1/demo/a/items/b`, { headers: { 'X-API-Key': 'demo_s3cret' } })).text();
  const [, url = ''] = /Metrics are at (\S+)/.exec(server.err()) ?? [];
  return await (await fetch(url)).text();
}

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

async function queries(): Promise<readonly string[]> {
  const { panels } = JSON.parse(await readFile(join(folder, 'grafana-dashboard.json'), 'utf8')) as Dashboard;
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

test('promtool finds nothing wrong with the metrics', { skip }, async (context) => {
  promtool(['check', 'metrics'], await scraped(context));
});

test('promtool accepts the alert rules, each fires in its test, and none fires for a healthy server', {
  skip,
}, () => {
  promtool(['check', 'config', 'prometheus.yml']);
  promtool(['check', 'rules', 'alerts.yml']);
  promtool(['test', 'rules', 'alerts.test.yml']);
});

test('every alert rule has a test of its firing and of its silence', async () => {
  const rules = await readFile(join(folder, 'alerts.yml'), 'utf8');
  const tests = await readFile(join(folder, 'alerts.test.yml'), 'utf8');
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  assert.ok(names.length > 5);
  for (const name of names) {
    const named = [...tests.matchAll(new RegExp(`alertname: ${name}\\b( })?`, 'g'))];
    assert.equal(new Set(named.map(([, silent]) => silent !== undefined)).size, 2, name);
  }
});

test('the rules are tested with series that a server has, with their labels', async (context) => {
  const existing = samplesOf(await scraped(context));
  const tests = await readFile(join(folder, 'alerts.test.yml'), 'utf8');
  const given = [...tests.matchAll(/series: '([^']+)'/g)].map(([, series = '']) =>
    samplesOf(`${series.replaceAll(', ', ',')} 0`),
  );
  const ofServer = given.flat().filter(({ name }) => name !== 'up');
  assert.ok(ofServer.length > 20);
  for (const { name, labels } of ofServer) {
    // Prometheus adds the first two. Of the others, a server that has done nothing wrong has only some values.
    const { job, instance, route, status, ...fixed } = labels;
    const needed = Object.keys({ ...(route && { route }), ...(status && { status }) });
    const fits = existing.some(
      (sample) =>
        sample.name === name &&
        needed.every((label) => label in sample.labels) &&
        Object.entries(fixed).every(([label, value]) => sample.labels[label] === value),
    );
    assert.ok(fits, `${name} ${JSON.stringify(labels)}`);
  }
});

test('promtool accepts every query of the dashboard', { skip }, async (context) => {
  const exprs = (await queries()).map((expr) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*').replaceAll('$job', 'basedrive'),
  );
  assert.ok(exprs.length > 15);
  const rules = exprs.map((expr, n) => ({ record: `dashboard:query${n}`, expr }));
  const file = join(await temporaryFolder(context), 'queries.json');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  promtool(['check', 'rules', file]);
});

test('every metric that the rules and the dashboard name exists', async (context) => {
  const existing = new Set(samplesOf(await scraped(context)).map(({ name }) => name));
  // They appear with the first refused connection and the first search for orphans.
  for (const name of ['basedrive_http_refused_total', 'basedrive_blobs_stored_bytes']) existing.add(name);
  const rules = await readFile(join(folder, 'alerts.yml'), 'utf8');
  const named = [rules, ...(await queries())].join('\n').match(/\b(basedrive|nodejs|process)_\w+/g) ?? [];
  assert.ok(named.length > 20);
  for (const name of named) assert.ok(existing.has(name), name);
});
