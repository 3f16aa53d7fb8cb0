import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { answering, openReceiver, type Receiver } from 'basedrive-acceptance/receiver';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { person, store } from './support/items.js';
import { scrolledSideways } from './support/screens.js';

const console = useConsole({
  settings: ['--hook-networks', '127.0.0.0/8'],
  prepare: (service) => store(service, 'users', [person(1)]),
});
let receiver: Receiver;
before(async () => {
  receiver = await openReceiver();
});
after(() => receiver.close());

test('a webhook is made, shows its secret once, is tested, paused, resumed and deleted', async () => {
  const page = await console.open();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Make a webhook' }).click();
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByLabel('Name', { exact: true }).fill('search index');
  await page.getByRole('button', { name: 'Add users' }).click();
  await page.getByLabel('Everything that is there').check();
  await page.getByRole('button', { name: 'Create' }).click();
  const dialog = page.getByRole('dialog', { name: 'The new webhook' });
  const secret = (await dialog.locator('code').textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await becomes(() => page.getByText(secret).count(), 0);
  await receiver.until(() => receiver.changes().length === 1);
  await page.getByRole('cell', { name: 'bases users' }).waitFor();
  await page.getByRole('cell', { name: 'Active' }).waitFor();
  await page.getByRole('cell', { name: /status 204/ }).waitFor();
  await page.setViewportSize({ width: 768, height: 1024 });
  assert.deepEqual(await scrolledSideways(page), []);
  const what = page.getByRole('cell', { name: 'bases users' });
  assert.ok(((await what.boundingBox())?.width ?? 0) > 80, 'its words are not broken');

  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Actions on search index' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Send a test message');
  await page.getByText('The test message was taken').waitFor();
  receiver.answers.push(answering(500));
  await choose('Send a test message');
  await page.getByText('Not taken: status 500').waitFor();

  await choose('Pause');
  await page.getByRole('cell', { name: 'Paused' }).waitFor();
  const before = receiver.received.length;
  await store(console, 'users', [person(2)]);
  await choose('Resume…');
  assert.equal(receiver.received.length, before);
  await page.getByText('It goes on where it was').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await receiver.until(() => receiver.changes().length === 2);
  await page.getByRole('cell', { name: 'Active' }).waitFor();

  await choose('Delete…');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
});

test('a webhook that fails says so, by itself', async () => {
  receiver.answers.push(...Array.from({ length: 100 }, () => answering(503)));
  const made = await console.call('POST', '/hooks', JSON.stringify({ url: receiver.url, since: '0' }));
  assert.equal(made.status, 201);
  const page = await console.open('#/webhooks');
  await page.getByRole('cell', { name: 'Failing' }).waitFor();
  await page.getByRole('cell', { name: /status 503/ }).waitFor();
  receiver.answers.length = 0;
  await page.getByRole('cell', { name: 'Active' }).waitFor();
});

test('the query of a webhook is shown with the digits and the order that it was made with', async () => {
  const query = '[{"n":9007199254740993,"price":0.1000},{"10":1,"2":1}]';
  const body = `{"url":${JSON.stringify(receiver.url)},"name":"exact","bases":["users"],"query":${query}}`;
  assert.equal((await console.call('POST', '/hooks', body)).status, 201);
  const page = await console.open('#/webhooks');
  await page.getByRole('cell', { name: `bases users; items that match ${query}` }).waitFor();
});

test('what is wrong with a new webhook is said in the dialog', async () => {
  const page = await console.open('#/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('Address').fill('http://10.0.0.1/');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').getByText(/url/).waitFor();
});

test('a key that makes no webhooks is not offered any', async () => {
  const made = await console.call('POST', '/keys', '{"access":"write"}');
  const { key } = (await made.json()) as { key: string };
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByText('read and write').waitFor();
  await becomes(() => page.getByRole('link', { name: 'Webhooks' }).count(), 0);
});
