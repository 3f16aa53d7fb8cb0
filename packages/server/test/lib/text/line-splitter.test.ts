import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../../src/lib/text/line-splitter.js';

const maxLineBytes = 8;

type Lines = [number: number, text: string | undefined][];

/** The plain model: all of the text at once. */
function linesOf(text: string): Lines {
  const lines: Lines = [];
  for (const [index, whole] of text.split('\n').entries()) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    if (line.length > maxLineBytes) lines.push([index + 1, undefined]);
    else if (/[^ \t\r]/.test(line)) lines.push([index + 1, line]);
  }
  return lines;
}

function split(chunks: readonly string[]): Lines {
  const splitter = new LineSplitter(maxLineBytes);
  const lines: Lines = [];
  const take = (found: Iterable<{ number: number; bytes: Buffer | undefined }>) => {
    for (const { number, bytes } of found) lines.push([number, bytes?.toString()]);
  };
  for (const chunk of chunks) take(splitter.split(Buffer.from(chunk)));
  take(splitter.end());
  return lines;
}

describe('the lines of a body', () => {
  test('however a text is cut into chunks, its lines are those of the whole text', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ' ', '\t', '\r', '\n', '\r\n', 'abcdefgh', '12345678'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (chunks) => {
        const texts = chunks.map((parts) => parts.join(''));
        assert.deepEqual(split(texts), linesOf(texts.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  test('a line is too long by one byte, whether it is blank or not', () => {
    for (const byte of ['a', ' ', '\r']) {
      const line = `${byte.repeat(maxLineBytes)} `;
      assert.deepEqual(split([`${line}\n`]), [[1, undefined]]);
      assert.deepEqual(split([...`${line}\n`]), [[1, undefined]]);
    }
  });

  test('of a line of 64 MiB nothing is kept, and the next line is read', () => {
    const splitter = new LineSplitter(1024 * 1024);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 1024; n++) assert.deepEqual([...splitter.split(chunk)], []);
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1024 * 1024);
    const [first, second] = [...splitter.split(Buffer.from('x\n{}\n'))];
    assert.deepEqual(first, { number: 1, bytes: undefined });
    assert.equal(second?.bytes?.toString(), '{}');
  });
});
