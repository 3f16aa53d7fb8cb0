import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwsClient } from 'aws4fetch';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { person, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', [person(1)]);
    await service.call('POST', '/photos/files?name=cat.txt', 'a cat');
    await service.call('POST', '/secret/files?name=plan.txt', 'a plan');
  },
});

/** Creates a key over HTTP. */
async function keyWith(limits: object): Promise<string> {
  const response = await console.call('POST', '/keys', JSON.stringify(limits));
  assert.equal(response.status, 201);
  return ((await response.json()) as { key: string }).key;
}

test('a key is made with its limits, shown once, listed, and revoked', async () => {
  const page = await console.open();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByText('No keys yet').waitFor();
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('shop page');
  await page.getByText('It reaches every base and every drive.').waitFor();
  await page.getByRole('button', { name: 'Add photos' }).click();
  await page.getByText('It reaches no base and the drive photos.').waitFor();
  await page.getByRole('textbox', { name: 'Drives' }).fill('photos, pictures-*');
  await page.getByLabel('It expires').selectOption({ label: 'In 30 days' });
  await page.getByRole('button', { name: 'Create' }).click();
  const shown = page.getByRole('dialog', { name: 'The new key' }).locator('code');
  const made = await shown.textContent();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(8, 8);
  await becomes(() => shown.textContent(), made, 'only its buttons close what is shown once');
  assert.match(made ?? '', /^demo_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: 'drives photos, pictures-*' }).waitFor();
  await becomes(() => page.getByText(made ?? '').count(), 0);

  const reads = () => fetch(`${console.url}v1/demo/photos/files`, { headers: { 'X-API-Key': made ?? '' } });
  assert.equal((await reads()).status, 200);
  await page.getByRole('button', { name: 'Revoke shop page' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No keys').waitFor();
  assert.equal((await reads()).status, 401);
});

test('a key with S3 credentials shows what S3 clients are configured with, and commands that have it', async () => {
  const page = await console.open('#/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Full:').check();
  await page.getByLabel('With credentials for S3 clients').check();
  await page.getByRole('button', { name: 'Create' }).click();
  const dialog = page.getByRole('dialog', { name: 'The new key' });
  const shown = async (label: string) =>
    (await dialog.getByLabel(label, { exact: true }).textContent()) ?? '';
  const endpoint = await shown('the endpoint');
  const credentials = {
    accessKeyId: await shown('the access key id'),
    secretAccessKey: await shown('the secret access key'),
  };
  assert.equal(endpoint, new URL(console.url).origin);
  for (const label of ['endpoint', 'access key id', 'secret access key', 'commands']) {
    await becomes(() => dialog.getByRole('button', { name: `Copy the ${label}` }).isVisible(), true, label);
  }
  const client = new AwsClient({ ...credentials, service: 's3', region: 'us-east-1' });
  const read = await client.fetch(`${endpoint}/photos/cat.txt`);
  assert.deepEqual([read.status, await read.text()], [200, 'a cat']);
  for (const name of ['aws', 'rclone']) {
    await dialog.getByRole('tab', { name }).click();
    const commands = await shown('the commands');
    for (const text of [endpoint, ...Object.values(credentials)])
      assert.ok(commands.includes(text), commands);
  }
  await dialog.getByRole('button', { name: 'Copy the secret access key' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await becomes(() => page.getByText(credentials.secretAccessKey).count(), 0);
  await page.goto(`${console.url}#/`);
  await page.getByRole('tab', { name: 'S3' }).click();
  await page.getByText(`AWS_ENDPOINT_URL=${endpoint}`).waitFor();
});

test('a file shows what an S3 client has given with it', async () => {
  const md5 = '7239ea2b5dc943f61f3c0a0276c20974';
  const headers = {
    'X-API-Key': key,
    'X-File-MD5': md5,
    'X-File-Content-Language': 'da',
    'X-Meta-Camera': 'Leica',
  };
  const root = `${console.url}v1/demo`;
  const put = await fetch(`${root}/photos/files?name=tea.txt`, { method: 'POST', headers, body: 'tea' });
  assert.equal(put.status, 201);
  const kept = await console.call('PUT', '/an-empty-bucket/settings', '{"kept":true}');
  assert.equal(kept.status, 200);
  const page = await console.open('#/');
  await page.getByRole('link', { name: 'an-empty-bucket' }).first().waitFor();
  await page.getByRole('link', { name: 'photos' }).first().click();
  await page.getByRole('button', { name: 'tea.txt', exact: true }).click();
  for (const text of [md5, 'Content-Language', 'camera', 'Leica']) {
    await page.getByText(text, { exact: true }).waitFor();
  }
});

test('what is wrong with a new key is said in the dialog', async () => {
  const page = await console.open('#/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Only from web pages of').fill('not an origin');
  await page.getByRole('button', { name: 'Create' }).click();
  await page
    .getByRole('alert')
    .getByText(/origins/)
    .waitFor();
});

test('a read-only key sees what it may see, and is offered nothing that it may not do', async () => {
  const limited = await keyWith({ access: 'read', drives: ['photos'] });
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').fill(limited);
  await page.keyboard.press('Enter');
  await page.getByText('read-only · photos').waitFor();
  await becomes(() => page.getByRole('link', { name: 'secret' }).count(), 0);
  await becomes(() => page.getByRole('link', { name: 'Keys' }).count(), 0);
  await page.getByText('None for this key').waitFor();
  await becomes(() => page.getByRole('button', { name: /^New/ }).count(), 0);
  await becomes(() => page.getByText('-X PUT').count(), 0);
  await page.getByRole('link', { name: 'photos' }).first().click();
  await page.getByRole('button', { name: 'cat.txt', exact: true }).click();
  await page.getByText('a cat').waitFor();
  for (const name of ['Upload', 'Share', 'Rename', 'Delete']) {
    await becomes(() => page.getByRole('button', { name, exact: true }).count(), 0, name);
  }
});

test('a link is made for a file, and anyone can read it with the link', async () => {
  const page = await console.open('#/drives/photos?file=cat.txt');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByLabel('The link works for').selectOption({ label: 'An hour' });
  await page.getByRole('button', { name: 'Make a link' }).click();
  const url = await page.getByRole('dialog').locator('code').textContent();
  const response = await fetch(url ?? '');
  assert.equal(response.status, 200);
  assert.equal(await response.text(), 'a cat');
});

test('with a read-only key, items are shown and nothing can be changed', async () => {
  const limited = await keyWith({ access: 'read' });
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').fill(limited);
  await page.keyboard.press('Enter');
  await page.getByText('read-only').waitFor();
  await page.getByRole('link', { name: 'users' }).first().click();
  await becomes(() => page.getByRole('button', { name: 'Item', exact: true }).count(), 0);
  const cell = page.getByRole('gridcell', { name: 'Alan Turing', exact: true });
  await cell.dblclick();
  await page.getByRole('tab', { name: 'JSON' }).waitFor();
  await becomes(() => page.getByRole('textbox', { name: 'age' }).isDisabled(), true);
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByLabel('the item', { exact: true }).getByText('"age":21').waitFor();
  await becomes(() => page.getByRole('button', { name: 'Item actions' }).count(), 0);
});
