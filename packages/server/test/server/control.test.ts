import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { OperatorError } from '../../src/operator-error.js';
import { callControl, type Operations, openControl } from '../../src/server/control/socket.js';
import { createGate } from '../support/gate.js';
import { temporaryFolder } from '../support/run-cli.js';

test('a folder that takes no socket is named in one line, whatever its disk says', async (context) => {
  const missing = join(await temporaryFolder(context), 'missing');
  await assert.rejects(
    openControl(missing, {}, () => {}),
    {
      name: 'OperatorError',
      message: /^The socket \S+control\.sock cannot be made: .*/,
    },
  );
});

test('an operation reports its progress, and ends with its result, its refusal or its failure', async (context) => {
  const folder = await temporaryFolder(context);
  const operations: Operations = {
    async steps(input, { progress }) {
      progress({ step: 1 });
      progress('two\n');
      if (input === 'refuse') throw new OperatorError('no');
      if (input === 'full') throw new StorageUnavailable('the disk is full');
      if (input === 'fail') throw new Error('secret');
      return { input };
    },
    silent: async () => 'done',
  };
  const failures: unknown[] = [];
  const control = await openControl(folder, operations, (cause) => failures.push(cause));
  context.after(control.close);
  const reported: unknown[] = [];
  const progress = (value: unknown) => reported.push(value);
  assert.deepEqual(await callControl(folder, 'steps', 'in', progress), { result: { input: 'in' } });
  assert.deepEqual(reported, [{ step: 1 }, 'two\n']);
  await assert.rejects(callControl(folder, 'steps', 'refuse', progress), {
    name: 'OperatorError',
    message: 'no',
  });
  await assert.rejects(callControl(folder, 'steps', 'full'), { message: 'the disk is full' });
  assert.deepEqual(failures, []);
  await assert.rejects(callControl(folder, 'steps', 'fail'), { message: /see its log/ });
  assert.equal(failures.length, 1);
  assert.deepEqual(await callControl(folder, 'silent', null, progress), { result: 'done' });
});

test('an operation is aborted when its command ends, or when the server stops', async (context) => {
  const folder = await temporaryFolder(context);
  const began = [createGate(), createGate()];
  const ended = [createGate(), createGate()];
  let calls = 0;
  const operations: Operations = {
    async wait(_input, { progress, signal }) {
      const n = calls++;
      progress(n);
      began[n]?.open();
      if (!signal.aborted) await once(signal, 'abort');
      ended[n]?.open();
      throw new OperatorError('ended');
    },
  };
  const control = await openControl(folder, operations, () => assert.fail());
  const call = request({ socketPath: join(folder, 'control.sock'), method: 'POST', path: '/wait' });
  call.on('error', () => {}).end('null');
  await began[0]?.passed;
  call.destroy();
  await ended[0]?.passed;

  const second = callControl(folder, 'wait', null);
  await began[1]?.passed;
  await Promise.all([assert.rejects(second, { name: 'OperatorError', message: 'ended' }), control.close()]);
  assert.equal(await callControl(folder, 'wait', null), undefined);
});

test('a server that is killed during an operation is reported as such', async (context) => {
  const folder = await temporaryFolder(context);
  const { createServer } = await import('node:http');
  const dying = createServer((_message, response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write('{"progress":1}\n', () => {
      response.destroy();
    });
  });
  dying.listen(join(folder, 'control.sock'));
  await once(dying, 'listening');
  context.after(() => dying.close());
  await assert.rejects(callControl(folder, 'any', null), {
    name: 'OperatorError',
    message: 'The server stopped during the command',
  });
});

test('so is one that is killed before its answer begins', async (context) => {
  const folder = await temporaryFolder(context);
  const dying = createServer((socket) => socket.once('data', () => socket.destroy()));
  dying.listen(join(folder, 'control.sock'));
  await once(dying, 'listening');
  context.after(() => dying.close());
  await assert.rejects(callControl(folder, 'backup', null), {
    name: 'OperatorError',
    message: 'The server stopped during the command',
  });
});
