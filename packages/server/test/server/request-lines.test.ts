import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RequestLine } from '../../src/http/request-log.js';
import { createLoggers } from '../../src/server/log-output.js';
import { anyCharacter } from '../support/any-character.js';

const pattern = '/v1/{project}/{base}/items/{key}';
const ordinary: RequestLine = {
  requestId: 'Qk3-x_9a-1z',
  method: 'GET',
  route: pattern,
  status: 200,
  durationMs: 0.25,
  bytes: 300,
  project: 'shop',
  keyId: 'abc',
};

/** Gives the lines that the function writes. The clock stands still. */
function logAt(level: string) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const loggers = createLoggers(level, { write }, () => Date.UTC(2026, 0, 2, 3, 4, 5, 6));
  return { ...loggers, lines };
}

test('the line of a request is byte for byte that of pino, whatever a client has chosen', () => {
  const { logger, logRequest, lines } = logAt('info');
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 120 }),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.string({
      unit: fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', '\ud800', '\udfff', 'é', 'a'),
    }),
    fc.constantFrom('undefined', 'null', '', pattern),
  );
  const thousandths = fc.oneof(
    fc.nat({ max: 5_000_000 }),
    fc.integer({ min: -10, max: 2_000 }),
    fc.maxSafeNat(),
  );
  const line: fc.Arbitrary<RequestLine> = fc.record({
    requestId: text,
    method: text,
    route: fc.option(text, { nil: undefined }),
    status: fc.integer({ min: 100, max: 599 }),
    durationMs: fc.oneof(
      thousandths.map((count) => count / 1000),
      fc.double(),
    ),
    bytes: fc.maxSafeNat(),
    project: fc.option(text, { nil: undefined }),
    keyId: fc.option(text, { nil: undefined }),
  });
  fc.assert(
    fc.property(line, (fields) => {
      lines.length = 0;
      logRequest(fields);
      logger.info(fields, 'request');
      assert.equal(lines.length, 2);
      assert.equal(lines[0], lines[1]);
    }),
    { numRuns: 20_000 },
  );
});

test('an ordinary line is put together without pino', () => {
  const { logger, logRequest, lines } = logAt('info');
  logger.info = () => assert.fail('pino was called');
  logRequest(ordinary);
  assert.deepEqual(lines, [
    '{"level":30,"time":"2026-01-02T03:04:05.006Z","requestId":"Qk3-x_9a-1z","method":"GET",' +
      `"route":"${pattern}","status":200,"durationMs":0.25,"bytes":300,"project":"shop","keyId":"abc","msg":"request"}\n`,
  ]);
});

test('lines of requests are written at the levels at which pino writes them', () => {
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']) {
    const { logger, logRequest, lines } = logAt(level);
    logger.info(ordinary, 'request');
    const expected = [...lines, ...lines];
    logRequest(ordinary);
    assert.deepEqual(lines, expected, level);
  }
});
