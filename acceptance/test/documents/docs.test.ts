import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Reply } from '../../src/api.js';
import { launchTarget } from '../../src/target.js';
import { matchesText, readAssignment, readCurl, readExamples } from '../support/curl-examples.js';
import { useService } from '../support/service.js';

const root = new URL('../../../../', import.meta.url);
const page = readFileSync(fileURLToPath(new URL('docs/http.md', root)), 'utf8');

/** The examples run in the order of the page, because later ones build on earlier ones. */
describe('the examples of docs/http.md', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-docs-'));
  });
  const service = useService(async () => {
    const file = join(folder, 'admin.key');
    const [, key = ''] = variables.ADMIN?.split(': ') ?? [];
    await writeFile(file, key, { mode: 0o600 });
    return await launchTarget('--admin-key-file', file);
  });
  after(() => rm(folder, { recursive: true }));
  const variables: Record<string, string> = Object.fromEntries(
    Array.from(page.matchAll(/^(\w+)='?([^$\n]*?)'?$/gm), ([, name, value]) => [name, value]),
  );

  async function run(command: string): Promise<Reply> {
    const assignment = readAssignment(command);
    if (assignment !== undefined) {
      const answer = await run(assignment.command);
      variables[assignment.variable] = assignment.valueIn(answer.text);
      return answer;
    }
    const { method, url, headers, body } = readCurl(command, variables);
    const { pathname, search } = new URL(url);
    const options = { headers, key: null, ...(body === undefined ? {} : { body }) };
    return await service.api.send(method, pathname + search, options);
  }

  const examples = readExamples(page);
  test('the page has its examples and their variables', () => {
    assert.ok(examples.length > 40, `${examples.length} examples`);
    assert.deepEqual(Object.keys(variables), ['ROOT', 'KEY', 'JSON', 'ADMIN']);
  });

  for (const { line, commands, status, headers, body } of examples) {
    test(`the example in line ${line} is answered as shown: ${commands.at(-1)?.slice(0, 90)}`, async () => {
      let reply: Reply | undefined;
      for (const command of commands) reply = await run(command);
      assert.ok(reply);
      assert.equal(reply.status, status, reply.text);
      for (const [name, value] of headers) {
        const sent = String(reply.headers[name.toLowerCase()]);
        assert.ok(matchesText(sent, value), `${name}: ${sent}`);
      }
      // NDJSON ends with the end of a line.
      assert.ok(matchesText(reply.text.replace(/\n$/, ''), body), reply.text);
    });
  }
});
