import { comma, newline } from '../json-bytes.js';

/**
 * Makes a JSON array of lines that are JSON values: `[`, one value on a line, `]`. `counted` is called with the number
 * of values in each chunk.
 */
export async function* arrayOfLines(
  chunks: AsyncIterable<Buffer>,
  counted: (values: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from('[');
  let isFirst = true;
  for await (const chunk of chunks) {
    const ends = endsOf(chunk);
    const array = Buffer.allocUnsafe(chunk.length + ends.length);
    let to = 0;
    let from = 0;
    for (const end of ends) {
      // The line end is before a value, after the comma that ends the value before it.
      if (!isFirst) array[to++] = comma;
      isFirst = false;
      array[to++] = newline;
      to += chunk.copy(array, to, from, end);
      from = end + 1;
    }
    counted(ends.length);
    yield array.subarray(0, to);
  }
  yield Buffer.from('\n]\n');
}

function endsOf(chunk: Buffer): number[] {
  const ends: number[] = [];
  for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, end + 1)) ends.push(end);
  return ends;
}
