import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeUtf8 } from '../../src/json/decode-utf8.js';

/** The text, and how often other work could run. */
function decoded(text: string) {
  const steps = decodeUtf8(Buffer.from(text));
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { text: step.value, pauses };
  }
}

describe('the text of UTF-8', () => {
  test('a long one is decoded in steps, and no character is cut', () => {
    for (const character of ['é', '€', '😀']) {
      for (const before of ['', 'a', 'aa', 'aaa']) {
        const text = before + character.repeat(400_000);
        const result = decoded(text);
        assert.ok(result.text === text, `${before}${character}`);
        assert.ok(result.pauses > 3, `${result.pauses} pauses`);
      }
    }
  });

  test('a short one, and ASCII, is decoded at once', () => {
    for (const text of ['', 'é', 'a'.repeat(1_000_000)]) {
      assert.deepEqual(decoded(text), { text, pauses: 0 });
    }
  });
});
