import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQueryOption } from '../../src/cli/followed-options.js';
import { OperatorError } from '../../src/operator-error.js';

test('a query asks for the numbers that were written, and not for rounded ones', () => {
  const query = readQueryOption(
    '[{"a":9007199254740993,"b":[-12345678901234567890]},{"c":1.50,"d":1e3,"e":5}]',
  );
  assert.deepEqual(query, [
    { a: 9007199254740993n, b: [-12345678901234567890n] },
    { c: 1.5, d: 1000, e: 5n },
  ]);
  for (const rounded of ['0.12345678901234567', '1e400', '9007199254740993.0'])
    assert.throws(() => readQueryOption(`{"a":${rounded}}`), {
      message: `--query {"a":${rounded}}: ${rounded} has more digits than a 64-bit float`,
    });
});

test('names are what was written, and anything but a query is refused', () => {
  for (const name of ['\\', '\n', '__proto__'])
    assert.deepEqual(Object.keys(readQueryOption(JSON.stringify(Object.fromEntries([[name, 'x']])))), [name]);
  for (const wrong of ['', '3', '"a"', 'null', '{', '{"a":01}'])
    assert.throws(() => readQueryOption(wrong), OperatorError);
});
