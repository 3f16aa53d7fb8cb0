import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { type Database, freshDatabase } from '../../support/postgres-databases.js';
import { type RunningServer, startServer, temporaryFolder } from '../../support/run-cli.js';
import { key, send } from '../../support/served-copy.js';
import { wrongClock } from '../../support/standby-load.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Two days from now, all that is kept for a day is old. */
const ahead = wrongClock(2 * dayMs);

const seconds = () => Math.floor(Date.now() / 1000);

describe('servers over one database', () => {
  let postgres: TestPostgres;
  let database: Database;

  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());
  beforeEach(async () => {
    database = await freshDatabase(postgres);
  });

  /** Starts servers over one folder of bytes. Their variables say which clock they have. */
  async function start(context: TestContext) {
    const folder = await temporaryFolder(context);
    const places = [
      '--items',
      database.url,
      '--blobs',
      join(folder, 'blobs'),
      '--data',
      join(folder, 'data'),
    ];
    return (variables = {}) => startServer(context, [...places, '--key', key], variables);
  }

  const leads = (server: RunningServer) => server.out().includes('this server does maintenance from now on');
  const countOf = async (where: string) =>
    Number((await postgres.ask(`SELECT count(*) FROM basedrive_rows WHERE ${where}`, database.name))[0]);

  async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isTrue())) await wait(20);
  }

  /** Opens an upload, and gives what sends a part of it. */
  async function openUpload(server: RunningServer): Promise<() => Promise<unknown>> {
    const { upload_id: id } = await send(server, 'POST', 'photos/uploads?name=a');
    return () => send(server, 'POST', `photos/uploads/${id}/parts?name=a&part=1`, 'part');
  }

  /** Waits until an item that has expired by the right clock is gone: then maintenance has come by. */
  async function maintenanceOf(server: RunningServer, name: string): Promise<void> {
    const item = { key: name, __expires: seconds() + 1 };
    await send(server, 'PUT', 'base/items', JSON.stringify({ items: [item] }));
    await until(async () => (await countOf(`key = '${name}'`)) === 0);
  }

  test('leave maintenance to one whose clock is right, which drops no open upload', async (context) => {
    const startOne = await start(context);
    const wrong = await startOne(ahead);
    await until(() => leads(wrong));
    const right = await startOne();
    const sendPart = await openUpload(right);
    await maintenanceOf(right, 'expiring');
    await maintenanceOf(right, 'expiring');
    await sendPart();
    assert.ok(leads(right));
  });

  test('remove nothing by its age where no clock is right, say so, and do the rest of maintenance', async (context) => {
    const startOne = await start(context);
    const wrong = await startOne(ahead);
    // Nearly two days: it takes a while to ask the database.
    await until(() => /the clock of this server is 172,[78]\d\d s ahead/.test(wrong.out()));
    const right = await startOne();
    assert.equal(await right.stop(), 0);
    await until(() => leads(wrong));
    await send(
      wrong,
      'PUT',
      'base/items',
      `{"items":[{"key":"expired","__expires":${seconds()}},{"key":"a"}]}`,
    );
    const sendPart = await openUpload(wrong);
    await send(wrong, 'PUT', 'base/indexes/by-n', '{"fields":["n"]}');
    await until(async () => JSON.stringify(await send(wrong, 'GET', 'base/indexes')).includes('"ready"'));
    assert.equal(await countOf("key = 'expired'"), 1);
    await sendPart();
  });
});
