import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, WrongSettings } from '../../src/config/read-settings.js';

function linesOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (cause) {
    if (cause instanceof WrongSettings) return cause.lines;
    throw cause;
  }
  return [];
}

test('a flag has precedence over its variable, a variable over the default', () => {
  assert.equal(readSettings({}, {}).port, 8080);
  assert.equal(readSettings({}, { BASEDRIVE_PORT: '81' }).port, 81);
  assert.equal(readSettings({ port: '82' }, { BASEDRIVE_PORT: '81' }).port, 82);
  assert.equal(readSettings({}, { BASEDRIVE_PORT: '' }).port, 8080);
});

test('a variable that Kubernetes sets for a service named basedrive counts as absent', () => {
  assert.equal(readSettings({}, { BASEDRIVE_PORT: 'tcp://10.0.0.1:8080' }).port, 8080);
  assert.equal(linesOf(() => readSettings({ port: 'tcp://10.0.0.1:8080' }, {})).length, 1);
});

test('every wrong setting is named at once, with where it came from', () => {
  const lines = linesOf(() =>
    readSettings(
      { port: '70000', logLevel: 'loud' },
      { BASEDRIVE_UPLOAD_TTL: '3', BASEDRIVE_HTTPS: 'maybe' },
    ),
  );
  assert.equal(lines.length, 4);
  assert.match(lines[0] ?? '', /^--port 70000: .* 0 to 65535$/);
  assert.match(lines[1] ?? '', /^BASEDRIVE_HTTPS maybe: /);
  assert.match(lines[2] ?? '', /^--log-level loud: .*info/);
  assert.match(lines[3] ?? '', /^BASEDRIVE_UPLOAD_TTL 3: .*24h/);
});

test('numbers are whole and within their bounds', () => {
  for (const value of ['', ' ', '-1', '1.5', '1e3', '0x10', '99999999999999999999', 'NaN']) {
    assert.equal(linesOf(() => readSettings({ port: value }, {})).length, 1, value);
  }
  assert.equal(readSettings({ port: '0' }, {}).port, 0);
  assert.equal(linesOf(() => readSettings({ maxItemsPerPut: '0' }, {})).length, 1);
});

test('durations have a unit', () => {
  const ttl = (value: string) => readSettings({ uploadTtlMs: value }, {}).uploadTtlMs;
  assert.equal(readSettings({}, {}).uploadTtlMs, 86_400_000);
  assert.equal(ttl('1500ms'), 1500);
  assert.equal(ttl('90s'), 90_000);
  assert.equal(ttl('1.5h'), 5_400_000);
  assert.equal(ttl('7d'), 604_800_000);
  for (const value of ['24', 'h', '-1h', '1w', '0s', '400d', '1h30m']) {
    assert.equal(linesOf(() => ttl(value)).length, 1, value);
  }
  // None is none in any unit.
  assert.equal(readSettings({ keepChangesMs: '0' }, {}).keepChangesMs, 0);
  assert.equal(linesOf(() => ttl('0')).length, 1);
});

test('lists are repeated or separated by commas', () => {
  assert.deepEqual(readSettings({ keys: ['a_1,b_2', 'c_3'] }, {}).keys, ['a_1', 'b_2', 'c_3']);
  assert.deepEqual(readSettings({}, { BASEDRIVE_KEY: 'a_1, b_2' }).keys, ['a_1', 'b_2']);
  assert.deepEqual(readSettings({ https: true }, { BASEDRIVE_HOSTNAME: 'a.test,10.0.0.7' }).hostnames, [
    'a.test',
    '10.0.0.7',
  ]);
  assert.equal(linesOf(() => readSettings({ hostnames: ['a b'] }, {})).length, 1);
});

test('a key is {project}_{secret}, and a wrong one is not repeated in the message', () => {
  const given = (key: string) => linesOf(() => readSettings({ keys: [key] }, {}));
  assert.deepEqual(given('demo_s3cret'), []);
  assert.deepEqual(given('demo_with_more'), []);
  for (const key of ['nosecret', 'demo_', '_s3cret', 'de/mo_s3cret', 'demö_s3cret', 'demo_se cret']) {
    const lines = given(key);
    assert.equal(lines.length, 1, key);
    assert.ok(!lines[0]?.includes(key), key);
  }
});

test('origins have the form in which browsers send them', () => {
  const origins = (value: string) => readSettings({ corsOrigins: value }, {}).corsOrigins;
  assert.equal(origins('*'), '*');
  assert.deepEqual(origins('https://a.test,http://localhost:3000'), [
    'https://a.test',
    'http://localhost:3000',
  ]);
  for (const value of ['a.test', 'https://a.test/', 'https://a.test/x', 'https://A.test']) {
    assert.equal(linesOf(() => origins(value)).length, 1, value);
  }
});

test('--public-url is the address of a web site, with a path or without', () => {
  const read = (publicUrl: string) => readSettings({ publicUrl }, {}).publicUrl;
  assert.equal(readSettings({}, {}).publicUrl, undefined);
  assert.equal(read('https://data.example'), 'https://data.example');
  assert.equal(read('HTTP://Data.example:8080/'), 'http://data.example:8080');
  assert.equal(read('https://data.example/a/b//'), 'https://data.example/a/b');
  for (const value of [
    'data.example',
    '//data.example',
    'ftp://data.example',
    'javascript:alert(1)',
    'https://',
    'https://user:s3cret@data.example',
    'https://@data.example',
    'https://data.example?',
    'https://data.example/#',
    'https://data.example/a?b=c',
    'https://data.example\\a',
    'https://data.example/a b',
  ]) {
    assert.equal(linesOf(() => read(value)).length, 1, value);
  }
});

test('--items and --blobs are addresses; a wrong one is not repeated in the message, because it may hold a password', () => {
  const places = (given: object) => {
    const { items, blobs } = readSettings(given, {});
    return { items, blobs };
  };
  assert.deepEqual(places({}), { items: undefined, blobs: undefined });
  for (const items of [
    'postgres://u:p@db/x',
    'postgresql://db:5433/x',
    'postgres:///x?host=/run/postgresql',
  ]) {
    assert.equal(places({ items }).items, items);
  }
  for (const blobs of ['s3://bucket', 's3://bucket/a/prefix', '/srv/blobs', './blobs', 'a:b', 'C:\\blobs']) {
    assert.equal(places({ blobs }).blobs, blobs);
  }
  for (const items of ['', 'db', './data', 'mysql://u:s3cret@db/x', 's3://bucket', 'postgres:/x:y:s3cret']) {
    const lines = linesOf(() => places({ items }));
    assert.equal(lines.length, 1, items);
    assert.match(lines[0] ?? '', /^--items: must /);
    assert.ok(!lines[0]?.includes('s3cret'));
  }
  for (const blobs of [
    '',
    's3://',
    's3:///x',
    's3://u:s3cret@bucket/x',
    'https://s3cret.test/x',
    'file:///x',
  ]) {
    const lines = linesOf(() => places({ blobs }));
    assert.equal(lines.length, 1, blobs);
    assert.match(lines[0] ?? '', /^--blobs: (must|credentials) /);
    assert.ok(!lines[0]?.includes('s3cret'));
  }
});

test('--memory is refused together with --data, but not with the variable of an image', () => {
  const lines = linesOf(() => readSettings({ memory: true, dataFolder: 'x' }, {}));
  assert.match(lines.join('|'), /^--memory: [^|]+ --data [^|]+$/);
  assert.ok(readSettings({ memory: true }, { BASEDRIVE_DATA: 'x' }).memory);
});

test('--memory is refused together with --items or --blobs', () => {
  for (const given of [{ items: 'postgres://db/x' }, { blobs: './blobs' }]) {
    assert.match(linesOf(() => readSettings({ memory: true, ...given }, {})).join('|'), /^--memory: [^|]+$/);
  }
});

test('settings that contradict each other are refused', () => {
  assert.equal(linesOf(() => readSettings({ tlsCert: 'x.crt' }, {})).length, 1);
  assert.equal(linesOf(() => readSettings({ tlsKey: 'x.key' }, {})).length, 1);
  assert.equal(linesOf(() => readSettings({ headerTimeoutMs: '10m' }, {})).length, 1);
});
