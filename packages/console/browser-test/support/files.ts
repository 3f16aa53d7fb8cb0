import assert from 'node:assert/strict';
import { type ConsoleUnderTest, key } from './console.js';

/** Stores a file. */
export async function putFile(
  console: ConsoleUnderTest,
  drive: string,
  name: string,
  { body = name as BodyInit, type = 'text/plain' } = {},
): Promise<void> {
  const response = await fetch(`${console.url}v1/demo/${drive}/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': type },
    body,
  });
  assert.equal(response.status, 201);
}

/** Stores files, many at a time. Without a `content`, the content of each is its name. */
export async function putFiles(
  console: ConsoleUnderTest,
  drive: string,
  names: readonly string[],
  content?: { readonly body: BodyInit; readonly type: string },
): Promise<void> {
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      await putFile(console, drive, name, content);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

/** The content of each file of a drive, by its name. */
export async function contentOf(console: ConsoleUnderTest, drive: string): Promise<Record<string, string>> {
  const { names } = (await (await console.call('GET', `/${drive}/files`)).json()) as { names: string[] };
  const read = async (name: string) =>
    (await console.call('GET', `/${drive}/files/download?name=${encodeURIComponent(name)}`)).text();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
}

/** The names of all files of a drive, in their order. */
export async function namesOf(console: ConsoleUnderTest, drive: string): Promise<string[]> {
  const all: string[] = [];
  for (let last: string | undefined = ''; last !== undefined; ) {
    const path = `/${drive}/files?last=${encodeURIComponent(last)}`;
    const page = (await (await console.call('GET', path)).json()) as ListFilesPage;
    all.push(...page.names);
    last = page.paging?.last;
  }
  return all;
}

interface ListFilesPage {
  readonly names: readonly string[];
  readonly paging?: { readonly last: string };
}
