import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDestination } from '../../src/store/copy/places.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { filledFolder } from '../support/served-copy.js';

const refusal = /These rows are a copy that did not complete: run basedrive copy again; after a restore/;

test('no server or command opens a folder whose copy or restore ended before its first row; either can be run again', async (context) => {
  const from = await filledFolder(context);
  const backups = await temporaryFolder(context);
  assert.equal((await run(['backup', backups, '--data', from])).code, 0);
  const again = {
    copy: (to: string) => ['copy', '--from', from, '--to', to],
    restore: (to: string) => ['restore', backups, '--data', to],
  };
  for (const command of Object.values(again)) {
    const to = join(await temporaryFolder(context), 'data');
    const end = async () => {
      throw new Error('the command ends here');
    };
    await assert.rejects(withDestination({ dataFolder: to }, {}, end), /the command ends here/);
    await assert.rejects(startServer(context, ['--data', to]), refusal);
    for (const options of [['check'], ['keys', 'list']]) {
      const { code, err } = await run([...options, '--data', to]);
      assert.equal(code, 2, err);
      assert.match(
        err,
        /These rows are a copy that did not complete: run basedrive copy again; after a restore/,
      );
    }
    const { code, err } = await run(command(to));
    assert.equal(code, 0, err);
    assert.equal((await run(['check', '--data', to])).code, 0);
    assert.equal(await (await startServer(context, ['--data', to])).stop(), 0);
  }
});
