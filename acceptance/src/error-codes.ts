import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What an answer says of what is wrong: for people, and for programs. */
export interface Problems {
  readonly errors: readonly string[];
  readonly codes: readonly { readonly code: string; readonly path?: string }[];
}

const page = readFileSync(fileURLToPath(new URL('../../../docs/http.md', import.meta.url)), 'utf8');
const [, section = ''] = /#### Error codes\n(.*?)\n##/s.exec(page) ?? [];

/** The codes of docs/http.md#error-codes, with the statuses that they come with. */
const documentedCodes: ReadonlyMap<string, number> = new Map(
  Array.from(section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm), ([, code = '', status]) => [
    code,
    Number(status),
  ]),
);

/** Checks that each message has a documented code, and that the path of the code is what the message names first. */
function checkProblems({ errors, codes }: Problems): void {
  const said = JSON.stringify({ errors, codes }).slice(0, 500);
  assert.equal(codes?.length, errors.length, said);
  for (const [index, { code, path }] of codes.entries()) {
    assert.ok(documentedCodes.has(code), `${code} is not documented: ${said}`);
    // The messages of a transaction begin with the place of the operation.
    const message = (errors[index] ?? '').replace(/^(operations\[\d+\]): (?=\S+: |[^:]*$)/, '$1.');
    if (path !== undefined)
      assert.ok(message.startsWith(path) || message.includes(`${path}: `), `${path} is not named: ${said}`);
  }
}

/** Checks the body of an answer, if it has the form of an error or of refused lines. Gives the codes that it has. */
export function codesIn(status: number, type: string | undefined, body: string): readonly string[] {
  // A HEAD has no body.
  if (status < 400 || body === '' || !/^application\/json\b/.test(type ?? '')) return [];
  const value = JSON.parse(body) as Problems;
  if (!Array.isArray(value.errors)) return [];
  checkProblems(value);
  const [first] = value.codes;
  assert.equal(documentedCodes.get(first?.code ?? ''), status, `${first?.code} comes with ${status}`);
  return value.codes.map(({ code }) => code);
}
